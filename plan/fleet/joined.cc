#include "plan/fleet/joined.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "plan/pools/node_needs.h"

namespace muster::plan {
namespace {

using model::Pool;

// The sets of nodes of a part as those of the joined pool; a part that declares none is one.
void append(const std::vector<model::Leaf>& domains, const Pool& part, std::uint32_t first,
            std::vector<model::Leaf>& out) {
  for (const model::Leaf& domain : domains) {
    out.push_back(domain);
    for (std::uint32_t& node : out.back().nodes) node += first;
  }
  if (!domains.empty()) return;
  out.push_back({});
  for (std::uint32_t node = 0; node < part.node_count; ++node) out.back().nodes.push_back(first + node);
}

template <class T>
void take_larger(T& largest, const T& part, bool first) {
  const T none{};
  if (first) largest = part;
  else largest = largest == none || part == none ? none : std::max(largest, part);
}

bool unlike_cores(const Pools& pools, model::PlaneFamily family) {
  return family == model::PlaneFamily::batch && std::any_of(pools.begin(), pools.end(), [&](const Pool* pool) {
           return pool->threads != pools.front()->threads;
         });
}

}  // namespace

std::pair<const Pool*, std::uint32_t> JoinedPool::origin(std::uint32_t node) const {
  for (const Pool* part : parts) {
    if (node < part->node_count) return {part, node};
    node -= static_cast<std::uint32_t>(part->node_count);
  }
  return {parts.back(), 0};
}

bool can_join(const RolePlan& role, const Pools& pools) {
  const bool by_cpu = role.has_default_memory() && !role.queue->default_memory;
  const auto unlike_cpus = [&](const Pool* pool) { return pool->cpus != pools.front()->cpus; };
  const bool of_all = has_whole_nodes(role) && std::any_of(pools.begin(), pools.end(), unlike_cpus);
  if ((role.memory_a_cpu.bytes > 0 || by_cpu) && (of_all || unlike_cores(pools, role.family))) return false;
  if (!role.role->resources.part_of_gpu()) return true;
  return std::all_of(pools.begin(), pools.end(), [&](const Pool* pool) {
    return pool->gpu && pools.front()->gpu && pool->gpu->places == pools.front()->gpu->places;
  });
}

bool meet(const Pools& some, const Pools& others) {
  return std::any_of(some.begin(), some.end(), [&](const model::Pool* pool) {
    return std::find(others.begin(), others.end(), pool) != others.end();
  });
}

std::vector<Pools> each_alone(const Pools& pools) {
  std::vector<Pools> out;
  for (const Pool* pool : pools) out.push_back({pool});
  return out;
}

JoinedPool join(const Pools& parts, model::PlaneFamily family) {
  JoinedPool out;
  out.parts = parts;
  std::vector<std::string> names;
  const bool some_leaves = std::any_of(parts.begin(), parts.end(), [](const Pool* p) { return !p->leaves.empty(); });
  const bool some_domains =
      std::any_of(parts.begin(), parts.end(), [](const Pool* p) { return !p->nvlink_domains.empty(); });
  for (const Pool* part : parts) {
    const bool is_first = part == parts.front();
    const auto first = static_cast<std::uint32_t>(out.pool.node_count);
    const auto gpus = [](const Pool& pool) { return pool.gpu ? pool.gpu->count : 0; };
    const bool unlike = part->gpu && out.pool.gpu && part->gpu->model != out.pool.gpu->model;
    if (is_first || gpus(*part) > gpus(out.pool)) out.pool.gpu = part->gpu;
    if (unlike) out.pool.gpu->model.clear();
    take_larger(out.pool.cpus, part->cpus > 0 ? part->usable_cpus(family) : 0, is_first);
    take_larger(out.pool.memory, part->memory > Size{} ? part->usable_memory(family) : Size{}, is_first);
    take_larger(out.pool.disk, part->disk, is_first);
    if (some_leaves) append(part->leaves, *part, first, out.pool.leaves);
    if (some_domains) append(part->nvlink_domains, *part, first, out.pool.nvlink_domains);
    out.pool.node_count += part->node_count;
    names.push_back(part->name);
  }
  out.unlike_cores = unlike_cores(parts, family);
  out.pool.threads = out.unlike_cores ? 1 : parts.front()->threads;
  out.pool.reserve_cpus = 0, out.pool.reserve_memory = Size{};  // what is left of each part is its own
  out.pool.name = listed(names, "and");
  return out;
}

PoolState join(const JoinedPool& joined, const RolePlan& role, std::span<const PoolState* const> states) {
  PoolState out;
  out.family = role.family;
  std::vector<scheduler::Node> nodes;
  nodes.reserve(static_cast<std::size_t>(joined.pool.node_count));
  for (std::size_t p = 0; p < states.size(); ++p) {
    const PoolState& one = *states[p];
    const Pool* part = joined.parts[p];
    const bool small = role.disk && part->disk > Size{} && part->disk < *role.disk;
    const bool open = role.open.empty() || std::find(role.open.begin(), role.open.end(), part) != role.open.end();
    const auto first_leaf = static_cast<std::uint32_t>(out.leaves.size());
    const auto first = static_cast<std::uint32_t>(nodes.size());
    for (scheduler::Node node : one.stock.nodes()) {
      node.leaf += first_leaf;
      node.usable &= open && !small;
      if (joined.unlike_cores) node.cpus = node.cpus / part->threads * (role.counts_cores ? 1 : part->threads);
      nodes.push_back(node);
    }
    for (const auto& [node, gpus] : one.cut) out.cut.emplace(first + node, gpus);
    out.leaves.insert(out.leaves.end(), one.leaves.begin(), one.leaves.end());
    out.drained += one.drained, out.spare += one.spare;
    out.excluded += one.excluded, out.reserved += one.reserved, out.outside += one.outside;
  }
  out.stock = scheduler::Inventory(std::move(nodes));
  return out;
}

Pools pools_of(std::span<const PlacedNode> nodes, std::string_view role, const Pools& pools) {
  Pools out;
  for (const PlacedNode& node : nodes) {
    if (!role.empty() && node.role != role) continue;
    const auto found = std::find_if(pools.begin(), pools.end(), [&](const Pool* p) { return p->name == node.pool; });
    if (found != pools.end() && std::find(out.begin(), out.end(), *found) == out.end()) out.push_back(*found);
  }
  return out;
}

void name_several(const std::string& names, std::string& text) {
  const std::string one = "pool " + names;
  for (std::size_t at = text.find(one); at != std::string::npos; at = text.find(one, at + one.size() + 1)) {
    text.insert(at + 4, "s");
    const std::size_t end = at + one.size() + 1;
    if (text.compare(end, 4, " has") == 0) text.replace(end, 4, " together have");
    if (text.compare(end, 9, " does not") == 0) text.replace(end, 9, " do not");
    const std::string_view treated = "and is treated as one";
    if (const std::size_t found = text.find(treated, end); found != std::string::npos)
      text.replace(found, treated.size(), "and are treated as one");
  }
}

}  // namespace muster::plan
