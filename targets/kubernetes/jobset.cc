// Target `jobset`: a gang as one JobSet, each role a replicated Job, which restarts as a whole.
#include <algorithm>

#include "compiler/base/order.h"
#include "targets/kubernetes/builders.h"
#include "targets/kubernetes/gang.h"
#include "targets/kubernetes/gang_kinds.h"
#include "targets/kubernetes/job_parts.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/pod.h"

namespace muster::targets::kubernetes {
namespace {

constexpr std::string_view jobset_label = "jobset.sigs.k8s.io/";
constexpr std::size_t random_suffix = 6;  // behind a pod's name

std::string job_name(const plan::RolePlan& role) { return dns_label(role.role->name); }

// The job whose pods a role has, its own or that of the role that it runs with.
std::string job_of_role(const Draft& draft, const std::string& name) {
  for (const plan::RolePlan& role : draft.plan.roles)
    if (runs_in_pod(role, name)) return job_name(role);
  return dns_label(name);
}

std::string digits(std::int64_t count) { return std::to_string(std::max<std::int64_t>(count, 1) - 1); }

// `<jobset>-<role>-<job>-<pod>.<jobset>`; job and pod are numbers or expansions.
std::string address(const Draft& draft, const plan::RolePlan& role, std::string_view job, std::string_view pod) {
  return "\"" + draft.name_word() + "-" + job_name(role) + "-" + std::string(job) + "-" + std::string(pod) + "." +
         draft.name_word() + "\"";
}

// Every address of a role, copy by copy.
std::string jobset_hosts(const Draft& draft, const plan::RolePlan& role, std::int64_t copies) {
  if (copies == 1) return counted_hosts(role.nodes, address(draft, role, "0", "$i"));
  const std::string nodes = std::to_string(role.nodes);
  return counted_hosts(role.nodes * copies, address(draft, role, "$((i / " + nodes + "))", "$((i % " + nodes + "))"));
}

RunExpressions jobset_run(const Draft& draft, const plan::RolePlan& role) {
  RunExpressions out;
  const auto field = [](std::string_view name) {
    return "metadata.annotations['" + std::string(jobset_label) + std::string(name) + "']";
  };
  out.env = {field_variable("MUSTER_ID", field("jobset-uid")),
             field_variable("MUSTER_ATTEMPT", field("restart-attempt"))};
  if (draft.is_generated()) out.env.push_back(draft.name_variable(kubernetes::kind_row("jobset.x-k8s.io", "JobSet")));
  out.id = "\"$MUSTER_ID\"";
  out.attempt = "\"$MUSTER_ATTEMPT\"";
  out.rank = "\"$JOB_COMPLETION_INDEX\"";
  out.givers.push_back(Giver::indexed);
  const bool copies = count_of_copies(draft, role) > 1;
  if (copies) {
    out.env.push_back(field_variable("MUSTER_REPLICA", field("job-index")));
    out.replica = "\"$MUSTER_REPLICA\"";
  }
  const std::string job = copies ? "$MUSTER_REPLICA" : "0";
  out.head = address(draft, role, job, "0");
  out.hosts = counted_hosts(role.nodes, address(draft, role, job, "$i"));
  return out;
}

std::vector<RoleAddress> jobset_addresses(const Draft& draft) {
  std::vector<RoleAddress> out;
  if (draft.workload.roles.size() < 2) return out;
  for (const plan::RolePlan& role : draft.plan.roles)
    for (const plan::RolePlan& program : role.programs())
      out.push_back({program.role->name, address(draft, role, "0", "0"),
                     jobset_hosts(draft, role, count_of_copies(draft, role))});
  return out;
}

// ---- order and end of the roles

std::string_view status_of(model::StartOn on) { return on == model::StartOn::complete ? "Complete" : "Ready"; }

Node depends_on(Draft& draft, const plan::RolePlan& role) {
  Node out = list({});
  for (const model::RoleStart& start : role.role->depends_on) {
    if (runs_in_pod(role, start.role)) continue;
    const FieldRef field{model::Field::role_depends_on, start.role, role.role->name};
    if (draft.needs(object_gate("jobset.x-k8s.io", "JobSet", "spec.replicatedJobs[].dependsOn"), start.span, field))
      return nothing();
    if (needs_gang(draft) && draft.gang_row().waits_for_all) {
      draft.refuse_at(start.span, field,
                      std::string(draft.gang_row().title) +
                          " starts a gang when all of its pods are there, but a JobSet creates those of `" +
                          role.role->name + "` later",
                      "remove `depends-on`, or use `gang = kueue`");
      return nothing();
    }
    out.items.push_back(map({{"name", text(job_of_role(draft, start.role))}, {"status", text(status_of(start.on))}}));
    if (start.on == model::StartOn::started)
      for (const FieldRef& key : draft.keys_below(field))
        draft.loss.approximated(key, "dependsOn Ready",
                                "waits until the other role's pods are ready, not only started");
    else
      for (const FieldRef& key : draft.keys_below(field)) draft.loss.exact(key, "dependsOn");
  }
  return out.items.empty() ? nothing() : std::move(out);
}

// Roles behind those that they wait for: a JobSet names only earlier ones.
std::vector<std::size_t> order_of_roles(const Draft& draft) {
  const auto& roles = draft.plan.roles;
  std::vector<std::vector<std::size_t>> waits_for(roles.size());
  for (std::size_t i = 0; i < roles.size(); ++i)
    for (const model::RoleStart& start : roles[i].role->depends_on)
      for (std::size_t other = 0; other < roles.size(); ++other)
        if (other != i && job_name(roles[other]) == job_of_role(draft, start.role)) waits_for[i].push_back(other);
  return order_of(waits_for);
}

Node replicated_job(Draft& draft, const plan::RolePlan& role) {
  Node pod = make_pod(draft, role, {.run = jobset_run(draft, role), .others = jobset_addresses(draft)});
  Node spec = map({{"completionMode", text("Indexed")},
                   {"completions", number(role.nodes)},
                   {"parallelism", number(role.nodes)},
                   {"backoffLimit", number(0)}});
  if (const auto& limit = draft.limit) put(spec, "activeDeadlineSeconds", number(limit->value.seconds_up()));
  if (const auto& retry = draft.workload.retry; retry && retry->limit.value != 0)
    put(spec, "podFailurePolicy", pod_failure_policy_of_gang(*retry));
  put(spec, "template", std::move(pod));
  report_copies(draft, role, "replicas of the role's Job");
  return map({{"name", text(job_name(role))},
              {"replicas", number(count_of_copies(draft, role))},
              {"dependsOn", depends_on(draft, role)},
              {"template", map({{"spec", std::move(spec)}})}});
}

bool jobset_takes(Draft& draft) {
  const std::size_t before = draft.diagnostics.size();
  for (const plan::RolePlan& role : draft.plan.roles) {
    const model::Runner runner = role.role->launch.runner.value;
    if (runner == model::Runner::mpi || runner == model::Runner::ray)
      draft.refuse_at(
          role.role->launch.runner.span, model::Field::launch_runner,
          "a JobSet does not start " + std::string(runner == model::Runner::mpi ? "MPI ranks" : "a Ray cluster"),
          runner == model::Runner::mpi ? "use target `mpijob`" : "use target `kuberay`");
    const std::size_t room = 1 + job_name(role).size() + 1 + digits(count_of_copies(draft, role)).size() + 1 +
                             digits(role.nodes).size() + random_suffix;
    draft.fits(room, "the longest pod name");
  }
  refuse_never_admitted(draft, "a JobSet");
  if (draft.workload.kind.value == model::Kind::serve || draft.workload.kind.value == model::Kind::dev)
    draft.refuse_at(draft.workload.kind.span, model::Field::kind, "a JobSet runs to completion",
                    "use target `kubernetes` for services and interactive pods");
  return draft.diagnostics.size() == before;
}

void add_policies(Draft& draft, Node& spec) {
  if (const auto& retry = draft.workload.retry) {
    if (retry->limit.value != 0) put(spec, "failurePolicy", jobset_failure_policy(*retry));
    report_jobset_retry(draft, *retry);
  }
  for (const plan::RolePlan& role : draft.plan.roles)
    if (role.role->primary && role.role->primary->value && draft.plan.roles.size() > 1)
      put(spec, "successPolicy",
          map({{"operator", text("All")}, {"targetReplicatedJobs", texts(std::vector<std::string>{job_name(role)})}}));
  draft.report_limit("activeDeadlineSeconds of each attempt");
}

}  // namespace

void build_jobset(Draft& draft) {
  if (!jobset_takes(draft)) return;
  Node jobs = list({});
  for (const std::size_t i : order_of_roles(draft)) jobs.items.push_back(replicated_job(draft, draft.plan.roles[i]));
  Node spec = map({});
  add_policies(draft, spec);
  put(spec, "replicatedJobs", std::move(jobs));
  Node object = draft.main_object(kubernetes::kind_row("jobset.x-k8s.io", "JobSet"));
  put(object, "spec", std::move(spec));
  std::vector<GangMember> members;
  std::vector<std::size_t> order = order_of_roles(draft);
  std::vector<Node>& items = at(at(object, "spec"), "replicatedJobs").items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const plan::RolePlan& role = draft.plan.roles[order[i]];
    Node& pod = at(at(at(items[i], "template"), "spec"), "template");
    members.push_back({&pod, job_name(role), count_of_pods(draft, role), &role});
  }
  add_gang(draft, object, members);
  add_workload_object(draft, std::move(object));
}

std::span<const Carried> jobset_carriage() {
  static constexpr Carried column[] = {
      {"=m", "checkpoint.path resources.cpus resources.memory time-limit"},
      {"=",
       "command env.* file.mode file.text image labels.* launch.args launch.compat "
       "launch.processes port.number probe.after probe.command probe.every "
       "probe.failures probe.http probe.port probe.tcp probe.timeout resources.disk "
       "resources.gpu-memory resources.gpu-slice resources.gpus role.primary "
       "script-flags setup"},
      {"=~", "replicas resources.gpu resources.nodes resources.shm retry.limit stop.grace"},
      {"=~-", "retry.on topology.within"},
      {"=~-x", "target.*"},
      {"=-x", "target.launch"},
      {"-", "target.srun"},
      {"=~mx", "gang"},
      {"=~x", "kind resources.gpu-share role.depends-on.on software"},
      {"=-", "priority queue retry.exit-codes topology.segment topology.segment-within"},
      {"=-x", "code"},
      {"=m", "preemptible script"},
      {"=mx", "fabric"},
      {"=x",
       "args code.git.rev code.git.url launch.runner mount.mode mount.path mount.sub-path preflight.gpu-health "
       "secret.env "
       "secret.file software.prelude topology.required workdir"},
      {"~", "account depends-on.on port.public preflight.nccl require"},
      {"~-x", "stop.lead"},
      {"~x", "role.with resources.exclusive software.modules software.purge stop.signal"},
      {"-",
       "checkpoint.async launch.export launch.version licenses logs.append logs.error logs.output notify.email "
       "notify.on resources.smt retry retry.backoff title"},
      {"m",
       "allow.reason allow.until any-of checkpoint.every checkpoint.write-time facts.* launch.contract "
       "parallelism.context "
       "parallelism.data parallelism.expert parallelism.pipeline parallelism.tensor prefer"},
      {"x",
       "depends-on.each software.conda software.module-use software.venv sweep.axes.* sweep.max-parallel sweep.zip"},
  };
  return column;
}

}  // namespace muster::targets::kubernetes
