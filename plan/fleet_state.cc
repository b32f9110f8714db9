#include "plan/fleet_state.h"

#include <cstddef>

namespace muster::plan {

const PoolState& FleetState::of(const RolePlan& role, Moment moment, model::Within domain) {
  constexpr std::size_t most = 64;  // pools may be large, queues many
  const bool reaches_some = role.queue != nullptr && !role.queue->nodes.empty();
  const bool now = moment == Moment::now;
  const Key key{role.pool,
                reaches_some ? role.queue : nullptr,
                moment,
                domain,
                role.family,
                now ? role.held : std::vector<std::uint32_t>{},
                now ? role.inside : std::nullopt};
  const auto found = kept_.find(key);
  const bool named = !role.only_nodes.empty() || !role.not_nodes.empty();
  if (named || (found == kept_.end() && kept_.size() >= most))
    return last_ = state_of(*role.pool, role, moment, domain);
  if (found == kept_.end()) return kept_.emplace(key, state_of(*role.pool, role, moment, domain)).first->second;
  follow(*role.pool, moment, found->second);
  return found->second;
}

}  // namespace muster::plan
