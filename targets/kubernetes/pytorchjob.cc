// Target `pytorchjob`: one gang of machines as a PyTorchJob of the training operator: rank 0 is the Master.
#include <algorithm>

#include "compiler/base/text.h"
#include "targets/kubernetes/builders.h"
#include "targets/kubernetes/gang.h"
#include "targets/kubernetes/gang_kinds.h"
#include "targets/kubernetes/gang_topology.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/own_block.h"
#include "targets/kubernetes/pod.h"

namespace muster::targets::kubernetes {
namespace {

using model::RetryOn;

constexpr std::string_view training_operator = "training-operator";
constexpr std::string_view pytorchjob_label = "training.kubeflow.org/";

std::string pytorchjob_host(const Draft& draft, std::string_view of) {
  return "\"" + draft.name_word() + "-" + std::string(of) + "\"";
}

// How many machines there are at least and at most. More than one number: the job is elastic, by torchrun, which is the
// only launcher that goes on with fewer machines and takes more.
struct Machines {
  std::int64_t low = 1, high = 1, size = 1;  // `size`: those it starts with
  bool stated = false;                       // by `elasticPolicy` of the target's block, beside a number of `nodes`
  bool is_elastic() const { return high > low || stated; }
};

Machines machines_of(const Draft& draft, const plan::RolePlan& role) {
  const Node own = own_object(draft);
  const Node* policy = own.at("spec.elasticPolicy");
  if (policy != nullptr && own.at("spec.pytorchReplicaSpecs.Master") == nullptr) {
    const auto bound = [&](const char* key) {
      const Node* there = policy->get(key);
      return there == nullptr ? role.nodes : whole_number(there->text).value_or(role.nodes);
    };
    return {bound("minReplicas"), bound("maxReplicas"), role.nodes, true};
  }
  const auto& asked = role.role->resources.nodes;
  const bool torchrun = role.role->launch.runner.value == model::Runner::torchrun;
  return {role.nodes, asked && torchrun ? std::max(asked->value.high, role.nodes) : role.nodes, role.nodes};
}

// The operator injects PET_* and, for Master and Worker, the node's rank (pkg/controller.v1/pytorch/envvar.go). An
// elastic job has no Master; its ranks are the rendezvous' to give (elastic.go), so the prelude has the pod's number.
RunExpressions pytorchjob_run(const Draft& draft, const plan::RolePlan& role) {
  RunExpressions out;
  const Machines machines = machines_of(draft, role);
  if (draft.is_generated()) out.env = {draft.name_variable(kubernetes::kind_row("kubeflow.org", "PyTorchJob"))};
  out.operator_sets_launcher = true;
  out.givers.push_back(machines.is_elastic() ? Giver::elastic : Giver::pytorchjob);
  if (machines.is_elastic()) {
    out.env.push_back(
        field_variable("MUSTER_INDEX", "metadata.labels['" + std::string(pytorchjob_label) + "replica-index']"));
    out.rank = "\"$MUSTER_INDEX\"";
    out.head = pytorchjob_host(draft, "worker-0");
    out.hosts = counted_hosts(role.nodes, pytorchjob_host(draft, "worker-$i"));
    return out;
  }
  out.operator_sets_rank = true;
  out.rank = "\"$PET_NODE_RANK\"";
  out.head = pytorchjob_host(draft, "master-0");
  out.hosts = "echo " + pytorchjob_host(draft, "master-0");
  if (role.nodes > 1) out.hosts += "; " + counted_hosts(role.nodes - 1, pytorchjob_host(draft, "worker-$i"));
  return out;
}

bool pytorchjob_takes(Draft& draft) {
  const std::size_t before = draft.diagnostics.size();
  const plan::RolePlan& role = draft.plan.roles.front();
  refuse_other_kinds(draft, *role.role, "a PyTorchJob");
  refuse_several(draft, "a PyTorchJob");
  refuse_never_admitted(draft, "a PyTorchJob");
  refuse_taken(draft, *role.role, {machines_of(draft, role).is_elastic() ? Giver::elastic : Giver::pytorchjob},
               "the training operator");
  const bool again = draft.workload.retry && draft.workload.retry->limit.value != 0;
  if (again && role.nodes > 1 && !machines_of(draft, role).is_elastic())
    draft.refuse(model::Field::retry, "a PyTorchJob with a fixed number of nodes restarts single pods, not the gang",
                 "use target `jobset` or `trainjob`, or write a range, such as `nodes = 2..4`, with runner `torchrun`");
  draft.fits(8 + std::to_string(machines_of(draft, role).high).size(), "the longest pod name");  // -worker-N, -master-0
  return draft.diagnostics.size() == before;
}

// Which pods are started again, in place, and how often all of them together (pkg/core/job.go).
std::string add_pytorchjob_retry(Draft& draft, Node& run_policy, std::int64_t pods) {
  const auto& retry = draft.workload.retry;
  const bool forever = retry && retry->limit.value == model::Retry::unlimited;
  if (!retry || retry->limit.value == 0) {
    draft.exact(model::Field::retry_limit, "restartPolicy: Never");
    report_no_retry(draft);
    return "Never";
  }
  const bool any = retries_on(*retry, RetryOn::failure);
  if (!retry->exit_codes.empty())
    draft.refuse(model::Field::retry_exit_codes, "a PyTorchJob only distinguishes exit codes below 128 from others",
                 "use target `jobset` or `volcano`");
  if (any)
    draft.approximated(model::Field::retry_on, "restartPolicy: OnFailure",
                       "a failed container restarts in its pod; a pod on a lost node is recreated");
  else
    draft.approximated(model::Field::retry_on, "restartPolicy: ExitCode",
                       "the operator treats exit codes from 128 (a signal) as node failure or preemption");
  const std::int64_t most = forever ? 0 : retry->limit.value * pods + 1;
  const std::string limit = "backoffLimit: " + std::to_string(most);
  if (!forever) put(run_policy, "backoffLimit", number(most));
  if (forever) draft.exact(model::Field::retry_limit, "no backoffLimit");
  else if (any)
    draft.approximated(model::Field::retry_limit, limit,
                       "the operator counts restarts of all pods together, so one restart of the gang counts " +
                           std::to_string(pods) + " times");
  else
    draft.approximated(model::Field::retry_limit, limit,
                       "the operator does not count pods that it creates again: a program that is killed in each "
                       "attempt, for example because memory runs out, is started " +
                           std::string(draft.limit ? "until the time limit" : "without end"));
  draft.approximated(model::Field::retry_backoff, "nothing",
                     "the kubelet's backoff: 10 s, doubled each time, at most 5 minutes");
  return any ? "OnFailure" : "ExitCode";
}

// The operator makes the PodGroup where it was started with the scheduler's name; then it wants the words here.
bool operator_makes_group(const Draft& draft) {
  const std::string_view scheduler = draft.gang_row().training_operator;
  return !scheduler.empty() && draft.has_flag(training_operator, "--gang-scheduler-name=" + std::string(scheduler));
}

// Whether the site says how the operator runs: then it does without what is not among its flags.
bool says_flags(const Draft& draft) {
  const auto& all = draft.pods.operators;
  return std::any_of(all.begin(), all.end(),
                     [](const model::Operator& each) { return each.name == training_operator && !each.flags.empty(); });
}

void add_scheduling_policy(Draft& draft, Node& run_policy, const Node& pod, std::int64_t pods) {
  const std::string queue = queue_name(draft);
  const Node* priority = pod.get("spec")->get("priorityClassName");
  put(run_policy, "schedulingPolicy",
      map({{"minAvailable", number(pods)},
           {"queue", queue.empty() ? nothing() : text(queue)},
           {"priorityClass", priority == nullptr ? nothing() : *priority}}));
  draft.exact(model::Field::queue, "schedulingPolicy.queue");
  draft.exact(model::Field::gang, "schedulingPolicy: the operator's PodGroup");
  refuse_topology(draft, "the PodGroup of the training operator does not place by topology",
                  "remove `--gang-scheduler-name` from `operator training-operator`; muster then writes the PodGroup");
  remark_admission(draft, "podgroups " + draft.name + "  # Running, with all its members");
}

// Master and Worker are the same but for their number.
Node replica(const Node& pod, std::int64_t count, const std::string& restart) {
  return map({{"replicas", number(count)}, {"restartPolicy", text(restart)}, {"template", pod}});
}

// Of an elastic job as many pods are asked for as there may be, and the gang's provider lets the least of them start.
// Kueue admits all that is asked for, so there it is the least.
std::int64_t pytorchjob_workers(const Draft& draft, const Machines& machines) {
  if (machines.stated) return machines.size;
  return draft.gang_row().places ? machines.high : machines.low;
}

Node replica_specs(Draft& draft, const plan::RolePlan& role, const Node& pod, const std::string& restart) {
  const Machines machines = machines_of(draft, role);
  if (machines.is_elastic()) return map({{"Worker", replica(pod, pytorchjob_workers(draft, machines), restart)}});
  Node out = map({{"Master", replica(own_template(draft, "master", pod), 1, restart)}});
  if (role.nodes > 1) put(out, "Worker", replica(pod, role.nodes - 1, restart));
  return out;
}

// Of an elastic job whose policy is the block's: where the workload says it, and the policy does not.
Node processes_of(const Draft& draft, const plan::RolePlan& role) {
  const Machines machines = machines_of(draft, role);
  if (!machines.is_elastic()) return text(std::to_string(role.processes));
  const Node own = own_object(draft);
  const bool said = own.at("spec.elasticPolicy.nProcPerNode") != nullptr || own.at("spec.nprocPerNode") != nullptr;
  return machines.stated && !said && role.role->launch.processes ? text(std::to_string(role.processes)) : nothing();
}

Node elastic_policy(Draft& draft, const plan::RolePlan& role) {
  const Machines machines = machines_of(draft, role);
  if (!machines.is_elastic() || machines.stated) return nothing();
  const auto& retry = draft.workload.retry;
  const bool counted = retry && retry->limit.value != 0 && retry->limit.value != model::Retry::unlimited;
  if (!draft.gang_row().places)
    draft.remarks.push_back("it starts with " + std::to_string(machines.low) + " machines; to grow to at most " +
                            std::to_string(machines.high) + ": kubectl scale pytorchjob " + draft.name +
                            " --replicas=N" +
                            (draft.gang_row().takes_what_is_marked
                                 ? ", at which " + std::string(draft.gang_row().title) + " stops all pods and admits N"
                                 : ""));
  return map({{"minReplicas", number(machines.low)},
              {"maxReplicas", number(machines.high)},
              {"nProcPerNode", number(role.processes)},
              {"rdzvBackend", text("c10d")},
              {"maxRestarts", counted ? number(retry->limit.value) : nothing()}});
}

// Beside a Master the operator gives each Worker an init container of its own, of a template that has no security
// context: a namespace of the restricted standard admits no such pod.
bool refuse_init_container(Draft& draft, const plan::RolePlan& role) {
  constexpr std::string_view flag = "--pytorch-init-container-template-file=";
  const bool restricted = draft.pods.security && draft.pods.security->value == "restricted";
  if (!restricted || role.nodes < 2 || machines_of(draft, role).is_elastic()) return false;
  if (draft.has_flag_with(training_operator, flag)) return false;
  draft.refuse(model::Field::kind, "the init container that the training operator adds to Workers is not `restricted`",
               "start it with `" + std::string(flag) + "FILE`, add that to `flags`, or use target `jobset`");
  return true;
}

void report_kind(Draft& draft, const plan::RolePlan& role) {
  const bool elastic = machines_of(draft, role).is_elastic();
  draft.approximated(
      model::Field::kind, "PyTorchJob",
      elastic ? "the end of the first worker is the end of the job" : "the end of the Master is the end of the job");
  if (elastic && !machines_of(draft, role).stated)
    draft.remarks.push_back(
        "MUSTER_NODES and MUSTER_WORLD_SIZE count the minimum number of machines; torchrun tells the program how many "
        "there "
        "are");
  const bool again = draft.workload.retry && draft.workload.retry->limit.value != 0;
  draft.report_limit("activeDeadlineSeconds", again ? "applies to all attempts together" : "");
}

std::vector<GangMember> pytorchjob_members(const Draft& draft, const plan::RolePlan& role, Node& specs) {
  if (machines_of(draft, role).is_elastic()) return {{&at(at(specs, "Worker"), "template"), "worker", role.nodes}};
  std::vector<GangMember> out = {{&at(at(specs, "Master"), "template"), "master", 1}};
  if (role.nodes > 1) out.push_back({&at(at(specs, "Worker"), "template"), "worker", role.nodes - 1});
  return out;
}

}  // namespace

void build_pytorchjob(Draft& draft) {
  if (!pytorchjob_takes(draft)) return;
  const plan::RolePlan& role = draft.plan.roles.front();
  if (refuse_init_container(draft, role)) return;
  const Machines machines = machines_of(draft, role);
  const bool elastic = machines.is_elastic();
  report_kind(draft, role);
  PodOptions options{.run = pytorchjob_run(draft, role), .container = "pytorch", .restart = ""};
  // Kueue admits the pods that are asked for, which is the least of them.
  options.takes_range = elastic && !machines.stated && draft.gang_row().places;
  options.may_be_scaled = elastic && !machines.stated && !options.takes_range;
  Node pod = make_pod(draft, role, options);
  // Workers that the Master leaves behind would hold their GPUs.
  Node run_policy = map({{"cleanPodPolicy", text("Running")}});
  if (const auto& limit = draft.limit) {
    put(run_policy, "activeDeadlineSeconds", number(limit->value.seconds_up()));
    // The operator looks at its own limit only when a pod changes, so the kubelet has to end the pods.
    put(at(pod, "spec"), "activeDeadlineSeconds", number(limit->value.seconds_up()));
  }
  const std::string restart = add_pytorchjob_retry(draft, run_policy, role.nodes);
  const bool own_words = operator_makes_group(draft);
  if (own_words) add_scheduling_policy(draft, run_policy, pod, role.nodes);
  report_copies(draft, role, "one gang");
  const kubernetes::Kind& kind = kubernetes::kind_row("kubeflow.org", "PyTorchJob");
  Node object = draft.main_object(kind);
  put(object, "spec",
      map({{"nprocPerNode", processes_of(draft, role)},
           {"elasticPolicy", elastic_policy(draft, role)},
           {"runPolicy", std::move(run_policy)},
           {"pytorchReplicaSpecs", replica_specs(draft, role, pod, restart)}}));
  if (!own_words)
    add_gang(draft, object, pytorchjob_members(draft, role, at(at(object, "spec"), "pytorchReplicaSpecs")));
  if (!draft.gang_row().training_operator.empty() && !says_flags(draft))
    draft.remarks.push_back(
        "a training operator that runs with `--gang-scheduler-name` waits for a PodGroup of its own: "
        "add that to `flags` of `operator training-operator`");
  if (draft.gang_row().takes_what_is_marked)
    draft.remarks.push_back(std::string(draft.gang_row().title) +
                            " admits PyTorchJobs only if its configuration lists " + std::string(kind.kueue));
  add_workload_object(draft, std::move(object));
}

std::span<const Carried> pytorchjob_carriage() {
  static constexpr Carried column[] = {
      {"=m", "checkpoint.path resources.cpus resources.memory"},
      {"=",
       "command env.* file.mode file.text image labels.* launch.args launch.compat "
       "launch.processes port.number probe.after probe.command probe.every "
       "probe.failures probe.http probe.port probe.tcp probe.timeout resources.disk "
       "resources.gpu-memory resources.gpu-slice resources.gpus script "
       "script-flags setup"},
      {"=~", "resources.gpu resources.nodes resources.shm stop.grace"},
      {"=~x", "retry.limit"},
      {"=~-x", "target.*"},
      {"=-x", "target.launch"},
      {"-", "target.srun"},
      {"=~x", "software resources.gpu-share"},
      {"=-", "priority queue topology.segment topology.segment-within topology.within"},
      {"=-x", "code"},
      {"=m", "preemptible"},
      {"=mx", "fabric"},
      {"=x",
       "args role.depends-on.on code.git.rev code.git.url launch.runner mount.mode mount.path mount.sub-path "
       "preflight.gpu-health "
       "secret.env "
       "secret.file software.prelude topology.required workdir"},
      {"~", "account depends-on.on port.public preflight.nccl require"},
      {"~-x", "retry.on stop.lead"},
      {"~x", "role.with kind resources.exclusive software.modules software.purge stop.signal"},
      {"-",
       "checkpoint.async launch.export launch.version licenses logs.append logs.error logs.output notify.email "
       "notify.on resources.smt retry title"},
      {"-x", "retry.backoff retry.exit-codes"},
      {"m",
       "role.primary allow.reason allow.until any-of checkpoint.every checkpoint.write-time facts.* "
       "launch.contract "
       "parallelism.context parallelism.data parallelism.expert parallelism.pipeline parallelism.tensor "
       "prefer"},
      {"mx", "gang"},
      {"x",
       "depends-on.each replicas software.conda software.module-use software.venv sweep.axes.* sweep.max-parallel "
       "sweep.zip"},
      {"=~m", "time-limit"},
  };
  return column;
}

}  // namespace muster::targets::kubernetes
