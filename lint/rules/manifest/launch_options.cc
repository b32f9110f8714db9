// NET007 mpirun-exports-unread, K8S034 pods-train-alone: options of a launcher that do not do what was meant.
#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "lint/rules/manifest/scene.h"
#include "targets/kubernetes/read/givers.h"

namespace muster::lint {
namespace {

// ---- NET007 ------------------------------------------------------------------------------------------

// A name as the MCA parameters of Open MPI have it: a framework, and below it lower case.
bool is_mca_parameter(std::string_view name) {
  constexpr std::array<std::string_view, 12> frameworks = {"btl", "coll", "pml",  "mtl",  "osc",   "plm",
                                                           "oob", "orte", "opal", "prte", "rmaps", "hwloc"};
  const std::size_t end = name.find('_');
  if (std::find(frameworks.begin(), frameworks.end(), name.substr(0, end)) == frameworks.end()) return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
}

// UCX reads UCX_RC_RX_QUEUE_LEN and the like.
bool is_ucx_without_prefix(std::string_view name) { return name == "RX_QUEUE_LEN" || name == "IB_RX_QUEUE_LEN"; }

void check_exports(const ManifestScene& scene, const Object& object, const Container& c) {
  if (program_of(c) != k8s::Program::mpirun) return;
  bool reported = false;  // two names of UCX are one mistake
  for (std::size_t i = 0; i + 1 < c.words.size(); ++i) {
    if (c.words[i].text != "-x") continue;
    const k8s::Word& word = c.words[i + 1];
    const std::size_t equals = word.text.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = word.text.substr(0, equals), value = word.text.substr(equals + 1);
    if (is_mca_parameter(name)) {
      scene
          .wrong(RuleId::mpirun_exports_unread, object, word,
                 "`-x " + name + "` exports an environment variable, but " + quoted(name) + " is an MCA parameter",
                 "no program reads it")
          .notes.push_back("write `--mca " + name + " " + value + "` instead");
    } else if (is_ucx_without_prefix(name) && !reported) {
      reported = true;
      scene
          .wrong(RuleId::mpirun_exports_unread, object, word,
                 "UCX reads only variables that begin with `UCX_`, so " + quoted(name) + " has no effect",
                 "no program reads it")
          .notes.push_back("remove it, or write the variable that `ucx_info -c -f` lists");
    }
  }
}

// ---- K8S034 ------------------------------------------------------------------------------------------

bool joins_nodes(const Container& c) {
  if (c.field.get("envFrom")) return true;
  constexpr std::array<std::string_view, 8> options = {"--nnodes", "--rdzv",         "--standalone", "--node-rank",
                                                       "--master", "--start-method", "PET_",         "MASTER_ADDR"};
  const auto joins = [&](std::string_view text) {
    const std::string name = text.starts_with("--") ? dashed(text) : std::string(text);
    return std::any_of(options.begin(), options.end(), [&](std::string_view o) {
      return o.starts_with("--") ? name.starts_with(o) : name.find(o) != std::string::npos;
    });
  };
  const auto env = c.field.get("env").items();
  return std::any_of(c.words.begin(), c.words.end(), [&](const k8s::Word& w) { return joins(w.text); }) ||
         std::any_of(env.begin(), env.end(), [&](const Field& v) { return joins(v.get("name").text()); });
}

// Whether a file of a volume runs before the launcher does: its text, which may set what the launcher reads, is not in
// the words.
bool starts_by_file(const Container& c, const k8s::Word& launcher) {
  for (const k8s::Word& word : c.words) {
    if (&word == &launcher) return false;
    for (const Field& mount : c.field.get("volumeMounts").items()) {
      const std::string_view folder = mount.get("mountPath").text();
      if (!folder.empty() && word.text.size() > folder.size() && word.text.starts_with(folder) &&
          word.text[folder.size()] == '/')
        return true;
    }
  }
  return false;
}

// Volcano starts the tasks of a job together, but only its plugin sets what torchrun reads; the pods of an indexed Job
// or a JobSet are numbered, but not joined. The pods of other kinds may be trainings of their own on purpose.
bool leaves_launcher_alone(const Object& object) {
  if (object.is("batch", "Job"))
    return object.root.at("spec.completionMode").text() == "Indexed" &&
           object.root.at("spec.parallelism").whole() == object.root.at("spec.completions").whole();
  return object.is("jobset.x-k8s.io", "JobSet") ||
         (object.is("batch.volcano.sh", "Job") && !object.root.at("spec.plugins.pytorch"));
}

// Whether a container reads which of the pods it is in: each then has work of its own.
bool tells_pods_apart(const ManifestScene& scene, const Object& object, const Container& c) {
  const std::string_view text = scene.context.sources.text(c.field.span());
  const auto has = [&](std::string_view part) { return !part.empty() && text.find(part) != std::string_view::npos; };
  for (const k8s::OperatorName* name : k8s::variables_set(object, scene.manifest))
    if (has(name->name) || has(k8s::field_of_name(name->name))) return true;
  return has("metadata.name") || has("hostname") || has("HOSTNAME");
}

void check_alone(const ManifestScene& scene, const Object& object, const PodTemplate& pods, const Container& c) {
  if (c.init || pods.count.value_or(1) < 2 || program_of(c) != k8s::Program::torchrun || joins_nodes(c)) return;
  const auto word = std::find_if(c.words.begin(), c.words.end(), [](const k8s::Word& w) {
    const std::string_view name = base_name(w.text);
    return name == "torchrun" || name == "torch.distributed.run" || name == "torch.distributed.launch";
  });
  if (word == c.words.end() || starts_by_file(c, *word)) return;
  Finding& f =
      scene.wrong(RuleId::pods_train_alone, object, *word,
                  "torchrun has no `--nnodes`, so each of the " + counted(*pods.count, "pod") + " trains by itself",
                  "the default is one node");
  if (pods.count_field) f.labels.push_back({pods.count_field.span(), "the pods"});
}

}  // namespace

void check_launch_options(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects)
    for (const PodTemplate& pods : object.pods)
      for (const Container& c : pods.containers) {
        check_exports(scene, object, c);
        if (leaves_launcher_alone(object) && !tells_pods_apart(scene, object, c)) check_alone(scene, object, pods, c);
      }
}

}  // namespace muster::lint
