// model::Site and model::Fleet to `site NAME { … }` and `fleet NAME { … }`: one function a block, one
// line a key.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/sema/block_writer.h"
#include "compiler/sema/to_syntax.h"
#include "compiler/sema/writers.h"

namespace muster::sema {
namespace {

using ast::Expr;

// Slurm's months have two digits.
std::string version_text(const model::Plane& p) {
  const bool padded = !model::is_kubernetes(p.kind.value) && p.version.value.minor < 10;
  return std::to_string(p.version.value.major) + (padded ? ".0" : ".") + std::to_string(p.version.value.minor);
}

void write_plane(BlockWriter& site, const model::Plane& p) {
  const model::Version usual = model::is_kubernetes(p.kind.value) ? model::Version{1, 36} : model::Version{22, 5};
  BlockWriter out = site.begin("plane", p.name, p.span);
  out.symbol("kind", p.kind.value);
  if (p.version.value != usual) out.text("version", version_text(p), p.version.span);
  out.names("pools", p.pools);
  out.symbol("containers", p.containers, model::Containers::none);
  out.symbol("gpu-request", p.gpu_request, model::GpuRequest::gpus_per_node);
  out.symbol("topology", p.topology, model::SlurmTopology::none);
  out.symbol("mpi", p.mpi, model::Mpi::pmix);
  if (!p.export_all) out.put("export", symbol_expr("none"));
  out.flag("smt", p.smt, true);
  out.flag("login-shell", p.login_shell);
  out.flag("user-signal", p.user_signal);
  out.text("scratch", p.scratch);
  out.texts("directives", p.directives);
  out.integer("array-max", p.array_max);
  out.flag("accounting", p.accounting);
  out.text("namespace", p.name_space);
  out.symbol("gang", p.gang, model::GangProvider::none);
  site.end(std::move(out));
}

void write_queue(BlockWriter& site, const model::Queue& q) {
  BlockWriter out = site.begin("queue", q.name, q.span);
  if (q.plane_name != q.name) out.text("name", q.plane_name, q.span);
  out.text("qos", q.qos);
  out.text("reservation", q.reservation);
  out.text("constraint", q.constraint);
  out.names("pools", q.pools);
  if (!q.nodes.empty()) out.text("nodes", compress_hosts(q.nodes), q.span);
  out.quantity("max-time", q.max_time);
  out.integer("max-nodes", q.max_nodes);
  out.integer("max-gpus", q.max_gpus);
  out.integer("max-jobs", q.max_jobs);
  out.quantity("default-time", q.default_time);
  out.names("tolerates", q.tolerates);
  out.flag("default", q.is_default);
  site.end(std::move(out));
}

void write_tenant(BlockWriter& site, const model::Tenant& t) {
  BlockWriter out = site.begin("tenant", t.name, t.span);
  out.texts("accounts", t.accounts);
  out.text("namespace", t.name_space);
  out.names("queues", t.queues);
  for (const model::Quota& q : t.quotas) {
    BlockWriter quota = out.begin("quota", q.pool.value, q.pool.span);
    quota.integer("gpus", q.gpus);
    quota.integer("nodes", q.nodes);
    out.end(std::move(quota));
  }
  site.end(std::move(out));
}

void write_storage(BlockWriter& site, const model::Storage& s) {
  BlockWriter out = site.begin("storage", s.name, s.span);
  out.text("path", s.path.value, s.path.span);
  if (s.read_only) out.put("mode", symbol_expr("ro"));
  site.end(std::move(out));
}

void write_dialect(BlockWriter& site, const model::GpuDialect& g) {
  BlockWriter out = site.begin("gpu", g.model);
  out.text("gres", g.gres);
  out.text("feature", g.feature);
  site.end(std::move(out));
}

void write_site_code(BlockWriter& site, const model::SiteCode& c) {
  BlockWriter out = site.begin("code");
  out.symbol("by", c.by.value);
  out.text("path", c.path);
  site.end(std::move(out));
}

// ---- fleet ---------------------------------------------------------------------------------

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
    else out_.text("nodes", host_list(pool_.node_names), pool_.span);
    if (leaf_size() > 0) out_.put("leaf-size", number_expr(leaf_size()));
    hosts(out_, "drained", pool_.drained);
    if (!pool_.node_names.empty()) hosts(out_, "spare", pool_.spare);
    else if (!pool_.spare.empty()) out_.put("spare", number_expr(static_cast<std::int64_t>(pool_.spare.size())));
    if (!pool_.zone.empty()) out_.text("zone", pool_.zone, pool_.span);
    out_.flag("preemptible", pool_.preemptible);
    if (pool_.gpu) gpu(*pool_.gpu);
    node();
    network();
    if (leaf_size() == 0) leaves();
    for (const model::InUse& use : pool_.in_use) in_use(use);
    for (const std::string& taint : pool_.taints) out_.end(out_.begin("taint", taint, pool_.span));
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
  // are not.
  std::int64_t leaf_size() const {
    if (pool_.leaves.empty()) return 0;
    const std::size_t k = pool_.leaves[0].nodes.size();
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < pool_.leaves.size(); ++i) {
      const model::Leaf& leaf = pool_.leaves[i];
      const bool last = i + 1 == pool_.leaves.size();
      if (leaf.name != pool_.name + "-leaf" + std::to_string(i + 1)) return 0;
      if (last ? leaf.nodes.size() > k || leaf.nodes.empty() : leaf.nodes.size() != k) return 0;
      for (const std::uint32_t n : leaf.nodes)
        if (n != next++) return 0;
    }
    return next == pool_.node_count ? static_cast<std::int64_t>(k) : 0;
  }

  void gpu(const model::Gpu& g) {
    BlockWriter out = out_.begin("gpu");
    out.name("model", model::Located<std::string>{g.model, g.span});
    size(out, "memory", g.memory);
    out.put("count", number_expr(g.count));
    if (!g.link.empty()) out.put("link", symbol_expr(g.link));
    if (g.vendor != "nvidia") out.put("vendor", symbol_expr(g.vendor));
    out_.end(std::move(out));
  }

  void node() {
    BlockWriter out = out_.begin("node");
    out.put("cpus", number_expr(pool_.cpus));
    out.put("memory", quantity_expr(to_string(pool_.memory)));
    size(out, "disk", pool_.disk);
    if (pool_.arch != "amd64") out.put("arch", symbol_expr(pool_.arch));
    if (pool_.reserve_cpus != 0) out.put("reserve-cpus", number_expr(pool_.reserve_cpus));
    size(out, "reserve-memory", pool_.reserve_memory);
    out_.end(std::move(out));
  }

  void network() {
    if (pool_.fabric.empty() && pool_.bandwidth.bits_per_second == 0) return;
    BlockWriter out = out_.begin("network");
    if (!pool_.fabric.empty()) out.put("fabric", symbol_expr(pool_.fabric));
    if (pool_.bandwidth.bits_per_second != 0) out.put("bandwidth", quantity_expr(to_string(pool_.bandwidth)));
    out_.end(std::move(out));
  }

  void leaves() {
    for (const model::Leaf& leaf : pool_.leaves) {
      BlockWriter out = out_.begin("leaf", leaf.name, pool_.span);
      hosts(out, "nodes", leaf.nodes);
      out_.end(std::move(out));
    }
  }

  void in_use(const model::InUse& use) {
    BlockWriter out = out_.begin("in-use", use.name, use.span);
    hosts(out, "nodes", use.nodes);
    if (use.gpus >= 0) out.put("gpus", number_expr(use.gpus));
    if (use.cpus >= 0) out.put("cpus", number_expr(use.cpus));
    if (use.memory.bytes >= 0) out.put("memory", quantity_expr(to_string(use.memory)));
    out_.end(std::move(out));
  }

  BlockWriter out_;
  const model::Pool& pool_;
};

}  // namespace

const BlockSchema& declaration(std::string_view name) {
  for (const BlockSchema& top : top_level())
    if (top.name == name) return top;
  throw std::logic_error("no declaration " + std::string(name));
}

ast::Block to_syntax(const model::Site& s, Diagnostics& diagnostics) {
  BlockWriter out(declaration("site"), s.name, s.span, diagnostics);
  out.name("fleet", s.fleet);
  out.text("job-dir", s.job_dir);
  for (const model::Plane& plane : s.planes) write_plane(out, plane);
  for (const model::Queue& queue : s.queues) write_queue(out, queue);
  for (const model::Tenant& tenant : s.tenants) write_tenant(out, tenant);
  for (const model::Storage& storage : s.storage) write_storage(out, storage);
  for (const auto& [name, software] : s.software) {
    BlockWriter block = out.begin("software", name, software.span);
    write_software(block, software);
    out.end(std::move(block));
  }
  for (const model::GpuDialect& gpu : s.gpus) write_dialect(out, gpu);
  if (s.code) write_site_code(out, *s.code);
  if (s.log_dir) {
    BlockWriter logs = out.begin("logs");
    logs.text("dir", s.log_dir);
    out.end(std::move(logs));
  }
  write_facts(out, s.facts);
  return out.take();
}

ast::Block to_syntax(const model::Fleet& f, Diagnostics& diagnostics) {
  BlockWriter out(declaration("fleet"), f.name, f.span, diagnostics);
  for (const model::Pool& pool : f.pools) out.end(PoolWriter(out, pool).write());
  return out.take();
}

}  // namespace muster::sema
