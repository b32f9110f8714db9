// Target `kuberay`: what runs on Ray, as a RayJob, a RayService or a RayCluster of KubeRay.
//
// Of several roles the one that has the program is the head's and its workers'; each other one is a group of workers
// for its actors, which find it by a resource of Ray's with the role's name.
//
// The containers start by the prelude, as on every target, and then run the command of KubeRay's for a Ray node: so the
// program, its tasks and its actors have MUSTER_* on every node. The program itself is run on the head, from a file:
// none of the user's words passes through the quoting of KubeRay and of Ray's own submission. KubeRay submits it
// itself, for a pod that submits would need GPUs' tolerations and quota of its own.
#include <algorithm>

#include "targets/kubernetes/builders.h"
#include "targets/kubernetes/gang.h"
#include "targets/kubernetes/gang_kinds.h"
#include "targets/kubernetes/gang_topology.h"
#include "targets/kubernetes/job_parts.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/pod.h"

namespace muster::targets::kubernetes {
namespace {

using model::GangProvider;
using model::RetryOn;

constexpr std::string_view kuberay_operator = "kuberay";
constexpr std::size_t longest_job_name = 47;  // ray-operator/controllers/ray/utils/constant.go
constexpr std::size_t longest_cluster_name = 53;
constexpr std::string_view start_ray_node = "/bin/bash -c \"$KUBERAY_GEN_RAY_START_CMD\"";

bool is_service(const Draft& draft) { return draft.workload.kind.value == model::Kind::serve; }
bool is_cluster(const Draft& draft) { return draft.workload.kind.value == model::Kind::dev; }

// The number of the role whose program the head runs: that which has one, else the first.
std::size_t driver_of(const Draft& draft) {
  const auto& roles = draft.plan.roles;
  const auto found =
      std::find_if(roles.begin(), roles.end(), [](const auto& r) { return r.role->program.has_value(); });
  return found == roles.end() ? 0 : static_cast<std::size_t>(found - roles.begin());
}

std::string group_name(const Draft& draft, const plan::RolePlan& role) {
  return draft.plan.roles.size() == 1 ? "workers" : dns_label(role.role->name);
}

// The Ray nodes of a role that are workers. A replica of several machines is a group's `numOfHosts`.
struct Workers {
  std::int64_t low = 0, high = 0, hosts = 1;
  bool is_elastic() const { return high > low; }
};

Workers ray_workers(const Draft& draft, std::size_t i) {
  const plan::RolePlan& role = draft.plan.roles[i];
  const auto& asked = role.role->resources.nodes;
  const auto& replicas = role.role->replicas;
  const std::int64_t most = asked ? std::max(asked->value.high, role.nodes) : role.nodes;
  if (i == driver_of(draft)) return {role.nodes - 1, most - 1, 1};
  if (!replicas || replicas->value.high == 1) return {role.nodes, most, 1};
  return {role.role->copies(), std::max(replicas->value.high, role.role->copies()), role.nodes};
}

bool is_elastic(const Draft& draft) { return model::grows(draft.workload); }

// Ray numbers no nodes: the head is the first, the others have no rank.
RunExpressions kuberay_run() {
  RunExpressions out;
  out.env = {field_variable("MUSTER_RAY_CLUSTER", "metadata.labels['ray.io/cluster']")};
  out.givers.push_back(Giver::ray);
  out.id = "\"$MUSTER_RAY_CLUSTER\"";
  out.rank = "\"${MUSTER_RAY_RANK:-}\"";  // of the head's container alone
  out.head = "\"${FQ_RAY_IP:-$MUSTER_NODE_ADDR}\"";
  return out;
}

void refuse_shapes(Draft& draft) {
  const auto& roles = draft.plan.roles;
  const std::size_t driver = driver_of(draft);
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const model::Role& role = *roles[i].role;
    if (i == driver || !role.program) continue;
    draft.refuse_at(
        role.program->span, model::Field::role,
        "a Ray cluster runs one program, on its head, which is that of role `" + roles[driver].role->name + "`",
        "remove the program; the role's machines then run actors that request its resource");
  }
  const auto& replicas = roles[driver].role->replicas;
  if (replicas && replicas->value.high > 1)
    draft.refuse(model::Field::replicas, "replicas of a Ray cluster are separate objects",
                 "make each a separate workload");
  const std::size_t longest = is_cluster(draft) ? longest_cluster_name : longest_job_name;
  if (draft.name.size() > longest)
    draft.refuse_as(Code::name_not_valid, draft.workload.span, model::Field::workload,
                    "`" + draft.name + "` has " + std::to_string(draft.name.size()) +
                        " characters, but the names that KubeRay derives from it allow " + std::to_string(longest),
                    "use a shorter name for the workload or the run (`--run`)");
}

void refuse_runner(Draft& draft, const model::Role& role) {
  if (role.launch.runner.value != model::Runner::ray)
    draft.refuse_at(role.launch.runner.span.known() ? role.launch.runner.span : draft.workload.span,
                    model::Field::launch_runner, "KubeRay starts Ray clusters, but this program does not run on Ray",
                    "set `launch { runner = ray }`, or use another target");
}

// KubeRay submits the program when all machines have joined; of actors it knows nothing.
void report_ray_order(Draft& draft) {
  for (const plan::RolePlan& role : draft.plan.roles)
    for (const model::RoleStart& start : role.role->depends_on) {
      const FieldRef field{model::Field::role_depends_on, start.role, role.role->name};
      if (start.on != model::StartOn::started)
        draft.refuse_at(start.span, field, "KubeRay knows when machines join, not when their programs are ready",
                        "wait for the actors in the program, or set `on = started`");
      draft.loss.approximated(field, "the start of the cluster", "the program starts when all Ray nodes have joined");
    }
}

bool kuberay_takes(Draft& draft) {
  const std::size_t before = draft.diagnostics.size();
  const model::Role& role = *draft.plan.roles[driver_of(draft)].role;
  for (const plan::RolePlan& each : draft.plan.roles) refuse_runner(draft, *each.role);
  if (draft.workload.sweep)
    draft.refuse_at(draft.workload.sweep->span, model::Field::sweep,
                    "each point of a sweep would be a separate Ray cluster",
                    "run the points with Ray Tune in one cluster: kind `batch`, no `sweep`, a program that calls it");
  const auto& serve = draft.workload.serve;
  if (is_service(draft) && (!serve || !serve->config))
    draft.refuse_at(
        draft.workload.kind.span, model::Field::serve,
        "a RayService runs Ray Serve applications, but the workload has no `serve.config` that names them",
        "write `serve { config = <<<yaml … }`, or run the server with runner `none` on target `kubernetes`");
  if (is_service(draft) && role.program)
    draft.refuse_at(role.program->span, model::Field::command,
                    "a RayService runs the applications of `serve.config`, not a program", "remove the program");
  if (is_cluster(draft) && role.program)
    draft.refuse_at(role.program->span, model::Field::command,
                    "an interactive RayCluster does not run a program by itself",
                    "remove `command`, or use another kind");
  refuse_shapes(draft);
  report_ray_order(draft);
  if (!is_service(draft) && !is_cluster(draft)) refuse_never_admitted(draft, "a RayJob");
  return draft.diagnostics.size() == before;
}

// ---- the gang: words of the provider on the object; KubeRay makes the PodGroup from them.

void add_ray_topology(Draft& draft, Node& labels) {
  const std::string prefix(draft.gang_row().ray_labels.topology);
  if (prefix.empty())
    return refuse_topology(draft, "KubeRay does not pass a topology to " + std::string(draft.gang_row().kuberay),
                           "use Kueue or Volcano");
  const Gate& gate = mark_gate("volcano.sh/network-topology-mode");
  if (draft.near && !has(draft.plane, gate.component, gate.in))
    return refuse_topology(draft, "this release of KubeRay does not pass a topology to Volcano", {});
  const Node topology = volcano_topology(draft);
  if (!topology.is_map()) return;
  put(labels, prefix + "mode", *topology.get("mode"));
  put(labels, prefix + "highest-tier-allowed", text(topology.get("highestTierAllowed")->text));
}

void add_provider_labels(Draft& draft, Node& labels, const Node* priority) {
  const RayLabels& keys = draft.gang_row().ray_labels;
  const std::string queue = queue_name(draft);
  if (!keys.application.empty()) put(labels, keys.application, text(draft.name));
  if (!keys.queue.empty() && !queue.empty()) put(labels, keys.queue, text(queue));
  if (!keys.priority.empty() && priority != nullptr) put(labels, keys.priority, *priority);
  if (keys.enables) put(labels, "ray.io/gang-scheduling-enabled", text("true"));
  add_ray_topology(draft, labels);
}

void add_ray_gang(Draft& draft, Node& object, std::vector<GangMember> members) {
  const std::string scheduler(draft.gang_row().kuberay);
  if (const std::string_view key = draft.gang_row().growing_key; !key.empty() && is_elastic(draft)) {
    put(at(at(object, "metadata"), "annotations"), key, text("true"));
    draft.remarks.push_back(
        "Kueue accepts clusters that grow only if its feature ElasticJobsViaWorkloadSlices is enabled" +
        std::string(draft.near ? ", and does not place them by topology" : ""));
    draft.near.reset();
  }
  if (draft.gang_row().fixed_size && needs_gang(draft) && is_elastic(draft))
    return draft.refuse(
        model::Field::replicas,
        std::string(draft.gang_row().title) + " starts a gang once, so that this cluster cannot grow as one",
        "give a fixed number of replicas, or use a plane with another gang scheduler");
  if (scheduler.empty()) return add_gang(draft, object, members);
  const std::string flag = "--batch-scheduler=" + scheduler;
  if (draft.pods.has_operator(kuberay_operator) && !draft.has_flag(kuberay_operator, flag))
    return draft.refuse(model::Field::gang, "KubeRay creates a gang only if it runs with `" + flag + "`",
                        "run it with this flag, and add `flags = [\"" + flag + "\"]` to `operator kuberay`");
  if (draft.needs("kuberay", flag, "`" + flag + "`", model::Field::gang)) return;
  if (draft.gang_row().needs_queue && queue_name(draft).empty())
    return draft.refuse(model::Field::queue,
                        std::string(draft.gang_row().title) +
                            " only schedules pods with a queue, but the site has none for this workload",
                        "add `queue NAME { default = true }` to the site");
  const Node* priority = members.front().pod_template->get("spec")->get("priorityClassName");
  const Node copy = priority == nullptr ? nothing() : *priority;
  add_provider_labels(draft, at(at(object, "metadata"), "labels"), priority == nullptr ? nullptr : &copy);
  if (!draft.gang_row().has_queues)
    draft.approximated(model::Field::queue, "nothing", std::string(draft.gang_row().title) + " has no queues");
  else draft.exact(model::Field::queue, "label of the object");
  const auto& fault = draft.gang_row().ray_fault;
  if (fault && members.size() > fault->groups && has_fault(draft.plane, *fault))
    draft.approximated(model::Field::gang, "PodGroup of KubeRay by " + scheduler, fault->what);
  else if (draft.pods.has_operator(kuberay_operator))
    draft.exact(model::Field::gang, "PodGroup of KubeRay by " + scheduler);
  else
    draft.approximated(model::Field::gang, "PodGroup of KubeRay by " + scheduler, "only if KubeRay runs with " + flag);
  if (!draft.pods.has_operator(kuberay_operator)) draft.remarks.push_back("KubeRay has to run with `" + flag + "`");
  remark_admission(draft, "podgroups  # Running, with all members, and `kubectl get rayclusters` says ready");
}

// ---- the cluster

// The CPUs that the head leaves to an autoscaler.
std::int64_t cpus_left(const Draft& draft, const std::optional<std::int64_t>& cpus) {
  const std::int64_t room = model::room_for_autoscaler().cpus;
  return is_elastic(draft) && cpus && *cpus > room ? room : 0;
}

// KubeRay itself says `--block`, the address of the dashboard, and the CPUs, memory and GPUs of the container.
Node ray_params(const Draft& draft, const plan::RolePlan& role) {
  Node out = map({});
  // In the quotes in which KubeRay passes it on to a shell.
  if (draft.plan.roles.size() > 1) put(out, "resources", text("\"{\\\"" + group_name(draft, role) + "\\\": 1}\""));
  return out;
}

// `program_text`: see PodOptions.
Node ray_pod(Draft& draft, std::size_t i, std::string* program_text = nullptr) {
  for (const model::Field field : {model::Field::stop_signal, model::Field::stop_lead})
    draft.approximated(field, "nothing", "the program ends with its cluster; KubeRay does not forward signals");
  PodOptions options{.run = kuberay_run(), .container = "ray"};
  options.instead = std::string(start_ray_node);
  options.starts_itself = true;
  options.program_text = program_text;
  options.launch_version = "rayVersion";
  options.takes_range = true;
  options.has_program = !is_cluster(draft) && !is_service(draft) && i == driver_of(draft);
  // A Ray node that ends is made anew by KubeRay; a RayService's nodes have to come back.
  options.restart = is_service(draft) ? "Always" : "Never";
  Node pod = make_pod(draft, draft.plan.roles[i], options);
  // KubeRay keeps a command that is not its own only with this.
  if (at(at(pod, "spec"), "containers").items.front().get("command") != nullptr)
    put(at(at(pod, "metadata"), "annotations"), "ray.io/overwrite-container-cmd", text("true"));
  return pod;
}

Node group_of(const Draft& draft, std::size_t i, Node pod) {
  const Workers workers = ray_workers(draft, i);
  const plan::RolePlan& role = draft.plan.roles[i];
  return map({{"groupName", text(group_name(draft, role))},
              {"replicas", number(workers.low)},
              {"minReplicas", number(workers.low)},
              {"maxReplicas", number(workers.high)},
              {"numOfHosts", workers.hosts > 1 ? number(workers.hosts) : nothing()},
              {"rayStartParams", ray_params(draft, role)},
              {"template", std::move(pod)}});
}

void report_counts(Draft& draft, std::size_t i) {
  const Workers workers = ray_workers(draft, i);
  const std::string head = i == driver_of(draft) ? "the head and " : "";
  const std::string as = head + std::to_string(workers.low * workers.hosts) +
                         (workers.is_elastic() ? " to " + std::to_string(workers.high * workers.hosts) : "") +
                         " workers" + (workers.is_elastic() ? ", by Ray's autoscaler" : "");
  for (const FieldRef& path : replica_fields(draft, *draft.plan.roles[i].role)) draft.loss.exact(path, as);
}

// Beside the head of a cluster that grows KubeRay starts Ray's autoscaler. The head leaves it room, for it may have a
// whole node; where it has too little for that, the autoscaler requests nothing.
class AutoscalerRoom {
 public:
  AutoscalerRoom(Draft& draft, const plan::RolePlan& role, Node& head) : draft_(draft), role_(role), head_(head) {
    const auto cpus = role.all_cpus && role.pool != nullptr ? role.pool->usable_cpus(role.family) : role.cpus;
    const auto memory = role.all_memory && role.pool != nullptr ? role.pool->usable_memory(role.family) : role.memory;
    const model::HeadRoom room = model::room_for_autoscaler();
    if (const std::int64_t left = cpus_left(draft, cpus); left > 0)
      has_cpus_ = take("cpu", std::to_string(*cpus), number(*cpus - left), model::Field::resources_cpus);
    if (memory && *memory > room.memory)
      has_memory_ = take("memory", quantity(*memory), text(quantity(Size{memory->bytes - room.memory.bytes})),
                         model::Field::resources_memory);
  }

  // What the autoscaler is told: as whom it runs, and to request nothing that it has no room for.
  Node options() const {
    Node out = map({});
    if (Node context = container_security(draft_); context.is_map()) put(out, "securityContext", std::move(context));
    if (has_cpus_ && has_memory_) return out;
    const model::AddedPod& row = model::autoscaler_row();
    const Node cpu = text(std::to_string(row.millicpus) + "m"), memory = text(quantity(row.memory));
    put(out, "resources",
        map({{"requests", map({{"cpu", has_cpus_ ? cpu : number(0)}, {"memory", has_memory_ ? memory : number(0)}})},
             {"limits", map({{"cpu", cpu}, {"memory", memory}})}}));
    return out;
  }

 private:
  // Writes `less` where the head's container has all of an amount. The lower end of a range leaves room as it is.
  bool take(const char* resource, const std::string& all, const Node& less, model::Field field) {
    Node& resources = at(at(at(head_, "spec"), "containers").items.front(), "resources");
    bool changed = false;
    for (const char* kind : {"requests", "limits"}) {
      const Node* amounts = resources.get(kind);
      const Node* const amount = amounts == nullptr ? nullptr : amounts->get(resource);
      if (amount == nullptr || amount->text != all) continue;
      put(at(resources, kind), resource, less);
      changed = true;
    }
    if (!changed) return false;
    for (const FieldRef& path : {FieldRef{field}, FieldRef{field, "", role_.role->name}})
      if (draft_.wrote_as(path))
        draft_.loss.approximated(
            path, std::string(resource) + ": " + all,
            "the head shares its node with Ray's autoscaler, to which it leaves 1 CPU and 512 MiB");
    return true;
  }

  Draft& draft_;
  const plan::RolePlan& role_;
  Node& head_;
  bool has_cpus_ = false, has_memory_ = false;
};

// The head is the first machine of its role and works like the others, as under Slurm.
Node cluster_of(Draft& draft, std::string* program_text = nullptr) {
  const std::size_t driver = driver_of(draft);
  const plan::RolePlan& first = draft.plan.roles[driver];
  draft.exact(model::Field::launch_version, "rayVersion");
  Node pod = ray_pod(draft, driver, program_text), head = pod;
  if (wanted_of(draft, first).has("MUSTER_NODE_RANK") ||
      model::refers_to(*first.role, model::RefersTo::run, "node-rank"))
    append(at(at(head, "spec"), "containers").items.front(), "env",
           map({{"name", text("MUSTER_RAY_RANK")}, {"value", text("0")}}));
  Node autoscaler = map({});
  if (is_elastic(draft)) autoscaler = AutoscalerRoom(draft, first, head).options();
  Node groups = list({});
  for (std::size_t i = 0; i < draft.plan.roles.size(); ++i) {
    report_counts(draft, i);
    if (ray_workers(draft, i).high > 0)
      groups.items.push_back(group_of(draft, i, i == driver ? std::move(pod) : ray_pod(draft, i)));
  }
  return map({{"rayVersion", first.role->launch.version ? text(first.role->launch.version->value) : nothing()},
              {"enableInTreeAutoscaling", is_elastic(draft) ? truth(true) : nothing()},
              {"autoscalerOptions", autoscaler.members.empty() ? nothing() : std::move(autoscaler)},
              {"headGroupSpec", map({{"rayStartParams", ray_params(draft, first)}, {"template", std::move(head)}})},
              {"workerGroupSpecs", groups.items.empty() ? nothing() : std::move(groups)}});
}

std::vector<GangMember> ray_members(Node& cluster) {
  std::vector<GangMember> out = {{&at(at(cluster, "headGroupSpec"), "template"), "headgroup", 1}};
  if (cluster.get("workerGroupSpecs") == nullptr) return out;
  for (Node& group : at(cluster, "workerGroupSpecs").items) {
    const std::int64_t hosts = group.get("numOfHosts")->integer().value_or(1);
    const std::int64_t pods = group.get("replicas")->integer().value_or(0) * hosts;
    out.push_back({&at(group, "template"), group.get("groupName")->text, pods});
  }
  return out;
}

// ---- the three kinds

void add_rayjob_retry(Draft& draft, Node& spec) {
  const auto& retry = draft.workload.retry;
  if (!retry) return;
  const bool forever = retry->limit.value == model::Retry::unlimited;
  put(spec, "backoffLimit", number(forever ? 2'147'483'647 : retry->limit.value));
  if (forever)
    draft.approximated(model::Field::retry_limit, "a very large backoffLimit",
                       "KubeRay cannot express an unlimited number of retries");
  else draft.exact(model::Field::retry_limit, "backoffLimit, which starts a new cluster and the program");
  if (retry->limit.value == 0) return report_no_retry(draft);
  if (!retry->exit_codes.empty())
    draft.refuse(model::Field::retry_exit_codes, "KubeRay does not know the exit code of the program");
  draft.approximated(model::Field::retry_on, "backoffLimit",
                     "a RayJob is retried after any failure of the program; lost workers are replaced without a retry");
  draft.approximated(model::Field::retry_backoff, "nothing", "KubeRay retries at once");
}

void build_rayjob(Draft& draft) {
  std::string program = "/bin/sh /job/program";
  Node cluster = cluster_of(draft, &program);
  // Ray gives it to a shell on the head (JobSupervisor), as it is.
  Node spec = map(
      {{"entrypoint", text(program)}, {"submissionMode", text("HTTPMode")}, {"shutdownAfterJobFinishes", truth(true)}});
  if (const auto& limit = draft.limit) put(spec, "activeDeadlineSeconds", number(limit->value.seconds_up()));
  draft.report_limit("activeDeadlineSeconds", "applies to all attempts together, including the start of the cluster");
  draft.approximated_each(model::Field::logs, "nothing",
                          "pods do not write log files; use `ray job logs`, for Ray has the program's output");
  add_rayjob_retry(draft, spec);
  put(spec, "rayClusterSpec", std::move(cluster));
  Node object = draft.main_object(kubernetes::kind_row("ray.io", "RayJob"));
  put(object, "spec", std::move(spec));
  add_ray_gang(draft, object, ray_members(at(at(object, "spec"), "rayClusterSpec")));
  add_workload_object(draft, std::move(object));
}

void build_rayservice(Draft& draft) {
  if (draft.workload.time_limit)
    draft.refuse(model::Field::time_limit, "a RayService never ends, and its nodes are restarted",
                 "remove `time-limit`");
  const model::Serve& serve = *draft.workload.serve;
  Node spec = map({{"serveConfigV2", text(serve.config->value)}});
  draft.exact(model::Field::serve_config, "serveConfigV2");
  draft.exact(model::Field::serve_port, "the Service that KubeRay creates");
  draft.approximated(model::Field::serve_model, "nothing", "the applications in `config` name their models");
  put(spec, "rayClusterConfig", cluster_of(draft));
  Node object = draft.main_object(kubernetes::kind_row("ray.io", "RayService"));
  put(object, "spec", std::move(spec));
  add_ray_gang(draft, object, ray_members(at(at(object, "spec"), "rayClusterConfig")));
  add_workload_object(draft, std::move(object));
}

void build_raycluster(Draft& draft) {
  Node object = draft.main_object(kubernetes::kind_row("ray.io", "RayCluster"));
  put(object, "spec", cluster_of(draft));
  draft.remarks.push_back("to connect: kubectl port-forward service/" + draft.name + "-head-svc 8265 10001");
  draft.exact(model::Field::dev_interface, "the head's Service");
  draft.approximated(model::Field::dev_idle_timeout, "nothing",
                     "KubeRay cannot detect that an interactive session is idle");
  if (draft.limit)
    draft.loss.approximated(model::Field::time_limit, "nothing", "a RayCluster runs until it is deleted");
  add_ray_gang(draft, object, ray_members(at(object, "spec")));
  add_workload_object(draft, std::move(object));
}

}  // namespace

void build_kuberay(Draft& draft) {
  draft.keeps_name = is_service(draft);
  if (!kuberay_takes(draft)) return;
  if (is_service(draft)) return build_rayservice(draft);
  if (is_cluster(draft)) return build_raycluster(draft);
  build_rayjob(draft);
}

std::span<const Carried> kuberay_carriage() {
  static constexpr Carried column[] = {
      {"=m", "checkpoint.path"},
      {"=",
       "args dev.interface env.* file.mode file.text image labels.* launch.compat "
       "launch.version port.number resources.disk resources.gpu resources.gpus script "
       "serve.config setup stop.grace workdir"},
      {"=~", "kind resources.nodes resources.shm retry.limit"},
      {"=~-x", "target.*"},
      {"-x", "target.launch"},
      {"-", "target.srun"},
      {"=-", "priority queue"},
      {"=-x", "code"},
      {"=m", "preemptible"},
      {"=x",
       "code.git.rev code.git.url command launch.runner mount.mode mount.path mount.sub-path replicas "
       "secret.env secret.file serve.port software"},
      {"~", "account depends-on.on port.public require retry.on"},
      {"-",
       "checkpoint.async launch.export licenses logs.append logs.error logs.output notify.email notify.on "
       "resources.smt retry retry.backoff stop.lead stop.signal title"},
      {"m", "allow.reason allow.until checkpoint.every facts.* launch.contract prefer"},
      {"x",
       "depends-on.each gang role.with launch.args retry.exit-codes role.depends-on.on serve.args serve.engine "
       "serve.model "
       "serve.router "
       "sweep.axes.* sweep.max-parallel sweep.zip"},
      {"=~m", "resources.cpus resources.memory"},
      {"~-mx", "time-limit"},
  };
  return column;
}

}  // namespace muster::targets::kubernetes
