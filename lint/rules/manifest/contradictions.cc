// K8S020 request-above-limit, K8S021 selector-mismatch, K8S022 restart-policy, K8S023 replica-roles: what the API
// server or the operator compares within one object, and refuses.
#include <algorithm>
#include <array>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "lint/rules/manifest/scene.h"
#include "targets/kubernetes/read/cluster.h"

namespace muster::lint {
namespace {

// Whether the pods are written out; a patch and what a runtime completes have containers without an image.
bool is_whole(const PodTemplate& pods) {
  return !pods.containers.empty() &&
         std::all_of(pods.containers.begin(), pods.containers.end(),
                     [](const Container& c) { return static_cast<bool>(c.field.get("image")); });
}

// ---- K8S020 ------------------------------------------------------------------------------------------

void check_requests_of(const ManifestScene& scene, const Object& object, const Field& resources) {
  const Field limits = resources.get("limits");
  for (const Field& request : resources.get("requests").members()) {
    const Field limit = limits.get(request.key);
    if (!limit || k8s::is_extended_resource(request.key)) continue;  // of those K8S002
    const auto least = k8s::read_quantity(request.text()), most = k8s::read_quantity(limit.text());
    if (!least || !most || *least <= *most) continue;
    Finding& f = scene.wrong(RuleId::request_above_limit, object, request,
                             "the request of " + std::string(request.text()) + " " + std::string(request.key) +
                                 " is above the limit of " + std::string(limit.text()),
                             "the API server rejects the pod");
    f.labels.push_back({limit.span(), "the limit"});
  }
}

// ---- K8S021 ------------------------------------------------------------------------------------------

void check_selector(const ManifestScene& scene, const Object& object) {
  constexpr std::array<std::string_view, 4> kinds = {"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"};
  const bool selects = std::find(kinds.begin(), kinds.end(), object.kind) != kinds.end();
  if (!object.is("apps", object.kind) || !selects || object.pods.size() != 1) return;
  const Field labels = object.pods[0].metadata.get("labels");
  for (const Field& wanted : object.root.at("spec.selector.matchLabels").members()) {
    const Field label = labels.get(wanted.key);
    if (label.text() == wanted.text() || blank_in(label.text(), In::yaml) || blank_in(wanted.text(), In::yaml))
      continue;
    if (!label && (!labels || !is_whole(object.pods[0]))) continue;  // a patch, or what kustomize adds to both
    const std::string own = label ? quoted(label.text()) : "none";
    Finding& f = scene.wrong(RuleId::selector_mismatch, object, wanted,
                             "the selector wants the label `" + std::string(wanted.key) + "` to be " +
                                 quoted(wanted.text()) + ", but the pods have " + own,
                             "the API server rejects the object");
    f.labels.push_back({label ? label.span() : labels.key_span, "the labels of the pods"});
  }
}

// ---- K8S022 ------------------------------------------------------------------------------------------

// What a kind's pods may have; of a Job the default, Always, is refused too.
struct Restarts {
  std::string_view group, kind;
  bool to_completion;
  bool default_refused;
};

constexpr auto restarts = std::to_array<Restarts>({
    {"batch", "Job", true, true},
    {"batch", "CronJob", true, true},
    {"jobset.x-k8s.io", "JobSet", true, false},
    {"apps", "Deployment", false, false},
    {"apps", "StatefulSet", false, false},
    {"apps", "DaemonSet", false, false},
    {"apps", "ReplicaSet", false, false},
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", false, false},
});

void check_restart(const ManifestScene& scene, const Object& object, const Restarts& row) {
  for (const PodTemplate& pods : object.pods) {
    const Field policy = pods.spec.get("restartPolicy");
    if (!is_whole(pods) || blank_in(policy.text(), In::yaml) || (!policy && !row.default_refused)) continue;
    const std::string_view text = policy ? policy.text() : "Always";
    if ((text == "Always") != row.to_completion || (text != "Never" && text != "OnFailure" && text != "Always"))
      continue;
    const std::string kind(object.kind);
    scene.wrong(RuleId::restart_policy, object, policy ? policy : pods.spec,
                policy ? "`restartPolicy: " + std::string(text) + "` is not allowed in a " + kind
                       : "the pods of a " + kind + " need a `restartPolicy`: the default is `Always`",
                row.to_completion ? "write `Never` or `OnFailure`" : "remove it: only `Always` is allowed");
  }
}

void check_failure_policy(const ManifestScene& scene, const Object& object) {
  if (!object.is("batch", "Job") || object.pods.size() != 1) return;
  const Field rules = object.root.at("spec.podFailurePolicy"), policy = object.pods[0].spec.get("restartPolicy");
  if (!rules || policy.text() != "OnFailure") return;
  Finding& f =
      scene.wrong(RuleId::restart_policy, object, policy,
                  "`podFailurePolicy` requires `restartPolicy: Never`, but it is `OnFailure`", "write `Never`");
  f.labels.push_back({rules.key_span, "the policy"});
}

// ---- K8S023 ------------------------------------------------------------------------------------------

// What the Training Operator asks of its kinds before it makes pods.
struct Roles {
  std::string_view kind, container;
  std::array<std::string_view, 5> roles;
  std::string_view single;  // the role that has one pod
  bool single_needed = false;
};

constexpr auto kubeflow = std::to_array<Roles>({
    {"PyTorchJob", "pytorch", {"Master", "Worker"}, "Master"},
    {"TFJob", "tensorflow", {"Chief", "Master", "Worker", "PS", "Evaluator"}, ""},
    {"XGBoostJob", "xgboost", {"Master", "Worker"}, "Master", true},
    {"PaddleJob", "paddle", {"Master", "Worker"}, ""},
    {"JAXJob", "jax", {"Worker"}, ""},
});

void check_role(const ManifestScene& scene, const Object& object, const Roles& row, const PodTemplate& pods) {
  const std::string kind(object.kind), role = muster::quoted(pods.role);
  const bool known = std::any_of(row.roles.begin(), row.roles.end(),
                                 [&](std::string_view r) { return !r.empty() && equal_ignoring_case(r, pods.role); });
  if (!known && !blank_in(pods.role, In::yaml)) {
    std::vector<std::string_view> names(row.roles.begin(), row.roles.end());
    std::erase(names, "");
    scene.wrong(RuleId::replica_roles, object, pods.holder, role + " is not a role of a " + kind,
                "the roles are " + quoted_list(names));
  }
  const auto named = [&](const Container& c) {
    return !c.init && (c.name == row.container || blank_in(c.name, In::yaml));
  };
  if (is_whole(pods) && std::none_of(pods.containers.begin(), pods.containers.end(), named))
    scene.wrong(RuleId::replica_roles, object, pods.spec.get("containers"),
                "no container of " + role + " is named " + quoted(row.container), "the operator rejects the " + kind);
  const auto count = pods.holder.get("replicas").whole();
  if (equal_ignoring_case(pods.role, row.single) && !row.single.empty() && count && *count > 1)
    scene.wrong(RuleId::replica_roles, object, pods.holder.get("replicas"),
                role + " has " + counted(*count, "replica") + ", but a " + kind + " has exactly one", "write 1");
  if (row.kind == "PyTorchJob" && known && count && *count < 1)
    scene.wrong(RuleId::replica_roles, object, pods.holder.get("replicas"),
                role + " has no replica, but a PyTorchJob rejects a role without one", "remove the role");
  const Field restart = pods.holder.get("restartPolicy");
  constexpr std::array<std::string_view, 4> policies = {"Always", "OnFailure", "Never", "ExitCode"};
  if (restart && !blank_in(restart.text(), In::yaml) &&
      std::find(policies.begin(), policies.end(), restart.text()) == policies.end())
    scene.wrong(RuleId::replica_roles, object, restart, quoted(restart.text()) + " is not a restart policy of " + role,
                "the policies are " + quoted_list(policies));
}

// The MPI operator's own validation of v2beta1.
void check_mpi_roles(const ManifestScene& scene, const Object& object) {
  if (object.api_version != "kubeflow.org/v2beta1" || !object.is("kubeflow.org", "MPIJob")) return;
  for (const PodTemplate& pods : object.pods) {
    const Field replicas = pods.holder.get("replicas"), restart = pods.holder.get("restartPolicy");
    if (pods.role == "Launcher" && replicas.whole() && *replicas.whole() != 1)
      scene.wrong(RuleId::replica_roles, object, replicas,
                  "`Launcher` has " + counted(*replicas.whole(), "replica") + ", but an MPIJob has exactly one",
                  "write 1");
    if (pods.role != "Launcher" && pods.role != "Worker" && !blank_in(pods.role, In::yaml))
      scene.wrong(RuleId::replica_roles, object, pods.holder, muster::quoted(pods.role) + " is not a role of an MPIJob",
                  "the roles are `Launcher` and `Worker`");
    if (restart && restart.text() != "Never" && restart.text() != "OnFailure" && !blank_in(restart.text(), In::yaml))
      scene.wrong(RuleId::replica_roles, object, restart,
                  "`restartPolicy: " + std::string(restart.text()) + "` is not allowed in an MPIJob",
                  "write `Never` or `OnFailure`");
  }
}

void check_kubeflow(const ManifestScene& scene, const Object& object) {
  check_mpi_roles(scene, object);
  for (const Roles& row : kubeflow) {
    if (!object.is("kubeflow.org", row.kind) || object.api_version != "kubeflow.org/v1") continue;
    for (const PodTemplate& pods : object.pods) check_role(scene, object, row, pods);
    const bool there = std::any_of(object.pods.begin(), object.pods.end(),
                                   [&](const PodTemplate& pods) { return equal_ignoring_case(pods.role, row.single); });
    if (row.single_needed && !there && !object.pods.empty())
      scene.wrong(RuleId::replica_roles, object, object.root.get("kind"),
                  "the " + std::string(object.kind) + " has no " + quoted(row.single), "the operator rejects it");
  }
}

}  // namespace

void check_contradictions(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) {
    for (const PodTemplate& pods : object.pods)
      for (const Container& c : pods.containers) check_requests_of(scene, object, c.resources());
    if (const Field trainer = trainer_field(object)) check_requests_of(scene, object, trainer.get("resourcesPerNode"));
    check_selector(scene, object);
    for (const Restarts& row : restarts)
      if (object.is(row.group, row.kind)) check_restart(scene, object, row);
    check_failure_policy(scene, object);
    check_kubeflow(scene, object);
  }
}

}  // namespace muster::lint
