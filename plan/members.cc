#include "plan/members.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/model/launcher.h"
#include "plan/domains.h"
#include "plan/shape.h"
#include "scheduler/saturate.h"

namespace muster::plan {

using scheduler::Gang;
using scheduler::Line;
using scheduler::Placement;

const model::Topology* topology_of(const RolePlan& role) {
  return role.role->topology ? &*role.role->topology : nullptr;
}

bool in_domain(const RolePlan& role) {
  const model::Within within = topology_of(role)->within.value;
  return within == model::Within::leaf || within == model::Within::block || within == model::Within::nvlink_domain;
}

bool is_nested(const RolePlan& role) {
  const model::Topology* topology = topology_of(role);
  return topology != nullptr && topology->segment && topology->required && in_domain(role);
}

bool has_whole_nodes(const RolePlan& role) {
  return role.exclusive || (role.queue != nullptr && role.queue->exclusive);
}

// Who has all CPUs or all memory of a node is alone there.
bool is_alone(const RolePlan& role) {
  return has_whole_nodes(role) || role.all_cpus || role.all_memory || role.takes_all_memory();
}

Gang gang_of(const RolePlan& role) {
  Gang gang;
  gang.nodes = role.total();
  gang.gpus = static_cast<std::int32_t>(std::min<std::int64_t>(role.gpus, std::numeric_limits<std::int32_t>::max()));
  // A part is had of a GPU that is free: the fleet counts what is in use by whole ones.
  if (role.role->resources.part_of_gpu()) gang.gpus = 1;
  gang.cpus = role.counted_cpus();
  gang.memory = role.takes_all_memory() ? 0 : role.counted_memory();
  gang.exclusive = is_alone(role);
  if (const model::Topology* topology = topology_of(role)) {
    gang.one_leaf = topology->required && in_domain(role) && role.copies == 1 && !topology->segment;
    if (topology->segment) gang.segment = topology->segment->value;
    else if (topology->required && in_domain(role)) gang.segment = role.nodes;
  }
  return gang;
}

std::int64_t RolePlan::tasks() const {
  if (!sharing.empty()) return 1;  // the steps of its roles have tasks of their own
  const bool each = model::row_of(role->launch.runner.value).started_by == model::StartedBy::scheduler;
  return each ? std::max<std::int64_t>(1, processes) : 1;
}

std::int64_t RolePlan::counted_cpus(const model::Pool* on) const {
  std::int64_t asked = cpu_a_task && !all_cpus ? tasks() : 0;
  if (cpus) asked = *cpus;
  else if (!sharing.empty()) {
    asked = 0;
    for (const RolePlan& one : sharing) asked = scheduler::sum(asked, one.counted_cpus(nullptr));
  }
  if (on == nullptr || on->threads < 2 || family != model::PlaneFamily::batch) return asked;
  const std::int64_t cores = counts_cores ? asked : asked / on->threads + (asked % on->threads > 0);
  return scheduler::product(cores, on->threads);
}

Size RolePlan::memory_of(Size a_cpu, const model::Pool& on) const {
  const std::int64_t given = exclusive ? on.usable_cpus(family) : counted_cpus(&on);
  return Size{scheduler::product(a_cpu.bytes, counts_cores ? given / on.threads : given)};
}

Size RolePlan::memory_of_cpus(const model::Pool& on) const { return memory_of(memory_a_cpu, on); }

bool RolePlan::has_default_memory() const {
  const bool stated = memory || all_memory || memory_a_cpu.bytes > 0;
  return family == model::PlaneFamily::batch && queue != nullptr && sharing.empty() && !stated &&
         (queue->default_memory || queue->default_memory_cpu);
}

bool RolePlan::takes_all_memory() const {
  return has_default_memory() && queue->default_memory && queue->default_memory->value.all;
}

std::int64_t RolePlan::counted_memory() const {
  if (memory || pool == nullptr || !has_default_memory()) return memory.value_or(Size{}).bytes;
  if (takes_all_memory()) return pool->usable_memory(family).bytes;
  if (queue->default_memory) return queue->default_memory->value.high.bytes;
  return memory_of(queue->default_memory_cpu->value, *pool).bytes;
}

bool RolePlan::may_share_nodes() const {
  const bool several = (shares_nodes && copies > 1) || (nodes_are_pods && nodes > 1);
  if (!several || apart || exclusive || all_cpus || all_memory) return false;
  return pool == nullptr || !pool->gpu || 2 * gpus <= pool->gpu->count;
}

std::int64_t most_on_a_node(const RolePlan& role) {
  if (!role.may_share_nodes()) return 1;
  return scheduler::product(role.shares_nodes ? role.copies : 1, role.nodes_are_pods ? role.nodes : 1);
}

std::string leave_out_unknown(const RolePlan& role, Gang& gang) {
  const model::Pool& pool = *role.pool;
  std::string missing;
  const auto undeclared = [&](std::string_view what) { missing += (missing.empty() ? "" : ", ") + std::string(what); };
  if (pool.cpus == 0 && (role.cpus.value_or(0) > 0 || role.all_cpus)) undeclared("cpus");
  if (pool.cpus == 0) gang.cpus = 0;
  if (pool.memory == Size{} && (gang.memory > 0 || role.all_memory)) undeclared("memory"), gang.memory = 0;
  if (role.disk && pool.disk == Size{}) undeclared("disk");
  std::string out = missing.empty() ? "" : "pool " + pool.name + " does not declare the " + missing + " of its nodes";
  if (gang.segment > 1 && gang.nodes % gang.segment != 0) {
    out += (out.empty() ? "" : "; ") + ("segments of " + std::to_string(gang.segment)) + " do not divide " +
           counted(gang.nodes, "node");
    gang.segment = 1;
  }
  return out;
}

std::vector<PlacedNode> placed_nodes(const RolePlan& role, const Placement& placement) {
  std::vector<PlacedNode> out;
  out.reserve(placement.nodes.size());
  for (std::uint32_t index : placement.nodes) {
    PlacedNode node{role.role->name,
                    static_cast<std::int64_t>(out.size()) / role.nodes,
                    role.pool->name,
                    index,
                    role.pool->node_name(index),
                    std::vector<std::int64_t>(static_cast<std::size_t>(role.gpus))};
    // What is in use holds the highest numbers, so the lowest are free.
    std::iota(node.gpus.begin(), node.gpus.end(), 0);
    out.push_back(std::move(node));
  }
  return out;
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

namespace {

// The devices of a node while its pods are numbered.
struct Numbering {
  Devices taken;
  std::map<std::int64_t, std::int64_t> opened;  // new devices that parts are of
};

}  // namespace

void number_devices(std::vector<PlacedNode>& placements, const TakenDevices& taken) {
  std::map<std::string_view, std::unordered_map<std::uint32_t, Numbering>> pools;
  for (PlacedNode& node : placements) {
    const auto [own, fresh] = pools[node.pool].try_emplace(node.index);
    Numbering& numbering = own->second;
    if (fresh) numbering.taken = taken.of(node);
    if (!node.part) {
      for (std::int64_t& gpu : node.gpus) gpu = numbering.taken.take_lowest();
    } else if (std::int64_t& gpu = node.gpus.front(); gpu < 0) {
      const auto [device, opens] = numbering.opened.try_emplace(gpu, 0);
      if (opens) device->second = numbering.taken.take_lowest();
      gpu = device->second;
    }
  }
}

void Devices::take(std::int64_t device) {
  if (device < 64) {
    low_ |= std::uint64_t{1} << device;
    return;
  }
  const auto at = static_cast<std::size_t>(device - 64);
  if (high_.size() <= at) high_.resize(at + 1, false);
  high_[at] = true;
}

std::int64_t Devices::take_lowest() {
  std::int64_t free = std::countr_one(low_);
  if (free == 64) free += std::find(high_.begin(), high_.end(), false) - high_.begin();
  take(free);
  return free;
}

Devices TakenDevices::of(const PlacedNode& node) const {
  const auto pool = taken_.find(node.pool);
  if (pool == taken_.end() || node.index >= pool->second.size()) return {};
  return pool->second[node.index];
}

void TakenDevices::add(const PlacedNode& node) {
  std::vector<Devices>& nodes = taken_[node.pool];
  if (nodes.size() <= node.index) nodes.resize(std::size_t{node.index} + 1);
  for (const std::int64_t gpu : node.gpus) nodes[node.index].take(gpu);
}

namespace {

RolePlan on_pool(RolePlan role, const model::Pool& pool) {
  choose_pool(role, &pool);
  return role;
}

scheduler::Member member_of(const RolePlan& role) {
  Gang gang = gang_of(role);
  leave_out_unknown(role, gang);
  return {gang};
}

}  // namespace

model::PlaneFamily family_of(std::span<const RolePlan* const> roles) {
  const auto is_pods = [](const RolePlan* role) { return role->family == model::PlaneFamily::pods; };
  return std::all_of(roles.begin(), roles.end(), is_pods) ? model::PlaneFamily::pods : model::PlaneFamily::batch;
}

JointRequest joint_request(FleetState& fleet, std::span<const RolePlan* const> roles, const model::Pool& pool,
                           Moment moment) {
  JointRequest out;
  const PoolState& all = fleet.of_all(pool, family_of(roles), moment);
  out.stock = &all.stock;
  for (const RolePlan* role : roles) {
    const RolePlan here = on_pool(*role, pool);
    const model::Within domain = domain_of(here);
    const PoolState& view = fleet.of(here, moment, domain);
    scheduler::Member& member = out.members.emplace_back(member_of(here));
    if (&view == &all) continue;
    std::vector<bool> barred;
    for (std::size_t n = 0; n < all.stock.nodes().size(); ++n) {
      const scheduler::Node& node = view.stock.nodes()[n];
      // A role that counts cores has fewer CPUs of a node than one that counts threads.
      const bool small = node.cpus < all.stock.nodes()[n].cpus && node.cpus < member.gang.cpus;
      barred.push_back(all.stock.nodes()[n].usable && (small || !node.usable));
      if (domain != model::Within::leaf) member.leaf.push_back(node.leaf);
    }
    if (std::find(barred.begin(), barred.end(), true) != barred.end()) member.barred = std::move(barred);
  }
  return out;
}

std::optional<JointRequest> joint_request_in_one_view(FleetState& fleet, std::span<const RolePlan* const> roles,
                                                      const model::Pool& pool, Moment moment) {
  JointRequest out;
  for (const RolePlan* role : roles) {
    const RolePlan here = on_pool(*role, pool);
    const PoolState& view = fleet.of(here, moment);
    if (!fleet.keeps(view) || (out.stock != nullptr && out.stock != &view.stock)) return std::nullopt;
    out.stock = &view.stock;
    out.members.push_back(member_of(here));
  }
  return out;
}

namespace {

// "whole h100 nodes", "slots of 4 GPUs", "nodes".
std::string slots_of(const Line& line, const model::Pool& pool) {
  switch (line.unit) {
    case Line::Unit::gpus:
      if (pool.gpu && line.slot == pool.gpu->count)
        return "whole " + (pool.gpu->model.empty() ? "" : pool.gpu->model + " ") + "nodes";
      return line.slot == 1 ? "GPUs" : "slots of " + counted(line.slot, "GPU");
    case Line::Unit::cpus: return line.slot == 1 ? "CPUs" : "slots of " + counted(line.slot, "CPU");
    case Line::Unit::memory: return "slots of " + to_string(Size{line.slot}) + " of memory";
    case Line::Unit::places: return "places on nodes";
    case Line::Unit::nodes: break;
  }
  return "nodes";
}

}  // namespace

std::string NameList::text() const {
  std::vector<std::string> out(first.begin(),
                               first.begin() + static_cast<std::ptrdiff_t>(std::min(shown, first.size())));
  if (all > shown) out.push_back(counted(static_cast<long long>(all - shown), "other"));
  return listed(out, "and");
}

NameList names_of(std::span<const std::string> names, std::span<const std::uint32_t> which) {
  std::set<std::string_view> known;
  NameList out;
  for (const std::uint32_t index : which)
    if (known.insert(names[index]).second && out.first.size() < NameList::shown) out.first.push_back(names[index]);
  out.all = known.size();
  return out;
}

std::string shortened_list(std::vector<std::string> names) {
  const std::size_t all = names.size();
  return NameList{std::move(names), all}.text();
}

Certificate certificate_of(const Line& line, const NameList& who, const model::Pool& pool) {
  const std::string have = std::to_string(line.have);
  return {"hall", line.need, line.have, line.need - line.have,
          who.text() + (who.several() ? " together need " : " needs ") + std::to_string(line.need) + " " +
              slots_of(line, pool) + "; the nodes of pool " + pool.name + " that are available to " +
              (who.several() ? "them" : "it") + " have " + have +
              (line.crowded && who.several() ? ": no node has room for a pod of each" : "")};
}

}  // namespace muster::plan
