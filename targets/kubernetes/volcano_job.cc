// Target `volcano`: a gang as one Job of Volcano, each role a task; its policies restart it as a whole.
#include <algorithm>

#include "targets/kubernetes/builders.h"
#include "targets/kubernetes/gang.h"
#include "targets/kubernetes/gang_kinds.h"
#include "targets/kubernetes/gang_topology.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/pod.h"
#include "targets/lookup.h"

namespace muster::targets::kubernetes {
namespace {

using model::RetryOn;

std::string task_name(const plan::RolePlan& role) { return dns_label(role.role->name); }

// The variable in which Volcano's plugin `svc` gives the addresses of a task, joined by commas.
std::string hosts_variable(const plan::RolePlan& role) {
  return "\"$" + contract_name("VC_", task_name(role)) + "_HOSTS\"";
}

std::string first_host(const plan::RolePlan& role) {
  return "\"${" + contract_name("VC_", task_name(role)) + "_HOSTS%%,*}\"";
}

std::string task_hosts(const plan::RolePlan& role) { return "echo " + hosts_variable(role) + " | tr , '\\n'"; }

RunExpressions volcano_run(const Draft& draft, const plan::RolePlan& role) {
  RunExpressions out;
  out.env = {field_variable("MUSTER_RETRIES", "metadata.annotations['volcano.sh/job-retry-count']")};
  if (draft.is_generated()) out.env.push_back(draft.name_variable(kubernetes::kind_row("batch.volcano.sh", "Job")));
  out.attempt = "\"${MUSTER_RETRIES:-0}\"";
  const std::string nodes = std::to_string(role.nodes);
  if (count_of_copies(draft, role) == 1) {
    out.givers.push_back(Giver::volcano);
    out.rank = "\"$VC_TASK_INDEX\"";
    out.head = first_host(role);
    out.hosts = task_hosts(role);
    return out;
  }
  out.rank = "\"$((VC_TASK_INDEX % " + nodes + "))\"";
  out.replica = "\"$((VC_TASK_INDEX / " + nodes + "))\"";
  const std::string first = "VC_TASK_INDEX / " + nodes + " * " + nodes;
  const std::string pod = draft.name_word() + "-" + task_name(role) + "-";
  out.head = "\"" + pod + "$((" + first + "))." + draft.name_word() + "\"";
  out.hosts = task_hosts(role) + " | tail -n +$((" + first + " + 1)) | head -n " + nodes;
  return out;
}

std::vector<RoleAddress> volcano_addresses(const Draft& draft) {
  std::vector<RoleAddress> out;
  if (draft.workload.roles.size() < 2) return out;
  for (const plan::RolePlan& role : draft.plan.roles)
    for (const plan::RolePlan& program : role.programs())
      out.push_back({program.role->name, first_host(role), task_hosts(role)});
  return out;
}

bool volcano_takes(Draft& draft) {
  const std::size_t before = draft.diagnostics.size();
  for (const plan::RolePlan& role : draft.plan.roles) {
    refuse_other_kinds(draft, *role.role, "a Job of Volcano");
    const std::int64_t pods = count_of_pods(draft, role);
    draft.fits(1 + task_name(role).size() + 1 + std::to_string(pods - 1).size(), "the longest pod name");
    for (const model::RoleStart& start : role.role->depends_on)
      if (!runs_in_pod(role, start.role))
        draft.refuse_at(start.span, {model::Field::role_depends_on, start.role, role.role->name},
                        "Volcano starts all tasks of a gang together, so a task cannot wait for another",
                        "use target `jobset` to start roles in order");
    if (draft.workload.starts() != model::Gang::all && role.nodes > 1 && count_of_copies(draft, role) > 1)
      draft.refuse(model::Field::replicas, "independent replicas of several pods would each be a Volcano Job",
                   "use target `jobset`");
  }
  return draft.diagnostics.size() == before;
}

Node on_event(std::string_view event, bool again) {
  return map({{"event", text(event)}, {"action", text(again ? "RestartJob" : "TerminateJob")}});
}

// The first policy that matches decides. Without a retry the end of one pod ends the gang.
Node policies_of(const Draft& draft) {
  const auto& retry = draft.workload.retry;
  const bool again = retry && retry->limit.value != 0;
  const auto retried = [&](RetryOn reason) { return again && retries_on(*retry, reason); };
  Node out = list({});
  if (again)
    for (const auto& code : retry->exit_codes)
      out.items.push_back(map({{"exitCode", number(code.value)}, {"action", text("RestartJob")}}));
  out.items.push_back(on_event("PodEvicted", retried(RetryOn::node_failure) || retried(RetryOn::preemption)));
  // Kubernetes marks the pods of a lost node as failed.
  out.items.push_back(on_event("PodFailed", retried(RetryOn::failure) || retried(RetryOn::node_failure)));
  return out;
}

void add_volcano_retry(Draft& draft, Node& spec) {
  put(spec, "policies", policies_of(draft));
  const auto& retry = draft.workload.retry;
  if (!retry) return;
  // Volcano's count has the attempt that fails for good in it (pkg/controllers/job/state/restarting.go).
  const bool forever = retry->limit.value == model::Retry::unlimited;
  if (retry->limit.value != 0) put(spec, "maxRetry", number(forever ? 2'147'483'647 : retry->limit.value + 1));
  if (forever)
    draft.approximated(model::Field::retry_limit, "a very large maxRetry",
                       "Volcano cannot express an unlimited number of retries");
  else if (retry->limit.value != 0 && needs_gang(draft))
    draft.approximated(model::Field::retry_limit, "maxRetry, which restarts the whole gang",
                       "Volcano can count pods that fail at the same time as several retries");
  else draft.exact(model::Field::retry_limit, retry->limit.value == 0 ? "restartPolicy: Never" : "maxRetry");
  if (retry->limit.value == 0) return report_no_retry(draft);
  const bool node = retries_on(*retry, RetryOn::node_failure), preempted = retries_on(*retry, RetryOn::preemption);
  if (retries_on(*retry, RetryOn::timeout) != retries_on(*retry, RetryOn::failure))
    draft.approximated(model::Field::retry_on, "policies", "Volcano treats a pod that exceeds its deadline as failed");
  else if (node && !retries_on(*retry, RetryOn::failure))
    draft.approximated(model::Field::retry_on, "policies",
                       "Volcano does not distinguish a lost node from a program that fails; both are retried");
  else if (node != preempted)
    draft.approximated(model::Field::retry_on, "policies",
                       "Volcano does not distinguish node failure and preemption; both are evictions");
  else draft.exact(model::Field::retry_on, "policies");
  draft.exact(model::Field::retry_exit_codes, "policies");
  draft.approximated(model::Field::retry_backoff, "nothing", "Volcano restarts at once");
}

Node task_of(Draft& draft, const plan::RolePlan& role) {
  Node pod = make_pod(draft, role, {.run = volcano_run(draft, role), .others = volcano_addresses(draft)});
  if (const auto& limit = draft.limit) put(at(pod, "spec"), "activeDeadlineSeconds", number(limit->value.seconds_up()));
  report_copies(draft, role, "replicas of the role's task");
  const bool primary = role.role->primary && role.role->primary->value && draft.plan.roles.size() > 1;
  Node ends = map({{"event", text("TaskCompleted")}, {"action", text("CompleteJob")}});
  return map({{"name", text(task_name(role))},
              {"replicas", number(count_of_pods(draft, role))},
              {"policies", primary ? list({std::move(ends)}) : nothing()},
              {"template", std::move(pod)}});
}

// Volcano is its own provider: the words are in the Job, and no PodGroup is written.
void add_own_gang(Draft& draft, Node& spec) {
  std::int64_t pods = 0;
  for (const plan::RolePlan& role : draft.plan.roles) pods += count_of_pods(draft, role);
  put(spec, "schedulerName", text("volcano"));
  // Copies of several pods that start by themselves are refused, so what needs a gang is one.
  put(spec, "minAvailable", number(needs_gang(draft) ? pods : 1));
  const std::string queue = queue_name(draft);
  if (!queue.empty()) put(spec, "queue", text(queue));
  put(spec, "networkTopology", volcano_topology(draft));
  draft.exact(model::Field::gang, "minAvailable");
  if (queue.empty())
    draft.approximated(model::Field::queue, "queue default", "the site does not declare a queue for this workload");
  else draft.exact(model::Field::queue, "queue: " + queue);
  if (needs_gang(draft))
    remark_admission(draft,
                     "jobs.batch.volcano.sh " + draft.name + "  # Running: minAvailable pods were placed at once");
}

}  // namespace

void build_volcano(Draft& draft) {
  if (!volcano_takes(draft)) return;
  Node tasks = list({});
  for (const plan::RolePlan& role : draft.plan.roles) tasks.items.push_back(task_of(draft, role));
  Node spec = map({});
  add_own_gang(draft, spec);
  if (const Node* priority = tasks.first().get("template")->get("spec")->get("priorityClassName"))
    put(spec, "priorityClassName", *priority);  // of the gang; preemption goes by it
  put(spec, "plugins", map({{"env", list({})}, {"svc", list({})}}));
  add_volcano_retry(draft, spec);
  draft.report_limit("activeDeadlineSeconds of each pod");
  put(spec, "tasks", std::move(tasks));
  Node object = draft.main_object(kubernetes::kind_row("batch.volcano.sh", "Job"));
  put(object, "spec", std::move(spec));
  add_workload_object(draft, std::move(object));
}

std::span<const Carried> volcano_carriage() {
  static constexpr Carried column[] = {
      {"=m", "checkpoint.path resources.cpus resources.memory time-limit"},
      {"=",
       "command env.* file.mode file.text image labels.* launch.args launch.compat "
       "launch.processes port.number probe.after probe.command probe.every "
       "probe.failures probe.http probe.port probe.tcp probe.timeout queue resources.disk "
       "resources.gpu-memory resources.gpu-slice resources.gpus role.primary "
       "script-flags setup"},
      {"=~", "resources.gpu resources.nodes resources.shm retry.limit stop.grace"},
      {"=~-", "retry.on topology.within"},
      {"=~-x", "target.*"},
      {"=-x", "target.launch"},
      {"-", "target.srun"},
      {"=~x", "kind replicas software"},
      {"=-", "priority retry.exit-codes"},
      {"=-x", "code"},
      {"=m", "preemptible script"},
      {"=mx", "fabric"},
      {"=x",
       "args gang role.depends-on.on code.git.rev code.git.url launch.runner mount.mode mount.path mount.sub-path "
       "preflight.gpu-health "
       "secret.env "
       "secret.file software.prelude topology.required workdir"},
      {"~", "account depends-on.on port.public preflight.nccl require"},
      {"~-x", "stop.lead"},
      {"~x", "role.with resources.exclusive resources.gpu-share software.modules software.purge stop.signal"},
      {"-",
       "checkpoint.async launch.export launch.version licenses logs.append logs.error logs.output notify.email "
       "notify.on resources.smt retry retry.backoff title topology.segment topology.segment-within"},
      {"m",
       "allow.reason allow.until any-of checkpoint.every checkpoint.write-time facts.* launch.contract "
       "parallelism.context "
       "parallelism.data parallelism.expert parallelism.pipeline parallelism.tensor prefer"},
      {"x",
       "depends-on.each software.conda software.module-use software.venv sweep.axes.* sweep.max-parallel "
       "sweep.zip"},
  };
  return column;
}

}  // namespace muster::targets::kubernetes
