// model::Site to `site NAME { … }`: one function a block, one line a key.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/sema/check/block_writer.h"
#include "compiler/sema/check/to_syntax.h"
#include "compiler/sema/check/writers.h"

namespace muster::sema {
namespace {

using ast::Expr;

void write_symbol(BlockWriter& out, std::string_view key, const model::Optional<std::string>& word) {
  if (word) out.put(key, symbol_expr(word->value));
}

void write_levels(BlockWriter& out, const std::vector<model::TopologyLevel>& levels) {
  for (const model::TopologyLevel& l : levels) {
    BlockWriter block = out.begin("level", l.name, l.span);
    block.text("label", l.label);
    block.integer("tier", l.tier);
    out.end(std::move(block));
  }
}

void write_batch(BlockWriter& out, const model::BatchPlane& p, model::PlaneKind kind) {
  model::Plane usual;
  usual.set_kind(kind);
  out.symbol("dialect", p.dialect, model::PbsDialect::openpbs);
  out.symbol("topology", p.topology, model::SlurmTopology::none);
  out.symbol("mpi", p.mpi, usual.batch()->mpi);
  if (p.export_all != usual.batch()->export_all) out.put("export", symbol_expr(p.export_all ? "all" : "none"));
  out.flag("smt", p.smt, true);
  out.flag("login-shell", p.login_shell);
  out.flag("user-signal", p.user_signal);
  out.text("scratch", p.scratch);
  out.texts("directives", p.directives);
  out.integer("array-max", p.array_max);
  out.flag("accounting", p.accounting);
  write_levels(out, p.levels);
}

void write_pods(BlockWriter& out, const model::PodPlane& p) {
  const model::PodPlane usual;
  out.text("namespace", p.name_space);
  out.symbol("gang", p.gang, model::GangProvider::none);
  if (!p.gates.empty()) out.symbols("gates", p.gates);
  write_symbol(out, "gpu-labels", p.gpu_labels);
  out.text("runtime-class", p.runtime_class);
  out.text("service-account", p.service_account);
  if (p.training_kind != usual.training_kind) out.put("training-kind", symbol_expr(p.training_kind));
  out.flag("wait-for-pods", p.wait_for_pods);
  if (p.keep_finished != usual.keep_finished)
    out.put("keep-finished", p.keep_finished ? quantity_expr(to_string(*p.keep_finished)) : symbol_expr("forever"));
  write_symbol(out, "scaler", p.scaler);
  write_symbol(out, "expose", p.expose);
  write_symbol(out, "security", p.security);
  out.text("metrics", p.metrics);
  out.document("pod", p.pod);
  for (const model::Operator& o : p.operators) {
    BlockWriter block = out.begin("operator", o.name, o.span);
    block.text("version", o.version);
    block.texts("flags", o.flags);
    out.end(std::move(block));
  }
  write_levels(out, p.levels);
  for (const model::Flavor& f : p.flavors) {
    BlockWriter block = out.begin("flavor", f.name, f.span);
    block.names("pools", f.pools);
    out.end(std::move(block));
  }
}

void write_code(BlockWriter& out, const std::optional<model::SiteCode>& code) {
  if (!code) return;
  BlockWriter block = out.begin("code");
  block.symbol("by", code->by.value);
  block.text("path", code->path);
  out.end(std::move(block));
}

void write_named(BlockWriter& out, const model::Site& site, const std::string& plane);

void write_plane(BlockWriter& site, const model::Plane& p, const model::Site& whole) {
  BlockWriter out = site.begin("plane", p.name, p.span);
  out.symbol("kind", p.kind());
  if (p.version.value != p.traits().version)
    out.text("version", model::version_text(p.kind(), p.version.value), p.version.span);
  out.names("pools", p.pools);
  if (const model::BatchPlane* batch = p.batch()) out.symbol("containers", batch->containers, model::Containers::none);
  out.symbol("gpu-request", p.gpu_request, model::GpuRequest::gpus_per_node);
  if (const model::BatchPlane* batch = p.batch()) write_batch(out, *batch, p.kind());
  if (const model::PodPlane* pods = p.pods()) write_pods(out, *pods);
  if (const model::ServicePlane* service = p.service()) {
    out.text("address", service->address);
    out.texts("infra", service->infra);
    out.texts("backends", service->backends);
    out.texts("regions", service->regions);
    out.texts("fleets", service->fleets);
  }
  write_named(out, whole, p.name);
  write_code(out, p.code);
  site.end(std::move(out));
}

void write_queue(BlockWriter& site, const model::Queue& q) {
  BlockWriter out = site.begin("queue", q.name, q.span);
  if (q.plane_name != q.name) out.text("name", q.plane_name, q.span);
  out.text("qos", q.qos);
  out.text("reservation", q.reservation);
  out.text("constraint", q.constraint);
  out.names("pools", q.pools);
  if (!q.nodes.empty()) out.text("nodes", compress_hosts(q.nodes.all()), q.span);
  out.quantity("max-time", q.max_time);
  out.integer("max-nodes", q.max_nodes);
  out.integer("max-gpus", q.max_gpus);
  out.integer("max-cpus", q.max_cpus);
  out.quantity("max-memory", q.max_memory);
  if (!q.max_jobs_user || q.max_jobs->value != q.max_jobs_user->value) out.integer("max-jobs", q.max_jobs);
  out.integer("max-jobs-user", q.max_jobs_user);
  out.integer("max-jobs-account", q.max_jobs_account);
  out.quantity("default-time", q.default_time);
  if (q.default_memory && q.default_memory->value.all) out.put("default-memory", symbol_expr("all"));
  else if (q.default_memory) out.put("default-memory", quantity_expr(to_string(q.default_memory->value.high)));
  out.quantity("default-memory-cpu", q.default_memory_cpu);
  out.flag("exclusive", q.exclusive);
  out.names("tolerates", q.tolerates);
  out.flag("preemptible", q.preemptible);
  out.flag("default", q.is_default);
  out.document("pod", q.pod);
  site.end(std::move(out));
}

// One list of amounts: nominal ones, or the limits of what is borrowed or lent.
template <class Amounts>
void write_amounts(BlockWriter& out, const Amounts& amounts) {
  out.integer("gpus", amounts.gpus);
  out.integer("nodes", amounts.nodes);
  out.integer("cpus", amounts.cpus);
  out.quantity("memory", amounts.memory);
  out.integer("pods", amounts.pods);
}

void write_quotas(BlockWriter& out, const std::vector<model::Quota>& quotas) {
  for (const model::Quota& q : quotas) {
    BlockWriter quota = out.begin("quota", q.pool.value, q.pool.span);
    quota.names("pools", q.pools);
    write_amounts(quota, q);
    const auto limit = [&](std::string_view name, const model::QuotaAmounts& a) {
      if (!a.gpus && !a.nodes && !a.cpus && !a.memory && !a.pods) return;
      BlockWriter block = quota.begin(name);
      write_amounts(block, a);
      quota.end(std::move(block));
    };
    limit("borrow-limit", q.borrow_limit);
    limit("lend-limit", q.lend_limit);
    out.end(std::move(quota));
  }
}

void write_tenant(BlockWriter& site, const model::Tenant& t) {
  BlockWriter out = site.begin("tenant", t.name, t.span);
  out.texts("accounts", t.accounts);
  out.text("namespace", t.name_space);
  out.names("queues", t.queues);
  if (t.share) out.put("share", scalar_expr(t.share->value));
  out.name("cohort", t.cohort);
  out.flag("borrow", t.borrow);
  out.quantity("max-time-account", t.max_time_account);
  out.integer("max-nodes", t.max_nodes);
  out.integer("max-gpus", t.max_gpus);
  out.integer("max-cpus", t.max_cpus);
  out.quantity("max-memory", t.max_memory);
  out.integer("max-jobs-user", t.max_jobs_user);
  out.integer("max-jobs-account", t.max_jobs_account);
  write_quotas(out, t.quotas);
  site.end(std::move(out));
}

void write_cohort(BlockWriter& site, const model::Cohort& c) {
  BlockWriter out = site.begin("cohort", c.name, c.span);
  out.name("parent", c.parent);
  write_quotas(out, c.quotas);
  site.end(std::move(out));
}

void write_storage(BlockWriter& site, const model::Storage& s) {
  BlockWriter out = site.begin("storage", s.name, s.span);
  if (!s.path.value.empty()) out.text("path", s.path.value, s.path.span);
  out.text("pvc", s.pvc);
  out.text("host-path", s.host_path);
  out.text("class", s.storage_class);
  out.text("bucket", s.bucket);
  out.text("csi", s.csi);
  if (s.read_only) out.put("mode", symbol_expr("ro"));
  site.end(std::move(out));
}

void write_dialect(BlockWriter& site, const model::GpuDialect& g) {
  BlockWriter out = site.begin("gpu", g.model);
  out.text("gres", g.gres);
  out.text("feature", g.feature);
  out.text("label", g.label);
  out.text("resource", g.resource);
  out.text("slice-resource", g.slice_resource);
  site.end(std::move(out));
}

void write_secret(BlockWriter& site, const model::SiteSecret& s) {
  BlockWriter out = site.begin("secret", s.name, s.span);
  out.text("name", s.object);
  out.text("key", s.key);
  out.text("file", s.file);
  out.text("env", s.env);
  site.end(std::move(out));
}

void write_fabric(BlockWriter& site, const model::FabricAttachment& f) {
  BlockWriter out = site.begin("fabric", f.name, f.span);
  out.names("pools", f.pools);
  out.text("resource", f.resource);
  out.integer("per-node", f.per_node);
  write_env(out, f.env);
  out.script("prelude", f.prelude);
  out.document("pod", f.pod);
  out.text("job", f.job);
  out.flag("domain-claim", f.domain_claim);
  site.end(std::move(out));
}

void write_priority(BlockWriter& site, const model::Priority& p) {
  BlockWriter out = site.begin("priority", p.name, p.span);
  out.text("class", p.priority_class);
  out.text("queue-class", p.queue_class);
  out.text("qos", p.qos);
  out.integer("nice", p.nice);
  site.end(std::move(out));
}

// What is allowed in the site or in one plane.
void write_named(BlockWriter& out, const model::Site& s, const std::string& plane) {
  const auto each = [&](const auto& entries, auto write) {
    for (const auto& entry : entries)
      if (entry.plane == plane) write(out, entry);
  };
  each(s.queues, write_queue);
  each(s.storage, write_storage);
  for (const auto& [name, software] : s.software) {
    if (software.plane != plane) continue;
    BlockWriter block = out.begin("software", name, software.span);
    write_software(block, software);
    out.end(std::move(block));
  }
  each(s.secrets, write_secret);
  each(s.images, [](BlockWriter& to, const model::ImageName& image) {
    BlockWriter block = to.begin("image", image.name, image.span);
    block.text("ref", image.ref.value, image.ref.span);
    to.end(std::move(block));
  });
  each(s.fabrics, write_fabric);
  each(s.priorities, write_priority);
  each(s.licenses, [](BlockWriter& to, const model::License& license) {
    BlockWriter block = to.begin("license", license.name, license.span);
    block.integer("count", model::unplaced(license.count));
    to.end(std::move(block));
  });
  each(s.gpus, write_dialect);
}

// The blocks of one or two keys.
void write_customs(BlockWriter& out, const model::Site& s) {
  for (const model::Registry& r : s.registries) {
    BlockWriter block = out.begin("registry", r.host, r.span);
    block.text("mirror", r.mirror);
    block.text("pull-secret", r.pull_secret);
    block.text("squash-dir", r.squash_dir);
    out.end(std::move(block));
  }
  if (s.mail_domain) {
    BlockWriter block = out.begin("notify");
    block.text("domain", s.mail_domain);
    out.end(std::move(block));
  }
  if (s.jupyter || s.vscode) {
    BlockWriter block = out.begin("access");
    block.text("jupyter", s.jupyter);
    block.text("vscode", s.vscode);
    out.end(std::move(block));
  }
  if (s.identity) {
    BlockWriter block = out.begin("identity");
    block.integer("uid", s.identity->uid);
    block.integer("gid", s.identity->gid);
    std::vector<Expr> groups;
    for (const auto& group : s.identity->groups) groups.push_back(number_expr(group.value));
    if (!groups.empty()) block.put("groups", list_expr(std::move(groups)));
    out.end(std::move(block));
  }
  if (s.submit_filter) {
    BlockWriter block = out.begin("submit-filter");
    block.texts("requires", s.submit_filter->wants);
    block.texts("refuses", s.submit_filter->refuses);
    out.end(std::move(block));
  }
  write_allows(out, s.allows);
}

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
  out.text("rules", s.rules);
  for (const model::Plane& plane : s.planes) write_plane(out, plane, s);
  write_named(out, s, "");
  for (const model::Tenant& tenant : s.tenants) write_tenant(out, tenant);
  for (const model::Cohort& cohort : s.cohorts) write_cohort(out, cohort);
  write_customs(out, s);
  write_code(out, s.code);
  if (s.defaults) write_defaults(out, *s.defaults);
  if (s.log_dir) {
    BlockWriter logs = out.begin("logs");
    logs.text("dir", s.log_dir);
    out.end(std::move(logs));
  }
  write_facts(out, s.facts);
  return out.take();
}

}  // namespace muster::sema
