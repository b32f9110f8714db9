// Which variables of the contract a role's program is given (`launch { contract = … }`): by default those that the
// text of the spec, or of what the site adds to it, names.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"
#include "targets/account.h"

namespace muster::targets::contract {

class Wanted {
 public:
  static Wanted everything();
  bool has(std::string_view name) const { return all_ || names_.contains(name); }
  // Any whose name begins so: the addresses of roles, MUSTER_ADDR_<ROLE>.
  bool has_any(std::string_view prefix) const;
  bool all() const { return all_; }
  void add(std::string_view name) { names_.emplace(name); }
  bool none() const { return !all_ && names_.empty(); }
  const std::set<std::string, std::less<>>& names() const { return names_; }

 private:
  friend Wanted wanted_by(const plan::Plan& plan, const plan::RolePlan& shape);
  friend Wanted both(const Wanted& one, const Wanted& other);
  bool all_ = false;
  std::set<std::string, std::less<>> names_;
};

// What the role's text names. A text that builds a name (`MUSTER_ADDR_${role}`, `os.environ["MUSTER_" + key]`) gets
// all.
Wanted wanted_by(const plan::Plan& plan, const plan::RolePlan& shape);

Wanted both(const Wanted& one, const Wanted& other);

// What the site and `target` blocks add to the program's surroundings: preludes, variables, patches of pods, options.
std::vector<std::string_view> texts_around(const plan::Plan& plan, const plan::RolePlan& shape);

// Refuses `contract = none` where the text names a variable; reports the key.
void check_wanted(Account& account, const plan::Plan& plan, const plan::RolePlan& shape);

// All names of the contract in this role, MUSTER_PORT_<NAME> and the like too.
std::set<std::string, std::less<>> names_of(const model::Workload& workload, const model::Role& role);

}  // namespace muster::targets::contract
