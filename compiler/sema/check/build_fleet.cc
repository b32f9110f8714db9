// `fleet NAME { pool … }` to model::Fleet.
#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "compiler/base/host_names.h"
#include "compiler/base/instant.h"
#include "compiler/base/limits.h"
#include "compiler/base/text.h"
#include "compiler/base/units.h"
#include "compiler/model/node_index.h"
#include "compiler/sema/check/builders.h"
#include "compiler/sema/check/slice_places.h"

namespace muster::sema {
namespace {

// Builds one pool.
class PoolBuilder {
 public:
  PoolBuilder(const Node& node, Diagnostics& diagnostics)
      : node_(node), diagnostics_(diagnostics), before_(diagnostics.size()) {}

  model::Pool build() {
    pool_.name = node_.label;
    pool_.span = node_.label_span;
    check_name(pool_.name, pool_.span, "pool", diagnostics_);
    nodes();
    hardware();
    leaves();
    switches();
    nvlink_domains();
    states();
    if (auto zone = node_.text("zone")) pool_.zone = zone->value;
    if (auto preemptible = node_.boolean("preemptible")) pool_.preemptible = preemptible->value;
    if (auto rack = node_.text("rack")) pool_.rack = rack->value;
    if (auto cost = node_.text("cost-per-gpu-hour")) pool_.cost_per_gpu_hour = cost->value;
    if (auto cost = node_.text("cost-per-cpu-hour")) pool_.cost_per_cpu_hour = cost->value;
    if (auto cost = node_.text("cost-per-node-hour")) pool_.cost_per_node_hour = cost->value;
    if (const Value* v = node_.get("node-mtbf")) pool_.node_mtbf = {v->low};
    for (const Node* taint : node_.all("taint"))
      pool_.taints.push_back({taint->label, text_of(*taint, "value"), text_of(*taint, "effect")});
    pool_.allows = build_allows(node_, diagnostics_);
    count_threads();
    return std::move(pool_);
  }

 private:
  // A file says cores; from here on CPUs are what schedulers count.
  void count_threads() {
    const Node* node = node_.one("node");
    const Value* v = node == nullptr ? nullptr : node->get("threads-per-core");
    if (v == nullptr) return;
    pool_.threads = v->low;
    pool_.cpus *= pool_.threads;
    if (pool_.reserve_cpus) *pool_.reserve_cpus *= pool_.threads;
    for (model::InUse& use : pool_.in_use)
      if (use.cpus > 0) use.cpus *= pool_.threads;
  }

  static std::string text_of(const Node& node, std::string_view key) {
    const Value* v = node.get(key);
    return v == nullptr ? std::string() : v->text;
  }

  void nodes() {
    const Value* v = node_.get("nodes");
    if (v == nullptr) return;
    if (v->text.empty()) {
      pool_.node_count = v->low;
      return;
    }
    pool_.node_names = HostNames::read(v->text).value_or(HostNames());
    pool_.node_count = static_cast<std::int64_t>(pool_.node_names.size());
    const HostNames* const own[] = {&pool_.node_names};
    if (surely_differ(own)) return;
    std::unordered_set<std::string> seen;
    for (std::string& name : pool_.node_names.all())
      if (seen.contains(name)) diagnostics_.add(Code::node_twice, v->span, "node `" + name + "` is listed twice");
      else seen.insert(std::move(name));
  }

  void hardware() {
    if (const Node* g = node_.one("gpu")) {
      model::Gpu gpu;
      if (const Value* v = g->get("model")) gpu.model = lower(v->text);
      if (const Value* v = g->get("memory")) gpu.memory = {v->low};
      if (const Value* v = g->get("count")) gpu.count = v->low;
      if (const Value* v = g->get("link")) gpu.link = v->text;
      if (const Value* v = g->get("vendor")) gpu.vendor = v->text;
      if (const Value* v = g->get("compute")) {
        gpu.compute = parse_tenths(v->text).value_or(0);
        if (gpu.compute == 0) diagnostics_.add(Code::out_of_range, v->span, "`compute` must be a number such as 9.0");
      }
      for (const auto& slice : g->texts("slices")) gpu.slices.push_back(slice.value);
      for (const Node* block : g->all("slice")) add_slice(*block, gpu);
      gpu.span = g->span;
      pool_.gpu = gpu;
    }
    const Node* n = node_.one("node");
    if (n == nullptr) {
      diagnostics_.add(Code::missing_key, pool_.span,
                       "pool `" + pool_.name + "` requires `node { cpus = … memory = … }`");
      return;
    }
    if (const Value* v = n->get("cpus")) pool_.cpus = v->low;
    if (const Value* v = n->get("memory")) pool_.memory = {v->low};
    if (const Value* v = n->get("disk")) pool_.disk = {v->low};
    if (const Value* v = n->get("arch")) pool_.arch = v->text;
    if (const Value* v = n->get("sockets")) pool_.sockets = v->low;
    if (const Value* v = n->get("reserve-cpus")) pool_.reserve_cpus = v->low;
    if (const Value* v = n->get("reserve-memory")) pool_.reserve_memory = Size{v->low};
    if (pool_.reserve_cpus.value_or(0) >= pool_.cpus && pool_.cpus > 0)
      diagnostics_.add(Code::conflict, n->get("reserve-cpus")->span, "`reserve-cpus` reserves all cores of a node");
    if (pool_.reserve_memory.value_or(Size{}) >= pool_.memory && pool_.memory.bytes > 0)
      diagnostics_.add(Code::conflict, n->get("reserve-memory")->span,
                       "`reserve-memory` reserves all memory of a node");
    if (const Node* net = node_.one("network")) {
      if (const Value* v = net->get("fabric")) pool_.fabric = v->text;
      if (const Value* v = net->get("bandwidth")) pool_.bandwidth = {v->low};
      if (const Value* v = net->get("rails")) pool_.rails = v->low;
    }
  }

  // A profile that `slices` does not name is one of them too.
  void add_slice(const Node& block, model::Gpu& gpu) {
    if (std::find(gpu.slices.begin(), gpu.slices.end(), block.label) == gpu.slices.end())
      gpu.slices.push_back(block.label);
    const Value* text = block.get("placements");
    if (text == nullptr) return;
    std::optional<model::SlicePlaces> places = parse_places(text->text);
    const std::int64_t named = compute_slices_of(block.label);
    const Value* stated = block.get("compute");
    if (!places)
      diagnostics_.add(Code::out_of_range, text->span,
                       "invalid `placements`; expected the start slices and the size in memory slices, "
                       "as in \"{0,2,4}:2\"");
    else if (stated == nullptr && named == 0)
      diagnostics_.add(Code::needs, block.label_span,
                       "slice `" + block.label +
                           "` requires `compute`, because its name does not begin with a number such as `1g.`");
    if (!places) return;
    places->profile = block.label;
    places->compute = static_cast<std::uint32_t>(stated != nullptr ? stated->low : named);
    gpu.places.push_back(std::move(*places));
  }

  // Indices of the named nodes; those that the pool does not have are reported.
  std::vector<std::uint32_t> lookup(const Value& hosts) {
    std::vector<std::uint32_t> out;
    const HostNames named = HostNames::read(hosts.text).value_or(HostNames());
    std::vector<bool> seen(pool_.node_names.size(), false);
    const auto take = [&](std::optional<std::uint32_t> node, std::uint32_t number) {
      if (node && !seen[*node]) {
        out.push_back(*node);
        seen[*node] = true;
        return true;
      }
      report_not_taken(hosts.span, named.at(number), node.has_value());
      return false;
    };
    std::uint32_t done = 0;
    pool_.node_names.match(named, [&](std::uint32_t count, std::optional<std::uint32_t> place) {
      for (std::uint32_t i = 0; i < count; ++i, ++done)
        if (!take(place ? std::optional(*place + i) : std::nullopt, done)) return false;
      return true;
    });
    return out;
  }

  void report_not_taken(Span span, const std::string& name, bool twice) {
    if (twice) {
      diagnostics_.add(Code::node_twice, span, "node `" + name + "` is listed twice");
      return;
    }
    Diagnostic& d = diagnostics_.add(Code::unknown_node, span, "pool `" + pool_.name + "` has no node `" + name + "`");
    if (pool_.node_names.empty())
      d.notes.push_back("the pool declares only a number of nodes; name them, as in `nodes = \"n[001-064]\"`");
  }

  // Nodes 0…, so many a group.
  void add_groups(std::int64_t size, const std::string& name, std::vector<model::Leaf>& out) const {
    out.reserve(static_cast<std::size_t>((pool_.node_count + size - 1) / size));
    for (std::int64_t begin = 0; begin < pool_.node_count; begin += size) {
      model::Leaf& group = out.emplace_back();
      group.name = pool_.name + name + std::to_string(begin / size + 1);
      group.nodes.resize(static_cast<std::size_t>(std::min(size, pool_.node_count - begin)));
      std::iota(group.nodes.begin(), group.nodes.end(), static_cast<std::uint32_t>(begin));
    }
  }

  void leaves() {
    const auto blocks = node_.all("leaf");
    const Value* size = node_.get("leaf-size");
    if (size != nullptr && !blocks.empty())
      diagnostics_
          .add(Code::conflict, node_.entry("leaf-size")->name_span, "`leaf-size` and `leaf` blocks cannot be combined")
          .labels.push_back({blocks[0]->span, "a leaf block"});
    if (size != nullptr) add_groups(size->low, "-leaf", pool_.leaves);
    if (blocks.empty()) return;
    std::vector<const Node*> owner(static_cast<std::size_t>(pool_.node_count), nullptr);
    for (const Node* block : blocks) add_leaf(*block, owner);
    for (std::size_t i = 0; i < owner.size(); ++i)
      if (owner[i] == nullptr) {
        diagnostics_.add(Code::missing_key, node_.get("nodes")->span,
                         "node `" + pool_.node_name(static_cast<std::uint32_t>(i)) + "` is not connected to a leaf",
                         "this pool declares leaves");
        break;
      }
  }

  void add_leaf(const Node& block, std::vector<const Node*>& owner) {
    pool_.leaves.push_back(members(block, owner, "is connected to two leaves"));
    pool_.leaves.back().up = text_of(block, "up");
  }

  // The nodes of a leaf or domain; one that another already has is reported.
  model::Leaf members(const Node& block, std::vector<const Node*>& owner, const std::string& twice) {
    model::Leaf out{block.label, {}, {}};
    if (const Value* hosts = block.get("nodes")) out.nodes = lookup(*hosts);
    for (const std::uint32_t n : out.nodes) {
      if (owner[n] != nullptr) {
        diagnostics_.add(Code::node_twice, block.get("nodes")->span, "node `" + pool_.node_name(n) + "` " + twice)
            .labels.push_back({owner[n]->label_span, "also listed here"});
        break;
      }
      owner[n] = &block;
    }
    return out;
  }

  // What is above the leaves: spines, one or several levels, and blocks of leaves.
  void switches() {
    for (const Node* spine : node_.all("spine")) pool_.spines.push_back({spine->label, text_of(*spine, "up")});
    const auto known = [&](const Node& block) {
      const Value* up = block.get("up");
      if (up == nullptr) return;
      for (const model::Spine& spine : pool_.spines)
        if (spine.name == up->text && spine.name != block.label) return;
      diagnostics_.add(Code::unknown_name, up->span, "pool `" + pool_.name + "` has no spine `" + up->text + "`");
    };
    for (const Node* leaf : node_.all("leaf")) known(*leaf);
    for (const Node* spine : node_.all("spine")) known(*spine);
    std::unordered_map<std::string, const Node*> owner;
    for (const Node* block : node_.all("block")) add_block(*block, owner);
  }

  void add_block(const Node& node, std::unordered_map<std::string, const Node*>& owner) {
    model::Block block{node.label, {}};
    for (const auto& leaf : node.texts("leaves")) {
      const bool known = std::any_of(pool_.leaves.begin(), pool_.leaves.end(),
                                     [&](const model::Leaf& l) { return l.name == leaf.value; });
      if (!known)
        diagnostics_.add(Code::unknown_name, leaf.span, "pool `" + pool_.name + "` has no leaf `" + leaf.value + "`");
      if (const auto [first, fresh] = owner.try_emplace(leaf.value, &node); !fresh)
        diagnostics_.add(Code::node_twice, leaf.span, "leaf `" + leaf.value + "` belongs to two blocks")
            .labels.push_back({first->second->label_span, "also listed here"});
      block.leaves.push_back(leaf.value);
    }
    pool_.blocks.push_back(std::move(block));
  }

  void nvlink_domains() {
    const Node* node = node_.one("nvlink-domain");
    if (node == nullptr) return;
    const Value* size = node->get("nodes");
    const auto blocks = node->all("domain");
    if ((size != nullptr) == !blocks.empty())
      diagnostics_.add(size != nullptr ? Code::conflict : Code::needs, node->span,
                       "`nvlink-domain` takes `nodes`, the nodes per domain, or `domain NAME { nodes = … }`");
    if (size != nullptr) add_groups(size->low, "-nvl", pool_.nvlink_domains);
    if (blocks.empty()) return;
    std::vector<const Node*> owner(static_cast<std::size_t>(pool_.node_count), nullptr);
    for (const Node* block : blocks)
      pool_.nvlink_domains.push_back(members(*block, owner, "belongs to two NVLink domains"));
  }

  void states() {
    if (const Value* v = node_.get("drained")) pool_.drained = lookup(*v);
    if (const Value* v = node_.get("spare")) {
      if (!v->text.empty()) pool_.spare = lookup(*v);
      else if (v->low > pool_.node_count)
        diagnostics_.add(Code::out_of_range, v->span,
                         "pool `" + pool_.name + "` has only " + counted(pool_.node_count, "node"));
      else
        for (std::int64_t i = pool_.node_count - v->low; i < pool_.node_count; ++i)
          pool_.spare.push_back(static_cast<std::uint32_t>(i));
    }
    for (const Node* block : node_.all("in-use")) pool_.in_use.push_back(in_use(*block));
    if (diagnostics_.size() == before_) add_up_uses();
  }

  // The rest of a node after the uses so far.
  struct Left {
    std::int64_t gpus = 0, cpus = 0, memory = 0;
    const model::InUse* last = nullptr;
  };

  void add_up_uses() {
    std::unordered_map<std::uint32_t, Left> nodes;
    const Left all{pool_.gpu ? pool_.gpu->count : 0, pool_.cpus, pool_.memory.bytes, nullptr};
    for (const model::InUse& use : pool_.in_use)
      for (const std::uint32_t n : use.nodes) {
        Left& left = nodes.try_emplace(n, all).first->second;
        const std::string over = take(use, left);
        if (over.empty()) continue;
        diagnostics_
            .add(Code::over_use, use.span,
                 "node `" + pool_.node_name(n) + "` has " + over + " left for `" + use.name + "`")
            .labels.push_back({left.last->span, "also uses the node"});
        return;
      }
  }

  // Subtracts a use. Returns what is left, as "2 GPUs", where that is too little. One use alone never exceeds a node.
  static std::string take(const model::InUse& use, Left& left) {
    const bool whole = use.whole() || (left.last != nullptr && left.last->whole());
    if (left.last != nullptr && whole) return "nothing";
    if (use.gpus > left.gpus) return counted(left.gpus, "GPU");
    if (use.cpus > left.cpus) return counted(left.cpus, "CPU");
    if (use.memory.bytes > left.memory) return to_string(Size{left.memory}) + " of memory";
    left.last = &use;
    left.gpus -= std::max<std::int64_t>(use.gpus, 0);
    left.cpus -= std::max<std::int64_t>(use.cpus, 0);
    left.memory -= std::max<std::int64_t>(use.memory.bytes, 0);
    return {};
  }

  model::InUse in_use(const Node& block) {
    model::InUse use;
    use.name = block.label;
    use.span = block.label_span;
    if (const Value* hosts = block.get("nodes")) use.nodes = lookup(*hosts);
    const std::string node = "a node of pool `" + pool_.name + "` has ";
    if (const Value* gpus = block.get("gpus")) {
      use.gpus = gpus->low;
      const std::int64_t most = pool_.gpu ? pool_.gpu->count : 0;
      if (use.gpus > most) diagnostics_.add(Code::out_of_range, gpus->span, node + std::to_string(most) + " GPUs");
    }
    if (const Value* cpus = block.get("cpus")) {
      use.cpus = cpus->low;
      if (use.cpus > pool_.cpus) diagnostics_.add(Code::out_of_range, cpus->span, node + counted(pool_.cpus, "CPU"));
    }
    if (const Value* memory = block.get("memory")) {
      use.memory = {memory->low};
      if (use.memory > pool_.memory)
        diagnostics_.add(Code::out_of_range, memory->span, node + to_string(pool_.memory) + " of memory");
    }
    return use;
  }

  const Node& node_;
  Diagnostics& diagnostics_;
  std::size_t before_;  // what was reported of other pools
  model::Pool pool_;
};

// No node is of two pools.
void differ(const model::Fleet& fleet, const std::vector<const Node*>& blocks, Diagnostics& diagnostics) {
  std::vector<const HostNames*> lists;
  for (const model::Pool& pool : fleet.pools) lists.push_back(&pool.node_names);
  if (surely_differ(lists)) return;
  std::unordered_map<std::string, const Node*> owner;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (const std::string& name : lists[i]->all())
      if (const auto [first, fresh] = owner.try_emplace(name, blocks[i]); !fresh && first->second != blocks[i]) {
        diagnostics.add(Code::node_twice, blocks[i]->label_span, "node `" + name + "` belongs to two pools")
            .labels.push_back({first->second->label_span, "also listed here"});
        break;
      }
}

// A time of the cluster; what is none is reported.
std::optional<Instant> instant_of(const Node& node, std::string_view key, Diagnostics& diagnostics) {
  const Value* v = node.get(key);
  if (v == nullptr) return std::nullopt;
  const auto out = parse_instant(v->text);
  if (!out) diagnostics.add(Code::out_of_range, v->span, "invalid time; expected YYYY-MM-DDTHH:MM");
  return out;
}

// What the lists of nodes of a fleet's reservations and features name. What they may name together is limited.
class NamedNodes {
 public:
  NamedNodes(const model::Fleet& fleet, Diagnostics& diagnostics)
      : fleet_(fleet), index_(fleet), diagnostics_(diagnostics) {}

  // nullopt: the block has no nodes, or too many were named; the latter is reported, and a node that no pool has.
  std::optional<model::NodeIndex::Places> of(const Node& block, HostNames& names) {
    const Value* hosts = block.get("nodes");
    if (hosts == nullptr || over_) return std::nullopt;
    names = HostNames::read(hosts->text).value_or(HostNames{});
    named_ += names.size();
    over_ = named_ > value_of(Limit::fleet_names);
    if (over_) {
      add_over_limit(diagnostics_, Limit::fleet_names, hosts->span,
                     "the reservations and features of fleet `" + fleet_.name + "` name too many nodes");
      return std::nullopt;
    }
    auto places = index_.find(names);
    if (places.unknown)
      diagnostics_.add(Code::unknown_node, hosts->span,
                       "fleet `" + fleet_.name + "` has no node `" + *places.unknown + "`");
    return places;
  }

 private:
  const model::Fleet& fleet_;
  model::NodeIndex index_;
  Diagnostics& diagnostics_;
  std::size_t named_ = 0;
  bool over_ = false;
};

void add_reservation(const Node& node, NamedNodes& named, model::Fleet& fleet, Diagnostics& diagnostics) {
  model::Reservation out;
  out.name = node.label;
  out.span = node.label_span;
  const auto from = instant_of(node, "from", diagnostics), until = instant_of(node, "until", diagnostics);
  out.users = node.texts("users"), out.accounts = node.texts("accounts");
  if (from && until && *until <= *from)
    diagnostics.add(Code::out_of_range, node.get("until")->span, "`until` must be after `from`");
  out.from = from.value_or(Instant{}), out.until = until.value_or(Instant{});
  auto places = named.of(node, out.nodes);
  if (!places) return;
  const auto number = static_cast<std::uint32_t>(fleet.reservations.size());
  for (std::size_t pool = 0; pool < fleet.pools.size(); ++pool)
    if (!places->of_pool[pool].empty()) fleet.pools[pool].held.push_back({number, std::move(places->of_pool[pool])});
  fleet.reservations.push_back(std::move(out));
}

void add_feature(const Node& node, NamedNodes& named, model::Fleet& fleet) {
  model::Feature out{node.label, node.label_span, {}};
  if (named.of(node, out.nodes)) fleet.features.push_back(std::move(out));
}

}  // namespace

model::Fleet build_fleet(const Node& node, Diagnostics& diagnostics) {
  model::Fleet fleet;
  fleet.name = node.label;
  fleet.span = node.label_span;
  fleet.allows = build_allows(node, diagnostics);
  const auto blocks = node.all("pool");
  for (const Node* block : blocks) fleet.pools.push_back(PoolBuilder(*block, diagnostics).build());
  if (blocks.size() > 1) differ(fleet, blocks, diagnostics);
  fleet.as_of = instant_of(node, "as-of", diagnostics);
  NamedNodes named(fleet, diagnostics);
  for (const Node* block : node.all("reservation")) add_reservation(*block, named, fleet, diagnostics);
  for (const Node* block : node.all("feature")) add_feature(*block, named, fleet);
  if (fleet.pools.empty() && node.label_span.known())
    diagnostics.add(Code::missing_key, node.label_span, "a fleet requires a `pool`");
  return fleet;
}

}  // namespace muster::sema
