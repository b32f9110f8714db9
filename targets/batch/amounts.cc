#include "targets/batch/amounts.h"

#include <algorithm>

namespace muster::targets::batch {
namespace {

template <class Of>
std::optional<std::int64_t> least(const plan::RolePlan& shape, const Of& of) {
  std::optional<std::int64_t> out;
  for (const model::Pool* pool : shape.choice()) out = out ? std::min(*out, of(*pool)) : of(*pool);
  return out;
}

template <class T>
bool has(Job& job, Field field, const model::Optional<model::Amount<T>>& asked, bool unknown, const std::string& as,
         const std::string& what, const std::string& help) {
  if (model::is_left_to_site(asked)) {
    job.read(field, "nothing is written, so the cluster's default holds");
  } else if (unknown) {
    job.refuse(field, job.system() + " has no option for all " + what + " of a node, and the site has no fleet", help);
  } else if (asked && asked->value.is_range() && asked->value.low != asked->value.high) {
    job.approximated(field, as, "uses the upper bound of the range, because " + job.system() + " takes one amount");
  } else {
    return true;
  }
  return false;
}

}  // namespace

std::optional<std::int64_t> cpus_of(const plan::RolePlan& shape) {
  if (shape.cpus || !shape.all_cpus) return shape.cpus;
  return least(shape, [&](const model::Pool& pool) { return pool.usable_cpus(shape.family); });
}

std::optional<std::int64_t> bytes_of(const plan::RolePlan& shape) {
  if (!shape.all_memory) return shape.memory ? std::optional(shape.memory->bytes) : std::nullopt;
  return least(shape, [&](const model::Pool& pool) { return pool.usable_memory(shape.family).bytes; });
}

bool has_cpus(Job& job, const std::string& as) {
  const bool unknown = job.shape.all_cpus && !cpus_of(job.shape);
  return has(job, Field::resources_cpus, job.role.resources.cpus, unknown, as, "CPUs", "write the number of `cpus`");
}

bool has_memory(Job& job, const std::string& as) {
  const bool unknown = job.shape.all_memory && !bytes_of(job.shape);
  return has(job, Field::resources_memory, job.role.resources.memory, unknown, as, "memory",
             "write the amount of `memory`");
}

}  // namespace muster::targets::batch
