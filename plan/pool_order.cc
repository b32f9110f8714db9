#include "plan/pool_order.h"

#include <algorithm>

#include "plan/shape.h"

namespace muster::plan {

bool leaves_gpus_idle(const RolePlan& role, const model::Pool& pool) {
  const auto has_none = [](const RolePlan& program) {
    return program.role->gpus() == 0 && !program.role->resources.part_of_gpu();
  };
  const auto programs = role.programs();
  return pool.gpu && std::all_of(programs.begin(), programs.end(), has_none);
}

bool is_preferred(const RolePlan& role, const model::Pool& a, const model::Pool& b) {
  const std::int64_t of_a = prefer_weight(*role.role, a), of_b = prefer_weight(*role.role, b);
  return of_a != of_b ? of_a > of_b : leaves_gpus_idle(role, b) && !leaves_gpus_idle(role, a);
}

}  // namespace muster::plan
