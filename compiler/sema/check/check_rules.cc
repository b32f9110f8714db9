#include "compiler/sema/check/check_rules.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/sema/check/conditions.h"
#include "compiler/sema/schema/reader.h"

namespace muster::sema {
namespace {

using ast::Expr;
using ast::Op;
using model::Compare;
using model::FactType;
using model::FactValue;

std::string quoted(std::string_view word) { return "`" + std::string(word) + "`"; }

FactType type_of(const FactValue& value) {
  if (std::holds_alternative<bool>(value)) return FactType::boolean;
  return std::holds_alternative<std::int64_t>(value) ? FactType::integer : FactType::symbol;
}

std::string_view noun(FactType type) {
  switch (type) {
    case FactType::boolean: return "true or false";
    case FactType::integer: return "a whole number";
    case FactType::symbol: break;
  }
  return "a symbol";
}

bool orders(Compare compare) {
  return compare == Compare::less || compare == Compare::at_most || compare == Compare::greater ||
         compare == Compare::at_least;
}

bool is_operation(const Expr& e, Op op) { return e.kind == Expr::Kind::operation && e.op == op; }

// What a condition may ask about: a fact, or an output of an earlier table.
struct Known {
  std::string name;
  FactType type = FactType::boolean;
  std::vector<std::string> words;  // of a symbol
  bool any_text = false;           // texts are put together: the words are not all
  bool collected = false;
};

class RulesChecker {
 public:
  RulesChecker(const Node& node, const Sources& sources, Diagnostics& diagnostics)
      : node_(node), sources_(sources), diagnostics_(diagnostics) {}

  model::Policy check() {
    policy_.name = node_.label;
    policy_.span = node_.label_span;
    const auto version = node_.text("version");
    if (version) policy_.version = version->value;
    for (const Node* fact : node_.all("fact")) add_fact(*fact);
    for (const Node* threshold : node_.all("threshold")) add_threshold(*threshold);
    for (const Node* table : node_.all("table")) add_table(*table);
    for (const Node* invariant : node_.all("invariant")) add_invariant(*invariant);
    return std::move(policy_);
  }

 private:
  void report(Code code, Span where, std::string message, std::string label = {}) {
    diagnostics_.add(code, where, std::move(message), std::move(label));
  }

  // ---- facts and thresholds

  static std::vector<std::string> words(const Node& node) {
    std::vector<std::string> out;
    for (const auto& word : node.texts("values")) out.push_back(word.value);
    return out;
  }

  static std::optional<std::int64_t> number(const Node& node, std::string_view key) {
    const auto value = node.integer(key);
    return value ? std::optional(value->value) : std::nullopt;
  }

  // The keys that only one type has, and a range that runs forwards.
  void check_bounds(const Node& node, FactType type) {
    const auto only = [&](std::string_view key, FactType of) {
      if (const Entry* entry = node.entry(key); entry != nullptr && type != of)
        report(Code::conflict, entry->name_span,
               quoted(key) + " goes with " + std::string(noun(of)) + ", and " + quoted(node.label) + " is " +
                   std::string(noun(type)));
    };
    only("values", FactType::symbol);
    only("min", FactType::integer);
    only("max", FactType::integer);
    if (type == FactType::symbol && node.entry("values") == nullptr)
      report(Code::missing_key, node.label_span, quoted(node.label) + " is a symbol and needs `values`",
             "add `values = [ … ]`");
    const auto min = number(node, "min"), max = number(node, "max");
    if (min && max && *min > *max) report(Code::out_of_range, node.get("max")->span, "`max` is below `min`");
  }

  // Whether a fact or threshold may have this value.
  void check_value(const Node& node, FactType type, const Value& value) {
    if (type_of(value.fact) != type) {
      report(Code::wrong_type, value.span,
             quoted(node.label) + " is " + std::string(noun(type)) + ", found " + quoted(model::to_string(value.fact)));
    } else if (const auto* n = std::get_if<std::int64_t>(&value.fact)) {
      const auto min = number(node, "min"), max = number(node, "max");
      if ((min && *n < *min) || (max && *n > *max))
        report(Code::out_of_range, value.span, quoted(node.label) + " is out of its own range");
    } else if (const auto* word = std::get_if<std::string>(&value.fact)) {
      check_word(*word, words(node), node.label, value.span);
    }
  }

  void check_word(const std::string& word, const std::vector<std::string>& allowed, const std::string& of, Span span) {
    if (std::find(allowed.begin(), allowed.end(), word) != allowed.end()) return;
    const std::vector<std::string_view> list(allowed.begin(), allowed.end());
    Diagnostic& d = diagnostics_.add(Code::unknown_symbol, span, quoted(of) + " is never " + quoted(word));
    if (!list.empty()) d.notes.push_back("it is " + quoted_list(list, "or"));
    const std::string near = closest(word, list);
    if (!near.empty()) d.fixes.push_back({span, near, "did you mean " + quoted(near) + "?", false});
  }

  void add_fact(const Node& node) {
    model::FactDeclaration fact;
    fact.name = dashed(node.label);
    fact.span = node.label_span;
    const Value* type = node.get("type");
    if (type == nullptr) return;  // reported by the reader
    fact.type = type->text == "bool" ? FactType::boolean : type->text == "int" ? FactType::integer : FactType::symbol;
    fact.values = words(node);
    fact.min = number(node, "min");
    fact.max = number(node, "max");
    check_bounds(node, fact.type);
    if (const Value* value = node.get("default")) {
      check_value(node, fact.type, *value);
      fact.fallback = value->fact;
    }
    if (const auto from = node.text("default-from")) {
      fact.default_from = dashed(from->value);
      const model::FactDeclaration* source = policy_.fact(fact.default_from);
      if (source == nullptr)
        report(Code::unknown_fact, from->span, "no fact " + quoted(fact.default_from) + " is declared above");
      else if (source->type != fact.type)
        report(Code::wrong_type, from->span,
               quoted(fact.default_from) + " is " + std::string(noun(source->type)) + ", and " + quoted(fact.name) +
                   " is " + std::string(noun(fact.type)));
      if (fact.fallback) report(Code::conflict, from->span, "`default` and `default-from` exclude each other");
    }
    known_.push_back({fact.name, fact.type, fact.values});
    policy_.facts.push_back(std::move(fact));
  }

  void add_threshold(const Node& node) {
    const Value* value = node.get("value");
    if (value == nullptr) return;
    const auto source = node.text("source");
    const FactType type = type_of(value->fact);
    check_bounds(node, type);
    if (type != FactType::symbol || node.entry("values") != nullptr) check_value(node, type, *value);
    policy_.thresholds.push_back({dashed(node.label), value->fact, words(node), number(node, "min"),
                                  number(node, "max"), source ? source->value : std::string(), node.label_span});
  }

  // ---- conditions

  const Known* find(std::string_view name) const {
    for (const Known& known : known_)
      if (known.name == name) return &known;
    return nullptr;
  }

  // A fact or output by its path; nullptr: reported.
  const Known* subject(const Expr& e) {
    if (e.kind != Expr::Kind::path) {
      report(Code::rule_condition, e.span, "a fact stands on the left of a comparison, found " + describe(e));
      return nullptr;
    }
    const std::string name = dashed(e.text);
    if (const Known* known = find(name)) return known;
    std::vector<std::string_view> names;
    for (const Known& known : known_) names.push_back(known.name);
    Diagnostic& d = diagnostics_.add(Code::unknown_fact, e.span,
                                     quoted(name) + " is neither a declared fact nor an output of an earlier table");
    const std::string near = closest(name, names);
    if (!near.empty()) d.fixes.push_back({e.span, near, "did you mean " + quoted(near) + "?", false});
    return nullptr;
  }

  // A literal, a symbol or the value of a `$threshold`; nullopt: reported.
  std::optional<FactValue> constant(const Expr& e) {
    if (e.kind == Expr::Kind::boolean) return FactValue(e.text == "true");
    if (e.kind == Expr::Kind::variable) return threshold(e);
    if (e.kind == Expr::Kind::text && !e.operands.empty()) return threshold(e.operands.front());
    if (e.kind == Expr::Kind::text || e.is_symbol()) return FactValue(e.text);
    std::int64_t n = 0;
    const char* end = e.text.data() + e.text.size();
    const auto [stop, error] = std::from_chars(e.text.data(), end, n);
    if (e.kind == Expr::Kind::number && error == std::errc() && stop == end) return FactValue(n);
    report(Code::rule_condition, e.span, "a constant or a `$threshold` is needed here, found " + describe(e));
    return std::nullopt;
  }

  std::optional<FactValue> threshold(const Expr& e) {
    if (e.kind == Expr::Kind::variable) {
      for (const model::Threshold& threshold : policy_.thresholds)
        if (threshold.name == dashed(e.text)) return threshold.value;
      Diagnostic& d =
          diagnostics_.add(Code::unknown_variable, e.span, "no threshold " + quoted(e.text) + " is declared");
      std::vector<std::string_view> names;
      for (const model::Threshold& threshold : policy_.thresholds) names.push_back(threshold.name);
      const std::string near = closest(e.text, names);
      if (!near.empty()) d.fixes.push_back({e.span, "$" + near, "did you mean " + quoted("$" + near) + "?", false});
    } else {
      report(Code::unknown_variable, e.span, "texts in rules are not interpolated");
    }
    return std::nullopt;
  }

  bool fits(const Known& known, Compare compare, const FactValue& value, Span span) {
    const std::size_t before = diagnostics_.size();
    if (type_of(value) != known.type) {
      report(
          Code::wrong_type, span,
          quoted(known.name) + " is " + std::string(noun(known.type)) + ", found " + quoted(model::to_string(value)));
    } else if (orders(compare) && (known.type != FactType::integer || known.collected)) {
      report(Code::wrong_type, span,
             quoted(known.name) + " is " + std::string(noun(known.type)) + "; only numbers have an order");
    } else if (known.type == FactType::symbol && !known.any_text) {
      check_word(std::get<std::string>(value), known.words, known.name, span);
    }
    return diagnostics_.size() == before;
  }

  // `fact OP constant`, also below a `not` that turns `in` round.
  std::optional<model::Term> compared(const Expr& e, bool negated, Span span) {
    const Compare compare = negated ? Compare::not_in : *comparison(e.op);
    const Known* known = subject(e.operands[0]);
    if (known == nullptr) return std::nullopt;
    const Expr& right = e.operands[1];
    const bool listed = e.op == Op::in;
    if (listed && right.kind != Expr::Kind::list) {
      const bool range = is_operation(right, Op::range);
      report(Code::rule_condition, right.span, "`in` takes a list in a rule",
             range ? "for a range write `>=` and `<=`" : "write `[ … ]`");
      return std::nullopt;
    }
    model::Term term{known->name, compare, {}, std::string(sources_.text(span)), span};
    for (const Expr* operand : listed ? elements(right) : std::vector{&right}) {
      const auto value = constant(*operand);
      if (!value || !fits(*known, compare, *value, operand->span)) return std::nullopt;
      term.values.push_back(*value);
    }
    return term;
  }

  static std::vector<const Expr*> elements(const Expr& list) {
    std::vector<const Expr*> out;
    for (const Expr& e : list.operands) out.push_back(&e);
    return out;
  }

  std::optional<model::Term> bare(const Expr& e, bool value, Span span) {
    const Known* known = subject(e);
    if (known == nullptr) return std::nullopt;
    if (known->type != FactType::boolean || known->collected) {
      report(Code::wrong_type, e.span,
             quoted(known->name) + " is " + std::string(noun(known->type)) + " and stands alone",
             "compare it: `" + known->name + " == …`");
      return std::nullopt;
    }
    return model::Term{known->name, Compare::equal, {FactValue(value)}, std::string(sources_.text(span)), span};
  }

  // One term of a conjunction; nullopt: reported.
  std::optional<model::Term> term(const Expr& e) {
    if (e.kind == Expr::Kind::path) return bare(e, true, e.span);
    if (is_operation(e, Op::logical_not)) {
      const Expr& inner = e.operands[0];
      if (inner.kind == Expr::Kind::path) return bare(inner, false, e.span);
      if (is_operation(inner, Op::in)) return compared(inner, true, e.span);
      report(Code::rule_condition, e.span, "`not` stands before a fact or before `… in […]` only",
             "turn the comparison round, or write two rows");
      return std::nullopt;
    }
    if (e.kind == Expr::Kind::operation && comparison(e.op)) return compared(e, false, e.span);
    if (is_operation(e, Op::logical_or))
      report(Code::rule_condition, e.span, "a condition of a rule has no `or`", "write two rows");
    else report(Code::rule_condition, e.span, "a condition asks about one fact at a time, found " + describe(e));
    return std::nullopt;
  }

  // A conjunction; `true` is the empty one.
  std::vector<model::Term> terms(const Expr& e) {
    std::vector<model::Term> out;
    if (e.kind == Expr::Kind::boolean && e.text == "true") return out;
    if (is_operation(e, Op::logical_and)) {
      for (const Expr& operand : e.operands) {
        auto more = terms(operand);
        out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
      }
    } else if (auto one = term(e)) {
      out.push_back(std::move(*one));
    }
    return out;
  }

  // The single `when` of a row or an invariant; nullptr: reported.
  const ast::Conditional* when(const Node& node) {
    if (node.conditionals.size() > 1)
      report(Code::duplicate_key, node.conditionals[1]->condition.span, quoted(node.label) + " has two conditions",
             "write two rows");
    if (node.conditionals.empty())
      report(Code::missing_key, node.label_span, quoted(node.label) + " has no `when … { … }`",
             "`when true { … }` is always");
    return node.conditionals.empty() ? nullptr : node.conditionals[0];
  }

  // ---- tables

  void add_table(const Node& node) {
    model::Table table;
    table.name = dashed(node.label);
    table.span = node.label_span;
    const Value* hit = node.get("hit");
    if (hit == nullptr) return;
    table.hit = hit->text == "unique"  ? model::Hit::unique
                : hit->text == "first" ? model::Hit::first
                                       : model::Hit::collect;
    std::vector<Known> outputs;
    for (const Node* row : node.all("row")) {
      add_row(*row, table);
      for (const model::Assignment& set : table.rows.back().sets) add_output(set, table, row->label_span, outputs);
    }
    for (Known& output : outputs) merge(std::move(output), table);
    policy_.tables.push_back(std::move(table));
  }

  void add_row(const Node& node, model::Table& table) {
    model::Row row;
    row.id = node.label;
    row.span = node.label_span;
    if (const auto reason = node.text("reason")) row.reason = reason->value;
    if (const auto cite = node.text("cite")) row.cite = cite->value;
    for (const model::Table& other : policy_.tables)
      for (const model::Row& r : other.rows)
        if (r.id == row.id)
          diagnostics_.add(Code::duplicate_name, row.span, "two rows are named " + quoted(row.id))
              .labels.push_back({r.span, "the first"});
    if (const ast::Conditional* conditional = when(node)) {
      row.when = terms(conditional->condition);
      for (const ast::Item& item : conditional->body.items) {
        if (const auto* setting = std::get_if<ast::Setting>(&item.value)) assign(*setting, table, row);
        else
          report(Code::unknown_key, conditional->span,
                 "the body of a row's `when` holds outputs, `name = value`, and nothing else");
      }
    }
    table.rows.push_back(std::move(row));
  }

  void assign(const ast::Setting& setting, const model::Table& table, model::Row& row) {
    model::Assignment set{dashed(setting.key.text), {}, false};
    for (const model::Assignment& other : row.sets)
      if (other.output == set.output)
        return report(Code::duplicate_key, setting.key.span, quoted(set.output) + " is set twice");
    if (policy_.fact(set.output) != nullptr)
      return report(Code::duplicate_name, setting.key.span, quoted(set.output) + " is a fact; rows set outputs");
    const Expr* value = &setting.value;
    if (value->kind == Expr::Kind::call) {
      if (!is_prepend(*value, set.output, table)) return;
      value = &value->operands[0];
      set.prepend = true;
    }
    if (auto written = constant(*value)) {
      set.value = std::move(*written);
      row.sets.push_back(std::move(set));
    }
  }

  // `concat("TEXT", output)` of the output itself, which an earlier table has set.
  bool is_prepend(const Expr& call, const std::string& output, const model::Table& table) {
    const auto& args = call.operands;
    const bool shaped = call.text == "concat" && args.size() == 2 && args[0].kind == Expr::Kind::text &&
                        args[1].kind == Expr::Kind::path && dashed(args[1].text) == output;
    if (!shaped) {
      report(Code::wrong_type, call.span,
             "an output is a constant or `concat(\"TEXT\", " + output + ")`, found " + describe(call));
    } else if (table.hit != model::Hit::first) {
      report(Code::conflict, call.span, "`concat` stands in tables with `hit = first` only");
    } else if (find(output) == nullptr) {
      report(Code::unknown_fact, args[1].span, "no earlier table sets " + quoted(output));
    } else {
      return true;
    }
    return false;
  }

  void add_output(const model::Assignment& set, const model::Table& table, Span where, std::vector<Known>& outputs) {
    auto known = std::find_if(outputs.begin(), outputs.end(), [&](const Known& k) { return k.name == set.output; });
    if (known == outputs.end()) {
      const bool collected = table.hit == model::Hit::collect;
      known = outputs.insert(outputs.end(), {set.output, type_of(set.value), {}, false, collected});
    }
    if (known->type != type_of(set.value))
      return report(Code::wrong_type, where,
                    quoted(set.output) + " is " + std::string(noun(known->type)) + " in another row");
    known->any_text = known->any_text || set.prepend;
    if (known->type == FactType::symbol) known->words.push_back(std::get<std::string>(set.value));
  }

  // Makes an output readable for the tables below.
  void merge(Known output, const model::Table& table) {
    const auto present =
        std::find_if(known_.begin(), known_.end(), [&](const Known& k) { return k.name == output.name; });
    if (present == known_.end()) return known_.push_back(std::move(output));
    if (present->type != output.type || present->collected != output.collected)
      return report(Code::conflict, table.span, quoted(output.name) + " is another kind of output in an earlier table");
    present->any_text = present->any_text || output.any_text;
    present->words.insert(present->words.end(), output.words.begin(), output.words.end());
  }

  // ---- invariants

  void add_invariant(const Node& node) {
    const ast::Conditional* conditional = when(node);
    if (conditional == nullptr) return;
    model::Invariant invariant;
    invariant.id = node.label;
    invariant.span = node.label_span;
    if (const auto locked = node.boolean("locked")) invariant.locked = locked->value;
    invariant.when = terms(conditional->condition);
    const auto& items = conditional->body.items;
    const auto* assertion = items.size() == 1 ? std::get_if<ast::Assertion>(&items[0].value) : nullptr;
    if (assertion == nullptr)
      return report(Code::missing_key, conditional->span,
                    "an invariant's `when` holds one `assert TERM, \"…\"` and nothing else");
    if (auto then = term(assertion->condition)) invariant.then = std::move(*then);
    invariant.text = assertion->message.text;
    policy_.invariants.push_back(std::move(invariant));
  }

  const Node& node_;
  const Sources& sources_;
  Diagnostics& diagnostics_;
  model::Policy policy_;
  std::vector<Known> known_;
};

}  // namespace

model::Policy build_policy(const Node& node, const Sources& sources, Diagnostics& diagnostics) {
  return RulesChecker(node, sources, diagnostics).check();
}

}  // namespace muster::sema
