// K8S030 sleeps-with-gpu, K8S035 ray-kept-after-job: accelerators that are held while no program uses them.
#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "lint/rules/manifest/commands.h"
#include "lint/rules/manifest/scene.h"

namespace muster::lint {
namespace {

// ---- K8S030 ------------------------------------------------------------------------------------------

using Words = std::vector<std::string>;

// So long that the container has no end of its own: infinity, 100 days and more.
bool is_endless(std::string_view time) {
  if (time == "infinity" || time == "inf") return true;
  const bool days = time.ends_with('d');
  if (days) time.remove_suffix(1);
  if (time.empty() || !all_digits(time)) return false;
  return time.size() > 9 || std::stoll(std::string(time)) >= (days ? 100 : 100 * 86400);
}

// Whether a simple command does nothing but wait, and never ends.
bool waits_forever(const Words& words) {
  std::size_t at = !words.empty() && words[0] == "exec" ? 1 : 0;
  if (at >= words.size()) return false;
  const std::string_view program = base_name(words[at]);
  if (program == "sleep") return words.size() == at + 2 && is_endless(words[at + 1]);
  return program == "tail" && words.size() >= at + 3 && words[at + 1].starts_with('-') &&
         lower(words[at + 1]).find('f') != std::string::npos && words.back() == "/dev/null";
}

// What a loop that only waits is made of.
bool is_idle_command(const Words& words) {
  constexpr std::array<std::string_view, 10> idle = {"do",     "done", "sleep", "date",  "echo",
                                                     "printf", "true", ":",     "while", "nvidia-smi"};
  std::size_t at = words.size() > 1 && (words[0] == "do" || words[0] == "while") ? 1 : 0;
  return std::find(idle.begin(), idle.end(), base_name(words[at])) != idle.end();
}

bool is_endless_condition(const Words& words) {
  return words.size() >= 2 && words[0] == "while" &&
         (words[1] == "true" || words[1] == ":" || words[1] == "1" || words[1] == "sleep" ||
          (words.size() >= 4 && words[1] == "[" && words[3] == "]" && (words[2] == "1" || words[2] == "true")));
}

// A program that may go on in the background: services, daemons, Ray.
bool may_stay(const SimpleCommand& command) {
  if (command.behind) return true;
  constexpr std::array<std::string_view, 12> services = {"service", "systemctl", "sshd",        "ray",
                                                         "nohup",   "setsid",    "supervisord", "screen",
                                                         "tmux",    "jupyter",   "dockerd",     "code-server"};
  for (const std::string& word : command.words) {
    const std::string_view name = base_name(word);
    if (std::find(services.begin(), services.end(), name) != services.end() || name.ends_with(".sh") || word == "-d" ||
        word.find("daemon") != std::string::npos || word.find("server") != std::string::npos ||
        word.find("control") != std::string::npos || word == "-D")
      return true;
  }
  return false;
}

// Whether a script ends with a wait without end, and nothing that it started before can still run.
bool ends_waiting(std::string_view script) {
  std::vector<SimpleCommand> commands = commands_of(script);
  if (!commands.empty() && commands.back().words == Words{"wait"} && commands.size() >= 2 &&
      waits_forever(commands[commands.size() - 2].words)) {
    commands.pop_back();
    commands.back().behind = false;
  }
  if (commands.empty()) return false;
  std::size_t first = commands.size() - 1;  // of what waits
  if (commands.back().words[0] == "done") {
    while (first > 0 && commands[first].words[0] != "while") --first;
    if (!is_endless_condition(commands[first].words)) return false;
    for (std::size_t i = first + 1; i < commands.size(); ++i)
      if (!is_idle_command(commands[i].words) || commands[i].behind) return false;
  } else if (!waits_forever(commands.back().words)) {
    return false;
  }
  return std::none_of(commands.begin(), commands.begin() + static_cast<std::ptrdiff_t>(first), may_stay);
}

// Whether a container only sleeps; `where` is what says so.
bool only_sleeps(const Container& c, Field& where) {
  const std::vector<Field> elements = elements_of(c);
  const Field image = c.field.get("image");
  if (elements.empty()) {
    where = image;
    return image.text().find("/pause:") != std::string_view::npos;
  }
  Words words;
  for (const Field& element : elements) words.emplace_back(element.text());
  where = elements.back();
  const bool agnhost = image.text().find("agnhost") != std::string_view::npos || base_name(words[0]) == "agnhost";
  if ((agnhost && words.back() == "pause") || waits_forever(words)) return true;
  const auto script = script_in(elements);
  if (!script) return false;
  where = elements[*script];
  return ends_waiting(words[*script]);
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
