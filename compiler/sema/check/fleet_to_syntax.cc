// model::Fleet to `fleet NAME { … }`: one function a block, one line a key.
#include <algorithm>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/base/units.h"
#include "compiler/sema/check/block_writer.h"
#include "compiler/sema/check/slice_places.h"
#include "compiler/sema/check/to_syntax.h"
#include "compiler/sema/check/writers.h"

namespace muster::sema {
namespace {

// Where the number at the end of a name begins, and what it is; size() for a name without one.
std::pair<std::size_t, long> number_of(const std::string& name) {
  const std::size_t begin =
      std::max(name.find_last_not_of("0123456789") + 1, name.size() - std::min<std::size_t>(name.size(), 9));
  return {begin, begin == name.size() ? 0 : std::stol(name.substr(begin))};
}

bool follows(const std::string& first, const std::string& second) {
  const auto [begin, a] = number_of(first);
  const auto [other, b] = number_of(second);
  return first.size() == second.size() && begin < first.size() && begin == other && b == a + 1 &&
         first.compare(0, begin, second, 0, begin) == 0;
}

// Names in their order, which counts: leaves and spares go by it.
std::string host_list(const std::vector<std::string>& names) {
  const std::string sorted = compress_hosts(names);
  if (expand_hosts(sorted) == names) return sorted;
  std::string out;
  for (std::size_t i = 0, j = 0; i < names.size(); i = j) {
    for (j = i + 1; j < names.size() && follows(names[j - 1], names[j]);) ++j;
    const std::vector<std::string> run(names.begin() + static_cast<std::ptrdiff_t>(i),
                                       names.begin() + static_cast<std::ptrdiff_t>(j));
    out += (out.empty() ? "" : ",") + compress_hosts(run);
  }
  return out;
}

class PoolWriter {
 public:
  PoolWriter(BlockWriter& fleet, const model::Pool& pool)
      : out_(fleet.begin("pool", pool.name, pool.span)), pool_(pool) {}

  BlockWriter write() {
    if (pool_.node_names.empty()) out_.put("nodes", number_expr(pool_.node_count));
    else out_.text("nodes", host_list(pool_.node_names.all()), pool_.span);
    if (leaf_size() > 0) out_.put("leaf-size", number_expr(leaf_size()));
    hosts(out_, "drained", pool_.drained);
    if (!pool_.node_names.empty()) hosts(out_, "spare", pool_.spare);
    else if (!pool_.spare.empty()) out_.put("spare", number_expr(static_cast<std::int64_t>(pool_.spare.size())));
    if (!pool_.zone.empty()) out_.text("zone", pool_.zone, pool_.span);
    if (!pool_.rack.empty()) out_.text("rack", pool_.rack, pool_.span);
    if (!pool_.cost_per_gpu_hour.empty()) out_.put("cost-per-gpu-hour", scalar_expr(pool_.cost_per_gpu_hour));
    if (!pool_.cost_per_cpu_hour.empty()) out_.put("cost-per-cpu-hour", scalar_expr(pool_.cost_per_cpu_hour));
    if (!pool_.cost_per_node_hour.empty()) out_.put("cost-per-node-hour", scalar_expr(pool_.cost_per_node_hour));
    if (pool_.node_mtbf.ms > 0) out_.put("node-mtbf", quantity_expr(to_string(pool_.node_mtbf)));
    out_.flag("preemptible", pool_.preemptible);
    if (pool_.gpu) gpu(*pool_.gpu);
    node();
    network();
    if (leaf_size() == 0) leaves();
    for (const model::InUse& use : pool_.in_use) in_use(use);
    switches();
    nvlink_domains();
    for (const model::Taint& taint : pool_.taints) {
      BlockWriter out = out_.begin("taint", taint.name, pool_.span);
      if (!taint.value.empty()) out.text("value", taint.value, pool_.span);
      if (!taint.effect.empty()) out.put("effect", symbol_expr(taint.effect));
      out_.end(std::move(out));
    }
    write_allows(out_, pool_.allows);
    return std::move(out_);
  }

 private:
  void hosts(BlockWriter& out, std::string_view key, const std::vector<std::uint32_t>& nodes) const {
    std::vector<std::string> names;
    for (const std::uint32_t n : nodes) names.push_back(pool_.node_name(n));
    if (!names.empty()) out.text(key, host_list(names), pool_.span);
  }

  static void size(BlockWriter& out, std::string_view key, Size value) {
    if (value.bytes != 0) out.put(key, quantity_expr(to_string(value)));
  }

  // The k of leaves that are k nodes each, in order, with the names that `leaf-size` gives; 0 if they
  // are not, or if there is more to say of them.
  std::int64_t leaf_size() const {
    const bool more =
        std::any_of(pool_.leaves.begin(), pool_.leaves.end(), [](const auto& l) { return !l.up.empty(); });
    return more ? 0 : size_of_all(pool_.leaves, "-leaf");
  }

  std::int64_t size_of_all(const std::vector<model::Leaf>& domains, const std::string& stem) const {
    if (domains.empty()) return 0;
    const std::size_t k = domains[0].nodes.size();
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < domains.size(); ++i) {
      const model::Leaf& domain = domains[i];
      const bool last = i + 1 == domains.size();
      if (domain.name != pool_.name + stem + std::to_string(i + 1)) return 0;
      if (last ? domain.nodes.size() > k || domain.nodes.empty() : domain.nodes.size() != k) return 0;
      for (const std::uint32_t n : domain.nodes)
        if (n != next++) return 0;
    }
    return next == pool_.node_count ? static_cast<std::int64_t>(k) : 0;
  }

  void switches() {
    for (const model::Spine& spine : pool_.spines) {
      BlockWriter out = out_.begin("spine", spine.name, pool_.span);
      if (!spine.up.empty()) out.put("up", name_expr(spine.up));
      out_.end(std::move(out));
    }
    for (const model::Block& block : pool_.blocks) {
      BlockWriter out = out_.begin("block", block.name, pool_.span);
      std::vector<model::Located<std::string>> leaves;
      for (const std::string& leaf : block.leaves) leaves.push_back({leaf, pool_.span});
      out.names("leaves", leaves);
      out_.end(std::move(out));
    }
  }

  void nvlink_domains() {
    if (pool_.nvlink_domains.empty()) return;
    BlockWriter out = out_.begin("nvlink-domain");
    const std::int64_t size = size_of_all(pool_.nvlink_domains, "-nvl");
    if (size > 1) out.put("nodes", number_expr(size));
    else
      for (const model::Leaf& domain : pool_.nvlink_domains) {
        BlockWriter inner = out.begin("domain", domain.name, pool_.span);
        hosts(inner, "nodes", domain.nodes);
        out.end(std::move(inner));
      }
    out_.end(std::move(out));
  }

  void gpu(const model::Gpu& g) {
    BlockWriter out = out_.begin("gpu");
    out.name("model", model::Located<std::string>{g.model, g.span});
    size(out, "memory", g.memory);
    out.put("count", number_expr(g.count));
    if (!g.link.empty()) out.put("link", symbol_expr(g.link));
    if (g.vendor != "nvidia") out.put("vendor", symbol_expr(g.vendor));
    if (g.compute > 0) out.put("compute", scalar_expr(tenths_text(g.compute)));
    std::vector<model::Located<std::string>> slices;
    for (const std::string& slice : g.slices) slices.push_back({slice, g.span});
    out.texts("slices", slices);
    for (const model::SlicePlaces& places : g.places) {
      BlockWriter block = out.begin("slice", places.profile, g.span);
      block.text("placements", model::Located<std::string>{places_text(places), g.span});
      if (places.compute != compute_slices_of(places.profile)) block.put("compute", number_expr(places.compute));
      out.end(std::move(block));
    }
    out_.end(std::move(out));
  }

  // A core that is used in part is in use.
  std::int64_t cores(std::int64_t cpus) const { return cpus / pool_.threads + (cpus % pool_.threads > 0); }

  void node() {
    BlockWriter out = out_.begin("node");
    out.put("cpus", number_expr(pool_.cores()));
    if (pool_.threads > 1) out.put("threads-per-core", number_expr(pool_.threads));
    out.put("memory", quantity_expr(to_string(pool_.memory)));
    size(out, "disk", pool_.disk);
    if (pool_.arch != "amd64") out.put("arch", symbol_expr(pool_.arch));
    if (pool_.sockets != 0) out.put("sockets", number_expr(pool_.sockets));
    if (pool_.reserve_cpus) out.put("reserve-cpus", number_expr(cores(*pool_.reserve_cpus)));
    if (pool_.reserve_memory) out.put("reserve-memory", quantity_expr(to_string(*pool_.reserve_memory)));
    out_.end(std::move(out));
  }

  void network() {
    if (pool_.fabric.empty() && pool_.bandwidth.bits_per_second == 0 && pool_.rails == 0) return;
    BlockWriter out = out_.begin("network");
    if (!pool_.fabric.empty()) out.put("fabric", symbol_expr(pool_.fabric));
    if (pool_.bandwidth.bits_per_second != 0) out.put("bandwidth", quantity_expr(to_string(pool_.bandwidth)));
    if (pool_.rails != 0) out.put("rails", number_expr(pool_.rails));
    out_.end(std::move(out));
  }

  void leaves() {
    for (const model::Leaf& leaf : pool_.leaves) {
      BlockWriter out = out_.begin("leaf", leaf.name, pool_.span);
      hosts(out, "nodes", leaf.nodes);
      if (!leaf.up.empty()) out.put("up", name_expr(leaf.up));
      out_.end(std::move(out));
    }
  }

  void in_use(const model::InUse& use) {
    BlockWriter out = out_.begin("in-use", use.name, use.span);
    hosts(out, "nodes", use.nodes);
    if (use.gpus >= 0) out.put("gpus", number_expr(use.gpus));
    if (use.cpus >= 0) out.put("cpus", number_expr(cores(use.cpus)));
    if (use.memory.bytes >= 0) out.put("memory", quantity_expr(to_string(use.memory)));
    out_.end(std::move(out));
  }

  BlockWriter out_;
  const model::Pool& pool_;
};

}  // namespace

ast::Block to_syntax(const model::Fleet& f, Diagnostics& diagnostics) {
  BlockWriter out(declaration("fleet"), f.name, f.span, diagnostics);
  if (f.as_of) out.text("as-of", to_string(*f.as_of), f.span);
  for (const model::Pool& pool : f.pools) out.end(PoolWriter(out, pool).write());
  for (const model::Reservation& r : f.reservations) {
    BlockWriter block = out.begin("reservation", r.name, r.span);
    block.text("nodes", host_list(r.nodes.all()), r.span);
    block.text("from", to_string(r.from), r.span);
    block.text("until", to_string(r.until), r.span);
    block.names("users", r.users);
    block.names("accounts", r.accounts);
    out.end(std::move(block));
  }
  for (const model::Feature& feature : f.features) {
    BlockWriter block = out.begin("feature", feature.name, feature.span);
    block.text("nodes", host_list(feature.nodes.all()), feature.span);
    out.end(std::move(block));
  }
  write_allows(out, f.allows);
  return out.take();
}

}  // namespace muster::sema
