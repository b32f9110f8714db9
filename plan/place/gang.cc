#include "plan/place/gang.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "compiler/base/text.h"
#include "plan/pools/domains.h"
#include "plan/pools/node_needs.h"
#include "scheduler/saturate.h"

namespace muster::plan {

scheduler::Gang gang_of(const RolePlan& role) {
  scheduler::Gang gang;
  gang.nodes = role.total();
  gang.gpus = static_cast<std::int32_t>(std::min<std::int64_t>(role.gpus, std::numeric_limits<std::int32_t>::max()));
  // A part is had of a GPU that is free: the fleet counts what is in use by whole ones.
  if (role.role->resources.part_of_gpu()) gang.gpus = 1;
  gang.cpus = role.counted_cpus();
  gang.memory = role.takes_all_memory() ? 0 : role.counted_memory();
  gang.exclusive = is_alone(role);
  if (const model::Topology* topology = topology_of(role)) {
    gang.one_leaf = topology->required && in_domain(role) && role.copies == 1 && !topology->segment;
    if (topology->segment) gang.segment = topology->segment->value;
    else if (topology->required && in_domain(role)) gang.segment = role.nodes;
  }
  return gang;
}

std::int64_t most_on_a_node(const RolePlan& role) {
  if (!role.may_share_nodes()) return 1;
  return scheduler::product(role.shares_nodes ? role.copies : 1, role.nodes_are_pods ? role.nodes : 1);
}

std::string leave_out_unknown(const RolePlan& role, scheduler::Gang& gang) {
  const model::Pool& pool = *role.pool;
  std::string missing;
  const auto undeclared = [&](std::string_view what) { missing += (missing.empty() ? "" : ", ") + std::string(what); };
  if (pool.cpus == 0 && (role.cpus.value_or(0) > 0 || role.all_cpus)) undeclared("cpus");
  if (pool.cpus == 0) gang.cpus = 0;
  if (pool.memory == Size{} && (gang.memory > 0 || role.all_memory)) undeclared("memory"), gang.memory = 0;
  if (role.disk && pool.disk == Size{}) undeclared("disk");
  std::string out = missing.empty() ? "" : "pool " + pool.name + " does not declare the " + missing + " of its nodes";
  if (gang.segment > 1 && gang.nodes % gang.segment != 0) {
    out += (out.empty() ? "" : "; ") + ("segments of " + std::to_string(gang.segment)) + " do not divide " +
           counted(gang.nodes, "node");
    gang.segment = 1;
  }
  return out;
}

model::PlaneFamily family_of(std::span<const RolePlan* const> roles) {
  const auto is_pods = [](const RolePlan* role) { return role->family == model::PlaneFamily::pods; };
  return std::all_of(roles.begin(), roles.end(), is_pods) ? model::PlaneFamily::pods : model::PlaneFamily::batch;
}

}  // namespace muster::plan
