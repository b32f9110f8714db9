#include "plan/steps/parallel.h"

#include <algorithm>
#include <string>

#include "compiler/base/text.h"

namespace muster::plan {

std::int64_t nvlink_gpus(const model::Pool& pool) {
  if (!pool.gpu) return 0;
  std::size_t nodes = 1;
  for (const model::Leaf& domain : pool.nvlink_domains) nodes = std::max(nodes, domain.nodes.size());
  return pool.gpu->count * static_cast<std::int64_t>(nodes);
}

void check_parallelism(const Plan& plan, Diagnostics& diagnostics) {
  for (const RolePlan& role : plan.roles) {
    if (!role.role->parallelism || !role.role->parallelism->tensor || role.pool == nullptr) continue;
    const auto& tensor = *role.role->parallelism->tensor;
    const std::int64_t joined = nvlink_gpus(*role.pool);
    if (joined == 0 || tensor.value <= joined) continue;
    diagnostics.add(Code::tensor_spread, tensor.span,
                    "a tensor-parallel group of " + std::to_string(tensor.value) + " GPUs spans more than the " +
                        counted(joined, "GPU") + " that NVLink connects in pool " + role.pool->name);
  }
}

}  // namespace muster::plan
