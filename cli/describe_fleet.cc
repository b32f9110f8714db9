#include <algorithm>
#include <span>

#include "cli/describe.h"
#include "compiler/base/in_one_unit.h"
#include "compiler/base/text.h"

namespace muster::cli {
namespace {

std::string hosts(const model::Pool& pool, std::span<const std::uint32_t> nodes) {
  std::vector<std::string> names;
  for (const std::uint32_t node : nodes) names.push_back(pool.node_name(node));
  return compress_hosts(names);
}

// Parts that are there, with ", " between.
std::string joined_parts(std::initializer_list<std::string> parts) {
  std::string out;
  for (const std::string& part : parts)
    if (!part.empty()) out += (out.empty() ? "" : ", ") + part;
  return out;
}

std::string when(bool present, std::string text) { return present ? text : ""; }

std::string gpus_text(const model::Pool& pool) {
  const model::Gpu& gpu = *pool.gpu;
  std::string slices;
  for (const std::string& slice : gpu.slices) slices += (slices.empty() ? "partitioned into " : " + ") + slice;
  return joined_parts(
      {std::to_string(gpu.count) + " × " + gpu.model + " of " + to_string(gpu.memory), gpu.vendor,
       when(!gpu.link.empty(), gpu.link), slices,
       when(!gpu.places.empty(),
            "placements known for " + counted(static_cast<long long>(gpu.places.size()), "profile")),
       when(gpu.compute > 0, "compute " + std::to_string(gpu.compute / 10) + "." + std::to_string(gpu.compute % 10)),
       std::to_string(gpu.count * pool.node_count) + " in total"});
}

std::string node_text(const model::Pool& pool) {
  const auto kept = [](bool some, const std::string& amount) { return some ? " (" + amount + " reserved)" : ""; };
  const std::int64_t cpus = pool.reserve_cpus.value_or(0);
  const Size reserve = pool.reserve_memory.value_or(Size{});
  const auto [memory, kept_memory] = in_one_unit(pool.memory, reserve);
  return joined_parts({when(pool.cpus > 0, counted(pool.cpus, "CPU") + kept(cpus > 0, std::to_string(cpus))),
                       when(pool.threads > 1, counted(pool.threads, "thread") + " per core"),
                       when(pool.sockets > 0, counted(pool.sockets, "socket")),
                       when(pool.memory.bytes > 0, memory + " memory" + kept(reserve.bytes > 0, kept_memory)),
                       when(pool.disk.bytes > 0, to_string(pool.disk) + " disk"), pool.arch});
}

std::string network_text(const model::Pool& pool) {
  return joined_parts({pool.fabric, when(pool.bandwidth.bits_per_second > 0, to_string(pool.bandwidth)),
                       when(pool.rails > 0, counted(pool.rails, "rail"))});
}

std::string in_use_text(const model::Pool& pool, const model::InUse& use) {
  const std::string what =
      use.whole()
          ? "whole"
          : joined_parts({when(use.gpus >= 0, counted(use.gpus, "GPU")), when(use.cpus >= 0, counted(use.cpus, "CPU")),
                          when(use.memory.bytes >= 0, to_string(use.memory))});
  return hosts(pool, use.nodes) + " (" + what + ")";
}

constexpr std::size_t most_rows = 16;

// One row each, or one for all of them where there are many.
void groups(Section& out, const model::Pool& pool, const std::string& kind, const std::vector<model::Leaf>& groups) {
  std::size_t largest = 0;
  for (const model::Leaf& group : groups) largest = std::max(largest, group.nodes.size());
  if (groups.size() > most_rows)
    return add(out, kind,
               std::to_string(static_cast<std::int64_t>(groups.size())) + " of up to " +
                   counted(static_cast<std::int64_t>(largest), "node"));
  for (const model::Leaf& group : groups)
    add(out, kind + " " + group.name, hosts(pool, group.nodes) + when(!group.up.empty(), ", below " + group.up));
}

void topology(Section& out, const model::Pool& pool) {
  groups(out, pool, "nvlink-domain", pool.nvlink_domains);
  groups(out, pool, "leaf", pool.leaves);
  for (const model::Spine& spine : pool.spines) {
    std::string below;
    for (const model::Leaf& leaf : pool.leaves)
      if (leaf.up == spine.name) below += (below.empty() ? "above " : ", ") + leaf.name;
    add(out, "spine " + spine.name, joined_parts({below, when(!spine.up.empty(), "below " + spine.up)}));
  }
  for (const model::Block& block : pool.blocks) {
    std::string leaves;
    for (const std::string& leaf : block.leaves) leaves += (leaves.empty() ? "" : ", ") + leaf;
    add(out, "block " + block.name, leaves);
  }
  add(out, "place",
      joined_parts({when(!pool.zone.empty(), "zone " + pool.zone), when(!pool.rack.empty(), "rack " + pool.rack)}));
}

Section describe(const model::Pool& pool) {
  Section out{"pool " + pool.name, {}};
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < pool.node_names.size(); ++i) all.push_back(i);
  add(out, "nodes", std::to_string(pool.node_count) + when(!all.empty(), ": " + hosts(pool, all)));
  if (pool.gpu) add(out, "GPUs", gpus_text(pool));
  add(out, "node", node_text(pool));
  add(out, "network", network_text(pool));
  topology(out, pool);
  for (const model::Taint& t : pool.taints)
    add(out, "taint", t.name + when(!t.value.empty(), "=" + t.value) + when(!t.effect.empty(), ":" + t.effect));
  for (const model::InUse& use : pool.in_use) add(out, "in use by " + use.name, in_use_text(pool, use));
  add(out, "drained", hosts(pool, pool.drained));
  add(out, "spare", hosts(pool, pool.spare));
  if (pool.preemptible) add(out, "preemptible", "its capacity can be preempted");
  const auto price = [](const std::string& amount, const char* of) {
    return when(!amount.empty(), amount + " per " + of + " and hour");
  };
  const std::string prices = joined_parts({price(pool.cost_per_gpu_hour, "GPU"), price(pool.cost_per_cpu_hour, "CPU"),
                                           price(pool.cost_per_node_hour, "node")});
  if (!prices.empty()) add(out, "price", prices);
  if (pool.node_mtbf.ms > 0) add(out, "failures", "a node fails once in " + to_string(pool.node_mtbf));
  for (const auto& [code, reason] : exceptions(pool.allows).rows) add(out, "allowed " + code, reason);
  return out;
}

std::string names_text(std::string_view what, const std::vector<model::Located<std::string>>& names) {
  std::string out;
  for (const auto& name : names) out += (out.empty() ? std::string(what) + " " : ", ") + name.value;
  return out;
}

Section reservations(const model::Fleet& fleet) {
  Section out{"reservations", {}};
  if (fleet.as_of) add(out, "as of", with_weekday(*fleet.as_of));
  for (const model::Reservation& r : fleet.reservations) {
    const std::string who = joined_parts({names_text(r.users.size() == 1 ? "user" : "users", r.users),
                                          names_text(r.accounts.size() == 1 ? "account" : "accounts", r.accounts)});
    add(out, r.name,
        joined_parts({compress_hosts(r.nodes.all()), with_weekday(r.from) + " to " + with_weekday(r.until),
                      who.empty() ? "maintenance" : who}));
  }
  return out;
}

Section features(const model::Fleet& fleet) {
  Section out{"features", {}};
  for (const model::Feature& feature : fleet.features) add(out, feature.name, compress_hosts(feature.nodes.all()));
  return out;
}

}  // namespace

std::vector<Section> describe(const model::Fleet& fleet) {
  std::vector<Section> out;
  for (const model::Pool& pool : fleet.pools) out.push_back(describe(pool));
  if (fleet.as_of || !fleet.reservations.empty()) out.push_back(reservations(fleet));
  if (!fleet.features.empty()) out.push_back(features(fleet));
  if (!fleet.allows.empty()) out.push_back(exceptions(fleet.allows));
  return out;
}

}  // namespace muster::cli
