// SCH018: work without GPUs on nodes with GPUs, whose CPUs those GPUs need.
#pragma once

#include <optional>
#include <string>

#include "plan/plan.h"

namespace muster::lint {

struct CpuWork {
  const plan::RolePlan* role = nullptr;
  std::string text;         // "takes the CPUs of 33 GPUs of pool `h100`, but uses none"
  std::string elsewhere{};  // pools of the plane without GPUs; "": it has none
};

// The first role of the plan that takes the CPUs of at least one GPU and uses none. nullopt: no role does, or amounts
// are not known.
std::optional<CpuWork> cpu_work_on_gpus(const plan::Plan& plan);

}  // namespace muster::lint
