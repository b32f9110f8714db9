#include "plan/fleet/fleet_state.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace muster::plan {
namespace {

constexpr std::size_t most_kept = 64;  // pools may be large, queues and reservations many

bool names_nodes(const RolePlan& role) { return !role.only_nodes.empty() || !role.not_nodes.empty(); }

const model::Queue* queue_of_some(const RolePlan& role) {
  return role.queue != nullptr && !role.queue->nodes.empty() ? role.queue : nullptr;
}

// Whether reservations keep it from some nodes, at level now only.
bool is_reserved(const RolePlan& role) { return !role.held.empty() || role.inside; }

// Whether what was taken off so far is in use at every moment: then the state is that of the other moment too.
bool is_of_both(const PoolState& state, const model::Pool& pool) {
  return std::all_of(pool.in_use.begin(), pool.in_use.begin() + static_cast<std::ptrdiff_t>(state.uses),
                     [](const model::InUse& use) { return use.when == model::InUse::When::always; });
}

}  // namespace

FleetState::Key FleetState::key_of(const RolePlan& role, Moment moment, model::Within domain) {
  const bool now = moment == Moment::now;
  return {role.pool,
          queue_of_some(role),
          moment,
          domain,
          role.family,
          now ? role.held : std::vector<std::uint32_t>{},
          now ? role.inside : std::nullopt};
}

const PoolState& FleetState::of(const RolePlan& role, Moment moment, model::Within domain) {
  if (const Joined* several = joined(role.pool)) return of_joined(*several, role, moment, domain);
  const Key key = key_of(role, moment, domain);
  const auto found = kept_.find(key);
  const bool many = std::get<const model::Queue*>(key) != nullptr || is_reserved(role);
  const bool full = many && kept_.size() >= most_kept;
  if (names_nodes(role) || (found == kept_.end() && full)) return last_ = state_of(*role.pool, role, moment, domain);
  if (found == kept_.end()) {
    const auto there = kept_.find(key_of(role, moment == Moment::now ? Moment::empty : Moment::now, domain));
    if (is_reserved(role) || there == kept_.end() || !is_of_both(there->second, *role.pool))
      return kept_.emplace(key, state_of(*role.pool, role, moment, domain)).first->second;
    PoolState& copy = kept_.emplace(key, there->second).first->second;
    follow(*role.pool, moment, copy);
    return copy;
  }
  follow(*role.pool, moment, found->second);
  return found->second;
}

const PoolState& FleetState::of_all(const model::Pool& pool, model::PlaneFamily family, Moment moment) {
  RolePlan anyone;
  anyone.pool = &pool, anyone.family = family;
  return of(anyone, moment);
}

const PoolState& FleetState::of_joined(const Joined& joined, const RolePlan& role, Moment moment,
                                       model::Within domain) {
  const Key key = key_of(role, moment, domain);
  const bool own =
      names_nodes(role) || !role.open.empty() || role.disk || (role.counts_cores && joined.of.unlike_cores);
  std::vector<std::size_t> uses;
  for (const model::Pool* part : joined.of.parts) uses.push_back(part->in_use.size());
  const auto found = kept_joined_.find(key);
  if (!own && found != kept_joined_.end() && found->second.uses == uses) return found->second.state;
  std::vector<PoolState> copies(joined.of.parts.size());  // of those that the next call would change
  std::vector<const PoolState*> states;
  RolePlan there = role;
  for (std::size_t p = 0; p < copies.size(); ++p) {
    there.pool = joined.of.parts[p];
    const PoolState& state = of(there, moment, domain);
    if (!keeps(state)) copies[p] = state;
    states.push_back(keeps(state) ? &state : &copies[p]);
  }
  PoolState all = plan::join(joined.of, role, states);
  if (own || (found == kept_joined_.end() && kept_joined_.size() >= most_kept)) return last_ = std::move(all);
  JoinedState& kept = kept_joined_[key];
  kept = {std::move(all), std::move(uses)};
  return kept.state;
}

const FleetState::Joined* FleetState::joined(const model::Pool* pool) const {
  const auto found = std::find_if(joined_.begin(), joined_.end(), [&](const Joined& j) { return &j.of.pool == pool; });
  return found == joined_.end() ? nullptr : &*found;
}

const model::Pool& FleetState::join(const Pools& pools, model::PlaneFamily family) {
  if (pools.size() == 1) return *pools.front();
  for (const Joined& known : joined_)
    if (known.family == family && known.of.parts == pools) return known.of.pool;
  return joined_.emplace_back(Joined{plan::join(pools, family), family}).of.pool;
}

Pools FleetState::parts(const model::Pool& pool) const {
  const Joined* several = joined(&pool);
  return several == nullptr ? Pools{&pool} : several->of.parts;
}

void FleetState::name_origins(std::vector<PlacedNode>& nodes) const {
  for (PlacedNode& node : nodes) {
    const auto several =
        std::find_if(joined_.begin(), joined_.end(), [&](const Joined& j) { return j.of.pool.name == node.pool; });
    if (several == joined_.end()) continue;
    const auto [pool, index] = several->of.origin(node.index);
    node.pool = pool->name, node.index = index, node.node = pool->node_name(index);
  }
}

void FleetState::forget() {
  kept_.clear();
  kept_joined_.clear();
}

RolePlan on_copy(RolePlan role, const model::Fleet& from, const model::Fleet& to) {
  const auto same = [&](const model::Pool* pool) {
    return pool == nullptr ? nullptr : &to.pools[static_cast<std::size_t>(pool - from.pools.data())];
  };
  role.pool = same(role.pool);
  for (Pools* pools : {&role.allowed, &role.also, &role.overlooked})
    for (const model::Pool*& pool : *pools) pool = same(pool);
  for (std::vector<Pools>* lists : {&role.choices, &role.same_file})
    for (Pools& choice : *lists)
      for (const model::Pool*& pool : choice) pool = same(pool);
  return role;
}

}  // namespace muster::plan
