// model::Workload to `workload NAME { … }`: one function a block, one line a key.
#include <algorithm>
#include <utility>

#include "compiler/sema/check/conditions.h"
#include "compiler/sema/check/to_syntax.h"
#include "compiler/sema/check/write_members.h"

namespace muster::sema {
namespace {

using ast::Expr;
using ast::Op;

template <class T, class Spell>
Expr amount_expr(const model::Amount<T>& a, Spell spell) {
  if (a.all || a.left_to_site) return symbol_expr(a.all ? "all" : "default");
  return a.low == a.high ? spell(a.low) : operation_expr(Op::range, {spell(a.low), spell(a.high)});
}

// ---- resources -----------------------------------------------------------------------------

Expr models_expr(const std::vector<std::string>& models) {
  if (models.size() == 1) return name_expr(models[0]);
  std::vector<Expr> list;
  for (const std::string& model : models) list.push_back(name_expr(model));
  return list_expr(std::move(list));
}

// `gpu` alone means one. As a short form, one model and its count are one word: `gpu = h100:8`.
void write_gpus(BlockWriter& out, const model::Resources& r, bool short_form) {
  if (!r.gpu) return out.integer("gpus", r.gpus);
  for (const std::string& model : r.gpu->value)
    if (!out.holds(model, "gpu", r.gpu->span)) return;
  Expr value = models_expr(r.gpu->value);
  const std::int64_t count = r.gpus ? r.gpus->value : r.part_of_gpu() ? 0 : 1;
  if (count == 0 && r.part_of_gpu()) return out.put("gpu", std::move(value));
  if (count != 1 && short_form && value.kind == Expr::Kind::path) {
    value.kind = Expr::Kind::ratio;
    value.tag = std::to_string(count);
  } else if (count != 1) {
    out.integer("gpus", r.gpus);
  }
  out.put("gpu", std::move(value));
}

void write_amounts(BlockWriter& out, const model::Resources& r, bool short_form) {
  if (r.nodes) out.put("nodes", count_expr(r.nodes->value));
  write_gpus(out, r, short_form);
  if (r.cpus) out.put("cpus", amount_expr(r.cpus->value, number_expr));
  if (r.memory) out.put("memory", amount_expr(r.memory->value, [](Size s) { return quantity_expr(to_string(s)); }));
}

// In the workload itself where all that is given has a short form.
void write_resources(BlockWriter& out, const model::Resources& r) {
  if (!r.gpu_memory && !r.disk && !r.shm && !r.exclusive && !r.smt && !r.part_of_gpu())
    return write_amounts(out, r, true);
  BlockWriter block = out.begin("resources");
  write_amounts(block, r, false);
  block.quantity("gpu-memory", r.gpu_memory);
  if (r.gpu_share) block.put("gpu-share", quantity_expr(std::to_string(r.gpu_share->value) + "%"));
  block.text("gpu-slice", r.gpu_slice);
  block.quantity("disk", r.disk);
  block.quantity("shm", r.shm);
  block.flag("exclusive", r.exclusive);
  block.flag("smt", r.smt);
  out.end(std::move(block));
}

// ---- the program and what is around it -----------------------------------------------------

void write_launch(BlockWriter& out, const model::Launch& l) {
  BlockWriter block = out.begin("launch");
  write_members(block, l);
  if (!block.empty()) out.end(std::move(block));
}

void write_code(BlockWriter& out, const model::Optional<model::Code>& code) {
  if (!code) return;
  if (const auto* path = std::get_if<std::string>(&code->value)) return out.text("code", *path, code->span);
  const auto& git = std::get<model::Git>(code->value);
  BlockWriter block = out.begin("code"), inner = block.begin("git");
  write_members(inner, git);
  block.end(std::move(inner));
  out.end(std::move(block));
}

void write_workload_software(BlockWriter& out, const model::Optional<model::Software>& software) {
  if (!software) return;
  if (const auto* name = std::get_if<std::string>(&software->value))
    return out.name("software", model::Located<std::string>{*name, software->span});
  BlockWriter block = out.begin("software");
  write_software(block, std::get<model::SoftwareSpec>(software->value));
  out.end(std::move(block));
}

void write_program(BlockWriter& out, const model::Role& role) {
  out.texts("script-flags", role.script_flags);
  if (!role.program) return out.texts("args", role.args);
  const Span span = role.program->span;
  std::vector<model::Located<model::Text>> words;
  const auto* argv = std::get_if<model::Argv>(&role.program->value);
  if (argv != nullptr)
    for (const model::Text& word : *argv) words.push_back({word, span});
  out.texts("command", words);
  out.texts("args", role.args);
  if (argv == nullptr) out.script("script", std::get<model::Script>(role.program->value), span);
}

// ---- behaviour -----------------------------------------------------------------------------

void write_retry(BlockWriter& out, const model::Retry& r) {
  using On = model::RetryOn;
  BlockWriter block = out.begin("retry");
  if (r.limit.value == model::Retry::unlimited) block.put("limit", symbol_expr("unlimited"));
  else block.put("limit", number_expr(r.limit.value));
  const bool usual = r.on.size() == 2 && r.on[0].value == On::node_failure && r.on[1].value == On::preemption;
  if (!usual) block.symbols("on", r.on);
  std::vector<Expr> codes;
  for (const auto& code : r.exit_codes) codes.push_back(number_expr(code.value));
  if (!codes.empty()) block.put("exit-codes", list_expr(std::move(codes)));
  block.quantity("backoff", r.backoff);
  out.end(std::move(block));
}

// Consecutive whole numbers are a range.
Expr axis_expr(const std::vector<std::string>& values) {
  std::vector<Expr> list;
  bool run = values.size() > 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    list.push_back(scalar_expr(values[i]));
    const bool small = values[0].size() < 10 && values[0].find_first_not_of("0123456789") == std::string::npos;
    run = run && small && !values[0].empty() &&
          values[i] == std::to_string(std::stoll(values[0]) + static_cast<long long>(i));
  }
  return run ? operation_expr(Op::range, {list.front(), list.back()}) : list_expr(std::move(list));
}

void write_sweep(BlockWriter& out, const model::Sweep& s) {
  BlockWriter block = out.begin("sweep");
  write_members(block, s);
  BlockWriter axes = block.begin("axes");
  for (const model::Axis& axis : s.axes) {
    const bool held = std::all_of(axis.values.begin(), axis.values.end(),
                                  [&](const std::string& v) { return axes.holds(v, axis.name, axis.span); });
    if (held) axes.put(axis.name, axis_expr(axis.values));
  }
  block.end(std::move(axes));
  out.end(std::move(block));
}

void write_targets(BlockWriter& out, const std::vector<model::TargetOptions>& targets) {
  for (const model::TargetOptions& t : targets) {
    BlockWriter block = out.begin("target", t.target, t.span);
    write_members(block, t);
    for (const model::RawOption& option : t.options)
      if (option.value.value.find('\n') != std::string::npos)
        block.document(option.name, option.value.value, option.value.span);
      else if (block.holds(option.value.value, option.name, option.value.span))
        block.put(option.name,
                  option.flag ? boolean_expr(option.value.value == "true") : scalar_expr(option.value.value));
    out.end(std::move(block));
  }
}

void write_labels(BlockWriter& out, const model::Workload& w) {
  if (w.labels.empty()) return;
  BlockWriter block = out.begin("labels");
  for (const auto& [key, value] : w.labels)
    if (block.holds(value.value, key, value.span)) block.put(key, scalar_expr(value.value));
  out.end(std::move(block));
}

void write_behaviour(BlockWriter& out, const model::Workload& w) {
  if (w.checkpoint) write_block(out, "checkpoint", *w.checkpoint);
  if (w.retry) write_retry(out, *w.retry);
  if (w.stop) write_block(out, "stop", *w.stop);
  if (w.logs) write_block(out, "logs", *w.logs);
  if (w.sweep) write_sweep(out, *w.sweep);
  if (w.notify) write_block(out, "notify", *w.notify);
  write_targets(out, w.targets);
  write_labels(out, w);
  write_facts(out, w.facts);
}

// ---- conditions ----------------------------------------------------------------------------

Expr constant_expr(const std::string& fact, const model::FactValue& value) {
  const std::int64_t* number = std::get_if<std::int64_t>(&value);
  for (const KeySchema& key : pool_facts()) {
    if (number == nullptr || key.name != fact) continue;
    if (key.type == Type::number) return scalar_expr(tenths_text(*number));
    if (key.type == Type::size) return quantity_expr(to_string(Size{*number}));
    if (key.type == Type::rate) return quantity_expr(to_string(Rate{*number}));
  }
  return fact_expr(value);
}

Expr term_expr(const model::Term& t) {
  using model::Compare;
  const Expr fact = symbol_expr(t.fact);
  const bool negated = t.compare == Compare::not_in;
  if (t.compare == Compare::in || negated) {
    std::vector<Expr> values;
    for (const auto& v : t.values) values.push_back(constant_expr(t.fact, v));
    Expr out = operation_expr(Op::in, {fact, list_expr(std::move(values))});
    return negated ? operation_expr(Op::logical_not, {std::move(out)}) : out;
  }
  const model::FactValue& value = t.values[0];
  if (value == model::FactValue(true) && t.compare == Compare::equal) return fact;
  if (value == model::FactValue(true) && t.compare == Compare::not_equal)
    return operation_expr(Op::logical_not, {fact});
  Op op = Op::equal;
  for (const Op candidate : {Op::equal, Op::not_equal, Op::less, Op::at_most, Op::greater, Op::at_least})
    if (comparison(candidate) == t.compare) op = candidate;
  return operation_expr(op, {fact, constant_expr(t.fact, value)});
}

Expr predicate_expr(const model::Predicate& p) {
  using Kind = model::Predicate::Kind;
  if (p.kind == Kind::term) return term_expr(p.term);
  std::vector<Expr> operands;
  for (const model::Predicate& inner : p.operands) operands.push_back(predicate_expr(inner));
  if (operands.size() == 1 && p.kind != Kind::negation) return std::move(operands[0]);
  return operation_expr(p.kind == Kind::negation ? Op::logical_not
                        : p.kind == Kind::all    ? Op::logical_and
                                                 : Op::logical_or,
                        std::move(operands));
}

void write_conditions(BlockWriter& out, const model::Role& role) {
  for (const model::Predicate& p : role.requires_) out.item({ast::Requirement{predicate_expr(p), {}}});
  for (const model::Preference& p : role.prefers) {
    ast::Preference item{predicate_expr(p.predicate), {}, {}, {}};
    if (p.weight != 1) item.weight_word.text = "weight", item.weight = std::to_string(p.weight);
    out.item({std::move(item)});
  }
}

}  // namespace

void write_env(BlockWriter& out, const std::vector<model::EnvVar>& env) {
  if (env.empty()) return;
  BlockWriter block = out.begin("env");
  for (const model::EnvVar& var : env) {
    if (!block.holds(var.value.bytes, var.name, var.span)) continue;
    block.put(var.name, var.value.is_plain() ? scalar_expr(var.value.bytes) : text_expr(var.value));
  }
  out.end(std::move(block));
}

void write_software(BlockWriter& out, const model::SoftwareSpec& s) { write_members(out, s); }

void write_facts(BlockWriter& out, const std::vector<std::pair<std::string, model::Located<model::FactValue>>>& facts) {
  if (facts.empty()) return;
  BlockWriter block = out.begin("facts");
  for (const auto& [key, value] : facts)
    if (block.holds(model::to_string(value.value), key, value.span)) block.put(key, fact_expr(value.value));
  out.end(std::move(block));
}

namespace {

// All that a role and a workload without roles have alike, the program last.
void write_role(BlockWriter& out, const model::Role& role) {
  write_code(out, role.code);
  write_workload_software(out, role.software);
  out.text("image", role.image);
  if (role.workdir) out.text("workdir", role.workdir->value, role.workdir->span);
  write_resources(out, role.resources);
  write_launch(out, role.launch);
  write_env(out, role.env);
  for (const model::Mount& mount : role.mounts) write_block(out, "mount", mount, mount.name);
  if (role.topology) write_block(out, "topology", *role.topology);
  write_needs(out, role);
}

void write_program_of(BlockWriter& out, const model::Role& role) {
  write_conditions(out, role);
  out.script("setup", role.setup);
  write_program(out, role);
}

// Without what a role that runs with another one has from that one.
model::Role own_part(const model::Role& role, const std::vector<model::Role>& roles) {
  model::Role out = role;
  const auto leave_out = [](auto& own, const auto& taken) {
    if (own && taken && own->span == taken->span) own = std::nullopt;
  };
  for (const model::Role& other : roles) {
    if (!role.with || other.name != role.with->value) continue;
    leave_out(out.resources.nodes, other.resources.nodes);
    leave_out(out.resources.gpu, other.resources.gpu);
    leave_out(out.replicas, other.replicas);
  }
  return out;
}

void write_roles(BlockWriter& out, const std::vector<model::Role>& roles) {
  for (const model::Role& written : roles) {
    const model::Role role = own_part(written, roles);
    BlockWriter block = out.begin("role", role.name, role.span);
    block.text("with", role.with);
    block.flag("primary", role.primary);
    for (const model::RoleStart& start : role.depends_on) write_block(block, "depends-on", start, start.role);
    write_role(block, role);
    write_program_of(block, role);
    out.end(std::move(block));
  }
}

// What the option says otherwise than the workload without it.
void write_options(BlockWriter& out, const model::Workload& w, Diagnostics& diagnostics) {
  if (w.options.empty()) return;
  model::Workload plain = w;
  plain.options.clear();
  const ast::Block base = to_syntax(plain, diagnostics);
  BlockWriter any_of = out.begin("any-of");
  for (const model::Workload& option : w.options) {
    BlockWriter block = any_of.begin("option", option.option, option.option_span);
    for (ast::Item& item : to_syntax(option, diagnostics).items) {
      ast::Block one;
      one.items.push_back(item);
      const bool same = std::any_of(base.items.begin(), base.items.end(), [&](const ast::Item& other) {
        ast::Block also;
        also.items.push_back(other);
        return ast::equal(one, also);
      });
      if (!same) block.item(std::move(item));
    }
    any_of.end(std::move(block));
  }
  out.end(std::move(any_of));
}

void write_keys(BlockWriter& out, const model::Workload& w) {
  write_members(out, w);
  if (w.time_limit_default) out.put("time-limit", symbol_expr("default"));
}

}  // namespace

void write_defaults(BlockWriter& site, const model::Workload& defaults) {
  BlockWriter out = site.begin("defaults");
  write_keys(out, defaults);
  write_role(out, defaults.main());
  write_behaviour(out, defaults);
  write_program_of(out, defaults.main());
  site.end(std::move(out));
}

ast::Block to_syntax(const model::Workload& w, Diagnostics& diagnostics) {
  const bool roles = w.roles.size() > 1 || w.main().name != "main";
  BlockWriter out(declaration("workload"), w.name, w.span, diagnostics);
  write_keys(out, w);
  if (!roles) write_role(out, w.main());
  write_behaviour(out, w);
  write_service(out, w);
  if (roles) write_roles(out, w.roles);
  write_options(out, w, diagnostics);
  if (!roles) write_program_of(out, w.main());
  return out.take();
}

}  // namespace muster::sema
