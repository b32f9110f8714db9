// Target `kuberay`: what runs on Ray, as a RayJob, a RayService or a RayCluster of KubeRay.
//
// The containers start by the prelude, as on every target, and then run the command of KubeRay's for a Ray node: so the
// program, its tasks and its actors have MUSTER_* on every node. The program itself is run on the head, from a file:
// none of the user's words passes through the quoting of KubeRay, of `ray job submit` and of the submitter's pod.
#include <algorithm>

#include "targets/kubernetes/gang.h"
#include "targets/kubernetes/gang_kinds.h"
#include "targets/kubernetes/kinds.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/pod.h"

namespace muster::targets::pods {
namespace {

using model::GangProvider;
using model::Kind;
using model::RetryOn;

constexpr std::string_view operator_name = "kuberay";
constexpr std::size_t longest_job_name = 47;  // ray-operator/controllers/ray/utils/constant.go
constexpr std::size_t longest_cluster_name = 53;
constexpr std::string_view start_ray_node = "/bin/bash -c \"$KUBERAY_GEN_RAY_START_CMD\"";

bool is_service(const Draft& draft) { return draft.workload.kind.value == Kind::serve; }
bool is_cluster(const Draft& draft) { return draft.workload.kind.value == Kind::dev; }

std::int64_t most_nodes(const plan::RolePlan& role) {
  const auto& asked = role.role->resources.nodes;
  return asked ? std::max(asked->value.high, role.nodes) : role.nodes;
}

// Ray numbers no nodes: the head is the first, the others have no rank.
RunWords words_of() {
  RunWords out;
  out.env = {field_variable("MUSTER_RAY_CLUSTER", "metadata.labels['ray.io/cluster']")};
  out.id = "\"$MUSTER_RAY_CLUSTER\"";
  out.rank = "\"${MUSTER_RAY_RANK:-}\"";  // of the head's container alone
  out.head = "\"${FQ_RAY_IP:-$MUSTER_NODE_ADDR}\"";
  return out;
}

void refuse_shapes(Draft& draft) {
  const plan::RolePlan& role = draft.plan.roles.front();
  if (draft.plan.roles.size() > 1)
    draft.refuse_at(draft.plan.roles[1].role->span, "role", "a Ray cluster runs one program, on its head",
                    "give the program one role and let it place its actors by resources");
  if (role.role->replicas && role.role->replicas->value.high > 1)
    draft.refuse("replicas", "copies of a Ray cluster are objects of their own", "make each a workload of its own");
  const std::size_t longest = is_cluster(draft) ? longest_cluster_name : longest_job_name;
  if (draft.name.size() > longest)
    draft.refuse_as(Code::name_not_valid, draft.workload.span, "workload",
                    "`" + draft.name + "` has " + std::to_string(draft.name.size()) +
                        " signs, and KubeRay makes names of it that leave " + std::to_string(longest),
                    "give the workload or the run (`--run`) a shorter name");
}

bool takes(Draft& draft) {
  const std::size_t before = draft.diagnostics.size();
  const model::Role& role = *draft.plan.roles.front().role;
  if (role.launch.runner.value != model::Runner::ray)
    draft.refuse_at(role.launch.runner.span.known() ? role.launch.runner.span : draft.workload.span, "launch.runner",
                    "KubeRay starts Ray clusters, and this program does not run on Ray",
                    "say `launch { runner = ray }`, or use another target");
  const auto& serve = draft.workload.serve;
  if (is_service(draft) && (!serve || !serve->config))
    draft.refuse_at(draft.workload.kind.span, "serve",
                    "a RayService runs applications of Ray Serve, and there is no `config` that names them",
                    "say `serve { config = <<<yaml … }`, or run the server with runner `none` on target `kubernetes`");
  if (is_service(draft) && role.program)
    draft.refuse_at(role.program->span, "command",
                    "a RayService runs the applications that `serve.config` names, and no program",
                    "leave the program out");
  if (is_cluster(draft) && role.program)
    draft.refuse_at(role.program->span, "command", "a RayCluster that people work in runs no program by itself",
                    "leave `command` out, or use another kind");
  refuse_shapes(draft);
  return draft.diagnostics.size() == before;
}

// ---- the gang: words of the provider on the object; KubeRay makes the PodGroup from them.

std::string_view scheduler_of(GangProvider provider) {
  switch (provider) {
    case GangProvider::volcano: return "volcano";
    case GangProvider::yunikorn: return "yunikorn";
    case GangProvider::kai: return "kai-scheduler";
    case GangProvider::coscheduling: return "scheduler-plugins";
    case GangProvider::none:
    case GangProvider::kueue: break;
  }
  return {};
}

void add_volcano_labels(Draft& draft, Node& labels, const std::string& queue, const Node* priority) {
  if (!queue.empty()) put(labels, "volcano.sh/queue-name", text(queue));
  if (priority != nullptr) put(labels, "ray.io/priority-class-name", *priority);
  const Node topology = volcano_topology(draft);
  if (!topology.is_map()) return;
  put(labels, "volcano.sh/network-topology-mode", *topology.get("mode"));
  put(labels, "volcano.sh/network-topology-highest-tier-allowed", text(topology.get("highestTierAllowed")->text));
}

void add_provider_labels(Draft& draft, Node& labels, const Node* priority) {
  const std::string queue = queue_name(draft);
  if (draft.provider == GangProvider::volcano) return add_volcano_labels(draft, labels, queue, priority);
  if (draft.provider == GangProvider::yunikorn) {
    put(labels, "yunikorn.apache.org/app-id", text(draft.name));
    if (!queue.empty()) put(labels, "yunikorn.apache.org/queue", text(queue));
  }
  if (draft.provider == GangProvider::kai) put(labels, "kai.scheduler/queue", text(queue));
  else put(labels, "ray.io/gang-scheduling-enabled", text("true"));
  refuse_topology(draft, "KubeRay passes no topology on to " + std::string(scheduler_of(draft.provider)),
                  "use Kueue or Volcano");
}

void add_ray_gang(Draft& draft, Node& object, std::vector<GangMember> members) {
  const std::string scheduler(scheduler_of(draft.provider));
  if (scheduler.empty()) return add_gang(draft, object, members);
  const std::string flag = "--batch-scheduler=" + scheduler;
  if (draft.has_operator(operator_name) && !draft.has_flag(operator_name, flag))
    return draft.refuse("gang", "KubeRay makes a gang only where it runs with `" + flag + "`",
                        "start it so and add `flags = [\"" + flag + "\"]` to `operator kuberay`");
  if (draft.provider == GangProvider::kai && queue_name(draft).empty())
    return draft.refuse("queue", "KAI schedules pods of a queue, and the site has none for this workload",
                        "add `queue NAME { default = true }` to the site");
  const Node* priority = members.front().pod_template->get("spec")->get("priorityClassName");
  const Node copy = priority == nullptr ? nothing() : *priority;
  add_provider_labels(draft, at(at(object, "metadata"), "labels"), priority == nullptr ? nullptr : &copy);
  if (draft.provider == GangProvider::coscheduling)
    draft.approximated("queue", "nothing", "coscheduling has no queues");
  else draft.exact("queue", "label of the object");
  if (draft.has_operator(operator_name)) draft.exact("gang", "PodGroup of KubeRay by " + scheduler);
  else draft.approximated("gang", "PodGroup of KubeRay by " + scheduler, "only where KubeRay runs with " + flag);
  tell_admission(draft, "podgroups  # Running, with all members, and `kubectl get rayclusters` says ready");
}

// ---- the cluster

Node ray_params(const plan::RolePlan& role, bool head) {
  Node out = map({{"block", text("true")}});
  if (head) put(out, "dashboard-host", text("0.0.0.0"));
  if (role.cpus) put(out, "num-cpus", text(std::to_string(*role.cpus)));
  return out;
}

// The head is the first machine and works like the others, as under Slurm.
Node cluster_of(Draft& draft, const plan::RolePlan& role) {
  const bool elastic = most_nodes(role) > role.nodes;
  for (const char* field : {"stop.signal", "stop.lead"})
    draft.approximated(field, "nothing", "the program ends with its cluster: KubeRay passes no signal on");
  PodOptions options{.run = words_of(), .container = "ray"};
  options.instead = std::string(start_ray_node);
  options.has_program = !is_cluster(draft) && !is_service(draft);
  options.elastic = elastic;
  // A Ray node that ends is made anew by KubeRay; a RayService's nodes have to come back.
  options.restart = is_service(draft) ? "Always" : "Never";
  Node pod = make_pod(draft, role, options);
  put(at(at(pod, "metadata"), "annotations"), "ray.io/overwrite-container-cmd", text("true"));
  Node head = pod;
  append(at(at(head, "spec"), "containers").items.front(), "env",
         map({{"name", text("MUSTER_RAY_RANK")}, {"value", text("0")}}));
  Node out = map({{"rayVersion", role.role->launch.version ? text(role.role->launch.version->value) : nothing()},
                  {"enableInTreeAutoscaling", elastic ? truth(true) : nothing()},
                  {"headGroupSpec", map({{"rayStartParams", ray_params(role, true)}, {"template", std::move(head)}})}});
  if (most_nodes(role) < 2) return out;
  put(out, "workerGroupSpecs",
      list({map({{"groupName", text("workers")},
                 {"replicas", number(role.nodes - 1)},
                 {"minReplicas", number(role.nodes - 1)},
                 {"maxReplicas", number(most_nodes(role) - 1)},
                 {"rayStartParams", ray_params(role, false)},
                 {"template", std::move(pod)}})}));
  return out;
}

std::vector<GangMember> members_of(Node& cluster) {
  std::vector<GangMember> out = {{&at(at(cluster, "headGroupSpec"), "template"), "headgroup", 1}};
  if (cluster.get("workerGroupSpecs") != nullptr) {
    Node& group = at(cluster, "workerGroupSpecs").items.front();
    out.push_back({&at(group, "template"), "workers", std::stoll(group.get("replicas")->text)});
  }
  return out;
}

// ---- the three kinds

void add_retry(Draft& draft, Node& spec) {
  const auto& retry = draft.workload.retry;
  if (!retry) return;
  const bool forever = retry->limit.value == model::Retry::unlimited;
  put(spec, "backoffLimit", number(forever ? 2'147'483'647 : retry->limit.value));
  if (forever) draft.approximated("retry.limit", "a very large backoffLimit", "KubeRay has no number for ever");
  else draft.exact("retry.limit", "backoffLimit: a new cluster and the program again");
  if (retry->limit.value == 0) return report_no_retry(draft);
  if (!retry->exit_codes.empty())
    draft.refuse("retry.exit-codes", "KubeRay does not see with which code the program ended");
  draft.approximated("retry.on", "backoffLimit",
                     "a RayJob is retried after any failure of the program; a lost worker is made anew meanwhile");
  draft.approximated("retry.backoff", "nothing", "KubeRay retries at once");
}

void build_job(Draft& draft, const plan::RolePlan& role) {
  Node spec = map({{"entrypoint", text("/bin/sh /muster/program")},
                   {"submissionMode", text(draft.provider == GangProvider::kai ? "HTTPMode" : "K8sJobMode")},
                   {"shutdownAfterJobFinishes", truth(true)}});
  if (const auto& limit = draft.workload.time_limit)
    put(spec, "activeDeadlineSeconds", number(limit->value.seconds_up()));
  draft.approximated("time-limit", "activeDeadlineSeconds",
                     "of all attempts together, the time in which the cluster comes up included");
  add_retry(draft, spec);
  put(spec, "rayClusterSpec", cluster_of(draft, role));
  Node object = draft.main_object("ray.io/v1", "RayJob");
  put(object, "spec", std::move(spec));
  add_ray_gang(draft, object, members_of(at(at(object, "spec"), "rayClusterSpec")));
  add_workload_object(draft, std::move(object));
}

void build_service(Draft& draft, const plan::RolePlan& role) {
  if (draft.workload.time_limit)
    draft.refuse("time-limit", "a RayService has no end, and its nodes are started again", "drop `time-limit`");
  const model::Serve& serve = *draft.workload.serve;
  Node spec = map({{"serveConfigV2", text(serve.config->value)}});
  draft.exact("serve.config", "serveConfigV2");
  draft.exact("serve.port", "the Service that KubeRay makes");
  draft.approximated("serve.model", "nothing", "the applications in `config` name their models");
  put(spec, "rayClusterConfig", cluster_of(draft, role));
  Node object = draft.main_object("ray.io/v1", "RayService");
  put(object, "spec", std::move(spec));
  add_ray_gang(draft, object, members_of(at(at(object, "spec"), "rayClusterConfig")));
  add_workload_object(draft, std::move(object));
}

void build_cluster(Draft& draft, const plan::RolePlan& role) {
  Node object = draft.main_object("ray.io/v1", "RayCluster");
  put(object, "spec", cluster_of(draft, role));
  draft.remarks.push_back("the way in: kubectl port-forward service/" + draft.name + "-head-svc 8265 10001");
  draft.exact("dev.interface", "the head's Service");
  draft.approximated("dev.idle-timeout", "nothing", "KubeRay does not see that nobody works in a cluster");
  if (draft.workload.time_limit) draft.approximated("time-limit", "nothing", "a RayCluster runs until it is deleted");
  add_ray_gang(draft, object, members_of(at(object, "spec")));
  add_workload_object(draft, std::move(object));
}

void build_kuberay(Draft& draft) {
  draft.keeps_name = is_service(draft);
  if (!takes(draft)) return;
  const plan::RolePlan& role = draft.plan.roles.front();
  report_copies(draft, role, "one cluster");
  if (is_service(draft)) return build_service(draft, role);
  if (is_cluster(draft)) return build_cluster(draft, role);
  build_job(draft, role);
}

}  // namespace

Lowered lower_kuberay(const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics) {
  return lower_pods(plan, options, diagnostics, "kuberay", operator_name, build_kuberay);
}

}  // namespace muster::targets::pods
