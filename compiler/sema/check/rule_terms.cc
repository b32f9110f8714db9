#include "compiler/sema/check/rule_terms.h"

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

bool orders(Compare compare) {
  return compare == Compare::less || compare == Compare::at_most || compare == Compare::greater ||
         compare == Compare::at_least;
}

bool is_operation(const Expr& e, Op op) { return e.kind == Expr::Kind::operation && e.op == op; }

std::vector<const Expr*> elements(const Expr& list) {
  std::vector<const Expr*> out;
  for (const Expr& e : list.operands) out.push_back(&e);
  return out;
}

}  // namespace

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

void TermReader::report(Code code, Span where, std::string message, std::string label) {
  diagnostics_.add(code, where, std::move(message), std::move(label));
}

void TermReader::check_word(const std::string& word, const std::vector<std::string>& allowed, const std::string& of,
                            Span span) {
  if (std::find(allowed.begin(), allowed.end(), word) != allowed.end()) return;
  const std::vector<std::string_view> list(allowed.begin(), allowed.end());
  Diagnostic& d = diagnostics_.add(Code::unknown_symbol, span, quoted(word) + " is not a value of " + quoted(of));
  if (!list.empty()) d.notes.push_back("values are " + quoted_list(list));
  const std::string near = closest(word, list);
  if (!near.empty()) d.fixes.push_back({span, near, "did you mean " + quoted(near) + "?", false});
}

const Known* TermReader::find(std::string_view name) const {
  for (const Known& known : known_)
    if (known.name == name) return &known;
  return nullptr;
}

// A fact or output by its path; nullptr: reported.
const Known* TermReader::subject(const Expr& e) {
  if (e.kind != Expr::Kind::path) {
    report(Code::rule_condition, e.span, "the left side of a comparison must be a fact, found " + describe(e));
    return nullptr;
  }
  const std::string name = dashed(e.text);
  if (const Known* known = find(name)) return known;
  return unknown(e, name);
}

const Known* TermReader::unknown(const Expr& e, const std::string& name) {
  for (const auto& [output, table] : later)
    if (output == name) {
      report(Code::table_order, e.span, quoted(name) + " is set by the later table " + quoted(table));
      return nullptr;
    }
  std::vector<std::string_view> names;
  for (const Known& known : known_) names.push_back(known.name);
  Diagnostic& d = diagnostics_.add(Code::unknown_fact, e.span,
                                   quoted(name) + " is not a declared fact or an output of an earlier table");
  const std::string near = closest(name, names);
  if (!near.empty()) d.fixes.push_back({e.span, near, "did you mean " + quoted(near) + "?", false});
  return nullptr;
}

std::optional<Constant> TermReader::constant(const Expr& e) {
  if (e.kind == Expr::Kind::boolean) return Constant{e.text == "true", {}};
  if (e.kind == Expr::Kind::variable) return threshold(e);
  if (e.kind == Expr::Kind::text && !e.operands.empty()) return threshold(e.operands.front());
  if (e.kind == Expr::Kind::text || e.is_symbol()) return Constant{e.text, {}};
  std::int64_t n = 0;
  const char* end = e.text.data() + e.text.size();
  const auto [stop, error] = std::from_chars(e.text.data(), end, n);
  if (e.kind == Expr::Kind::number && error == std::errc() && stop == end) return Constant{n, {}};
  report(Code::rule_condition, e.span, "expected a constant or a `$threshold`, found " + describe(e));
  return std::nullopt;
}

std::optional<Constant> TermReader::threshold(const Expr& e) {
  if (e.kind != Expr::Kind::variable) {
    report(Code::unknown_variable, e.span, "strings in rules cannot contain `${…}`");
    return std::nullopt;
  }
  std::vector<std::string_view> names;
  for (const model::Threshold& threshold : policy_.thresholds) {
    if (threshold.name == dashed(e.text)) return Constant{threshold.value, threshold.name};
    names.push_back(threshold.name);
  }
  Diagnostic& d = diagnostics_.add(Code::unknown_variable, e.span, "threshold " + quoted(e.text) + " is not declared");
  const std::string near = closest(e.text, names);
  if (!near.empty()) d.fixes.push_back({e.span, "$" + near, "did you mean " + quoted("$" + near) + "?", false});
  return std::nullopt;
}

bool TermReader::fits(const Known& known, Compare compare, const FactValue& value, Span span) {
  const std::size_t before = diagnostics_.size();
  if (type_of(value) != known.type) {
    report(Code::wrong_type, span,
           quoted(known.name) + " is " + std::string(noun(known.type)) + ", found " + quoted(model::to_string(value)));
  } else if (orders(compare) && (known.type != FactType::integer || known.collected)) {
    report(Code::wrong_type, span,
           quoted(known.name) + " is " + std::string(noun(known.type)) + "; only numbers can be ordered");
  } else if (known.type == FactType::symbol && !known.output) {
    check_word(std::get<std::string>(value), known.symbols, known.name, span);
  }
  return diagnostics_.size() == before;
}

// `fact OP constant`, also below a `not` that inverts `in`.
std::optional<model::Term> TermReader::compared(const Expr& e, bool negated, Span span) {
  const Compare compare = negated ? Compare::not_in : *comparison(e.op);
  const Known* known = subject(e.operands[0]);
  if (known == nullptr) return std::nullopt;
  const Expr& right = e.operands[1];
  const bool listed = e.op == Op::in;
  if (listed && right.kind != Expr::Kind::list) {
    const bool range = is_operation(right, Op::range);
    report(Code::rule_condition, right.span, "`in` requires a list in a rule",
           range ? "write a range with `>=` and `<=`" : "write `[ … ]`");
    return std::nullopt;
  }
  if (listed && right.operands.empty()) {
    report(Code::empty_set, right.span, "the list is empty, so " + quoted(known->name) + " is never in it");
    return std::nullopt;
  }
  model::Term term{known->name, compare, {}, std::string(sources_.text(span)), span};
  for (const Expr* operand : listed ? elements(right) : std::vector{&right}) {
    const auto value = constant(*operand);
    if (!value || !fits(*known, compare, value->value, operand->span)) return std::nullopt;
    term.values.push_back(value->value);
    term.thresholds.push_back(value->threshold);
  }
  return term;
}

std::optional<model::Term> TermReader::bare(const Expr& e, bool value, Span span) {
  const Known* known = subject(e);
  if (known == nullptr) return std::nullopt;
  if (known->type != FactType::boolean || known->collected) {
    report(Code::wrong_type, e.span,
           quoted(known->name) + " is " + std::string(noun(known->type)) + " and is not compared with a value",
           "write `" + known->name + " == …`");
    return std::nullopt;
  }
  return model::Term{known->name, Compare::equal, {FactValue(value)}, std::string(sources_.text(span)), span, {""}};
}

std::optional<model::Term> TermReader::term(const Expr& e) {
  if (e.kind == Expr::Kind::path) return bare(e, true, e.span);
  if (is_operation(e, Op::logical_not)) {
    const Expr& inner = e.operands[0];
    if (inner.kind == Expr::Kind::path) return bare(inner, false, e.span);
    if (is_operation(inner, Op::in)) return compared(inner, true, e.span);
    report(Code::rule_condition, e.span, "`not` can only precede a fact or `… in […]`",
           "invert the comparison, or write two rows");
    return std::nullopt;
  }
  if (e.kind == Expr::Kind::operation && comparison(e.op)) return compared(e, false, e.span);
  if (is_operation(e, Op::logical_or))
    report(Code::rule_condition, e.span, "the condition of a rule cannot use `or`", "write two rows");
  else report(Code::rule_condition, e.span, "a condition must compare one fact with a value, found " + describe(e));
  return std::nullopt;
}

std::vector<model::Term> TermReader::terms(const Expr& e) {
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

}  // namespace muster::sema
