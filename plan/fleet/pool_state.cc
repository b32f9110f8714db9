#include "plan/fleet/pool_state.h"

#include <algorithm>
#include <map>
#include <span>

#include "compiler/base/in_one_unit.h"
#include "compiler/base/text.h"
#include "compiler/base/units.h"
#include "plan/pools/domains.h"

namespace muster::plan {
namespace {

using scheduler::Gang;
using scheduler::Node;
using scheduler::Shortage;

using Nodes = std::vector<Node>;

constexpr std::uint32_t no_leaf = ~std::uint32_t{0};

void number_domains(const std::vector<model::Leaf>& domains, std::span<Node> nodes, std::vector<std::string>& names) {
  if (domains.empty()) {
    for (Node& node : nodes) node.leaf = 0;
    names.emplace_back();
    return;
  }
  names.reserve(domains.size());
  for (const model::Leaf& leaf : domains) {
    const auto number = static_cast<std::uint32_t>(names.size());
    for (const std::uint32_t node : leaf.nodes)
      if (node < nodes.size()) nodes[node].leaf = number;
    names.push_back(leaf.name);
  }
  for (Node& node : nodes) {
    if (node.leaf != no_leaf) continue;
    node.leaf = static_cast<std::uint32_t>(names.size());
    names.emplace_back();
  }
}

// The spine of each leaf by number; a leaf that is below none is a spine of its own. Empty: none is declared.
std::vector<std::uint32_t> spines_of(const model::Pool& pool, std::size_t leaves) {
  std::map<std::string_view, std::uint32_t> numbers;
  std::vector<std::uint32_t> out;
  for (const model::Leaf& leaf : pool.leaves)
    if (!leaf.up.empty()) numbers.try_emplace(leaf.up, static_cast<std::uint32_t>(numbers.size()));
  if (numbers.empty()) return out;
  for (auto next = static_cast<std::uint32_t>(numbers.size()); out.size() < leaves;) {
    const bool declared = out.size() < pool.leaves.size() && !pool.leaves[out.size()].up.empty();
    out.push_back(declared ? numbers.at(pool.leaves[out.size()].up) : next++);
  }
  return out;
}

// Which nodes of the pool bear these names.
std::vector<bool> places_of(const std::vector<std::string>& names, const model::Pool& pool) {
  std::vector<bool> out(static_cast<std::size_t>(std::max<std::int64_t>(pool.node_count, 0)), false);
  for (const std::string& name : names)
    if (const auto node = pool.node_names.find(name)) out[*node] = true;
  return out;
}

void take_out(const model::Pool& pool, const RolePlan& role, Nodes& nodes, PoolState& state) {
  const auto out = [&](std::uint32_t node, std::int64_t& count) {
    if (node >= nodes.size() || !nodes[node].usable) return;
    nodes[node].usable = false;
    ++count;
  };
  for (std::uint32_t node : pool.drained) out(node, state.drained);
  for (std::uint32_t node : pool.spare) out(node, state.spare);
  if (role.only_nodes.empty() && role.not_nodes.empty()) return;
  const std::vector<bool> only = places_of(role.only_nodes, pool), never = places_of(role.not_nodes, pool);
  for (std::uint32_t node = 0; node < nodes.size(); ++node)
    if ((!role.only_nodes.empty() && !only[node]) || never[node]) out(node, state.excluded);
}

// Nodes that reservations hold from the role, and of one that it names all others.
void take_held_out(const model::Pool& pool, const RolePlan& role, Nodes& nodes, PoolState& state) {
  if (role.held.empty() && !role.inside) return;
  std::vector<bool> out(nodes.size(), role.inside.has_value());
  const auto mark = [&](const model::Held& held, bool value) {
    for (const std::uint32_t node : held.nodes)
      if (node < out.size()) out[node] = value;
  };
  for (const model::Held& held : pool.held)
    if (role.inside && held.reservation == *role.inside) mark(held, false);
  for (const model::Held& held : pool.held)
    if (std::binary_search(role.held.begin(), role.held.end(), held.reservation)) mark(held, true);
  for (std::size_t node = 0; node < nodes.size(); ++node)
    if (out[node] && nodes[node].usable) nodes[node].usable = false, ++state.reserved;
}

// Nodes that the queue does not reach.
void take_outside_out(const model::Pool& pool, const RolePlan& role, Nodes& nodes, PoolState& state) {
  if (role.queue == nullptr || role.queue->nodes.empty()) return;
  std::vector<bool> reached(nodes.size(), false);
  pool.node_names.match(role.queue->nodes, [&](std::uint32_t count, std::optional<std::uint32_t> place) {
    for (std::uint32_t i = 0; place && i < count; ++i) reached[*place + i] = true;
    return true;
  });
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    if (!nodes[node].usable || reached[node]) continue;
    nodes[node].usable = false;
    ++state.outside;
  }
}

// What is left of `total` when `left` of `count` GPUs are, rounded down; no overflow for any size.
std::int64_t remainder_of(std::int64_t total, std::int64_t left, std::int64_t count) {
  return total / count * left + total % count * left / count;
}

// What one use leaves of a node. CPUs and memory that it does not state go with the GPUs' share.
void take_off(const model::InUse& use, const model::Pool& pool, model::PlaneFamily family, Node& node) {
  const std::int64_t count = pool.gpu ? pool.gpu->count : 0;
  const bool by_gpus = use.gpus >= 0 && count > 0;
  node.untouched = false;
  if (use.whole() || (use.gpus > 0 && !by_gpus)) node.gpus = 0, node.cpus = node.memory = 0;
  const auto left = [](std::int64_t have, std::int64_t taken) { return std::max<std::int64_t>(have - taken, 0); };
  if (by_gpus) node.gpus = static_cast<std::int32_t>(left(node.gpus, use.gpus));
  if (use.cpus >= 0) node.cpus = left(node.cpus, use.cpus);
  else if (by_gpus) node.cpus = std::min(node.cpus, remainder_of(pool.usable_cpus(family), node.gpus, count));
  if (use.memory.bytes >= 0) node.memory = left(node.memory, use.memory.bytes);
  else if (by_gpus)
    node.memory = std::min(node.memory, remainder_of(pool.usable_memory(family).bytes, node.gpus, count));
}

// Parts that a workload was given of the GPUs of one node.
void cut_gpus(const model::InUse& use, Node& node, std::vector<CutGpu>& gpus) {
  for (const model::InUse::Part& part : use.parts) {
    auto found = std::find_if(gpus.begin(), gpus.end(), [&](const CutGpu& gpu) { return gpu.number == part.gpu; });
    if (found == gpus.end()) {
      found = gpus.insert(found, CutGpu{part.gpu, {}});
      node.gpus = std::max(node.gpus - 1, 0);
    }
    found->taken.slices |= part.slices;
    found->taken.compute += part.compute;
    found->taken.percent += part.percent;
  }
}

void take_off(const model::InUse& use, const model::Pool& pool, std::uint32_t index, Node& node, PoolState& state) {
  take_off(use, pool, state.family, node);
  if (!use.parts.empty()) cut_gpus(use, node, state.cut[index]);
}

bool counts(const model::InUse& use, Moment moment) {
  using When = model::InUse::When;
  return use.when != (moment == Moment::now ? When::empty : When::now);
}

// "h100 "; "" of pools that have several models.
std::string gpu_word(const model::Pool& pool) { return pool.gpu->model.empty() ? "" : pool.gpu->model + " "; }

// "whole h100 node", "node with 4 free h100 GPUs", "node".
std::string unit_of(const model::Pool& pool, const Gang& gang, std::int64_t n) {
  if (gang.gpus > 0 && pool.gpu && gang.gpus == pool.gpu->count) return "whole " + gpu_word(pool) + plural("node", n);
  if (gang.exclusive) return "empty " + plural("node", n);
  if (gang.gpus > 0 && pool.gpu)
    return plural("node", n) + " with " + std::to_string(gang.gpus) + " free " + gpu_word(pool) +
           plural("GPU", gang.gpus);
  return plural("node", n);
}

// "; 3 more have 4 free GPUs each".
std::string partial_text(const Shortage& s, const Gang& gang, const PoolState& state) {
  if (s.partial == 0) return {};
  bool alike = true;
  for (const auto& [node, count] : state.stock.kinds())
    if (count > 0 && node.usable && node.gpus > 0 && node.gpus < gang.gpus && node.gpus_total >= gang.gpus)
      alike &= node.gpus == s.partial_gpus;
  std::string out = "; " + std::to_string(s.partial) + " more " + (s.partial == 1 ? "has" : "have") +
                    (alike ? " " : " at most ") + std::to_string(s.partial_gpus) + " free " +
                    plural("GPU", s.partial_gpus);
  return s.partial == 1 ? out : out + " each";
}

// "26 in use, 0 drained, 1 spare".
std::string out_of_reach(const Shortage& s, const RolePlan& role, const PoolState& state, Moment moment) {
  return (moment == Moment::now ? std::to_string(s.busy) + " in use, " : "") + left_out(role, state);
}

Certificate short_of_nodes(const Shortage& s, const Gang& gang, const RolePlan& role, const PoolState& state,
                           Moment moment) {
  const std::string total = moment == Moment::empty ? " of " + std::to_string(state.stock.nodes().size()) : "";
  return {"class", s.need, s.have, s.need - s.have,
          "needs " + std::to_string(s.need) + " " + unit_of(*role.pool, gang, s.need) + "; pool " + role.pool->name +
              " has " + std::to_string(s.have) + total + ": " + out_of_reach(s, role, state, moment) +
              partial_text(s, gang, state)};
}

// " (192 minus 4 reserved)": the reserve is what people forget.
std::string less_reserve(std::string_view total, std::string_view reserve, bool is_declared) {
  return " (" + std::string(total) + " minus " + std::string(reserve) +
         (is_declared ? " reserved)" : " reserved by default)");
}

// Every node of the pool is too small, even empty: say of what.
Certificate node_too_small(const Gang& gang, const RolePlan& role) {
  const model::Pool& pool = *role.pool;
  const auto made = [](std::int64_t need, std::int64_t have, std::string text) {
    return Certificate{"floor", need, have, need - have, std::move(text)};
  };
  const std::int64_t gpus = pool.gpu ? pool.gpu->count : 0;
  if (gang.gpus > gpus)
    return made(gang.gpus, gpus,
                "needs " + counted(gang.gpus, "GPU") + " per node; nodes of pool " + pool.name + " have " +
                    std::to_string(gpus));
  const std::int64_t cpus = pool.usable_cpus(role.family), kept_cpus = pool.reserved_cpus(role.family);
  const Size memory = pool.usable_memory(role.family), kept_memory = pool.reserved_memory(role.family);
  if (gang.cpus > cpus && pool.threads > 1 && role.family == model::PlaneFamily::batch)
    return made(gang.cpus / pool.threads, cpus / pool.threads,
                "needs " + counted(gang.cpus / pool.threads, "core") + " per node; nodes of pool " + pool.name +
                    " have " + std::to_string(cpus / pool.threads) + ", of " + counted(pool.threads, "thread") +
                    " each");
  if (gang.cpus > cpus)
    return made(gang.cpus, cpus,
                "needs " + counted(gang.cpus, "CPU") + " per node; nodes of pool " + pool.name + " have " +
                    std::to_string(cpus) +
                    (kept_cpus > 0 ? less_reserve(std::to_string(pool.cpus), std::to_string(kept_cpus),
                                                  pool.reserve_cpus.has_value())
                                   : ""));
  std::vector<Size> amounts{Size{gang.memory}, memory};
  if (kept_memory > Size{}) amounts.insert(amounts.end(), {pool.memory, kept_memory});
  const std::vector<std::string> texts = in_one_unit(amounts);
  return made(gang.memory, memory.bytes,
              "needs " + texts[0] + " of memory per node; nodes of pool " + pool.name + " have " + texts[1] +
                  (kept_memory > Size{} ? less_reserve(texts[2], texts[3], pool.reserve_memory.has_value()) : ""));
}

// The nodes that fit, by leaf, most first: "l1 has 7, l2 has 5, 3 others no more".
std::string by_leaf(const Gang& gang, const PoolState& state) {
  std::vector<std::pair<std::int64_t, std::size_t>> fit(state.leaves.size());
  for (std::size_t leaf = 0; leaf < fit.size(); ++leaf) fit[leaf] = {0, leaf};
  for (const Node& n : state.stock.nodes())
    if (n.usable && n.gpus >= gang.gpus && n.cpus >= gang.cpus && n.memory >= gang.memory &&
        (n.untouched || !gang.exclusive))
      --fit[n.leaf].first;
  std::sort(fit.begin(), fit.end());
  constexpr std::size_t shown = 4;
  std::string out;
  for (std::size_t i = 0; i < std::min(shown, fit.size()); ++i) {
    const std::string& name = state.leaves[fit[i].second];
    out += (i == 0 ? "" : ", ") + (name.empty() ? "an unnamed one" : name) + " has " + std::to_string(-fit[i].first);
  }
  if (fit.size() > shown) out += ", " + counted(static_cast<long long>(fit.size() - shown), "other") + " not more";
  return out;
}

}  // namespace

PoolState state_of(const model::Pool& pool, const RolePlan& role, Moment moment, model::Within domain) {
  PoolState state;
  state.family = role.family;
  Node empty;
  empty.gpus = empty.gpus_total = static_cast<std::int32_t>(pool.gpu ? pool.gpu->count : 0);
  empty.leaf = no_leaf;  // until it has a number
  empty.cpus = std::max<std::int64_t>(pool.usable_cpus(role.family), 0);
  empty.memory = std::max<std::int64_t>(pool.usable_memory(role.family).bytes, 0);
  Nodes nodes(static_cast<std::size_t>(std::max<std::int64_t>(pool.node_count, 0)), empty);
  const bool by_leaf = domain == model::Within::leaf;
  if (by_leaf) number_domains(pool.leaves, nodes, state.leaves);
  else number_domains(domains_of(pool, domain), nodes, state.leaves);
  take_out(pool, role, nodes, state);
  take_outside_out(pool, role, nodes, state);
  if (moment == Moment::now) take_held_out(pool, role, nodes, state);
  for (const model::InUse& use : pool.in_use)
    for (const std::uint32_t index : use.nodes)
      if (counts(use, moment) && index < nodes.size()) take_off(use, pool, index, nodes[index], state);
  state.uses = pool.in_use.size();
  state.stock = scheduler::Inventory(std::move(nodes),
                                     by_leaf ? spines_of(pool, state.leaves.size()) : std::vector<std::uint32_t>{});
  return state;
}

void follow(const model::Pool& pool, Moment moment, PoolState& state) {
  for (; state.uses < pool.in_use.size(); ++state.uses) {
    const model::InUse& use = pool.in_use[state.uses];
    for (const std::uint32_t index : use.nodes) {
      if (!counts(use, moment) || index >= state.stock.nodes().size()) continue;
      Node node = state.stock.nodes()[index];
      take_off(use, pool, index, node, state);
      state.stock.set(index, node);
    }
  }
}

std::string left_out(const RolePlan& role, const PoolState& state) {
  std::string out = std::to_string(state.drained) + " drained";
  if (state.spare > 0) out += ", " + std::to_string(state.spare) + " spare";
  if (state.excluded > 0) out += ", " + std::to_string(state.excluded) + " excluded by name";
  if (state.reserved > 0) out += ", " + std::to_string(state.reserved) + " reserved";
  if (state.outside > 0) out += ", " + std::to_string(state.outside) + " not in queue " + role.queue->name;
  return out;
}

bool shares_gpus(const PoolState& state) {
  const auto shared = [](const auto& kind) {
    return kind.nodes > 0 && kind.sample.gpus > 0 && kind.sample.gpus < kind.sample.gpus_total;
  };
  return std::any_of(state.stock.kinds().begin(), state.stock.kinds().end(), shared);
}

Certificate certificate_of(const Shortage& s, const Gang& gang, const RolePlan& role, const PoolState& state,
                           Moment moment) {
  if (s.kind == Shortage::Kind::one_leaf)
    return {"domain", s.need, s.have, s.need - s.have,
            "needs " + std::to_string(s.need) + " " + unit_of(*role.pool, gang, s.need) + " in one " +
                std::string(terms_of(domain_of(role)).device) + "; in pool " + role.pool->name + ", " +
                by_leaf(gang, state)};
  if (s.kind == Shortage::Kind::segments)
    return {"domain", s.need, s.have, s.need - s.have,
            "needs " + counted(s.need, "segment") + " of " + std::to_string(gang.segment) + " " +
                unit_of(*role.pool, gang, gang.segment) + ", each inside one " +
                std::string(terms_of(domain_of(role)).device) + "; pool " + role.pool->name + " has room for " +
                std::to_string(s.have) + ": " + by_leaf(gang, state)};
  const bool all_small = s.too_small > 0 && s.fit + s.busy + s.partial == 0;
  if (all_small) return node_too_small(gang, role);
  return short_of_nodes(s, gang, role, state, moment);
}

}  // namespace muster::plan
