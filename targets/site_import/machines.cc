#include "targets/site_import/machines.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>

#include "compiler/base/text.h"

namespace muster::targets {

std::string plain_name(std::string_view text, std::string_view fallback) {
  std::string out;
  for (const char c : text.substr(0, 40)) {
    if (is_name_char(c)) out += c;
    else if (!out.empty() && out.back() != '-') out += '-';
  }
  while (!out.empty() && (out.back() == '-' || out.back() == '_')) out.pop_back();
  while (!out.empty() && (out.front() == '-' || out.front() == '_')) out.erase(0, 1);
  return out.empty() ? std::string(fallback) : out;
}

std::optional<model::Version> version_in(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  const auto number = [&text](bool last) -> std::optional<int> {
    int n = 0;
    const char* end = text.data() + std::min<std::size_t>(text.size(), 4);
    const auto [stop, error] = std::from_chars(text.data(), end, n);
    if (error != std::errc() || n < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    if (!last && !text.starts_with('.')) return std::nullopt;
    if (!last) text.remove_prefix(1);
    return n;
  };
  const auto major = number(false);
  const auto minor = major ? number(true) : std::nullopt;
  if (!minor) return std::nullopt;
  return model::Version{*major, *minor};
}

namespace {

using Group = std::vector<std::uint32_t>;  // machines of one pool

auto shape_of(const Machine& m) {
  return std::tie(m.gpu, m.gpus, m.gpu_memory.bytes, m.gpu_vendor, m.gpu_link, m.slices, m.fabric, m.cpus, m.threads,
                  m.arch, m.zone, m.preemptible, m.taints, m.flavors);
}

// Equal but for a little memory: nodes of one delivery report sizes that differ by some megabytes.
std::vector<Group> group(const std::vector<Machine>& machines) {
  Group order(machines.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto less = [&](std::uint32_t a, std::uint32_t b) {
    const Machine &x = machines[a], &y = machines[b];
    if (shape_of(x) != shape_of(y)) return shape_of(x) < shape_of(y);
    return std::tie(x.memory, x.name) < std::tie(y.memory, y.name);
  };
  std::sort(order.begin(), order.end(), less);
  std::vector<Group> out;
  for (const std::uint32_t i : order) {
    const Machine* first = out.empty() ? nullptr : &machines[out.back().front()];
    const bool fits = first != nullptr && shape_of(*first) == shape_of(machines[i]) &&
                      machines[i].memory.bytes - first->memory.bytes <= first->memory.bytes / 50;
    if (!fits) out.emplace_back();
    out.back().push_back(i);
  }
  return out;
}

std::string host_base(const Machine& m) {
  return m.gpus == 0 ? "cpu" + std::to_string(m.cpus / m.threads) : plain_name(m.gpu, "gpu");
}

// Ever more of what tells pools apart.
std::string detailed_name(const Machine& m, int detail) {
  std::string out = host_base(m);
  if (detail >= 1 && m.gpus > 0) out += "-x" + std::to_string(m.gpus);
  if (detail >= 2) out += "-" + std::to_string(m.memory.bytes >> 30) + "g";
  return out;
}

// A name for each group, unique: with more detail where the plain one is not, at last with a number.
std::vector<std::string> names_for(const std::vector<Machine>& machines, const std::vector<Group>& groups) {
  std::vector<std::string> names(groups.size());
  std::set<std::string> taken;
  std::vector<std::size_t> open(groups.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  for (int detail = 0; detail <= 2 && !open.empty(); ++detail) {
    std::map<std::string, std::vector<std::size_t>> same;
    for (const std::size_t g : open) same[detailed_name(machines[groups[g].front()], detail)].push_back(g);
    open.clear();
    for (auto& [name, members] : same) {
      const bool unique = members.size() == 1 && !taken.contains(name);
      if (unique) names[members[0]] = *taken.insert(name).first;
      else open.insert(open.end(), members.begin(), members.end());
    }
  }
  std::sort(open.begin(), open.end());
  for (const std::size_t g : open) {
    const std::string base = detailed_name(machines[groups[g].front()], 2);
    int number = 1;
    while (!taken.insert(base + "-" + std::to_string(number)).second) ++number;
    names[g] = base + "-" + std::to_string(number);
  }
  return names;
}

// One pool from its machines.
class PoolMaker {
 public:
  PoolMaker(const std::vector<Machine>& machines, const Group& members, std::string name, std::vector<Remark>& remarks)
      : machines_(machines), members_(members), remarks_(remarks) {
    pool_.name = std::move(name);
  }

  model::Pool make() {
    nodes();
    hardware();
    leaves();
    drained();
    in_use();
    return std::move(pool_);
  }

 private:
  const Machine& first() const { return machines_[members_.front()]; }
  void remark(const std::string& path, std::string text) {
    remarks_.push_back({"pool " + pool_.name + path, std::move(text)});
  }

  // In the order in which the text will name them.
  void nodes() {
    std::vector<std::string> names;
    for (const std::uint32_t m : members_) names.push_back(machines_[m].name);
    const auto sorted = HostNames::read(compress_hosts(names));
    pool_.node_names = sorted ? *sorted : HostNames(names);
    pool_.node_count = static_cast<std::int64_t>(pool_.node_names.size());
    at_.resize(pool_.node_names.size());
    for (const std::uint32_t m : members_) at_[pool_.node_names.find(machines_[m].name).value()] = m;
  }

  void hardware() {
    const Machine& m = first();
    if (m.gpus > 0) pool_.gpu = model::Gpu{m.gpu, m.gpu_memory, m.gpus, m.gpu_link, m.gpu_vendor, {}, m.slices};
    pool_.cpus = m.cpus;
    pool_.threads = m.threads;
    pool_.memory = m.memory;  // the group's least comes first
    pool_.arch = m.arch;
    pool_.zone = m.zone;
    pool_.fabric = m.fabric;
    pool_.preemptible = m.preemptible;
    for (const std::string& taint : m.taints) pool_.taints.push_back({taint});
    pool_.disk = m.disk;
    const auto usable_of = [](const Machine& one) {
      return Size{one.memory.bytes - one.reserve_memory.value_or(Size{}).bytes};
    };
    Size usable = usable_of(m);
    for (const std::uint32_t i : members_) {
      const Machine& other = machines_[i];
      pool_.disk = std::min(pool_.disk, other.disk);
      usable = std::min(usable, usable_of(other));
      pool_.reserve_cpus = std::max(pool_.reserve_cpus, other.reserve_cpus);
    }
    if (m.reserve_memory) pool_.reserve_memory = Size{pool_.memory.bytes - usable.bytes};
    const Size most = machines_[members_.back()].memory;
    if (most > pool_.memory) remark(".node", "memory is the minimum of all nodes; the largest has " + to_string(most));
    if (m.gpus > 0 && m.gpu_memory == Size{})
      remark(".gpu", "question: how much memory does a GPU have? memory = 80GB");
  }

  void leaves() {
    std::map<std::string, model::Leaf> by_name;
    for (std::uint32_t i = 0; i < at_.size(); ++i) {
      const Machine& m = machines_[at_[i]];
      // A node on no switch is near no other.
      const std::string name = m.leaf.empty() ? "apart-" + m.name : m.leaf;
      model::Leaf& leaf = by_name[name];
      leaf.name = name;
      leaf.nodes.push_back(i);
    }
    const auto has_leaf = [&](std::uint32_t m) { return !machines_[m].leaf.empty(); };
    if (std::none_of(members_.begin(), members_.end(), has_leaf)) return;
    for (auto& [name, leaf] : by_name) pool_.leaves.push_back(std::move(leaf));
  }

  void drained() {
    std::map<std::string, std::vector<std::string>> by_reason;
    for (std::uint32_t i = 0; i < at_.size(); ++i) {
      const Machine& m = machines_[at_[i]];
      if (!m.drained) continue;
      pool_.drained.push_back(i);
      by_reason[m.drain_reason].push_back(m.name);
    }
    constexpr std::size_t shown = 20;
    std::string text;
    std::size_t line = 0;
    for (const auto& [reason, names] : by_reason) {
      if (++line > shown) break;
      text += (text.empty() ? "" : "\n") + printable(compress_hosts(names)) + ": " + printable(reason);
    }
    if (by_reason.size() > shown)
      text += "\nand " + counted(static_cast<long long>(by_reason.size() - shown), "more reason");
    if (!text.empty()) remark(".drained", text);
  }

  // Machines with the same amounts in use together.
  void in_use() {
    std::map<std::tuple<bool, std::int64_t, std::int64_t, std::int64_t>, std::vector<std::uint32_t>> alike;
    for (std::uint32_t i = 0; i < at_.size(); ++i) {
      const Machine& m = machines_[at_[i]];
      const bool any = m.taken || m.used_gpus > 0 || m.used_cpus > 0 || m.used_memory.bytes > 0;
      if (!any || m.drained) continue;
      const std::int64_t memory = std::min(m.used_memory.bytes, pool_.memory.bytes);
      if (m.taken) alike[{true, 0, 0, 0}].push_back(i);
      else alike[{false, m.used_gpus, m.used_cpus, memory}].push_back(i);
    }
    if (alike.size() > most_uses) coarsen(alike);
    int number = 0;
    for (auto& [amounts, nodes] : alike) {
      const auto& [whole, gpus, cpus, memory] = amounts;
      model::InUse use;
      use.name = whole ? "reserved" : "busy-" + std::to_string(++number);
      use.nodes = nodes;
      if (!whole) use.gpus = gpus, use.cpus = cpus, use.memory = {memory};
      if (!whole && !pool_.gpu) use.gpus = -1;
      pool_.in_use.push_back(std::move(use));
    }
  }

  // More different uses than a person reads: by GPUs alone, with the most of cores and memory.
  template <class Uses>
  void coarsen(Uses& alike) {
    Uses coarse;
    std::map<std::pair<bool, std::int64_t>, std::pair<std::int64_t, std::int64_t>> most;
    for (const auto& [amounts, nodes] : alike) {
      auto& [cpus, memory] = most[{std::get<0>(amounts), std::get<1>(amounts)}];
      cpus = std::max(cpus, std::get<2>(amounts));
      memory = std::max(memory, std::get<3>(amounts));
    }
    for (auto& [amounts, nodes] : alike) {
      const auto& [cpus, memory] = most[{std::get<0>(amounts), std::get<1>(amounts)}];
      auto& merged = coarse[{std::get<0>(amounts), std::get<1>(amounts), cpus, memory}];
      merged.insert(merged.end(), nodes.begin(), nodes.end());
    }
    alike = std::move(coarse);
    remark("", "nodes with the same GPUs in use are grouped, with the most cores and memory in use on one of them");
  }

  static constexpr std::size_t most_uses = 200;
  const std::vector<Machine>& machines_;
  const Group& members_;
  std::vector<Remark>& remarks_;
  model::Pool pool_;
  std::vector<std::uint32_t> at_;  // the machine at each place of the pool
};

}  // namespace

Pools pools_of(const std::vector<Machine>& machines) {
  const std::vector<Group> groups = group(machines);
  const std::vector<std::string> names = names_for(machines, groups);
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return names[a] < names[b]; });
  Pools out;
  out.of_machine.resize(machines.size());
  for (const std::size_t g : order) {
    for (const std::uint32_t m : groups[g]) out.of_machine[m] = static_cast<std::uint32_t>(out.pools.size());
    out.pools.push_back(PoolMaker(machines, groups[g], names[g], out.remarks).make());
  }
  return out;
}

}  // namespace muster::targets
