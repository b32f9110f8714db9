// Roles that may go to one pool only, of the plans that hold nodes: what is counted beside a role to prove that it has
// no room. Those alike are counted once with their number, so a proof costs their kinds.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "plan/place/counted_roles.h"
#include "plan/plan.h"
#include "plan/run/remaining_fleet.h"

namespace muster::plan {

class ConfinedRoles {
 public:
  // Of these plans. Where only some are new, these alone are added.
  void hold(const Plans& plans);

  // The role, the others of its plan that are confined to the pool, and those of the plans that hold nodes then. They
  // are one by one where they are few, for then every set of them is asked about, and where each has nodes of its own,
  // for then the first ones that are too many are named.
  CountedRoles beside(const Plan& plan, const RolePlan& asked, const model::Pool& pool, Moment moment) const;

 private:
  // All that a proof sees of a role. The last: its number where it names nodes, which is like no other.
  using Flags = std::tuple<bool, bool, bool, bool, bool, bool, bool>;
  using Shape = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, Flags, std::int64_t,
                           std::string, const model::Queue*, std::tuple<int, bool, std::int64_t, int>, std::size_t>;
  struct Group {
    RolePlan role;
    std::int64_t count = 0;
    std::vector<std::uint32_t> plans;
  };
  struct Table {
    std::map<Shape, std::size_t> numbers;
    std::deque<Group> groups;
    std::vector<std::size_t> group_of;  // of each role, in order
    std::vector<std::uint32_t> plan_of;
    bool one_a_plan = true;
    bool all_alone = true;  // on their nodes
  };

  static Shape shape_of(const RolePlan& role, std::size_t number);
  static void add(const RolePlan& role, std::uint32_t plan, Table& table);

  Plans held_;
  std::vector<std::string_view> names_;
  std::map<std::pair<const model::Pool*, Moment>, Table> tables_;
};

}  // namespace muster::plan
