#include "plan/place/counted_roles.h"

#include <algorithm>

namespace muster::plan {

std::vector<const RolePlan*> CountedRoles::each() const {
  std::vector<const RolePlan*> out;
  for (const RoleCount& group : roles) out.push_back(group.role);
  return out;
}

NameList CountedRoles::names_of(std::span<const std::uint32_t> which) const {
  std::vector<std::uint32_t> plans;
  std::size_t all = 0;
  for (const std::uint32_t index : which) {
    const std::span<const std::uint32_t> of = roles[index].plans;
    all += of.size();
    const std::size_t some = one_a_plan ? std::min(of.size(), NameList::shown) : of.size();
    plans.insert(plans.end(), of.begin(), of.begin() + static_cast<std::ptrdiff_t>(some));
  }
  std::sort(plans.begin(), plans.end());
  const std::size_t found = plans.size();
  plans.erase(std::unique(plans.begin(), plans.end()), plans.end());
  NameList out;
  out.all = all - (found - plans.size());
  for (std::size_t i = 0; i < std::min(plans.size(), NameList::shown); ++i)
    out.first.emplace_back(plans[i] == 0 ? asked : names[plans[i] - 1]);
  return out;
}

}  // namespace muster::plan
