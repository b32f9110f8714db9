#include "cli/explain_manifest.h"

#include <optional>
#include <set>
#include <vector>

#include "compiler/base/secret.h"
#include "compiler/base/text.h"
#include "compiler/base/units.h"
#include "targets/kubernetes/read/givers.h"
#include "targets/kubernetes/read/pod_amounts.h"

namespace muster::cli {
namespace {

namespace k8s = targets::kubernetes;
using Number = std::optional<std::int64_t>;

constexpr std::size_t longest = 200;  // of a command or a name

// The pods of one template.
struct Pods {
  std::string role;                // "" where there is one template
  Number count, first;             // `first`: how many the file begins with, where they are not a fixed number
  Number gpus, millicpus, memory;  // of one pod; memory in bytes. nullopt: not known
  std::string starts;              // the words of its main container
  std::uint32_t line = 0;
};

struct Explained {
  const k8s::Object* object;
  std::vector<Pods> pods;
  Number gpus;  // in all
  bool coupled = false;
  std::vector<std::string> gang;                    // who starts its pods together
  std::vector<std::string> added;                   // by its operator
  std::vector<const k8s::OperatorName*> variables;  // that its operator sets in the pods
  Number deadline;
};

std::string words_of(const k8s::Container& container) {
  std::string out = container.field.get("command") ? "" : "the image's own entrypoint";
  for (const char* key : {"command", "args"})
    for (const k8s::Field& word : container.field.get(key).items())
      out += (out.empty() ? "" : " ") + std::string(word.text());
  return mask_line(std::move(out));
}

// The container with GPUs, else the first one that does not only prepare the others.
const k8s::Container* main_container(const k8s::PodTemplate& pods) {
  const k8s::Container* first = nullptr;
  for (const k8s::Container& c : pods.containers) {
    if (c.init) continue;
    if (c.has_accelerator()) return &c;
    if (first == nullptr) first = &c;
  }
  return first;
}

Number thousandth(Number value) { return value ? Number(*value / 1000) : value; }

Number product(Number a, Number b) {
  std::int64_t out = 0;
  return a && b && !__builtin_mul_overflow(*a, *b, &out) ? Number(out) : std::nullopt;
}
Number sum(Number a, Number b) {
  std::int64_t out = 0;
  return a && b && !__builtin_add_overflow(*a, *b, &out) ? Number(out) : std::nullopt;
}

// A TrainJob says itself how many nodes there are and what each of them has.
k8s::PodTemplate template_of_trainer(const k8s::Object& object) {
  k8s::PodTemplate out;
  out.spec = k8s::trainer_field(object);
  out.containers = {k8s::trainer_container(out.spec)};
  return out;
}

// As the file has them, whatever chooses the number later.
std::vector<Number> counts_at_first(const k8s::Object& object) {
  if (object.known != nullptr && object.known->counted_elsewhere) return std::vector<Number>(object.pods.size());
  std::vector<Number> out = k8s::pods_up(object);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!out[i]) out[i] = object.pods[i].count;
  return out;
}

Explained explained(const k8s::Object& object, const k8s::Manifest& manifest, const k8s::Scaled& scaled,
                    const Sources& sources) {
  Explained out{&object, {}, 0, k8s::is_coupled(object), {}, {}, {}, k8s::deadline_seconds(object)};
  std::vector<Number> counts = k8s::pods_up(object, scaled), first = counts_at_first(object);
  std::vector<k8s::PodTemplate> templates(object.pods.begin(), object.pods.end());
  if (const k8s::Field trainer = k8s::trainer_field(object); trainer && trainer.get("resourcesPerNode")) {
    templates = {template_of_trainer(object)};
    counts = first = {trainer.get("numNodes").whole()};
  }
  for (std::size_t i = 0; i < templates.size(); ++i) {
    const k8s::PodTemplate& pods = templates[i];
    Pods one{pods.role,
             counts[i],
             first[i],
             k8s::held(pods, {}),
             k8s::held(pods, "cpu"),
             thousandth(k8s::held(pods, "memory")),
             {},
             sources.position(pods.spec.span().file, pods.spec.span().begin).line};
    if (const k8s::Container* main = main_container(pods)) one.starts = words_of(*main);
    const Number gpus = one.gpus == 0 ? one.gpus : product(one.count, one.gpus);
    out.gpus = sum(out.gpus, gpus);
    out.pods.push_back(std::move(one));
  }
  if (k8s::is_job_of_runtime(object) && out.pods.empty()) out.gpus.reset();
  for (const k8s::SchedulerMark& mark : k8s::scheduler_marks(object)) {
    if (!mark.gang || mark.provider == nullptr) continue;
    std::string who = std::string(mark.provider->title) + " (line " +
                      std::to_string(sources.position(mark.where.span().file, mark.where.span().begin).line) + ")";
    if (out.gang.empty() || out.gang.back() != who) out.gang.push_back(std::move(who));
  }
  out.variables = k8s::variables_set(object, manifest);
  for (const k8s::Added& added : k8s::added_to(object)) out.added.push_back(k8s::added_sentence(*added.row));
  return out;
}

std::string number_text(Number value) { return value ? std::to_string(*value) : std::string("not known"); }

// "4 Worker", "4 Worker at first"
std::string count_text(const Pods& pods) {
  return number_text(pods.count ? pods.count : pods.first) +
         (pods.role.empty() ? "" : " " + printable(pods.role, longest)) +
         (pods.count || !pods.first ? "" : " at first");
}

// "RANK, PET_NODE_RANK (rank of the pod)", a text for each meaning.
std::string variables_text(const std::vector<const k8s::OperatorName*>& variables) {
  std::vector<std::string> out;
  std::set<k8s::Meaning> seen;
  for (const k8s::OperatorName* one : variables) {
    if (!seen.insert(one->meaning).second) continue;
    std::vector<std::string> names;
    for (const k8s::OperatorName* other : variables)
      if (other->meaning == one->meaning) names.emplace_back(other->name);
    const std::string_view meaning = k8s::meaning_text(one->meaning);
    out.push_back(joined(names, ", ") + (meaning.empty() ? "" : " (" + std::string(meaning) + ")"));
  }
  return joined(out, "; ");
}

class ObjectText {
 public:
  void heading(const std::string& text) { out_ += (out_.empty() ? "" : "\n") + text + "\n"; }
  void row(std::string_view name, const std::string& text) {
    std::string line = "  " + std::string(name);
    line.resize(std::max<std::size_t>(line.size() + 1, 18), ' ');
    out_ += line + text + "\n";
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// 0.5 CPUs, 1.05 CPUs
std::string cpus_text(std::int64_t thousandths) {
  std::string part = std::to_string(1000 + thousandths % 1000).substr(1);
  part.erase(part.find_last_not_of('0') + 1);
  return std::to_string(thousandths / 1000) + (part.empty() ? "" : "." + part) +
         (thousandths == 1000 ? " CPU" : " CPUs");
}

std::string pod_text(const Pods& pods) {
  std::string out = pods.gpus == 0 ? "without GPUs" : counted(pods.gpus.value_or(0), "GPU");
  if (!pods.gpus) out = "a number of GPUs that the file does not say";
  if (pods.millicpus) out += ", " + cpus_text(*pods.millicpus);
  if (pods.memory) out += ", " + to_string(Size{*pods.memory});
  return out;
}

std::string gpus_text(const Explained& e) {
  if (e.gpus) return std::to_string(*e.gpus) + " in all";
  Number first = 0;
  for (const Pods& pods : e.pods) first = sum(first, product(pods.first, pods.gpus));
  return first ? std::to_string(*first) + " at first" : "not known in all";
}

void write_object(const Explained& e, const std::string& file, ObjectText& out) {
  const k8s::Object& object = *e.object;
  out.heading(printable(file, longest) + ": " + printable(object.subject(), longest) + " (" +
              printable(object.api_version, longest) + ")");
  // TrainingRuntime, ServingRuntime and the like are templates of other objects.
  if (object.kind.ends_with("Runtime")) return out.row("pods", "those of the objects that use it");
  if (e.pods.empty()) return out.row("pods", k8s::is_job_of_runtime(object) ? "those of its runtime" : "none");
  for (const Pods& pods : e.pods) {
    out.row("pods", count_text(pods) + ", each " + pod_text(pods) + "   (line " + std::to_string(pods.line) + ")");
    out.row("starts", printable(pods.starts, longest));
  }
  out.row("GPUs", gpus_text(e));
  if (!e.gang.empty()) out.row("gang", "its pods start together: " + joined(e.gang, "; "));
  else if (e.coupled) out.row("gang", "none: its pods start one by one, although they wait for each other");
  else out.row("gang", "none: its pods start one by one");
  if (!e.variables.empty()) out.row("sets", variables_text(e.variables));
  for (const std::string& added : e.added) out.row("adds", added);
  out.row("ends", e.deadline ? "after " + std::to_string(*e.deadline) + " s at the latest" : "no deadline in the file");
}

Json or_null(Number value) { return value ? Json(*value) : Json(); }

}  // namespace

std::string explain_manifest_text(const k8s::Manifest& manifest, const Sources& sources) {
  const k8s::Scaled scaled = k8s::scaled_objects(manifest);
  ObjectText out;
  for (const k8s::Object& object : manifest.objects)
    write_object(explained(object, manifest, scaled, sources), sources.name(object.root.node->span.file), out);
  return out.take();
}

Json explain_manifest_json(const k8s::Manifest& manifest, const Sources& sources) {
  const k8s::Scaled scaled = k8s::scaled_objects(manifest);
  Json out = Json::array();
  for (const k8s::Object& object : manifest.objects) {
    const Explained e = explained(object, manifest, scaled, sources);
    Json pods = Json::array();
    for (const Pods& one : e.pods)
      pods.push_back({{"role", one.role},
                      {"count", or_null(one.count)},
                      {"count_at_first", or_null(one.first)},
                      {"gpus", or_null(one.gpus)},
                      {"millicpus", or_null(one.millicpus)},
                      {"memory", or_null(one.memory)},
                      {"starts", one.starts},
                      {"line", one.line}});
    Json variables = Json::array();
    for (const k8s::OperatorName* one : e.variables)
      variables.push_back({{"name", one->name}, {"meaning", k8s::meaning_text(one->meaning)}});
    out.push_back({{"api_version", object.api_version},
                   {"kind", object.kind},
                   {"name", object.name},
                   {"pods", std::move(pods)},
                   {"gpus", or_null(e.gpus)},
                   {"coupled", e.coupled},
                   {"gang", e.gang},
                   {"added", e.added},
                   {"variables", std::move(variables)},
                   {"deadline_seconds", or_null(e.deadline)}});
  }
  return out;
}

}  // namespace muster::cli
