// Which of two pools a role rather takes, once both can take it.
#pragma once

#include "plan/plan.h"

namespace muster::plan {

// Whether GPUs of the pool would idle beside the role: it has none of its own.
bool leaves_gpus_idle(const RolePlan& role, const model::Pool& pool);

// By prefer weight, then work without GPUs on nodes without GPUs.
bool is_preferred(const RolePlan& role, const model::Pool& a, const model::Pool& b);

}  // namespace muster::plan
