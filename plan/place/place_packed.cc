#include "plan/place/place_packed.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>
#include <variant>

#include "compiler/base/in_one_unit.h"
#include "compiler/base/text.h"
#include "plan/demand.h"
#include "plan/place/gang.h"
#include "plan/place/name_list.h"
#include "plan/pools/domains.h"
#include "plan/pools/node_needs.h"
#include "scheduler/one_by_one.h"
#include "scheduler/packing.h"

namespace muster::plan {
namespace {

using scheduler::PackNode;
using scheduler::Part;
using scheduler::PodGang;
using scheduler::Seat;

// Whether a domain or a segment says where the nodes of a replica lie. One node lies in one of each.
bool is_kept_together(const RolePlan& role) {
  const model::Topology* topology = topology_of(role);
  return topology != nullptr && role.nodes > 1 && (topology->segment || (topology->required && in_domain(role)));
}

// Nullptr: the fleet does not say where the role's slices may be.
const model::SlicePlaces* places_of(const RolePlan& role, const model::Pool& pool) {
  const auto& slice = role.role->resources.gpu_slice;
  if (!slice || !pool.gpu) return nullptr;
  for (const model::SlicePlaces& places : pool.gpu->places)
    if (places.profile == slice->value) return &places;
  return nullptr;
}

bool has_unknown_places(const RolePlan& role, const model::Pool& pool) {
  return role.role->resources.gpu_slice && places_of(role, pool) == nullptr;
}

scheduler::Cut cut_of(const model::Pool& pool) {
  scheduler::Cut out;
  if (pool.gpu)
    for (const model::SlicePlaces& places : pool.gpu->places)
      out.profiles.push_back({places.starts, places.size, places.compute});
  return out;
}

// What its pods ask for. A slice whose places are not known has a GPU of its own.
PodGang gang_of_pods(const RolePlan& here, const model::Pool& pool) {
  scheduler::Gang gang = gang_of(here);
  leave_out_unknown(here, gang);
  PodGang out;
  out.pods = here.total();
  out.a_node = most_on_a_node(here);
  out.devices = gang.gpus;
  out.cpus = gang.cpus;
  out.memory = gang.memory;
  const model::Resources& asked = here.role->resources;
  if (asked.gpu_share) out.part = {Part::Kind::share, static_cast<std::uint32_t>(asked.gpu_share->value)};
  else if (const model::SlicePlaces* places = places_of(here, pool))
    out.part = {Part::Kind::slice, static_cast<std::uint32_t>(places - pool.gpu->places.data())};
  return out;
}

// Everything that is asked of a pool, as the scheduler sees it.
struct Question {
  scheduler::Cut cut;
  std::vector<PackNode> nodes;
  std::vector<PodGang> gangs;
  const PoolState* state = nullptr;  // whose GPUs are partitioned; valid until the next query of the fleet
};

// The GPUs of a node of which parts are taken come first, then those that are free.
std::vector<PackNode> nodes_of(const PoolState& state) {
  std::vector<PackNode> out;
  out.reserve(state.stock.nodes().size());
  for (std::uint32_t n = 0; n < state.stock.nodes().size(); ++n) {
    const scheduler::Node& node = state.stock.nodes()[n];
    PackNode packed{node.leaf, {}, node.cpus, node.memory, node.usable};
    if (const auto cut = state.cut.find(n); cut != state.cut.end())
      for (const CutGpu& gpu : cut->second) packed.devices.push_back(gpu.taken);
    packed.devices.resize(packed.devices.size() + static_cast<std::size_t>(std::max(node.gpus, 0)));
    out.push_back(std::move(packed));
  }
  return out;
}

Question question_of(FleetState& fleet, std::span<const RolePlan* const> roles, const model::Pool& pool,
                     Moment moment) {
  Question out{cut_of(pool), {}, {}, nullptr};
  for (const RolePlan* role : roles) {
    RolePlan here = *role;
    choose_pool(here, &pool);
    PodGang gang = gang_of_pods(here, pool);
    const std::span<const scheduler::Node> nodes = fleet.of(here, moment).stock.nodes();
    const auto usable = [](const scheduler::Node& node) { return node.usable; };
    if (!std::all_of(nodes.begin(), nodes.end(), usable))
      for (const scheduler::Node& node : nodes) gang.barred.push_back(!node.usable);
    out.gangs.push_back(std::move(gang));
  }
  out.state = &fleet.of_all(pool, family_of(roles), moment);
  out.nodes = nodes_of(*out.state);
  return out;
}

// "a 1g.10gb slice of a GPU", "50% of a GPU", "2 h100 GPUs", "4 CPUs".
std::string shape_text(const RolePlan& role, const model::Pool& pool) {
  const model::Resources& asked = role.role->resources;
  if (asked.gpu_share) return std::to_string(asked.gpu_share->value) + "% of a GPU";
  if (asked.gpu_slice) return "a " + asked.gpu_slice->value + " slice of a GPU";
  if (role.gpus > 0)
    return counted(role.gpus, (pool.gpu && !pool.gpu->model.empty() ? pool.gpu->model + " " : "") + "GPU");
  return role.cpus ? counted(*role.cpus, "CPU") : "no GPU";
}

std::vector<std::uint32_t> heavy_ones(const std::vector<std::int64_t>& weights) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < weights.size(); ++i)
    if (weights[i] > 0) out.push_back(i);
  return out;
}

Certificate made(std::string kind, std::int64_t need, std::int64_t have, std::string text) {
  return {std::move(kind), need, have, need - have, std::move(text)};
}

// " (a 1g.10gb slice of a GPU counts 1, 2 h100 GPUs 14)".
std::string counts_text(std::span<const RolePlan* const> roles, const model::Pool& pool,
                        const std::vector<std::int64_t>& weights) {
  std::vector<std::string> shapes;
  std::string out;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const std::string shape = shape_text(*roles[i], pool);
    if (weights[i] == 0 || std::find(shapes.begin(), shapes.end(), shape) != shapes.end()) continue;
    shapes.push_back(shape);
    out += (out.empty() ? " (" : ", ") + shape + (out.empty() ? " counts " : " ") + std::to_string(weights[i]);
  }
  return out + ")";
}

// `who` has names of those that weigh something, `several` says whether they are more than one role.
Certificate certificate_for(const scheduler::Overweight& o, std::span<const RolePlan* const> roles, const NameList& who,
                            bool several, const model::Pool& pool, const PoolState& state) {
  const RolePlan& first = *roles[heavy_ones(o.weights).front()];
  const std::string need = std::to_string(o.need), have = std::to_string(o.have), names = who.text();
  const bool one_each = std::all_of(o.weights.begin(), o.weights.end(), [](std::int64_t w) { return w <= 1; });
  if (!several && one_each && o.unit == scheduler::Overweight::Unit::devices)
    return made("class", o.need, o.have,
                (names.empty() ? "" : names + " ") + "needs " + counted(o.need, "pod") + " with " +
                    shape_text(first, pool) + "; pool " + pool.name + " has room for " + have + ": " +
                    left_out(first, state));
  const std::string open = "; the nodes of pool " + pool.name + " that are available to " + (several ? "them" : "it");
  const std::string needs = names + (names.empty() ? "needs " : several ? " together need " : " needs ");
  if (o.unit == scheduler::Overweight::Unit::cpus)
    return made("hall", o.need, o.have, needs + counted(o.need, "CPU") + open + " have " + have);
  if (o.unit == scheduler::Overweight::Unit::memory) {
    const auto amounts = in_one_unit(Size{o.need}, Size{o.have});
    return made("hall", o.need, o.have, needs + amounts.first + " of memory" + open + " have " + amounts.second);
  }
  return made("hall", o.need, o.have,
              needs + need + counts_text(roles, pool, o.weights) + open + " hold at most " + have +
                  ", for any partitioning of their GPUs");
}

// No node is large enough, even empty: the same words as for a gang of whole nodes.
std::optional<Certificate> floor_of(FleetState& fleet, const RolePlan& role, const model::Pool& pool, Moment moment) {
  RolePlan one = role;
  choose_pool(one, &pool);
  one.nodes = one.copies = 1;
  scheduler::Gang gang = gang_of(one);
  leave_out_unknown(one, gang);
  gang.one_leaf = false, gang.segment = 1;
  const PoolState& state = fleet.of(one, moment);
  const scheduler::Answer answer = state.stock.place(gang);
  const auto* shortage = std::get_if<scheduler::Shortage>(&answer);
  if (shortage == nullptr || shortage->too_small == 0 || shortage->busy + shortage->partial > 0) return std::nullopt;
  return certificate_of(*shortage, gang, one, state, moment);
}

// The seats of one role as its pods. They are node by node: where each pod of a replica has a node of its own, dealing
// them out to the replicas in turn gives none of these a node twice.
void add_pods(const RolePlan& role, const model::Pool& pool, const Question& question, const std::vector<Seat>& seats,
              std::vector<PlacedNode>& out) {
  const std::size_t begin = out.size();
  const model::SlicePlaces* places = places_of(role, pool);
  const auto& share = role.role->resources.gpu_share;
  for (std::size_t i = 0; i < seats.size(); ++i) {
    const Seat& seat = seats[i];
    PlacedNode pod{role.role->name,
                   static_cast<std::int64_t>(i) / (role.nodes_are_pods ? role.nodes : 1) % role.copies,
                   pool.name,
                   seat.node,
                   pool.node_name(seat.node),
                   {},
                   {}};
    const auto cut = question.state->cut.find(seat.node);
    for (const std::uint32_t device : seat.devices) {
      const std::size_t known = cut == question.state->cut.end() ? 0 : cut->second.size();
      pod.gpus.push_back(device < known ? cut->second[device].number : -1 - static_cast<std::int64_t>(device));
    }
    if (places != nullptr) pod.part = PlacedPart{seat.slices, places->compute, 0, places->profile};
    if (share) pod.part = PlacedPart{0, 0, static_cast<std::uint32_t>(share->value), {}};
    out.push_back(std::move(pod));
  }
  std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
                   [](const PlacedNode& a, const PlacedNode& b) { return a.replica < b.replica; });
}

// What the fleet does not say, which leaves a misfit of slices open and a fit of other needs too.
std::string undeclared(std::span<const RolePlan* const> roles, const model::Pool& pool) {
  std::string out;
  for (const RolePlan* role : roles) {
    RolePlan here = *role;
    if (here.pool != &pool) choose_pool(here, &pool);
    scheduler::Gang gang = gang_of(here);
    const std::string unknown = leave_out_unknown(here, gang);
    if (!unknown.empty() && out.find(unknown) == std::string::npos) out += (out.empty() ? "" : "; ") + unknown;
  }
  return out;
}

std::string without_places(std::span<const RolePlan* const> roles, const model::Pool& pool) {
  for (const RolePlan* role : roles)
    if (has_unknown_places(*role, pool))
      return "pool " + pool.name + " does not declare where slices of " + role->role->resources.gpu_slice->value +
             " can be placed on a GPU, so each gets its own GPU";
  return {};
}

Level refuted(const Question& question, const scheduler::PackAnswer& answer, std::span<const RolePlan* const> roles,
              std::span<const std::string> names, const model::Pool& pool) {
  if (const auto* heavy = std::get_if<scheduler::Overweight>(&answer)) {
    const std::vector<std::uint32_t> who = heavy_ones(heavy->weights);
    return {Verdict::does_not_fit,
            certificate_for(*heavy, roles, names_of(names, who), who.size() > 1, pool, *question.state),
            {}};
  }
  if (const auto* every = std::get_if<scheduler::Exhausted>(&answer))
    return {Verdict::does_not_fit,
            made("hall", every->need, every->have,
                 shortened_list(std::vector<std::string>(names.begin(), names.end())) +
                     (names.size() > 1 ? " need" : " needs") + " a place for " + counted(every->need, "pod") +
                     "; all placements on the nodes of pool " + pool.name + " were tried, and none holds more than " +
                     std::to_string(every->have)),
            {}};
  return {Verdict::unknown,
          {},
          "no placement of its pods on the nodes of pool " + pool.name + " was found in " +
              counted(std::get<scheduler::PackingGaveUp>(answer).tried, "try") + ", and no proof that none exists"};
}

}  // namespace

bool is_packed(const RolePlan& role) {
  return can_be_packed(role) && (role.role->resources.part_of_gpu() || role.may_share_nodes());
}

bool can_be_packed(const RolePlan& role) { return !is_alone(role) && !is_kept_together(role); }

namespace {

// One role whose pods have whole GPUs, on nodes of which none has a part in use: the same answer without a look at each
// node. nullopt: it does not fit, or nodes of the pool are not open to it.
std::optional<PackedRoles> pack_one_role(FleetState& fleet, const RolePlan& role, const model::Pool& pool,
                                         Moment moment) {
  if (role.role->resources.part_of_gpu()) return std::nullopt;
  RolePlan here = role;
  choose_pool(here, &pool);
  const PodGang gang = gang_of_pods(here, pool);
  const PoolState& own = fleet.of(here, moment);
  if (own.excluded + own.outside + own.reserved > 0 || !here.open.empty() || here.disk) return std::nullopt;
  Question question{{}, {}, {}, &fleet.of_all(pool, role.family, moment)};
  if (!question.state->cut.empty()) return std::nullopt;
  auto packed = scheduler::pack_alike(question.state->stock, gang);
  if (!packed) return std::nullopt;
  const RolePlan* const roles[] = {&role};
  if (std::string unknown = undeclared(roles, pool); !unknown.empty())
    return PackedRoles{{Verdict::unknown, {}, std::move(unknown)}, {}};
  PackedRoles out{{Verdict::fits, {}, {}}, {}, packed->leaves, packed->lower_bound, packed->spines,
                  packed->spine_bound};
  add_pods(role, pool, question, packed->seats[0], out.pods);
  return out;
}

PackedRoles answer_to(const Question& question, std::span<const RolePlan* const> roles,
                      std::span<const std::string> names, const model::Pool& pool) {
  scheduler::PackAnswer answer = scheduler::pack(question.nodes, question.cut, question.gangs,
                                                 {.spine_of_leaf = question.state->stock.spine_of_leaf()});
  const std::string places = without_places(roles, pool), unknown = undeclared(roles, pool);
  auto* packed = std::get_if<scheduler::Packed>(&answer);
  if (packed == nullptr && !places.empty()) return {{Verdict::unknown, {}, places}, {}};
  if (packed == nullptr) return {refuted(question, answer, roles, names, pool), {}};
  if (!unknown.empty()) return {{Verdict::unknown, {}, unknown}, {}};
  PackedRoles out{{Verdict::fits, {}, places}, {}, packed->leaves, packed->lower_bound, packed->spines,
                  packed->spine_bound};
  for (std::size_t r = 0; r < roles.size(); ++r) add_pods(*roles[r], pool, question, packed->seats[r], out.pods);
  return out;
}

}  // namespace

PackedRoles pack_roles(FleetState& fleet, std::span<const RolePlan* const> roles, std::span<const std::string> names,
                       const model::Pool& pool, Moment moment) {
  for (const RolePlan* role : roles)
    if (auto floor = floor_of(fleet, *role, pool, moment)) return {{Verdict::does_not_fit, std::move(floor), {}}, {}};
  if (roles.size() == 1)
    if (auto one = pack_one_role(fleet, *roles.front(), pool, moment)) return std::move(*one);
  return answer_to(question_of(fleet, roles, pool, moment), roles, names, pool);
}

PackedRoles pack_on(const PoolState& state, std::span<const RolePlan* const> roles, std::span<const std::string> names,
                    const model::Pool& pool) {
  Question question{{}, nodes_of(state), {}, &state};
  for (const RolePlan* role : roles) question.gangs.push_back(gang_of_pods(*role, pool));
  return answer_to(question, roles, names, pool);
}

namespace {

// The fewest domains whose room sums to `pods`.
std::int64_t fewest(std::vector<std::int64_t> rooms, std::int64_t pods) {
  std::sort(rooms.begin(), rooms.end(), std::greater<>());
  std::int64_t count = 0;
  for (std::size_t i = 0; i < rooms.size() && pods > 0; ++i, ++count) pods -= rooms[i];
  return count;
}

// How many pods the nodes of each domain, and each node, have room for.
struct Rooms {
  std::vector<std::int64_t> nodes, domains;

  Rooms(const PoolState& state, const scheduler::Batch& batch) {
    for (const scheduler::Node& node : state.stock.nodes()) {
      nodes.push_back(scheduler::room(node, batch));
      domains.resize(std::max<std::size_t>(domains.size(), node.leaf + 1));
      domains[node.leaf] += nodes.back();
    }
  }
};

// The domains with most room first, of equal ones the first.
std::vector<std::uint32_t> largest_first(const std::vector<std::int64_t>& domains) {
  std::vector<std::uint32_t> order(domains.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return domains[a] > domains[b]; });
  return order;
}

// Seats for `copies` replicas, each in one domain. Their room has been counted.
std::vector<Seat> seats_near(const PoolState& state, const RolePlan& role, Rooms rooms, std::int64_t copies) {
  std::vector<Seat> out;
  std::vector<std::uint32_t> taken(rooms.nodes.size());
  for (const std::uint32_t domain : largest_first(rooms.domains)) {
    std::int64_t pods = std::min(rooms.domains[domain] / role.nodes, copies) * role.nodes;
    copies -= pods / role.nodes;
    for (std::uint32_t n = 0; n < rooms.nodes.size() && pods > 0; ++n) {
      if (state.stock.nodes()[n].leaf != domain) continue;
      const auto cut = state.cut.find(n);
      taken[n] = cut == state.cut.end() ? 0 : static_cast<std::uint32_t>(cut->second.size());
      for (; rooms.nodes[n] > 0 && pods > 0; --rooms.nodes[n], --pods) {
        out.push_back({n, {}, 0});
        for (std::int64_t gpu = 0; gpu < role.gpus; ++gpu) out.back().devices.push_back(taken[n]++);
      }
    }
  }
  return out;
}

Certificate too_far_apart(const RolePlan& role, const Rooms& rooms, std::int64_t copies) {
  const DomainTerms terms = terms_of(domain_of(role));
  const std::string each =
      counted(role.nodes, "pod") + " with " + shape_text(role, *role.pool) + " inside one " + std::string(terms.device);
  const std::string& pool = role.pool->name;
  if (role.copies > 1)
    return made("domain", role.copies, copies,
                "needs " + counted(role.copies, "replica") + ", each " + each + "; pool " + pool + " has room for " +
                    std::to_string(copies));
  const std::int64_t best = rooms.domains.empty() ? 0 : *std::max_element(rooms.domains.begin(), rooms.domains.end());
  return made("domain", role.nodes, best,
              "needs " + each + "; in pool " + pool + " the " + std::string(terms.device) + " with the most room has " +
                  std::to_string(best));
}

}  // namespace

std::optional<PackedRoles> pack_near(FleetState& fleet, const RolePlan& role, Moment moment) {
  const model::Topology* topology = topology_of(role);
  if (!role.may_share_nodes() || role.role->resources.part_of_gpu() || is_alone(role) || topology == nullptr ||
      topology->segment || !topology->required || !in_domain(role))
    return std::nullopt;
  scheduler::Gang gang = gang_of(role);
  std::string unknown = leave_out_unknown(role, gang);
  const scheduler::Batch batch{gang, most_on_a_node(role)};
  const std::vector<std::int64_t> leaves = Rooms(fleet.of(role, moment), batch).domains;
  const PoolState& state = fleet.of(role, moment, domain_of(role));
  const Rooms rooms(state, batch);
  std::int64_t copies = 0;
  for (const std::int64_t room : rooms.domains) copies += room / role.nodes;
  if (copies < role.copies) return PackedRoles{{Verdict::does_not_fit, too_far_apart(role, rooms, copies), {}}, {}};
  if (!unknown.empty()) return PackedRoles{{Verdict::unknown, {}, std::move(unknown)}, {}};
  PackedRoles out{{Verdict::fits, {}, {}}, {}};
  add_pods(role, *role.pool, {{}, {}, {}, &state}, seats_near(state, role, rooms, role.copies), out.pods);
  std::set<std::uint32_t> used;
  const PoolState& by_leaf = fleet.of(role, moment);
  for (const PlacedNode& pod : out.pods) used.insert(by_leaf.stock.nodes()[pod.index].leaf);
  out.leaves = static_cast<std::int64_t>(used.size());
  out.lower_bound = fewest(leaves, role.total());
  return out;
}

void give_parts(FleetState& fleet, const RolePlan& role, Moment moment, scheduler::Member& member) {
  const PodGang pod = gang_of_pods(role, *role.pool);
  const scheduler::Cut cut = cut_of(*role.pool);
  const PoolState& state = fleet.of(role, moment);
  const std::vector<PackNode> nodes = nodes_of(state);
  member.gang.gpus = 0;
  member.barred.resize(nodes.size(), false);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const auto has_room = [&](const scheduler::Device& device) { return !after(cut, device, pod.part).empty(); };
    const auto& devices = nodes[n].devices;
    if (!nodes[n].usable || std::none_of(devices.begin(), devices.end(), has_room)) member.barred[n] = true;
  }
}

std::optional<Certificate> too_heavy(FleetState& fleet, const CountedRoles& all, const model::Pool& pool,
                                     Moment moment) {
  CountedRoles counted_roles = all;
  std::erase_if(counted_roles.roles, [&](const RoleCount& group) {
    return !can_be_packed(*group.role) || has_unknown_places(*group.role, pool);
  });
  const std::vector<const RolePlan*> roles = counted_roles.each();
  if (std::none_of(roles.begin(), roles.end(), [](const RolePlan* role) { return is_packed(*role); }))
    return std::nullopt;
  Question question = question_of(fleet, roles, pool, moment);
  for (std::size_t r = 0; r < roles.size(); ++r) question.gangs[r].count = counted_roles.roles[r].count;
  const scheduler::Overweight proof = scheduler::find_overweight(question.nodes, question.cut, question.gangs);
  if (proof.need <= proof.have) return std::nullopt;
  const std::vector<std::uint32_t> who = heavy_ones(proof.weights);
  const bool several = who.size() > 1 || counted_roles.roles[who.front()].count > 1;
  return certificate_for(proof, roles, counted_roles.names_of(who), several, pool, *question.state);
}

}  // namespace muster::plan
