// Whether a pool meets the static needs of a role, and which of two it rather takes: no counting of nodes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/model/fleet.h"
#include "compiler/model/site.h"
#include "compiler/model/workload.h"
#include "plan/plan.h"
#include "plan/pools/conditions.h"

namespace muster::plan {

// The facts of a pool that conditions read; sizes in bytes, rates in bit/s. What the
// fleet does not declare is absent. A pool without GPUs has gpu.model, gpu.vendor and gpu.link `none`
// and gpu.memory and gpu.compute 0, so that conditions on them have an answer. node.name is not among them.
std::vector<std::pair<std::string_view, model::FactValue>> pool_facts(const model::Pool& pool);

// Whether a pool meets every static need of a role: GPU model, GPUs a node, GPU memory, `require`.
// CPUs, memory, disk and the number of nodes are questions of place(). `unknown`: the fleet does not
// declare what a need asks for, and no other need fails.
struct PoolCheck {
  model::Truth meets = model::Truth::yes;
  std::string why;  // unless yes: "pool a100 has 4 GPUs a node; 8 are needed"
  Span need;        // the need that is not met
};
PoolCheck check_pool(const model::Role& role, const model::Pool& pool);
// Of all that run on a node: each by itself, and their GPUs together.
PoolCheck check_pool(const RolePlan& plan, const Conditions& conditions, const model::Pool& pool);
// Both: a need that fails says more than one that cannot be checked.
void merge(PoolCheck& result, PoolCheck check);

// The summed weight of the role's `prefer`s that hold on the pool; one that is unknown counts 0.
std::int64_t prefer_weight(const model::Role& role, const model::Pool& pool);

// Whether the queue (nullptr: the cluster's default) has nodes of the pool.
bool reaches(const model::Queue* queue, const model::Pool& pool);

// Whether GPUs of the pool would idle beside the role: it has none of its own.
bool leaves_gpus_idle(const RolePlan& role, const model::Pool& pool);

// By prefer weight, then work without GPUs on nodes without GPUs.
bool is_preferred(const RolePlan& role, const model::Pool& a, const model::Pool& b);

}  // namespace muster::plan
