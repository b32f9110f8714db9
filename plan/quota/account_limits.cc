#include "plan/quota/account_limits.h"

#include <string>
#include <utility>

#include "compiler/base/text.h"
#include "plan/demand.h"
#include "plan/quota/amounts.h"
#include "plan/quota/job_limits.h"
#include "plan/verdict.h"

namespace muster::plan {
namespace {

Certificate over(std::int64_t need, std::int64_t have, std::string text) {
  return {"quota", need, have, need - have, std::move(text)};
}

// Slurm gives a job without a time limit, in a queue without a default, that of its account, and then the queue refuses
// it (slurmctld: acct_policy.c, _set_time_limit).
std::optional<Certificate> over_unstated(const model::Tenant& tenant, const model::Queue* queue,
                                         const model::Workload& workload) {
  if (workload.time_limit || queue == nullptr || queue->default_time || !queue->max_time || !tenant.max_time_account)
    return std::nullopt;
  const Duration given = tenant.max_time_account->value, most = queue->max_time->value;
  if (given <= most) return std::nullopt;
  return over(given.seconds_up(), most.seconds_up(),
              "states no time limit, so that Slurm takes the " + to_string(given) + " of the accounts of tenant " +
                  tenant.name + "; queue " + queue->name + " allows " + to_string(most));
}

std::optional<Certificate> over_time(const model::Tenant& tenant, const model::Queue* queue,
                                     const model::Workload& workload) {
  const model::Optional<Duration> asked = model::limit_of(workload, queue);
  if (!asked || !tenant.max_time_account || asked->value <= tenant.max_time_account->value) return std::nullopt;
  return over(asked->value.seconds_up(), tenant.max_time_account->value.seconds_up(),
              "requests " + to_string(asked->value) + "; the accounts of tenant " + tenant.name + " allow " +
                  to_string(tenant.max_time_account->value));
}

}  // namespace

std::optional<Certificate> over_account(const model::Tenant* tenant, const model::Queue* queue,
                                        const model::Workload& workload, const model::Plane& plane, std::int64_t units,
                                        JobsBefore before) {
  if (tenant != nullptr)
    if (auto time = over_time(*tenant, queue, workload)) return time;
  if (plane.batch() == nullptr) return std::nullopt;
  if (tenant != nullptr)
    if (auto time = over_unstated(*tenant, queue, workload)) return time;
  const std::int64_t own = jobs_of(workload, units);
  const auto jobs = [&](const model::Optional<std::int64_t>& most, std::int64_t others,
                        const std::string& who) -> std::optional<Certificate> {
    if (!most || own + others <= most->value) return std::nullopt;
    return over(own + others, most->value, "needs " + counted(own + others, "job") + " at once; " + who + " at a time");
  };
  const auto runs = [](const model::Optional<std::int64_t>& most) { return most ? std::to_string(most->value) : ""; };
  if (tenant != nullptr) {
    const std::string of = "tenant " + tenant->name + " runs ";
    if (auto found = jobs(tenant->max_jobs_user, before.of_tenant, of + runs(tenant->max_jobs_user) + " of one user"))
      return found;
    if (auto found =
            jobs(tenant->max_jobs_account, before.of_tenant, of + runs(tenant->max_jobs_account) + " of one account"))
      return found;
  }
  if (queue == nullptr) return std::nullopt;
  return jobs(queue->max_jobs_account, before.of_account_in_queue,
              "queue " + queue->name + " runs " + runs(queue->max_jobs_account) + " of one account");
}

void note_preemption(const model::Workload& workload, Fit& fit) {
  const bool high = workload.priority && (workload.priority->value == "urgent" || workload.priority->value == "high");
  if (!high || fit.capacity.verdict != Verdict::fits || fit.now.verdict != Verdict::does_not_fit ||
      !fit.now.certificate)
    return;
  fit.now.certificate->text += "; whether a preemption makes room is not known";
}

void hold_to_account(const model::Tenant* tenant, const model::Queue* queue, const model::Workload& workload,
                     const model::Plane& plane, const RolePlan& placed, Fit& fit) {
  auto found = over_account(tenant, queue, workload, plane, demand_of(workload).needed);
  std::vector<Level> over;
  if (tenant != nullptr && !found) {
    const Amounts job = amounts_of_job(workload, placed, plane, fit.placements);
    over = over_limits(*tenant, job, least_of_job(placed, plane, job));
  }
  for (const Level& level : over)
    if (level.certificate && !found) found = level.certificate;
  if (!found && !over.empty()) {
    fit.policy.verdict = worse(fit.policy.verdict, Verdict::unknown),
    fit.verdict = worse(fit.verdict, Verdict::unknown);
    add_note(fit.policy, over.front().note);
  }
  if (!found) return;
  if (fit.policy.verdict == Verdict::does_not_fit) return add_note(fit.policy, "also " + found->text);
  fit.policy = {Verdict::does_not_fit, std::move(found), {}};
  fit.verdict = Verdict::does_not_fit;
}

}  // namespace muster::plan
