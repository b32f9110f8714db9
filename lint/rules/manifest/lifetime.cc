// K8S013 grace-below-stop, K8S014 log-deleted-early, K8S015 retries-unset, SRV008 liveness-while-loading: when pods are
// killed, started again and deleted.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "lint/rules/manifest/scene.h"
#include "lint/yaml_edit.h"

namespace muster::lint {
namespace {

// ---- K8S013 ------------------------------------------------------------------------------------------

constexpr std::int64_t default_grace = 30;

// "30", "30s", "2m": what `sleep` waits, in seconds.
std::optional<std::int64_t> seconds_of(std::string_view text) {
  std::int64_t unit = 1;
  if (text.ends_with('m')) unit = 60;
  if (text.ends_with('m') || text.ends_with('s')) text.remove_suffix(1);
  if (text.empty() || text.size() > 6 || !all_digits(text)) return std::nullopt;
  return unit * std::stoll(std::string(text));
}

// A hook that waits for at least so long, and the field that says so.
struct Hook {
  std::optional<std::int64_t> seconds;
  Field where;
  bool by_kubelet = false;  // `sleep` of the API, which the server checks
};

Hook stop_hook(const Container& c) {
  const Field hook = c.field.at("lifecycle.preStop");
  if (const Field seconds = hook.at("sleep.seconds")) return {seconds.whole(), seconds, true};
  const auto words = hook.at("exec.command").items();
  if (words.size() == 2 && words[0].text() == "sleep") return {seconds_of(words[1].text()), words[1]};
  if (words.empty() || !words.back().text().starts_with("sleep ")) return {};
  const std::string_view script = words.back().text().substr(6);
  return {seconds_of(script.substr(0, script.find_first_of(" ;&|\n"))), words.back()};
}

void check_stop(const ManifestScene& scene, const Object& object, const PodTemplate& pods, const Container& c) {
  const Hook hook = stop_hook(c);
  const Field grace = pods.spec.get("terminationGracePeriodSeconds");
  if (!hook.seconds || (grace && !grace.whole())) return;
  const std::int64_t given = grace ? *grace.whole() : default_grace;
  if (*hook.seconds < given) return;
  const bool refused = hook.by_kubelet && *hook.seconds > given;
  Finding& f = scene.wrong(RuleId::grace_below_stop, object, hook.where,
                           "the `preStop` hook of " + quoted(c.name) + " waits " + std::to_string(*hook.seconds) +
                               " s, but the grace period is " + std::to_string(given) + " s",
                           refused ? "the API server rejects the pod" : "the program is killed without time to stop");
  if (grace) f.labels.push_back({grace.span(), "includes the hook"});
  if (refused) f.severity = Severity::error;
}

// ---- K8S014, K8S015 ----------------------------------------------------------------------------------

constexpr std::int64_t hour = 3600;

void check_log(const ManifestScene& scene, const Object& object) {
  if (object.known == nullptr || object.known->policy.empty() || !wants_gpu(object)) return;
  if (object.is("ray.io", "RayJob")) return;  // the object and its submitter's log stay: see K8S035
  const Field keep = object.root.at(object.known->policy).get("ttlSecondsAfterFinished");
  const auto seconds = keep.whole();
  if (!seconds || *seconds >= hour) return;
  Finding& f = scene.wrong(
      RuleId::log_deleted_early, object, keep,
      "the job, its pods and their logs are deleted " + std::to_string(*seconds) + " s after the job has ended",
      "why it failed is no longer visible then");
  if (!keep.aliased) f.fix = Fix{"keep it for a day", false, {{keep.span(), "86400"}}};
}

// The specs of the Jobs that an object makes: its own, or those that it is a template of.
std::vector<Field> job_specs(const Object& object) {
  if (object.is("batch", "Job")) return {object.root.get("spec")};
  if (object.is("batch", "CronJob")) return {object.root.at("spec.jobTemplate.spec")};
  if (object.is("jobset.x-k8s.io", "JobSet")) return matches(object.root, "spec.replicatedJobs[].template.spec");
  return {};
}

void check_retries(const ManifestScene& scene, const Object& object) {
  if (!wants_gpu(object)) return;
  for (const Field& spec : job_specs(object)) {
    if (!spec.get("template") || spec.get("backoffLimit").node != nullptr || spec.get("backoffLimitPerIndex") ||
        spec.get("podFailurePolicy"))
      continue;
    Finding& f = scene.wrong(RuleId::retries_unset, object, object.is("batch", "Job") ? object.root.get("kind") : spec,
                             "`backoffLimit` is not set, so Kubernetes starts failed pods again up to six times");
    if (const auto edit = add_to_map(scene.context.sources, spec, {"backoffLimit: 0"}))
      f.fix = Fix{"do not start failed pods again", false, {*edit}};
    return;  // the Jobs of one object are alike in this
  }
}

// ---- SRV008 ------------------------------------------------------------------------------------------

constexpr std::int64_t loading = 300;  // seconds; large weights take longer

bool loads_a_model(const Container& c) {
  const std::string image = lower(c.field.get("image").text());
  return is_server(program_of(c)) || !shell::mentioned(image, shell::loads_model).empty() ||
         image.find("text-generation-inference") != image.npos || image.find("tensorrt-llm") != image.npos;
}

void check_liveness(const ManifestScene& scene, const Object& object, const Container& c) {
  const Field probe = c.field.get("livenessProbe");
  if (c.init || !probe || !c.has_accelerator() || c.field.get("startupProbe")) return;
  const auto number = [&](const char* key, std::int64_t otherwise) {
    const Field field = probe.get(key);
    return field ? field.whole() : std::optional(otherwise);
  };
  const auto delay = number("initialDelaySeconds", 0), period = number("periodSeconds", 10),
             failures = number("failureThreshold", 3);
  if (!delay || !period || !failures || *period > loading || *failures > loading) return;
  const std::int64_t killed = *delay + *period * *failures;
  if (killed >= loading) return;
  Finding& f = scene.wrong(RuleId::liveness_while_loading, object, probe,
                           "the container " + quoted(c.name) + " is killed if it does not answer within " +
                               std::to_string(killed) + " s of its start",
                           "there is no `startupProbe`");
  // Whether another program loads for long, the file does not say.
  if (!loads_a_model(c)) f.severity = Severity::info, f.since = Profile::strict;
}

}  // namespace

void check_lifetime(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) {
    check_log(scene, object);
    check_retries(scene, object);
    for (const PodTemplate& pods : object.pods)
      for (const Container& c : pods.containers) {
        if (!c.init) check_stop(scene, object, pods, c);
        check_liveness(scene, object, c);
      }
  }
}

}  // namespace muster::lint
