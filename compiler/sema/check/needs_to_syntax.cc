// What stands around a role's program, and the blocks of services and chains, back to syntax.
#include "compiler/sema/check/block_writer.h"
#include "compiler/sema/check/writers.h"

namespace muster::sema {
namespace {

void write_ports(BlockWriter& out, const std::vector<model::Port>& ports) {
  for (const model::Port& p : ports) {
    BlockWriter block = out.begin("port", p.name, p.span);
    block.put("number", number_expr(p.number.value));
    block.flag("public", p.is_public);
    out.end(std::move(block));
  }
}

void write_probes(BlockWriter& out, const std::vector<model::Probe>& probes) {
  for (const model::Probe& p : probes) {
    BlockWriter block = out.begin("probe", std::string(model::name(p.kind)), p.span);
    block.text("http", p.http);
    block.flag("tcp", p.tcp);
    block.texts("command", p.command);
    block.name("port", p.port);
    block.quantity("after", p.after);
    block.quantity("every", p.every);
    block.quantity("timeout", p.timeout);
    block.integer("failures", p.failures);
    out.end(std::move(block));
  }
}

void write_secrets(BlockWriter& out, const std::vector<model::Secret>& secrets) {
  for (const model::Secret& s : secrets) {
    BlockWriter block = out.begin("secret", s.name, s.span);
    block.text("env", s.env);
    block.text("file", s.file);
    out.end(std::move(block));
  }
}

void write_files(BlockWriter& out, const std::vector<model::SmallFile>& files) {
  for (const model::SmallFile& f : files) {
    BlockWriter block = out.begin("file", f.path.value, f.path.span);
    block.text("text", f.bytes, f.path.span);
    block.text("mode", f.mode);
    out.end(std::move(block));
  }
}

void write_preflight(BlockWriter& out, const model::Preflight& p) {
  BlockWriter block = out.begin("preflight");
  if (p.nccl) block.put("nccl", symbol_expr("required"));
  block.flag("gpu-health", p.gpu_health);
  out.end(std::move(block));
}

void write_parallelism(BlockWriter& out, const model::Parallelism& p) {
  BlockWriter block = out.begin("parallelism");
  block.integer("tensor", p.tensor);
  block.integer("pipeline", p.pipeline);
  block.integer("data", p.data);
  block.integer("context", p.context);
  block.integer("expert", p.expert);
  out.end(std::move(block));
}

void write_serve(BlockWriter& out, const model::Serve& s) {
  BlockWriter block = out.begin("serve");
  block.name("port", s.port);
  block.text("model", s.model);
  if (s.engine) block.symbol("engine", s.engine->value);
  block.texts("args", s.args);
  block.name("router", s.router);
  block.text("config", s.config);
  out.end(std::move(block));
}

}  // namespace

ast::Expr count_expr(const model::Count& c) {
  if (c.low == c.high) return number_expr(c.low);
  return operation_expr(ast::Op::range, {number_expr(c.low), number_expr(c.high)});
}

void write_allows(BlockWriter& out, const std::vector<model::Allow>& allows) {
  for (const model::Allow& a : allows) {
    BlockWriter block = out.begin("allow", a.code, a.span);
    block.text("reason", a.reason.value, a.reason.span);
    block.text("until", a.until);
    out.end(std::move(block));
  }
}

void write_needs(BlockWriter& out, const model::Role& role) {
  if (role.replicas) out.put("replicas", count_expr(role.replicas->value));
  out.symbol("fabric", role.fabric.value, model::FabricRequest::automatic);
  if (role.parallelism) write_parallelism(out, *role.parallelism);
  write_secrets(out, role.secrets);
  write_files(out, role.files);
  write_ports(out, role.ports);
  write_probes(out, role.probes);
  if (role.preflight) write_preflight(out, *role.preflight);
  write_allows(out, role.allows);
}

void write_service(BlockWriter& out, const model::Workload& w) {
  for (const model::After& after : w.depends_on) {
    BlockWriter block = out.begin("depends-on", after.workload, after.span);
    block.symbol("on", after.on, model::AfterOn::success);
    out.end(std::move(block));
  }
  if (w.scale) {
    BlockWriter block = out.begin("scale");
    if (!w.scale->metric.empty()) block.put("metric", symbol_expr(w.scale->metric));
    if (w.scale->target) block.put("target", scalar_expr(w.scale->target->value));
    block.quantity("cooldown", w.scale->cooldown);
    out.end(std::move(block));
  }
  if (w.serve) write_serve(out, *w.serve);
  if (w.dev) {
    BlockWriter block = out.begin("dev");
    block.symbol("interface", w.dev->interface.value);
    block.quantity("idle-timeout", w.dev->idle_timeout);
    out.end(std::move(block));
  }
}

}  // namespace muster::sema
