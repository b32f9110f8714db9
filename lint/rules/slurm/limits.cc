// SLM005 walltime-over-limit, SLM007 array-over-maxjobs, SLM008 walltime-missing, SLM017 unknown-partition,
// SLM023 over-site-limit: what depends on the cluster. Without a site none of them is more than unclear.
#include <algorithm>

#include "lint/rules/slurm/job.h"

namespace muster::lint {
namespace {

// Slurm's MaxArraySize where a cluster says nothing: the largest index is one less.
constexpr std::int64_t usual_array_size = 1001;
// An array that many tasks long fills most limits of jobs a user.
constexpr std::int64_t long_array = 500;

RuleId rule_of(slurm::SiteKind kind) {
  switch (kind) {
    case slurm::SiteKind::unknown_partition:
    case slurm::SiteKind::unknown_account:
    case slurm::SiteKind::unknown_qos:
    case slurm::SiteKind::unknown_reservation:
    case slurm::SiteKind::unknown_gpu_type: return RuleId::unknown_partition;
    case slurm::SiteKind::over_time: return RuleId::walltime_over_limit;
    default: return RuleId::over_site_limit;
  }
}

void check_site(const SlurmJob& job) {
  for (const slurm::SiteRefusal& refusal : job.meaning.site_refusals) {
    // Slurm may have a QOS that no queue of the site needs; one that is spelt nearly as it is a slip.
    const bool unclear = refusal.kind == slurm::SiteKind::unknown_qos && refusal.nearest.empty();
    Finding& f = unclear ? job.cannot_tell(rule_of(refusal.kind), refusal.by, refusal.message)
                         : job.wrong(rule_of(refusal.kind), refusal.by, refusal.message);
    if (f.path.empty()) f.path = std::string(name(refusal.kind));
    const slurm::Directive* d = job.directive(refusal.by);
    if (!refusal.nearest.empty() && d != nullptr && d->value_span.file == job.script.file)
      f.fix = Fix{"write `" + refusal.nearest + "`", false, {{d->value_span, refusal.nearest}}};
  }
}

// What a site would tell, a finding a rule.
void ask_for_site(const SlurmJob& job) {
  const slurm::Component& c = job.meaning.job();
  const std::pair<std::int32_t, const char*> names[] = {
      {c.partitions ? c.partitions.by : slurm::no_directive, "partition"},
      {c.qos ? c.qos.by : slurm::no_directive, "QOS"},
      {c.account ? c.account.by : slurm::no_directive, "account"}};
  for (const auto& [by, what] : names) {
    if (by == slurm::no_directive) continue;
    job.cannot_tell(RuleId::unknown_partition, by,
                    std::string("whether the cluster has this ") + what + " cannot be checked without `--site FILE`")
        .needs_site = true;
    break;
  }
  if (c.time && !c.time->unlimited)
    job.cannot_tell(RuleId::walltime_over_limit, c.time.by,
                    "whether the time is within the partition's limit cannot be checked without `--site FILE`")
        .needs_site = true;
}

void check_missing_time(const SlurmJob& job) {
  if (job.meaning.job().time.given() || !job.script.batch) return;
  const model::Queue* queue = queue_of(job);
  if (job.context.site != nullptr && (queue == nullptr || queue->default_time)) return;
  const bool with_site = job.context.site != nullptr;
  Finding& f = job.wrong_at(
      RuleId::walltime_missing, job.head(), "--time",
      with_site
          ? "without `--time` jobs get the default of queue `" + queue->name + "`, which the site does not declare"
          : "without `--time` the job gets the partition's default, which may be minutes or unlimited");
  f.notes.push_back("with a time limit, the backfill scheduler can start the job in gaps before larger jobs");
  if (!with_site) return;
  f.needs_site = true;  // a fact of the queue: once for all jobs in it
  f.notes.push_back("write `default-time` in the queue");
  if (queue->span.known()) f.labels.push_back({queue->span, "the queue"});
}

void check_array(const SlurmJob& job) {
  const auto& array = job.meaning.job().array;
  if (!array) return;
  const model::Queue* queue = queue_of(job);
  if (queue != nullptr && queue->max_jobs) {
    const std::int64_t most = queue->max_jobs->value;
    if (array->throttle || array->count <= most) return;
    Finding& f = job.wrong(RuleId::array_over_maxjobs, array.by,
                           "the array has " + std::to_string(array->count) + " tasks, but a user can have at most " +
                               std::to_string(most) + " jobs in queue `" + queue->name + "`");
    const slurm::Directive* d = job.directive(array.by);
    if (d != nullptr && d->value_span.file == job.script.file)
      f.fix = Fix{"run at most " + std::to_string(most) + " of them at a time",
                  true,
                  {{{d->value_span.file, d->value_span.end, d->value_span.end}, "%" + std::to_string(most)}}};
    return;
  }
  if (array->max >= usual_array_size)
    job.cannot_tell(RuleId::array_over_maxjobs, array.by,
                    "indices from 1001 are rejected if the cluster has Slurm's default `MaxArraySize`");
  else if (!array->throttle && array->count >= long_array) {
    Finding& f = job.cannot_tell(
        RuleId::array_over_maxjobs, array.by,
        "whether a user can have " + std::to_string(array->count) + " jobs cannot be checked without a site");
    f.needs_site = true;
    f.notes.push_back("`%N` after the indices limits the running tasks to N");
  }
}

}  // namespace

void check_limits(const SlurmJob& job) {
  if (job.context.site != nullptr) check_site(job);
  else ask_for_site(job);
  check_missing_time(job);
  check_array(job);
}

}  // namespace muster::lint
