// K8S030 sleeps-with-gpu, K8S035 ray-kept-after-job: accelerators that are held while no program uses them.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "lint/rules/manifest/scene.h"
#include "targets/kubernetes/read/pod_text.h"

namespace muster::lint {
namespace {

// ---- K8S030 ------------------------------------------------------------------------------------------

using shell::Command, shell::Effect;

// So long that the container has no end of its own: infinity, 100 days and more.
bool is_endless(std::string_view time) {
  if (time == "infinity" || time == "inf") return true;
  const bool days = time.ends_with('d');
  if (days) time.remove_suffix(1);
  if (time.empty() || !all_digits(time)) return false;
  return time.size() > 9 || std::stoll(std::string(time)) >= (days ? 100 : 100 * 86400);
}

// Whether a command does nothing but wait, and never ends.
bool waits_forever(const Command& c) {
  const shell::Doing& what = c.does;
  if (what.row == nullptr) return false;
  const std::span<const shell::Word> behind = std::span(c.words).subspan(what.at + 1);
  if (what.row->name == "sleep") return behind.size() == 1 && is_endless(behind[0].text);
  return what.row->name == "tail" && what.is({Effect::monitors}) && behind.back().text == "/dev/null";
}

bool is_endless_condition(const Command& c) {
  if (c.words.empty()) return false;
  const shell::Doing& what = c.does;
  const bool always = what.is({Effect::tests}) && c.words.size() > 1 && is_one_of(c.words[1].text, {"1", "true"});
  return always || what.is({Effect::waits}) ||
         (what.is({Effect::prints}) && what.at + 1 == c.words.size() && what.is(shell::alike)) || c.program() == "1";
}

// A program that may go on in the background: services, daemons, Ray.
bool may_stay(const Command& c) {
  if (c.background) return true;
  return std::any_of(c.words.begin(), c.words.end(), [](const shell::Word& w) {
    const std::string_view word = w.text;
    return shell::has_trait(word, shell::detaches) || shell::has_effect(word, Effect::serves) ||
           word.ends_with(".sh") || word == "-d" || word == "-D" || word.find("daemon") != word.npos ||
           word.find("server") != word.npos || word.find("control") != word.npos;
  });
}

// The commands of the text behind `sh -c`, in their order.
std::vector<const Command*> commands_of_text(const shell::Body& body) {
  std::vector<const Command*> out;
  for (const Command& c : body.commands)
    if (c.inside == 0 && !c.words.empty() && body.inside(c, shell::ScopeKind::substitution) == nullptr)
      out.push_back(&c);
  return out;
}

// Whether a text ends with a wait without end, and nothing that it started before can still run.
bool ends_waiting(const shell::Body& body) {
  std::vector<const Command*> commands = commands_of_text(body);
  if (commands.empty()) return false;
  const bool awaits = commands.back()->program() == "wait" && commands.size() > 1;
  if (awaits) commands.pop_back();
  const Command& last = *commands.back();
  if (last.background && !awaits) return false;
  std::size_t first = commands.size() - 1;  // of what waits
  if (const shell::Scope* loop = body.inside(last, shell::ScopeKind::loop)) {
    bool endless = false;
    for (; commands.size() > 0; --first) {
      const Command& c = *commands[first];
      if (body.inside(c, shell::ScopeKind::loop) != loop) {
        ++first;
        break;
      }
      if (c.background || !(c.condition ? is_endless_condition(c) : c.does.is({Effect::prints, Effect::waits})))
        return false;
      endless |= c.condition;
      if (first == 0) break;
    }
    if (!endless) return false;
  } else if (!waits_forever(last)) {
    return false;
  }
  return std::none_of(commands.begin(), commands.begin() + static_cast<std::ptrdiff_t>(first),
                      [](const Command* c) { return may_stay(*c); });
}

// Whether a container only sleeps; `where` is what says so.
bool only_sleeps(const Container& c, Field& where) {
  const std::vector<Field> elements = k8s::elements_of(c);
  const Field image = c.field.get("image");
  if (elements.empty()) {
    where = image;
    return image.text().find("/pause:") != std::string_view::npos;
  }
  const shell::Body body = k8s::body_of(c);
  const Command& command = body.commands.front();
  where = elements.back();
  const bool agnhost =
      image.text().find("agnhost") != std::string_view::npos || base_name(command.program()) == "agnhost";
  if ((agnhost && command.words.back().text == "pause") || waits_forever(command)) return true;
  const std::vector<const Command*> text = commands_of_text(body);
  if (text.empty()) return false;
  where =
      *std::find_if(elements.begin(), elements.end(), [&](const Field& f) { return f.span() == text.front()->span; });
  return ends_waiting(body);
}

// The accelerators in words: "1 GPU", "its accelerators".
std::string held(const Container& c) {
  const std::int64_t gpus = c.gpus();
  return gpus > 0 ? counted(gpus, "GPU") : "its accelerators";
}

void check_sleeper(const ManifestScene& scene, const Object& object, const PodTemplate& pods, const Container& c) {
  const bool claims = !c.resources().get("claims").items().empty();
  if (c.init || (!c.has_accelerator() && !claims)) return;
  if (pods.spec.get("activeDeadlineSeconds") || deadline_seconds(object)) return;
  if (object.label("kueue.x-k8s.io/max-exec-time-seconds") ||
      object.annotation("provreq.kueue.x-k8s.io/maxRunDurationSeconds"))
    return;  // Kueue, or its provisioning, ends it
  Field where;
  if (!only_sleeps(c, where)) return;
  const bool job = object.is("batch", "Job") || object.is("batch", "CronJob");
  const std::string devices = c.has_accelerator() ? held(c) : "its devices";
  Finding& f =
      scene.wrong(RuleId::sleeps_with_gpu, object, where,
                  "the container " + quoted(c.name) + (job ? " never ends and holds " : " only sleeps and holds ") +
                      devices + " until it is deleted",
                  job ? "the " + std::string(object.kind) + " cannot complete" : "");
  if (!job) f.severity = Severity::info;
}

bool is_of_one_program(const Object& object) {
  for (const char* kind : {"Deployment", "StatefulSet", "ReplicaSet"})
    if (object.is("apps", kind)) return true;
  return object.is("", "Pod") || object.is("batch", "Job") || object.is("batch", "CronJob");
}

// ---- K8S035 ------------------------------------------------------------------------------------------

constexpr std::int64_t long_wait = 600;  // seconds

void check_ray_end(const ManifestScene& scene, const Object& object) {
  if (!object.is("ray.io", "RayJob") || !wants_gpu(object) || object.root.at("spec.clusterSelector")) return;
  const Field keep = object.root.at("spec.ttlSecondsAfterFinished");
  const Field shutdown = object.root.at("spec.shutdownAfterJobFinishes");
  if (!shutdown.is_true() || !keep.whole() || *keep.whole() < long_wait) return;
  Finding& f = scene.wrong(
      RuleId::ray_kept_after_job, object, keep,
      "the Ray cluster keeps its accelerators for " + std::to_string(*keep.whole()) + " s after the job has ended");
  f.labels.push_back({shutdown.span(), "the cluster is deleted only after this time"});
}

}  // namespace

void check_idle(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) {
    if (is_of_one_program(object))
      for (const PodTemplate& pods : object.pods)
        for (const Container& c : pods.containers) check_sleeper(scene, object, pods, c);
    check_ray_end(scene, object);
  }
}

}  // namespace muster::lint
