#include "compiler/sema/expand.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "compiler/base/text.h"
#include "compiler/sema/evaluate.h"
#include "compiler/sema/overlay.h"
#include "compiler/sema/parameters.h"

namespace muster::sema {
namespace {

using Kind = ast::Expr::Kind;

const BlockSchema& workload_schema() {
  for (const BlockSchema& top : top_level())
    if (top.name == "workload") return top;
  return top_level().front();
}

// A template, or a workload used as one without parameters.
struct Base {
  const ast::File* file = nullptr;
  const ast::Template* blueprint = nullptr;
  const ast::Block* workload = nullptr;
};

class Expander {
 public:
  Expander(const std::vector<ast::File>& files, const ExpandOptions& options, Diagnostics& diagnostics)
      : files_(files), options_(options), diagnostics_(diagnostics), evaluator_(diagnostics) {}

  std::vector<ast::File> run() {
    std::vector<ast::File> out;
    for (const ast::File& file : files_) {
      ast::File plain;
      plain.file = file.file;
      for (const ast::Block& block : file.blocks)
        if (wanted(file, block)) plain.blocks.push_back(declaration(file, block));
      if (!options_.instance.empty() && is_root(file))
        if (auto made = instance_of_option(file)) plain.blocks.push_back(std::move(*made));
      out.push_back(std::move(plain));
    }
    if (!options_.instance.empty() && !found_) report_no_template();
    return out;
  }

 private:
  bool is_root(const ast::File& file) const {
    return std::find(options_.roots.begin(), options_.roots.end(), file.file) != options_.roots.end();
  }

  bool wanted(const ast::File& file, const ast::Block& block) const {
    const bool workload = block.kind.text == "workload" || block.kind.text == "test";
    return !workload || (is_root(file) && options_.instance.empty());
  }

  // Rules speak of their own names (`$k3s.max` is a threshold), tests of results: both stay as they are.
  ast::Block declaration(const ast::File& file, const ast::Block& block) {
    if (block.kind.text == "rules" || block.kind.text == "test") return block;
    return expanded(block, scope_of(file), file);
  }

  // ---- scopes ------------------------------------------------------------------------------------

  const Scope& scope_of(const ast::File& file) {
    auto& slot = scopes_[file.file];
    if (slot) return *slot;
    slot = std::make_unique<Scope>();
    Scope& scope = *slot;
    const bool takes = is_root(file) && options_.instance.empty();
    bind(file.parameters, takes ? actuals() : std::vector<Actual>{}, "the file", Span{file.file, 0, 0}, scope,
         evaluator_, diagnostics_);
    for (const ast::Binding& binding : file.bindings) {
      if (const Scope::Entry* other = scope.find(binding.name.text)) {
        diagnostics_.add(Code::duplicate_name, binding.name.span, "`" + binding.name.text + "` is declared twice")
            .labels.push_back({other->declared, "first declared here"});
        continue;
      }
      scope.entries.push_back({binding.name.text, evaluator_.value(binding.value, scope), binding.span});
    }
    return scope;
  }

  std::vector<Actual> actuals() const {
    std::vector<Actual> out;
    for (const Given& g : options_.set) out.push_back({g.name, g.value.span, g.value, g.spelt});
    return out;
  }

  // ---- instances ---------------------------------------------------------------------------------

  const ast::File* file_behind(const ast::File& file, const ast::Name& alias) {
    const auto imports = options_.imports.find(file.file);
    if (imports != options_.imports.end())
      if (const auto found = imports->second.find(alias.text); found != imports->second.end())
        for (const ast::File& f : files_)
          if (f.file == found->second) return &f;
    diagnostics_.add(Code::unknown_name, alias.span, "nothing is imported as `" + alias.text + "`");
    return nullptr;
  }

  std::optional<Base> base_of(const ast::File& file, const ast::Instance& instance) {
    const ast::File* in = instance.module ? file_behind(file, *instance.module) : &file;
    if (in == nullptr) return std::nullopt;
    std::vector<std::string_view> names;
    for (const ast::Template& t : in->templates) {
      if (t.name.text == instance.base.text) return Base{in, &t, nullptr};
      names.push_back(t.name.text);
    }
    for (const ast::Block& b : in->blocks) {
      if (b.kind.text != "workload" || !b.label) continue;
      if (b.label->text == instance.base.text) return Base{in, nullptr, &b};
      names.push_back(b.label->text);
    }
    Diagnostic& d =
        diagnostics_.add(Code::unknown_name, instance.base.span, "there is no template `" + instance.base.text + "`");
    const std::string near = closest(instance.base.text, names);
    if (!near.empty()) d.notes.push_back("did you mean `" + near + "`?");
    return std::nullopt;
  }

  std::vector<ast::Item> items_of_base(const Base& base, const ast::Instance& instance, const Scope& caller) {
    if (std::find(open_.begin(), open_.end(), base.workload) != open_.end() && base.workload != nullptr) {
      diagnostics_.add(Code::cycle, instance.base.span, "`" + instance.base.text + "` is made from itself");
      return {};
    }
    Scope scope;
    scope.outer = &scope_of(*base.file);
    std::vector<Actual> given;
    for (const ast::Argument& a : instance.arguments)
      given.push_back({a.name.text, a.name.span, evaluator_.value(a.value, caller), {}});
    const std::span<const ast::Signature> parameters = base.blueprint != nullptr
                                                           ? std::span<const ast::Signature>(base.blueprint->parameters)
                                                           : std::span<const ast::Signature>();
    const std::string of = (base.blueprint != nullptr ? "template `" : "workload `") + instance.base.text + "`";
    bind(parameters, given, of, instance.span, scope, evaluator_, diagnostics_);
    const ast::Block& body = base.blueprint != nullptr ? base.blueprint->body : *base.workload;
    open_.push_back(base.workload);
    std::vector<ast::Item> items = expanded(body, scope, *base.file).items;
    open_.pop_back();
    return items;
  }

  std::optional<ast::Block> instance_of_option(const ast::File& file) {
    const auto found = std::find_if(file.templates.begin(), file.templates.end(),
                                    [&](const ast::Template& t) { return t.name.text == options_.instance; });
    if (found == file.templates.end()) return std::nullopt;
    found_ = true;
    Scope scope;
    scope.outer = &scope_of(file);
    bind(found->parameters, actuals(), "template `" + options_.instance + "`", found->name.span, scope, evaluator_,
         diagnostics_);
    ast::Block out = expanded(found->body, scope, file);
    out.kind = {"workload", found->name.span};
    out.label = ast::Name{options_.name.empty() ? options_.instance : options_.name, found->name.span, false};
    out.span = found->span;
    return out;
  }

  void report_no_template() {
    std::vector<std::string_view> names;
    for (const ast::File& file : files_)
      for (const ast::Template& t : file.templates)
        if (is_root(file)) names.push_back(t.name.text);
    Diagnostic& d = diagnostics_.add(Code::unknown_name, {}, "there is no template `" + options_.instance + "`");
    if (!names.empty()) d.notes.push_back("there is " + quoted_list(names));
  }

  // ---- bodies ------------------------------------------------------------------------------------

  ast::Block expanded(const ast::Block& block, const Scope& outer, const ast::File& file) {
    Scope scope;
    scope.outer = &outer;
    ast::Block out = block;
    out.items.clear();
    out.from.reset();
    if (block.from) {
      if (block.kind.text != "workload") {
        diagnostics_.add(Code::unknown_key, block.from->span, "only a workload is made from a template");
      } else if (const auto base = base_of(file, *block.from)) {
        out.items = items_of_base(*base, *block.from, outer);
      }
    }
    collect_axes(out.items, scope);
    collect_axes(block.items, scope);
    std::vector<ast::Item> own;
    add_items(block.items, scope, file, own);
    out.items =
        block.from ? overlay(std::move(out.items), std::move(own), workload_schema(), diagnostics_) : std::move(own);
    check_assertions(out, scope);
    return out;
  }

  // The names of `sweep { axes { … } }`: `$seed` stands for a value of each point.
  static void collect_axes(const std::vector<ast::Item>& items, Scope& scope) {
    for (const ast::Item& item : items) {
      const auto* sweep = std::get_if<ast::Block>(&item.value);
      if (sweep == nullptr || sweep->kind.text != "sweep") continue;
      for (const ast::Item& inner : sweep->items)
        if (const auto* axes = std::get_if<ast::Block>(&inner.value); axes != nullptr && axes->kind.text == "axes")
          for (const ast::Item& axis : axes->items)
            if (const auto* setting = std::get_if<ast::Setting>(&axis.value)) scope.late.push_back(setting->key.text);
    }
  }

  void add_items(const std::vector<ast::Item>& items, const Scope& scope, const ast::File& file,
                 std::vector<ast::Item>& out) {
    for (const ast::Item& item : items) std::visit([&](const auto& i) { add(i, scope, file, out); }, item.value);
  }

  void add(const ast::Setting& s, const Scope& scope, const ast::File& file, std::vector<ast::Item>& out) {
    ast::Setting value{s.key, imported_name(evaluator_.value(s.value, scope), file), s.append};
    out.push_back({std::move(value)});
  }
  void add(const ast::Block& b, const Scope& scope, const ast::File& file, std::vector<ast::Item>& out) {
    ast::Block block = b;
    block.items.clear();
    add_items(b.items, scope, file, block.items);
    out.push_back({std::move(block)});
  }
  void add(const ast::Requirement& r, const Scope& scope, const ast::File&, std::vector<ast::Item>& out) {
    ast::Expr condition = evaluator_.value(r.condition, scope);
    if (condition.kind != Kind::boolean) return out.push_back({ast::Requirement{std::move(condition), r.span}});
    if (condition.text == "false")
      diagnostics_.add(Code::assertion_failed, r.span,
                       "this requirement can never hold: it asks no pool, and is false");
  }
  void add(const ast::Preference& p, const Scope& scope, const ast::File&, std::vector<ast::Item>& out) {
    ast::Preference preference = p;
    preference.condition = evaluator_.value(p.condition, scope);
    if (preference.condition.kind != Kind::boolean) out.push_back({std::move(preference)});
  }
  void add(const ast::Assertion& a, const Scope& scope, const ast::File&, std::vector<ast::Item>& out) {
    // Evaluated where its parameters are known; what it says of the sweep, once that is.
    out.push_back({ast::Assertion{evaluator_.value(a.condition, scope), a.message, a.span}});
  }
  void add(const ast::Conditional& c, const Scope& scope, const ast::File& file, std::vector<ast::Item>& out) {
    const auto chosen = evaluator_.truth(c.condition, scope);
    if (!chosen) return;
    if (*chosen) add_items(c.body.items, scope, file, out);
    else if (c.otherwise) add_items(c.otherwise->items, scope, file, out);
  }

  // `lab.h100` of `import … as lab` is the name h100.
  ast::Expr imported_name(ast::Expr value, const ast::File& file) const {
    const std::size_t dot = value.kind == Kind::path ? value.text.find('.') : std::string::npos;
    const auto imports = options_.imports.find(file.file);
    if (dot != std::string::npos && imports != options_.imports.end() &&
        imports->second.contains(value.text.substr(0, dot)))
      value.text.erase(0, dot + 1);
    return value;
  }

  // ---- assertions --------------------------------------------------------------------------------

  void check_assertions(ast::Block& block, const Scope& scope) {
    const auto points = points_of(block);
    for (const ast::Item& item : block.items) {
      const auto* a = std::get_if<ast::Assertion>(&item.value);
      if (a == nullptr) continue;
      const auto holds = evaluator_.truth(with_points(a->condition, points), scope);
      if (holds && !*holds) diagnostics_.add(Code::assertion_failed, a->span, a->message.text, "this does not hold");
    }
    std::erase_if(block.items, [](const ast::Item& i) { return std::holds_alternative<ast::Assertion>(i.value); });
  }

  static std::int64_t values_of(const ast::Expr& axis) {
    if (axis.kind == Kind::list) return static_cast<std::int64_t>(axis.operands.size());
    if (axis.kind != Kind::operation || axis.op != ast::Op::range) return 1;
    return std::max(0LL, std::atoll(axis.operands[1].text.c_str()) - std::atoll(axis.operands[0].text.c_str()) + 1);
  }

  // Points of the sweep of a block; 1 without one. Saturates: the checker reports what is too many.
  static std::int64_t points_of(const ast::Block& block) {
    std::int64_t grid = 1, zip = 1;
    bool zipped = false;
    for (const ast::Item& item : block.items) {
      const auto* sweep = std::get_if<ast::Block>(&item.value);
      if (sweep == nullptr || sweep->kind.text != "sweep") continue;
      for (const ast::Item& inner : sweep->items) {
        if (const auto* s = std::get_if<ast::Setting>(&inner.value))
          zipped |= s->key.text == "zip" && s->value.text == "true";
        if (const auto* axes = std::get_if<ast::Block>(&inner.value))
          for (const ast::Item& axis : axes->items)
            if (const auto* s = std::get_if<ast::Setting>(&axis.value)) {
              zip = std::min<std::int64_t>(values_of(s->value), 1'000'000);
              grid = std::min<std::int64_t>(grid * zip, 1'000'000);
            }
      }
    }
    return zipped ? zip : grid;
  }

  static ast::Expr with_points(ast::Expr expr, std::int64_t points) {
    if (expr.kind == Kind::path && expr.text == "sweep.points") {
      expr.kind = Kind::number;
      expr.text = std::to_string(points);
    }
    for (ast::Expr& operand : expr.operands) operand = with_points(std::move(operand), points);
    return expr;
  }

  const std::vector<ast::File>& files_;
  const ExpandOptions& options_;
  Diagnostics& diagnostics_;
  Evaluator evaluator_;
  std::map<std::uint32_t, std::unique_ptr<Scope>> scopes_;
  std::vector<const ast::Block*> open_;  // workloads whose base is being expanded
  bool found_ = false;
};

}  // namespace

std::vector<ast::File> expand(const std::vector<ast::File>& files, const ExpandOptions& options,
                              Diagnostics& diagnostics) {
  return Expander(files, options, diagnostics).run();
}

}  // namespace muster::sema
