// SCH013 does-not-fit: a job that has no place at the site, however long it waits. SCH018 cpu-work-on-gpus.
#include "lint/cpu_work.h"
#include "lint/fit_as_read.h"
#include "lint/rules/slurm/job.h"
#include "targets/slurm/read/as_read.h"

namespace muster::lint {
namespace {

// SCH018.
void check_cpu_work(const SlurmJob& job, const Planned& planned) {
  if (!planned.result.plan || plan::startable(planned.fit) != plan::Verdict::fits) return;
  const auto found = cpu_work_on_gpus(*planned.result.plan);
  if (!found) return;
  const std::int32_t by = job.meaning.job().partitions.by;
  const std::string message = "the job " + found->text;
  Finding& f = by != slurm::no_directive ? job.wrong(RuleId::cpu_work_on_gpus, by, message)
                                         : job.wrong_at(RuleId::cpu_work_on_gpus, job.head(), "", message);
  if (!found->elsewhere.empty()) f.notes.push_back("nodes without GPUs: " + found->elsewhere);
}

}  // namespace

// What the site refuses of one option has rules of its own, with the place of the option.
void check_fit(const SlurmJob& job) {
  const Context& at = job.context;
  const bool is_asked = at.site != nullptr && at.fleet != nullptr && slurm::slurm_plane(at.site) != nullptr;
  if (!is_asked || !job.meaning.site_refusals.empty()) return;
  const targets::AsRead read = slurm::as_read(job.script, job.body, job.meaning, {}, "the job", *at.site, at.fleet);
  if (!read.refusal.empty()) return;
  const Planned planned = planned_as_read(read, *at.site, *at.fleet, at.state);
  const plan::Fit& fit = planned.fit;
  check_cpu_work(job, planned);
  if (plan::startable(fit) != plan::Verdict::does_not_fit) return;
  const plan::Level& level = fit.policy.verdict == plan::Verdict::does_not_fit ? fit.policy : fit.capacity;
  if (!level.certificate) return;
  const slurm::Component& c = job.meaning.job();
  const std::string message = "the job does not fit: " + level.certificate->text;
  for (const std::int32_t by : {c.nodes.by, c.gpus_total.by, c.gpus_per_node.by, c.tasks.by, c.memory.by})
    if (by != slurm::no_directive) return void(job.wrong(RuleId::does_not_fit, by, message));
  job.wrong_at(RuleId::does_not_fit, job.head(), "", message);
}

}  // namespace muster::lint
