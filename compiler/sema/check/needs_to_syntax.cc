// The blocks around a role's program, and the blocks of services and chains, back to syntax.
#include "compiler/sema/check/write_members.h"

namespace muster::sema {
namespace {

void write_files(BlockWriter& out, const std::vector<model::SmallFile>& files) {
  for (const model::SmallFile& f : files) {
    BlockWriter block = out.begin("file", f.path.value, f.path.span);
    block.text("text", f.bytes, f.path.span);
    write_members(block, f);
    out.end(std::move(block));
  }
}

}  // namespace

ast::Expr count_expr(const model::Count& c) {
  if (c.low == c.high) return number_expr(c.low);
  return operation_expr(ast::Op::range, {number_expr(c.low), number_expr(c.high)});
}

void write_allows(BlockWriter& out, const std::vector<model::Allow>& allows) {
  for (const model::Allow& a : allows) write_block(out, "allow", a, a.code);
}

void write_needs(BlockWriter& out, const model::Role& role) {
  if (role.replicas) out.put("replicas", count_expr(role.replicas->value));
  out.symbol("fabric", role.fabric.value, model::FabricRequest::automatic);
  if (role.parallelism) write_block(out, "parallelism", *role.parallelism);
  for (const model::Secret& s : role.secrets) write_block(out, "secret", s, s.name);
  write_files(out, role.files);
  for (const model::Port& p : role.ports) write_block(out, "port", p, p.name);
  for (const model::Probe& p : role.probes) write_block(out, "probe", p, std::string(model::name(p.kind)));
  if (role.preflight) write_block(out, "preflight", *role.preflight);
  write_allows(out, role.allows);
}

void write_service(BlockWriter& out, const model::Workload& w) {
  for (const model::After& after : w.depends_on) write_block(out, "depends-on", after, after.workload);
  if (w.scale) write_block(out, "scale", *w.scale);
  if (w.serve) write_block(out, "serve", *w.serve);
  if (w.dev) write_block(out, "dev", *w.dev);
}

}  // namespace muster::sema
