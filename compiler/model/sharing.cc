// Roles that run on the nodes of another one.
#include <algorithm>

#include "compiler/model/workload.h"

namespace muster::model {

std::vector<const Role*> Workload::on_nodes_of(const Role& role) const {
  std::vector<const Role*> out = {&role};
  for (const Role& other : roles)
    if (other.with && other.with->value == role.name) out.push_back(&other);
  return out;
}

std::size_t Workload::groups() const {
  return static_cast<std::size_t>(std::count_if(roles.begin(), roles.end(), [](const Role& r) { return !r.with; }));
}

}  // namespace muster::model
