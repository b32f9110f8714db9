#include "compiler/sema/expand/instances.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/base/text.h"
#include "compiler/sema/expand/points.h"
#include "compiler/sema/expand/scopes.h"
#include "compiler/sema/schema/overlay.h"

namespace muster::sema {
namespace {

// The block without what is in it.
ast::Block header_of(const ast::Block& block) {
  ast::Block out;
  out.kind = block.kind;
  out.label = block.label;
  out.span = block.span;
  return out;
}

bool lies_in(Span inner, Span outer) {
  return inner.file == outer.file && inner.begin >= outer.begin && inner.end <= outer.end;
}

void did_you_mean(Diagnostic& d, const ast::Name& written, const std::vector<std::string_view>& names) {
  const std::string near = closest(written.text, names);
  if (!near.empty()) d.fixes.push_back({written.span, near, "did you mean `" + near + "`?", false});
  else if (!names.empty()) d.notes.push_back("known names are " + quoted_list(names));
}

// The names of `sweep { axes { … } }`: `$seed` stands for a value of each point.
void collect_axes(const std::vector<ast::Item>& items, Scope& scope, bool in_axes = false) {
  for (const ast::Item& item : items) {
    if (const auto* c = std::get_if<ast::Conditional>(&item.value)) {
      collect_axes(c->body.items, scope, in_axes);
      if (c->otherwise) collect_axes(c->otherwise->items, scope, in_axes);
    }
    const auto* block = std::get_if<ast::Block>(&item.value);
    const bool axes = block != nullptr && block->kind.text == "axes";
    if (axes || (block != nullptr && block->kind.text == "sweep")) collect_axes(block->items, scope, axes);
    if (const auto* setting = std::get_if<ast::Setting>(&item.value); setting != nullptr && in_axes)
      scope.late.insert(setting->key.text);
  }
}

// What `when` selected, put beside what is always there: a block of both (`env`) is one block.
void join(std::vector<ast::Item> selected, std::vector<ast::Item>& out) {
  if (selected.empty()) return;
  const auto identity = [](const ast::Block& b) { return dashed(b.kind.text) + " " + (b.label ? b.label->text : ""); };
  std::unordered_map<std::string, std::size_t> blocks;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (const auto* block = std::get_if<ast::Block>(&out[i].value)) blocks.try_emplace(identity(*block), i);
  for (ast::Item& item : selected) {
    auto* block = std::get_if<ast::Block>(&item.value);
    const auto found = block == nullptr ? blocks.end() : blocks.find(identity(*block));
    if (found == blocks.end()) {
      if (block != nullptr) blocks.emplace(identity(*block), out.size());
      out.push_back(std::move(item));
      continue;
    }
    auto& into = std::get<ast::Block>(out[found->second].value).items;
    for (ast::Item& inner : block->items) into.push_back(std::move(inner));
  }
}

// Where the values in a condition come from.
void label_values(const ast::Expr& e, const Scope& scope, Diagnostic& d) {
  if (e.kind == ast::Expr::Kind::variable && d.labels.size() < 3)
    if (const Scope::Entry* entry = scope.find(e.text); entry != nullptr && entry->value.span.known()) {
      const auto same = [&](const Label& label) { return label.span == entry->value.span; };
      if (std::none_of(d.labels.begin(), d.labels.end(), same))
        d.labels.push_back({entry->value.span, "`" + e.text + "` is " + literal_text(entry->value)});
    }
  for (const ast::Expr& operand : e.operands) label_values(operand, scope, d);
}

}  // namespace

bool Instances::is_root(const ast::File& file) const {
  return std::find(options_.roots.begin(), options_.roots.end(), file.file) != options_.roots.end();
}

// ---- scopes --------------------------------------------------------------------------------------

const Scope* Instances::scope_of(const ast::File& file) {
  const auto [slot, fresh] = scopes_.try_emplace(file.file);
  if (!fresh) return slot->second.get();
  auto scope = std::make_unique<Scope>();
  const bool root = is_root(file);
  const Callee callee{root ? "the file" : "the imported file", {}, root};
  const auto actuals = root ? actuals_for(file.parameters, options_.set) : std::vector<Actual>();
  if (open_file(file, actuals, callee, *scope, evaluator_, diagnostics_)) slot->second = std::move(scope);
  return slot->second.get();
}

// ---- bases ---------------------------------------------------------------------------------------

const ast::File* Instances::file_behind(const ast::File& file, const ast::Name& alias) {
  std::vector<std::string_view> names;
  const auto imports = options_.imports.find(file.file);
  if (imports != options_.imports.end()) {
    for (const auto& [name, number] : imports->second) names.push_back(name);
    if (const auto found = imports->second.find(alias.text); found != imports->second.end())
      for (const ast::File& f : files_)
        if (f.file == found->second) return &f;
  }
  did_you_mean(diagnostics_.add(Code::unknown_name, alias.span, "no import is named `" + alias.text + "`"), alias,
               names);
  return nullptr;
}

// By their names; of two the first, and a template before a workload.
const Instances::Bases& Instances::bases_of(const ast::File& file) {
  const auto [found, fresh] = bases_.try_emplace(file.file);
  Bases& out = found->second;
  if (!fresh) return out;
  for (const ast::Template& t : file.templates) out.try_emplace(t.name.text, Base{&file, &t, nullptr});
  for (const ast::Block& b : file.blocks)
    if (b.kind.text == "workload" && b.label) out.try_emplace(b.label->text, Base{&file, nullptr, &b});
  return out;
}

std::optional<Instances::Base> Instances::base_of(const ast::File& file, const ast::Instance& instance) {
  const ast::File* in = instance.module ? file_behind(file, *instance.module) : &file;
  if (in == nullptr) return std::nullopt;
  const Bases& bases = bases_of(*in);
  if (const auto found = bases.find(instance.base.text); found != bases.end()) return found->second;
  std::vector<std::string_view> names;
  for (const ast::Template& t : in->templates) names.push_back(t.name.text);
  for (const ast::Block& b : in->blocks)
    if (b.kind.text == "workload" && b.label) names.push_back(b.label->text);
  did_you_mean(
      diagnostics_.add(Code::unknown_name, instance.base.span, "unknown template `" + instance.base.text + "`"),
      instance.base, names);
  return std::nullopt;
}

// Whether a workload may be made from this one: not from itself, and not at the end of a long row.
bool Instances::may_open(const ast::Block* workload, const ast::Instance& instance) {
  if (cyclic_.contains(workload)) return incomplete_ = true, false;
  const auto first = std::find(open_.begin(), open_.end(), workload);
  if (first != open_.end()) {
    Diagnostic& d =
        diagnostics_.add(Code::cycle, instance.base.span, "`" + instance.base.text + "` is based on itself");
    for (auto at = first + 1; at != open_.end(); ++at) d.labels.push_back({(*at)->from->span, "through this one"});
    cyclic_.insert(first, open_.end());
    return false;
  }
  return open_.size() <= max_instances ||
         evaluator_.budget().exceed(instance.span, "workloads are based on each other more than 32 levels deep");
}

Instances::Items Instances::items_of(const Base& base, const ast::Instance& instance, const Scope& caller) {
  const Scope* outer = scope_of(*base.file);
  if (outer == nullptr) return incomplete_ = true, Items();
  Scope scope;
  scope.outer = outer;
  const std::size_t before = diagnostics_.size();
  std::vector<Actual> given;
  for (const ast::Argument& a : instance.arguments)
    given.push_back({a.name.text, a.name.span, evaluator_.value(a.value, caller), {}, a.value.span});
  if (diagnostics_.size() != before) return {};
  const bool blueprint = base.blueprint != nullptr;
  const Callee callee{(blueprint ? "template `" : "workload `") + instance.base.text + "`", instance.span, false};
  const auto parameters =
      blueprint ? std::span<const ast::Signature>(base.blueprint->parameters) : std::span<const ast::Signature>();
  if (!bind(parameters, given, callee, scope, evaluator_, diagnostics_)) return {};
  return expanded(blueprint ? base.blueprint->body : *base.workload, scope, *base.file).items;
}

// The items of the base, and on what is wrong there the place that asked for them.
Instances::Items Instances::made(const ast::File& file, const ast::Instance& instance, const Scope& caller) {
  const auto base = base_of(file, instance);
  if (!base || (base->workload != nullptr && !may_open(base->workload, instance))) return {};
  const std::size_t before = diagnostics_.size();
  Items out = items_of(*base, instance, caller);
  const Span body = base->blueprint != nullptr ? base->blueprint->body.span : base->workload->span;
  for (Diagnostic& d : diagnostics_.since(before))
    if (lies_in(d.primary, body)) d.labels.push_back({instance.span, "instantiated here"});
  return out;
}

// ---- declarations --------------------------------------------------------------------------------

std::optional<ast::Block> Instances::declaration(const ast::Block& block, const ast::File& file) {
  const Scope* scope = scope_of(file);
  if (scope == nullptr) return std::nullopt;
  evaluator_.budget().renew();
  if (block.from && block.kind.text != "workload") {
    diagnostics_.add(Code::unknown_key, block.from->span, "only a workload can be made from a template");
    return std::nullopt;
  }
  const std::size_t before = diagnostics_.size();
  incomplete_ = false;
  ast::Block out = expanded(block, *scope, file);
  return diagnostics_.size() == before && !incomplete_ ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<ast::Block> Instances::requested(const ast::Template& blueprint, const Request& request,
                                               const ast::File& file) {
  const Scope* outer = scope_of(file);
  if (outer == nullptr) return std::nullopt;
  evaluator_.budget().renew();
  Scope scope;
  scope.outer = outer;
  std::vector<Actual> given = actuals_for(blueprint.parameters, options_.set);
  for (const Given& g : request.given) given.push_back({g.name, g.name_span, g.value, g.text, g.span});
  const Callee callee{"template `" + blueprint.name.text + "`", {}, true};
  if (!bind(blueprint.parameters, given, callee, scope, evaluator_, diagnostics_)) return std::nullopt;
  const std::size_t before = diagnostics_.size();
  ast::Block out = expanded(blueprint.body, scope, file);
  if (diagnostics_.size() != before) return std::nullopt;
  out.kind = {"workload", blueprint.name.span};
  out.label = ast::Name{request.name.empty() ? blueprint.name.text : request.name, blueprint.name.span, false};
  out.span = blueprint.span;
  return out;
}

ast::Block Instances::expanded(const ast::Block& block, const Scope& outer, const ast::File& file) {
  Scope scope;
  scope.outer = &outer;
  ast::Block out = header_of(block);
  Items base;
  if (block.from) {
    out.made_at = block.from->span;
    open_.push_back(&block);
    base = made(file, *block.from, outer);
    open_.pop_back();
  }
  collect_axes(base, scope);
  collect_axes(block.items, scope);
  Items own;
  add_items(block.items, scope, file, own);
  out.items = block.from ? overlay(std::move(base), std::move(own), workload_schema(), diagnostics_) : std::move(own);
  check_assertions(out, scope);
  return out;
}

// ---- items ---------------------------------------------------------------------------------------

void Instances::add_items(const Items& items, const Scope& scope, const ast::File& file, Items& out) {
  Items selected;
  for (const ast::Item& item : items) {
    if (spent()) return;
    const auto* conditional = std::get_if<ast::Conditional>(&item.value);
    if (conditional == nullptr) std::visit([&](const auto& i) { add(i, scope, file, out); }, item.value);
    else add(*conditional, scope, file, selected);
  }
  join(std::move(selected), out);
}

void Instances::add(const ast::Setting& s, const Scope& scope, const ast::File& file, Items& out) {
  out.push_back({ast::Setting{s.key, without_alias(evaluator_.value(s.value, scope), file), s.append}});
}

void Instances::add(const ast::Block& b, const Scope& scope, const ast::File& file, Items& out) {
  if (!evaluator_.budget().spend({1, 0, 0}, b.span)) return;
  ast::Block block = header_of(b);
  // An axis may be named as the parameter that holds its values.
  const bool axes = b.kind.text == "axes" && scope.outer != nullptr;
  add_items(b.items, axes ? *scope.outer : scope, file, block.items);
  out.push_back({std::move(block)});
}

void Instances::add(const ast::Requirement& r, const Scope& scope, const ast::File&, Items& out) {
  const std::size_t before = diagnostics_.size();
  ast::Expr condition = evaluator_.value(r.condition, scope);
  if (condition.kind != ast::Expr::Kind::boolean)
    return out.push_back({ast::Requirement{std::move(condition), r.span}});
  if (condition.text == "false" && diagnostics_.size() == before)
    diagnostics_.add(Code::assertion_failed, r.span, "this requirement is false for every pool");
}

void Instances::add(const ast::Preference& p, const Scope& scope, const ast::File&, Items& out) {
  ast::Preference preference{evaluator_.value(p.condition, scope), p.weight_word, p.weight, p.span};
  if (preference.condition.kind != ast::Expr::Kind::boolean) out.push_back({std::move(preference)});
}

// Judged where its parameters are known; what it says of the sweep, once that is.
void Instances::add(const ast::Assertion& a, const Scope& scope, const ast::File&, Items& out) {
  const std::size_t before = diagnostics_.size();
  ast::Assertion judged{evaluator_.value(a.condition, scope), evaluator_.value(a.message, scope), a.span};
  if (judged.condition.kind != ast::Expr::Kind::boolean) return out.push_back({std::move(judged)});
  if (judged.condition.text == "false" && diagnostics_.size() == before && !spent())
    refuted(a.condition, judged.message.text, scope);
}

void Instances::add(const ast::Conditional& c, const Scope& scope, const ast::File& file, Items& out) {
  const auto chosen = evaluator_.truth(c.condition, scope);
  if (!chosen) return;
  if (*chosen) add_items(c.body.items, scope, file, out);
  else if (c.otherwise) add_items(c.otherwise->items, scope, file, out);
}

// `lab.campus` of `import … as lab` is the name campus.
ast::Expr Instances::without_alias(ast::Expr value, const ast::File& file) const {
  const auto imports = options_.imports.find(file.file);
  if (imports == options_.imports.end()) return value;
  const std::size_t dot = value.kind == ast::Expr::Kind::path ? value.text.find('.') : std::string::npos;
  if (dot != std::string::npos && imports->second.contains(value.text.substr(0, dot))) value.text.erase(0, dot + 1);
  if (value.kind == ast::Expr::Kind::list)
    for (ast::Expr& operand : value.operands) operand = without_alias(std::move(operand), file);
  return value;
}

ast::Block Instances::without_aliases(ast::Block block, const ast::File& file) const {
  for (ast::Item& item : block.items)
    if (auto* setting = std::get_if<ast::Setting>(&item.value))
      setting->value = without_alias(std::move(setting->value), file);
  return block;
}

// ---- assertions ----------------------------------------------------------------------------------

void Instances::refuted(const ast::Expr& condition, const std::string& message, const Scope& scope) {
  const std::string sides = evaluator_.sides(condition, scope);
  Diagnostic& d = diagnostics_.add(Code::assertion_failed, condition.span, printable(message), "this is false");
  if (!sides.empty()) d.notes.push_back(sides);
  label_values(condition, scope, d);
}

void Instances::check_assertions(ast::Block& block, const Scope& scope) {
  for (const ast::Item& item : block.items) {
    const auto* a = std::get_if<ast::Assertion>(&item.value);
    if (a == nullptr) continue;
    const ast::Expr condition = with_points(a->condition, points_of(block));
    const auto holds = evaluator_.truth(condition, scope);
    if (holds && !*holds && !spent()) refuted(condition, evaluator_.value(a->message, scope).text, scope);
  }
  std::erase_if(block.items, [](const ast::Item& i) { return std::holds_alternative<ast::Assertion>(i.value); });
}

}  // namespace muster::sema
