#include "plan/quota/job_limits.h"

#include <string>
#include <string_view>
#include <utility>

#include "compiler/base/in_one_unit.h"
#include "compiler/base/text.h"

namespace muster::plan {
namespace {

// `who`: "queue m allows".
template <class Limited>
std::vector<Level> over(const Limited& limits, const std::string& who, const Amounts& job, const Amounts& least) {
  std::vector<Level> out;
  const auto add = [&](std::int64_t need, std::int64_t at_least, std::int64_t have, const std::string& asked,
                       const std::string& allowed) {
    if (need <= have) return;
    std::string text = "requests " + asked + "; " + who + " " + allowed + " per job";
    if (at_least <= have) out.push_back({Verdict::unknown, {}, text + "; on other nodes it may count fewer"});
    else out.push_back({Verdict::does_not_fit, Certificate{"quota", need, have, need - have, std::move(text)}, {}});
  };
  const auto counts = [&](const model::Optional<std::int64_t>& most, std::int64_t need, std::int64_t at_least,
                          std::string_view noun) {
    if (most) add(need, at_least, most->value, counted(need, noun), std::to_string(most->value));
  };
  counts(limits.max_nodes, job.nodes, least.nodes, "node");
  counts(limits.max_gpus, job.gpus, least.gpus, "GPU");
  counts(limits.max_cpus, job.cpus, least.cpus, "CPU");
  if (!limits.max_memory) return out;
  const auto [need, have] = in_one_unit(job.memory, limits.max_memory->value);
  add(job.memory.bytes, least.memory.bytes, limits.max_memory->value.bytes, need + " of memory", have);
  return out;
}

}  // namespace

std::vector<Level> over_limits(const model::Queue& queue, const Amounts& job, const Amounts& least) {
  return over(queue, "queue " + queue.name + " allows", job, least);
}

std::vector<Level> over_limits(const model::Tenant& tenant, const Amounts& job, const Amounts& least) {
  return over(tenant, "the accounts of tenant " + tenant.name + " allow", job, least);
}

std::int64_t jobs_of(const model::Workload& workload, std::int64_t units) {
  return workload.sweep || workload.starts() != model::Gang::all ? units : 1;
}

std::optional<Certificate> over_jobs(const model::Queue& queue, const model::Workload& workload,
                                     const model::Plane& plane, std::int64_t units, std::int64_t others) {
  if (plane.batch() == nullptr || !queue.max_jobs) return std::nullopt;
  const std::int64_t jobs = others + jobs_of(workload, units), have = queue.max_jobs->value;
  if (jobs <= have) return std::nullopt;
  return Certificate{"quota", jobs, have, jobs - have,
                     "needs " + counted(jobs, "job") + " at once; queue " + queue.name + " runs " +
                         std::to_string(have) + " of one user at a time"};
}

}  // namespace muster::plan
