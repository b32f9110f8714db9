#include "plan/account_limits.h"

#include <string>
#include <utility>

#include "compiler/base/in_one_unit.h"
#include "compiler/base/text.h"
#include "plan/place.h"
#include "plan/place_on_pool.h"

namespace muster::plan {
namespace {

Certificate over(std::int64_t need, std::int64_t have, std::string text) {
  return {"quota", need, have, need - have, std::move(text)};
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

namespace {

std::optional<Certificate> over_job(const model::Tenant& tenant, const Amounts& job) {
  const auto more = [&](const model::Optional<std::int64_t>& most, std::int64_t need,
                        std::string_view noun) -> std::optional<Certificate> {
    if (!most || need <= most->value) return std::nullopt;
    return over(need, most->value,
                "requests " + counted(need, noun) + "; the accounts of tenant " + tenant.name + " allow " +
                    std::to_string(most->value) + " per job");
  };
  if (auto found = more(tenant.max_nodes, job.nodes, "node")) return found;
  if (auto found = more(tenant.max_gpus, job.gpus, "GPU")) return found;
  if (auto found = more(tenant.max_cpus, job.cpus, "CPU")) return found;
  if (!tenant.max_memory || job.memory <= tenant.max_memory->value) return std::nullopt;
  const auto [need, have] = in_one_unit(job.memory, tenant.max_memory->value);
  return over(job.memory.bytes, tenant.max_memory->value.bytes,
              "requests " + need + " of memory; the accounts of tenant " + tenant.name + " allow " + have + " per job");
}

}  // namespace

void note_preemption(const model::Workload& workload, Fit& fit) {
  const bool high = workload.priority && (workload.priority->value == "urgent" || workload.priority->value == "high");
  if (!high || fit.capacity.verdict != Verdict::fits || fit.now.verdict != Verdict::does_not_fit ||
      !fit.now.certificate)
    return;
  fit.now.certificate->text += "; whether a preemption makes room is not known";
}

void hold_to_account(const model::Tenant* tenant, const model::Queue* queue, const model::Workload& workload,
                     const model::Plane& plane, const Amounts& job, Fit& fit) {
  auto found = over_account(tenant, queue, workload, plane, demand_of(workload).needed);
  if (!found && tenant != nullptr) found = over_job(*tenant, job);
  if (!found) return;
  if (fit.policy.verdict == Verdict::does_not_fit) return add_note(fit.policy, "also " + found->text);
  fit.policy = {Verdict::does_not_fit, std::move(found), {}};
  fit.verdict = Verdict::does_not_fit;
}

}  // namespace muster::plan
