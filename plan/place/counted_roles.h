// Roles that are counted together to prove that they have no room: those alike once, with their number.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "plan/place/name_list.h"
#include "plan/plan.h"

namespace muster::plan {

// Roles alike, and the numbers of the plans that they are of, ascending.
struct RoleCount {
  const RolePlan* role = nullptr;
  std::int64_t count = 1;
  std::span<const std::uint32_t> plans;
};

// Roles that are counted together. Borrows what it was made of.
struct CountedRoles {
  std::vector<RoleCount> roles;
  std::span<const std::string_view> names;  // of the plans by their numbers, from 1; 0 is the one that is asked about
  std::string_view asked;
  bool one_a_plan = true;  // no plan has two of them

  std::vector<const RolePlan*> each() const;
  // Of the plans that the roles of these indices are of.
  NameList names_of(std::span<const std::uint32_t> which) const;
};

}  // namespace muster::plan
