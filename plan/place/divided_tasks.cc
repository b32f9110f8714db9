#include "plan/place/divided_tasks.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/text.h"
#include "plan/fleet/pool_state.h"
#include "plan/place/gang.h"
#include "plan/place/placed_nodes.h"
#include "plan/pools/node_needs.h"
#include "plan/verdict.h"
#include "scheduler/saturate.h"

namespace muster::plan {
namespace {

struct Room {
  std::uint32_t node = 0;
  std::int64_t tasks = 0, cpus = 0;
};

// Units of cores, or CPUs of whole cores, as the role counts them.
std::int64_t whole_cores(const RolePlan& role, std::int64_t cpus) {
  const std::int64_t threads = role.pool->threads;
  return role.counts_cores ? cpus / threads : cpus / threads * threads;
}

// What Slurm gives for each CPU, by the job's words or its queue's; 0: memory is asked for by the node.
std::int64_t memory_a_cpu(const RolePlan& role) {
  if (role.memory_a_cpu.bytes > 0 || !role.has_default_memory()) return role.memory_a_cpu.bytes;
  return role.queue->default_memory_cpu ? role.queue->default_memory_cpu->value.bytes : 0;
}

// How many tasks have room on a node, and the CPUs that they may have. What the fleet does not declare is no limit.
Room room_on(const scheduler::Node& node, const RolePlan& role, const scheduler::Gang& alone) {
  const model::TasksAsRead& asked = *role.divided;
  if (!node.usable || (alone.exclusive && !node.untouched)) return {};
  if (node.gpus < alone.gpus || (memory_a_cpu(role) == 0 && node.memory < alone.memory)) return {};
  std::int64_t out = asked.most_on_a_node.value_or(asked.count);
  if (asked.gpus > 0) out = std::min(out, node.gpus / asked.gpus);
  if (role.pool->cpus == 0) return {0, out, 0};
  std::int64_t cpus = whole_cores(role, node.cpus);
  const std::int64_t a_cpu = memory_a_cpu(role);
  if (a_cpu > 0 && role.exclusive && node.memory / a_cpu < cpus) return {};  // it has all CPUs of the node
  if (a_cpu > 0 && role.pool->memory > Size{}) {
    const std::int64_t affordable = node.memory / a_cpu;
    cpus = std::min(cpus, role.counts_cores ? affordable : whole_cores(role, affordable));
  }
  return {0, std::min(out, cpus / std::max<std::int64_t>(asked.cpus, 1)), cpus};
}

// One task on each of the fewest nodes.
scheduler::Gang least_gang(const RolePlan& role) {
  scheduler::Gang gang = gang_of(with_tasks(role, 1, *role.pool));
  gang.nodes = role.divided->least_nodes;
  return gang;
}

std::int64_t most_nodes(const RolePlan& role) {
  const std::int64_t most = role.divided->most_nodes;
  const bool limited = role.queue != nullptr && role.queue->max_nodes && role.queue->max_nodes->value > 0;
  return std::max(role.divided->least_nodes, limited ? std::min(most, role.queue->max_nodes->value) : most);
}

Certificate too_few(const RolePlan& role, std::int64_t room, std::size_t nodes) {
  const model::TasksAsRead& asked = *role.divided;
  std::string text = "needs room for " + counted(asked.count, "task") + " of " +
                     counted(asked.cpus, role.counts_cores ? "core" : "CPU");
  if (asked.gpus > 0) text += " and " + counted(asked.gpus, "GPU");
  if (most_nodes(role) < asked.count) text += " on at most " + counted(most_nodes(role), "node");
  text += "; " + counted(static_cast<std::int64_t>(nodes), "node") + " of pool " + role.pool->name +
          (nodes == 1 ? " has" : " have") + " room for " + std::to_string(room);
  return {"class", asked.count, room, asked.count - room, std::move(text)};
}

Witness shown(const RolePlan& role, const PoolState& state, const std::vector<Room>& taken) {
  Witness out;
  std::set<std::uint32_t> leaves;
  for (const Room& room : taken)
    out.counts.nodes.push_back(room.node), leaves.insert(state.stock.nodes()[room.node].leaf);
  out.counts.leaves = static_cast<std::int64_t>(leaves.size()), out.counts.lower_bound = 1;
  out.pods = placed_nodes(role, out.counts);
  for (std::size_t i = 0; i < taken.size(); ++i) {
    PlacedNode& node = out.pods[i];
    node.replica = 0, node.tasks = taken[i].tasks;
    if (role.divided->gpus == 0) continue;
    node.gpus.resize(static_cast<std::size_t>(taken[i].tasks * role.divided->gpus));
    for (std::size_t g = 0; g < node.gpus.size(); ++g) node.gpus[g] = static_cast<std::int64_t>(g);
  }
  return out;
}

// The rooms that are taken: one task on each of the fewest nodes that have room for all, most first.
std::vector<Room> divide(std::vector<Room> rooms, std::int64_t tasks) {
  std::int64_t left = tasks - static_cast<std::int64_t>(rooms.size());
  for (Room& room : rooms) {
    const std::int64_t more = std::min(room.tasks - 1, left);
    room.tasks = 1 + more, left -= more;
  }
  std::sort(rooms.begin(), rooms.end(), [](const Room& a, const Room& b) { return a.node < b.node; });
  return rooms;
}

// Whether the CPUs of so many nodes are enough for all tasks where one may be on two of them: slurmctld 22.05 adds them
// up, and later versions may not.
bool adds_up(const std::vector<Room>& rooms, const RolePlan& role, std::size_t most) {
  if (role.divided->most_on_a_node || role.divided->gpus > 0) return false;
  std::vector<std::int64_t> cpus;
  for (const Room& room : rooms) cpus.push_back(room.cpus);
  std::sort(cpus.rbegin(), cpus.rend());
  std::int64_t all = 0;
  for (std::size_t i = 0; i < std::min(most, cpus.size()); ++i) all = scheduler::sum(all, cpus[i]);
  return all >= scheduler::product(role.divided->count, role.divided->cpus);
}

}  // namespace

Level ask_divided(FleetState& fleet, const RolePlan& role, Moment moment, std::optional<Witness>& witness) {
  scheduler::Gang least = least_gang(role);
  const std::string unknown = leave_out_unknown(role, least);
  const PoolState& state = fleet.of(role, moment);
  const scheduler::Answer answer = state.stock.place(least);
  if (const auto* shortage = std::get_if<scheduler::Shortage>(&answer))
    return refused(certificate_of(*shortage, least, role, state, moment));
  std::vector<Room> rooms;
  for (std::uint32_t node = 0; node < state.stock.nodes().size(); ++node)
    if (Room room = room_on(state.stock.nodes()[node], role, least); room.tasks > 0)
      room.node = node, rooms.push_back(room);
  std::stable_sort(rooms.begin(), rooms.end(), [](const Room& a, const Room& b) { return a.tasks > b.tasks; });
  const auto most = static_cast<std::size_t>(most_nodes(role));
  std::int64_t room = 0;
  std::size_t nodes = 0;
  for (; nodes < std::min(most, rooms.size()); ++nodes) {
    if (room >= role.divided->count && nodes >= static_cast<std::size_t>(role.divided->least_nodes)) break;
    room += rooms[nodes].tasks;
  }
  if (room < role.divided->count && adds_up(rooms, role, most))
    return {Verdict::unknown, {}, "its nodes have the CPUs of all tasks together, but a task would be on two nodes"};
  if (room < role.divided->count) return refused(too_few(role, room, nodes));
  if (!unknown.empty()) return {Verdict::unknown, {}, unknown};
  rooms.resize(nodes);
  witness = shown(role, state, divide(std::move(rooms), role.divided->count));
  return {Verdict::fits, {}, {}};
}

}  // namespace muster::plan
