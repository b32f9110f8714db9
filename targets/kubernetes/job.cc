// Target `kubernetes`: a Job, an Indexed Job for points, copies and ranks, or a Pod that people work in; several are an
// Indexed Job.
#include <algorithm>
#include <optional>

#include "compiler/base/text.h"
#include "targets/kubernetes/builders.h"
#include "targets/kubernetes/gang.h"
#include "targets/kubernetes/gang_kinds.h"
#include "targets/kubernetes/job_parts.h"
#include "targets/kubernetes/pod.h"
#include "targets/kubernetes/serving.h"

namespace muster::targets::kubernetes {
namespace {

// How many pods an Indexed Job has, and what an index counts.
struct Indices {
  std::int64_t count = 1;
  std::int64_t at_a_time = 1;
  enum class Of { nothing, points, copies, ranks } of = Of::nothing;
};

// How many pods of it fleet and quota take at once, where the queue admits all that may run at a time or nothing.
std::int64_t at_a_time(const Draft& draft, std::int64_t most) {
  if (!model::admits_whole(draft.provider) || draft.workload.starts() == model::Gang::all) return most;
  const plan::AtOnce& known = draft.plan.fit.at_once;
  for (const std::optional<std::int64_t>& count : {known.room, known.allowed})
    if (count && *count > 0) most = std::min(most, *count);
  return most;
}

// A Job that starts with fewer pods than it may have, from the lower end of its replicas.
bool starts_in_part(const Draft& draft, const Indices& indices) {
  return indices.of == Indices::Of::copies && draft.workload.starts() != model::Gang::all &&
         draft.plan.roles.front().role->copies() < indices.count && !draft.gang_row().fewer_pods_key.empty();
}

// Whether its pods do not wait for each other although each has a rank.
bool starts_pod_by_pod(const Draft& draft) { return draft.plan.demand.unit == plan::Unit::node; }

Indices indices_of(const Draft& draft) {
  const plan::RolePlan& role = draft.plan.roles.front();
  const plan::Demand& demand = draft.plan.demand;
  if (draft.workload.sweep) {
    const std::int64_t most = std::min(demand.in_all, demand.max_parallel.value_or(demand.in_all));
    return {demand.in_all, at_a_time(draft, most), Indices::Of::points};
  }
  if (role.nodes > 1) {
    const std::int64_t pods = count_of_pods(draft, role);
    return {pods, starts_pod_by_pod(draft) ? at_a_time(draft, pods) : pods, Indices::Of::ranks};
  }
  const std::int64_t most = count_of_copies(draft, role);
  if (most <= 1) return {};
  Indices out{most, most, Indices::Of::copies};
  if (!starts_in_part(draft, out)) out.at_a_time = at_a_time(draft, most);
  return out;
}

// What no Job can be.
bool job_takes(Draft& draft) {
  const std::size_t before = draft.diagnostics.size();
  const model::Workload& w = draft.workload;
  const plan::RolePlan& role = draft.plan.roles.front();
  const model::Runner runner = role.role->launch.runner.value;
  if (draft.plan.roles.size() > 1)
    draft.refuse_at(draft.plan.roles[1].role->span, model::Field::role, "a Job has one role",
                    "use target `jobset` for several roles");
  if (runner == model::Runner::mpi || runner == model::Runner::ray)
    draft.refuse(model::Field::launch_runner,
                 "a Job does not start " + std::string(runner == model::Runner::mpi ? "MPI ranks" : "a Ray cluster"),
                 runner == model::Runner::mpi ? "use target `mpijob`" : "use target `kuberay`");
  const bool copies = count_of_copies(draft, role) > 1;
  if (w.sweep && (role.nodes > 1 || copies))
    draft.refuse_at(w.sweep->span, model::Field::sweep,
                    "a point of an Indexed Job is one pod, but this sweep needs several per point",
                    "make each point a separate workload");
  if (w.starts() != model::Gang::all && role.nodes > 1 && copies && !w.sweep && !starts_pod_by_pod(draft))
    draft.refuse(model::Field::replicas, "independent replicas of several pods would each be a Job",
                 "use target `jobset`");
  return draft.diagnostics.size() == before;
}

RunExpressions job_run(const Draft& draft, const Indices& indices) {
  RunExpressions out;
  out.id = "\"$MUSTER_ID\"";
  out.env = {field_variable("MUSTER_ID", "metadata.labels['batch.kubernetes.io/controller-uid']"),
             draft.name_variable(kubernetes::kind_row("batch", "Job"))};
  if (!draft.is_generated()) out.env.pop_back();
  if (indices.of == Indices::Of::points)
    out.point = "$JOB_COMPLETION_INDEX", out.givers.push_back(Giver::indexed_points);
  if (indices.of == Indices::Of::copies)
    out.replica = "\"$JOB_COMPLETION_INDEX\"", out.givers.push_back(Giver::indexed_copies);
  if (indices.of != Indices::Of::ranks) return out;
  const plan::RolePlan& role = draft.plan.roles.front();
  const std::string nodes = std::to_string(role.nodes), service = draft.name;
  const bool copies = indices.count > role.nodes;
  out.rank = copies ? "\"$((JOB_COMPLETION_INDEX % " + nodes + "))\"" : "\"$JOB_COMPLETION_INDEX\"";
  if (copies) out.replica = "\"$((JOB_COMPLETION_INDEX / " + nodes + "))\"";
  else out.givers.push_back(Giver::indexed);
  const std::string first = copies ? "$((JOB_COMPLETION_INDEX / " + nodes + " * " + nodes + "))" : "0";
  out.head = "\"" + draft.name_word() + "-" + first + "." + service + "\"";
  const std::string each = copies ? "$((JOB_COMPLETION_INDEX / " + nodes + " * " + nodes + " + i))" : "$i";
  out.hosts = counted_hosts(role.nodes, "\"" + draft.name_word() + "-" + each + "." + service + "\"");
  return out;
}

// "parallelism: 16".
std::string parallelism(const Indices& indices) { return "parallelism: " + std::to_string(indices.at_a_time); }

// Whether not all pods of its replicas run at a time.
bool runs_fewer_pods(const Indices& indices) {
  return indices.of == Indices::Of::ranks && indices.at_a_time < indices.count;
}

// Why fewer run at a time than the workload allows.
std::string why_fewer(const Draft& draft, const Indices& indices) {
  return std::string(draft.gang_row().title) +
         (" admits a Job with all pods that run at a time or not at all: " + with_thousands(indices.at_a_time) +
          " of " + with_thousands(indices.count) + " at a time, as many as the fleet and the quota take");
}

void report_indices(Draft& draft, const Indices& indices) {
  if (draft.workload.sweep) {
    const std::string as = "Indexed Job of " + std::to_string(indices.count) + " completions";
    const std::int64_t asked = draft.plan.demand.max_parallel.value_or(indices.count);
    const bool fewer = indices.at_a_time < std::min(asked, indices.count);
    if (!fewer) {
      draft.exact_each(model::Field::sweep, as);
      return draft.exact(model::Field::sweep, "Indexed Job");
    }
    draft.approximated_each(model::Field::sweep_axes, as + ", " + parallelism(indices), why_fewer(draft, indices));
    draft.approximated(model::Field::sweep_max_parallel, parallelism(indices), why_fewer(draft, indices));
    draft.approximated(model::Field::sweep, as, why_fewer(draft, indices));
    return draft.exact(model::Field::sweep_zip, as);
  }
  if (runs_fewer_pods(indices))
    draft.approximated(model::Field::resources_nodes, parallelism(indices), why_fewer(draft, indices));
  const model::Role& role = *draft.plan.roles.front().role;
  const std::string as = indices.of == Indices::Of::nothing ? "one pod" : "completions of an Indexed Job";
  const bool range = role.replicas && role.replicas->value.high > role.replicas->value.low;
  const bool partly = starts_in_part(draft, indices);
  for (const FieldRef& path : replica_fields(draft, role)) {
    if (indices.of == Indices::Of::copies && indices.at_a_time < indices.count)
      draft.loss.approximated(path, as + ", " + parallelism(indices), why_fewer(draft, indices));
    else if (range && !partly)
      draft.loss.approximated(path, as,
                              bound_of_range(draft, draft.plan.roles.front()) + ", because a Job has a fixed number");
    else draft.loss.exact(path, as);
  }
}

void build_batch_job(Draft& draft) {
  const Indices indices = indices_of(draft);
  const plan::RolePlan& role = draft.plan.roles.front();
  if (!draft.fits(1 + std::to_string(indices.count - 1).size(), "the longest pod name")) return;
  if (indices.of == Indices::Of::ranks) add_headless_service(draft, draft.name, "batch.kubernetes.io/job-name");
  Node pod = make_pod(draft, role, {.run = job_run(draft, indices), .counts_nodes = !runs_fewer_pods(indices)});
  if (indices.of == Indices::Of::ranks) put(at(pod, "spec"), "subdomain", text(draft.name));
  Node spec = map({});
  if (indices.of != Indices::Of::nothing) {
    put(spec, "completionMode", text("Indexed"));
    put(spec, "completions", number(indices.count));
    put(spec, "parallelism", number(indices.at_a_time));
  }
  const bool gang = indices.of == Indices::Of::ranks && !starts_pod_by_pod(draft);
  add_job_retry(draft, spec, {.per_index = !gang && indices.of != Indices::Of::nothing, .gang = gang});
  add_job_deadline(draft, spec, pod, !gang && indices.of != Indices::Of::nothing);
  report_indices(draft, indices);
  put(spec, "template", std::move(pod));
  Node job = draft.main_object(kubernetes::kind_row("batch", "Job"));
  put(job, "spec", std::move(spec));
  const GangMember member{&at(at(job, "spec"), "template"), role.role->name, indices.count, &role};
  add_gang(draft, job, {&member, 1});
  if (starts_in_part(draft, indices))
    put(at(at(job, "metadata"), "annotations"), draft.gang_row().fewer_pods_key,
        text(std::to_string(role.role->copies())));
  add_workload_object(draft, std::move(job));
}

// A pod that people work in.
void build_pod(Draft& draft) {
  Node pod = make_pod(draft, draft.plan.roles.front(), {});
  if (const auto& limit = draft.limit) {
    put(at(pod, "spec"), "activeDeadlineSeconds", number(limit->value.seconds_up()));
    draft.report_limit("activeDeadlineSeconds");
  }
  Node object = draft.main_object(kubernetes::kind_row("", "Pod"));
  Node& metadata = at(object, "metadata");
  for (const data::Member& member : pod.get("metadata")->members) {
    Node own = member.value;
    merge(at(metadata, member.key), own);
  }
  put(object, "spec", std::move(at(pod, "spec")));
  const GangMember member{&object, "main", 1};
  add_gang(draft, object, {&member, 1});
  report_access(draft, "pod");
  for (const FieldRef& path : replica_fields(draft, *draft.plan.roles.front().role)) draft.loss.exact(path, "one pod");
  add_workload_object(draft, std::move(object));
}

}  // namespace

void build_kubernetes(Draft& draft) {
  if (draft.workload.kind.value == model::Kind::serve) return build_service(draft);
  if (!job_takes(draft)) return;
  const bool dev = draft.workload.kind.value == model::Kind::dev;
  if (dev && indices_of(draft).of == Indices::Of::nothing) return build_pod(draft);
  build_batch_job(draft);
  if (dev) report_access(draft, "job");
}

std::span<const Carried> kubernetes_carriage() {
  static constexpr Carried column[] = {
      {"=m", "checkpoint.path resources.cpus resources.memory"},
      {"=",
       "command dev.interface env.* file.mode file.text image labels.* launch.args "
       "launch.compat launch.processes port.number probe.after probe.command "
       "probe.every probe.failures probe.http probe.port probe.tcp probe.timeout "
       "resources.disk resources.gpu-memory resources.gpu-slice resources.gpus "
       "script script-flags serve.port setup sweep.axes.* sweep.max-parallel sweep.zip"},
      {"=~", "kind port.public resources.gpu resources.shm stop.grace"},
      {"=~-x", "retry.on target.*"},
      {"=-x", "target.launch"},
      {"-", "target.srun"},
      {"=~mx", "gang"},
      {"=~x", "software role.with replicas resources.gpu-share resources.nodes retry.limit scale.metric scale.target"},
      {"=-", "priority queue serve.args serve.engine serve.model topology.segment topology.segment-within"},
      {"=~-", "topology.within"},
      {"=-mx", "retry.exit-codes"},
      {"=-x", "code"},
      {"=m", "preemptible"},
      {"=mx", "fabric time-limit"},
      {"=x",
       "args role.depends-on.on code.git.rev code.git.url launch.runner mount.mode mount.path mount.sub-path "
       "preflight.gpu-health "
       "scale.cooldown "
       "secret.env secret.file software.prelude topology.required workdir"},
      {"~", "account depends-on.on preflight.nccl require serve.router"},
      {"~-x", "stop.lead"},
      {"~x", "resources.exclusive software.module-use software.modules software.purge stop.signal"},
      {"-",
       "checkpoint.async dev.idle-timeout launch.export launch.version licenses logs.append logs.error logs.output "
       "notify.email notify.on resources.smt retry title"},
      {"-x", "retry.backoff"},
      {"m",
       "role.primary allow.reason allow.until any-of checkpoint.every checkpoint.write-time facts.* launch.contract "
       "parallelism.context "
       "parallelism.data parallelism.expert parallelism.pipeline parallelism.tensor prefer"},
      {"x", "depends-on.each serve.config software.conda software.venv"},
  };
  return column;
}

}  // namespace muster::targets::kubernetes
