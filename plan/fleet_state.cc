#include "plan/fleet_state.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace muster::plan {
namespace {

// Whether what was taken off so far is in use at every moment: then the state is that of the other moment too.
bool is_of_both(const PoolState& state, const model::Pool& pool) {
  return std::all_of(pool.in_use.begin(), pool.in_use.begin() + static_cast<std::ptrdiff_t>(state.uses),
                     [](const model::InUse& use) { return use.when == model::InUse::When::always; });
}

}  // namespace

const PoolState& FleetState::of(const RolePlan& role, Moment moment, model::Within domain) {
  constexpr std::size_t most = 64;  // pools may be large, queues many
  const bool reaches_some = role.queue != nullptr && !role.queue->nodes.empty();
  const Key key{role.pool, reaches_some ? role.queue : nullptr, moment, domain, role.family};
  const auto found = kept_.find(key);
  const bool named = !role.only_nodes.empty() || !role.not_nodes.empty();
  if (named || (found == kept_.end() && kept_.size() >= most))
    return last_ = state_of(*role.pool, role, moment, domain);
  if (found == kept_.end()) {
    const Key other{role.pool, reaches_some ? role.queue : nullptr, moment == Moment::now ? Moment::empty : Moment::now,
                    domain, role.family};
    const auto there = kept_.find(other);
    if (there == kept_.end() || !is_of_both(there->second, *role.pool))
      return kept_.emplace(key, state_of(*role.pool, role, moment, domain)).first->second;
    PoolState& copy = kept_.emplace(key, there->second).first->second;
    follow(*role.pool, moment, copy);
    return copy;
  }
  follow(*role.pool, moment, found->second);
  return found->second;
}

}  // namespace muster::plan
