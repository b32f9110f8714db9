#include "compiler/sema/expand/evaluate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "compiler/base/text.h"
#include "compiler/base/units.h"
#include "compiler/model/text.h"
#include "compiler/sema/schema/reader.h"
#include "compiler/syntax/format.h"

namespace muster::sema {
namespace {

using ast::Expr;
using ast::Op;
using Kind = ast::Expr::Kind;

constexpr std::array<std::string_view, 8> functions = {"min", "max", "ceil", "floor", "mod", "len", "concat", "file"};

Expr boolean(bool value, Span span) {
  Expr out;
  out.kind = Kind::boolean;
  out.text = value ? "true" : "false";
  out.span = span;
  return out;
}

Expr number(std::int64_t value, Span span) {
  Expr out;
  out.kind = Kind::number;
  out.text = std::to_string(value);
  out.span = span;
  return out;
}

// Without its operands, which are to be replaced.
Expr shell_of(const Expr& e) {
  Expr out;
  out.kind = e.kind;
  out.op = e.op;
  out.span = e.span;
  out.text = e.text;
  out.tag = e.tag;
  return out;
}

bool is_true(const Expr& e) { return e.kind == Kind::boolean && e.text == "true"; }
bool is_false(const Expr& e) { return e.kind == Kind::boolean && e.text == "false"; }

std::optional<double> plain_number(const Expr& e) {
  double value = 0;
  if (e.kind != Kind::number) return std::nullopt;
  const auto [end, error] = std::from_chars(e.text.data(), e.text.data() + e.text.size(), value);
  return error == std::errc() && end == e.text.data() + e.text.size() ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> whole_number(const Expr& e) {
  std::int64_t value = 0;
  if (e.kind != Kind::number) return std::nullopt;
  const auto [end, error] = std::from_chars(e.text.data(), e.text.data() + e.text.size(), value);
  return error == std::errc() && end == e.text.data() + e.text.size() ? std::optional(value) : std::nullopt;
}

bool compares(Op op) {
  return op == Op::equal || op == Op::not_equal || op == Op::less || op == Op::at_most || op == Op::greater ||
         op == Op::at_least || op == Op::in;
}

bool arithmetic(Op op) { return op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::divide; }

}  // namespace

void Scope::add(std::string name, Expr value, Span declared) {
  const Weight weight = weigh(value);
  entries.insert_or_assign(std::move(name), Entry{std::move(value), declared, weight});
}

const Scope::Entry* Scope::find(const std::string& name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer) {
    if (const auto found = scope->entries.find(name); found != scope->entries.end()) return &found->second;
    if (scope->late.contains(name)) return nullptr;
  }
  return nullptr;
}

bool Scope::is_late(const std::string& name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer)
    if (scope->late.contains(name)) return find(name) == nullptr;
  return false;
}

bool is_function(std::string_view name) {
  return std::find(functions.begin(), functions.end(), name) != functions.end();
}

bool is_literal(const Expr& expr) {
  switch (expr.kind) {
    case Kind::number:
    case Kind::quantity:
    case Kind::boolean:
    case Kind::ratio:
    case Kind::heredoc: return true;
    case Kind::text:
      return std::all_of(expr.operands.begin(), expr.operands.end(), [](const Expr& e) { return is_run_name(e.text); });
    case Kind::path: return expr.is_symbol();
    case Kind::list: return std::all_of(expr.operands.begin(), expr.operands.end(), is_literal);
    case Kind::operation: return expr.op == Op::range && is_literal(expr.operands[0]) && is_literal(expr.operands[1]);
    case Kind::variable:
    case Kind::call:
    case Kind::choice: return false;
  }
  return false;
}

std::optional<int> order(const Expr& a, const Expr& b) {
  if (const auto x = plain_number(a), y = plain_number(b); x && y) return *x < *y ? -1 : *x > *y ? 1 : 0;
  if (a.kind != Kind::quantity || b.kind != Kind::quantity) return std::nullopt;
  const auto left = parse_quantity(a.text), right = parse_quantity(b.text);
  const auto *x = std::get_if<Quantity>(&left), *y = std::get_if<Quantity>(&right);
  if (x == nullptr || y == nullptr || x->index() != y->index()) return std::nullopt;
  return *x < *y ? -1 : *y < *x ? 1 : 0;
}

bool same_value(const Expr& a, const Expr& b) {
  if (const auto difference = order(a, b)) return *difference == 0;
  const auto word = [](const Expr& e) { return e.kind == Kind::text || e.is_symbol(); };
  if (a.kind != b.kind && !(word(a) && word(b))) return false;
  const bool places = a.kind == Kind::text;  // of run references
  const auto same = [&](const Expr& x, const Expr& y) { return same_value(x, y) && (!places || x.at == y.at); };
  return a.text == b.text && (word(a) || a.tag == b.tag) && a.operands.size() == b.operands.size() &&
         std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(), same);
}

bool is_run_name(std::string_view name) { return model::run_reference(name).has_value(); }

std::optional<std::string> shown(const Expr& e) {
  if (e.kind == Kind::text && !e.operands.empty()) return std::nullopt;
  if (e.kind == Kind::ratio) return e.text + ":" + e.tag;
  const bool plain = e.kind == Kind::text || e.kind == Kind::number || e.kind == Kind::quantity ||
                     e.kind == Kind::boolean || e.is_symbol();
  return plain ? std::optional(e.text) : std::nullopt;
}

std::string literal_text(const Expr& e) {
  constexpr std::size_t most = 60;
  std::string out;
  if (e.kind == Kind::list) {
    for (const Expr& part : e.operands) {
      out += (out.empty() ? "[" : ", ") + literal_text(part);
      if (out.size() > most) return out + ", …]";
    }
    return out.empty() ? "[]" : out + "]";
  }
  if (e.kind == Kind::operation && e.op == Op::range)
    return literal_text(e.operands[0]) + ".." + literal_text(e.operands[1]);
  if (e.kind == Kind::text && !e.operands.empty()) return syntax::interpolated(e);
  if (e.kind == Kind::text) return syntax::quote(printable(e.text, most));
  return shown(e).value_or(describe(e));
}

Expr Evaluator::wrong(const Expr& expr, const std::string& message) {
  diagnostics_.add(Code::wrong_type, expr.span, message);
  return boolean(false, expr.span);
}

Expr Evaluator::value(const Expr& expr, const Scope& scope) {
  if (!budget_.spend({1, 0, 0}, expr.span)) return boolean(false, expr.span);
  switch (expr.kind) {
    case Kind::variable: return variable(expr, scope);
    case Kind::text:
      if (!expr.operands.empty()) return text(expr, scope);
      budget_.spend_text(expr.text.size(), expr.span);
      return expr;
    case Kind::operation: return operation(expr, scope);
    case Kind::choice: {
      const auto chosen = truth(expr.operands[0], scope);
      return chosen ? value(expr.operands[*chosen ? 1 : 2], scope) : boolean(false, expr.span);
    }
    case Kind::list:
    case Kind::call: {
      if (auto rounded = rounded_division(expr, scope)) return std::move(*rounded);
      Expr out = shell_of(expr);
      for (const Expr& operand : expr.operands) out.operands.push_back(value(operand, scope));
      return out.kind == Kind::call ? call(std::move(out)) : out;
    }
    default: budget_.spend_text(expr.text.size(), expr.span); return expr;
  }
}

std::optional<bool> Evaluator::truth(const Expr& expr, const Scope& scope) {
  const std::size_t before = diagnostics_.size();
  const Expr out = value(expr, scope);
  if (diagnostics_.size() != before) return std::nullopt;
  if (out.kind == Kind::boolean) return out.text == "true";
  diagnostics_.add(Code::wrong_type, expr.span, "this must be known before placement, found " + describe(out))
      .notes.push_back("compare parameters, such as `$nodes > 1`; facts of a pool can only be used in `require`");
  return std::nullopt;
}

std::string Evaluator::sides(const Expr& expr, const Scope& scope) {
  if (expr.kind != Kind::operation || expr.op == Op::logical_or || expr.operands.size() < 2) return {};
  if (expr.op == Op::logical_and) {
    for (const Expr& operand : expr.operands)
      if (const Expr part = value(operand, scope); is_false(part)) return sides(operand, scope);
    return {};
  }
  const Expr left = value(expr.operands[0], scope), right = value(expr.operands[1], scope);
  if (!is_literal(left) || !is_literal(right) || arithmetic(expr.op) || expr.op == Op::range) return {};
  return "the left side is " + literal_text(left) + ", the right side " + literal_text(right);
}

Expr Evaluator::variable(const Expr& expr, const Scope& scope) {
  if (const Scope::Entry* entry = scope.find(expr.text)) {
    if (!budget_.spend(entry->weight, expr.span)) return boolean(false, expr.span);
    Expr out = entry->value;
    out.span = expr.span;  // the place of use, where a wrong type is reported
    return out;
  }
  if (scope.is_late(expr.text)) return expr;
  std::vector<std::string_view> names;
  for (const Scope* s = &scope; s != nullptr; s = s->outer)
    for (const auto& [name, entry] : s->entries) names.push_back(name);
  std::sort(names.begin(), names.end());
  Diagnostic& d = diagnostics_.add(Code::unknown_variable, expr.span, "parameter `" + expr.text + "` is not declared");
  const std::string near = closest(expr.text, names);
  if (!near.empty()) d.notes.push_back("did you mean `$" + near + "`?");
  else d.notes.push_back("for a literal dollar sign, write '$" + expr.text + "' or \"\\$" + expr.text + "\"");
  return boolean(false, expr.span);
}

Expr Evaluator::text(const Expr& expr, const Scope& scope) {
  Expr out = shell_of(expr);
  out.text.clear();
  out.at = 0;
  std::size_t from = 0;
  const auto take_to = [&](std::size_t end) {
    if (out.at == 0 && expr.at > from && expr.at <= end)
      out.at = static_cast<std::uint32_t>(out.text.size() + expr.at - from);
    out.text.append(expr.text, from, end - from);
    from = end;
  };
  for (const Expr& hole : expr.operands) {
    take_to(hole.at);
    const Expr filled = is_run_name(hole.text) ? hole : variable(hole, scope);
    if (!append(out, filled))
      return wrong(hole, "`" + hole.text + "` is " + describe(filled) + ", which cannot be part of a string");
    if (!budget_.allow_text(out.text.size(), expr.span)) return out;
  }
  take_to(expr.text.size());
  budget_.spend_text(out.text.size(), expr.span);
  return out;
}

// Appends a value to a text; what only the run knows stays a reference in it. False: it has no bytes.
bool Evaluator::append(Expr& text, const Expr& value) {
  const auto add = [&](const Expr& reference, std::size_t at) {
    text.operands.push_back(reference);
    text.operands.back().at = static_cast<std::uint32_t>(at);
  };
  if (value.kind == Kind::variable) return add(value, text.text.size()), true;
  if (value.kind != Kind::text) {
    const auto bytes = shown(value);
    if (bytes) text.text += *bytes;
    return bytes.has_value();
  }
  for (const Expr& reference : value.operands) add(reference, text.text.size() + reference.at);
  if (text.at == 0 && value.at > 0) text.at = static_cast<std::uint32_t>(text.text.size() + value.at);
  text.text += value.text;
  return true;
}

Expr Evaluator::operation(const Expr& expr, const Scope& scope) {
  if (expr.op == Op::logical_and || expr.op == Op::logical_or || expr.op == Op::logical_not)
    return logical(expr, scope);
  if (const Expr& left = expr.operands[0]; compares(expr.op) && left.is_symbol() && scope.find(left.text) != nullptr) {
    diagnostics_
        .add(Code::wrong_type, left.span, "`" + left.text + "` is a symbol here, not the parameter of that name")
        .fixes.push_back({left.span, "$" + left.text, "write a parameter with a dollar sign", true});
    return boolean(false, expr.span);
  }
  Expr out = shell_of(expr);
  for (const Expr& operand : expr.operands) out.operands.push_back(value(operand, scope));
  const bool known = std::all_of(out.operands.begin(), out.operands.end(), is_literal);
  if (!known || expr.op == Op::range || budget_.spent()) return out;
  return arithmetic(expr.op) || expr.op == Op::negate ? fold(out, diagnostics_) : comparison(std::move(out));
}

// Decided parts are removed, so that a condition keeps only what depends on the pool.
Expr Evaluator::logical(const Expr& expr, const Scope& scope) {
  Expr out = shell_of(expr);
  const bool all = expr.op == Op::logical_and;
  for (const Expr& operand : expr.operands) {
    Expr part = value(operand, scope);
    if (part.kind != Kind::boolean) {
      out.operands.push_back(std::move(part));
      continue;
    }
    if (expr.op == Op::logical_not) return boolean(!is_true(part), expr.span);
    if (all ? is_false(part) : is_true(part)) return boolean(!all, expr.span);
  }
  if (out.operands.empty()) return boolean(all, expr.span);
  return out.operands.size() == 1 && expr.op != Op::logical_not ? std::move(out.operands[0]) : out;
}

Expr Evaluator::comparison(Expr expr) {
  const Expr &a = expr.operands[0], &b = expr.operands[1];
  if (expr.op == Op::equal || expr.op == Op::not_equal)
    return boolean(same_value(a, b) == (expr.op == Op::equal), expr.span);
  if (expr.op == Op::in) {
    if (b.kind == Kind::list)
      return boolean(std::any_of(b.operands.begin(), b.operands.end(), [&](const Expr& e) { return same_value(a, e); }),
                     expr.span);
    const auto low = order(a, b.operands.empty() ? b : b.operands[0]);
    const auto high = order(a, b.operands.empty() ? b : b.operands[1]);
    if (b.kind == Kind::operation && low && high) return boolean(*low >= 0 && *high <= 0, expr.span);
    return wrong(expr, "`in` requires a list or a range of the same type");
  }
  const auto difference = order(a, b);
  if (!difference)
    return wrong(expr,
                 "`" + std::string(ast::spelling(expr.op)) + "` cannot order " + describe(a) + " and " + describe(b));
  switch (expr.op) {
    case Op::less: return boolean(*difference < 0, expr.span);
    case Op::at_most: return boolean(*difference <= 0, expr.span);
    case Op::greater: return boolean(*difference > 0, expr.span);
    default: return boolean(*difference >= 0, expr.span);
  }
}

// `floor(a / b)` and `ceil(a / b)`: the quotient alone need not be a whole number.
std::optional<Expr> Evaluator::rounded_division(const Expr& expr, const Scope& scope) {
  const bool up = expr.text == "ceil";
  if (expr.kind != Kind::call || (!up && expr.text != "floor") || expr.operands.size() != 1) return std::nullopt;
  const Expr& division = expr.operands[0];
  if (division.kind != Kind::operation || division.op != Op::divide) return std::nullopt;
  const std::size_t before = diagnostics_.size();
  const Expr left = value(division.operands[0], scope), right = value(division.operands[1], scope);
  if (diagnostics_.size() != before) return boolean(false, expr.span);
  return rounded_quotient(left, right, up, expr.span);
}

// Any other call may be `bash("…")`, which the checker reads.
Expr Evaluator::call(Expr expr) {
  if (!is_function(expr.text)) return expr;
  if (!std::all_of(expr.operands.begin(), expr.operands.end(), is_literal) || budget_.spent()) return expr;
  if (expr.text == "concat") return concat(expr);
  if (expr.text == "file") return file(expr);
  return expr.text == "min" || expr.text == "max" ? extreme(expr) : arithmetic_call(expr);
}

Expr Evaluator::concat(const Expr& expr) {
  Expr out;
  out.kind = Kind::text;
  out.span = expr.span;
  for (const Expr& part : expr.operands) {
    if (!append(out, part)) return wrong(part, "`concat` takes strings, numbers and symbols, found " + describe(part));
    if (!budget_.allow_text(out.text.size(), expr.span)) return out;
  }
  budget_.spend_text(out.text.size(), expr.span);
  return out;
}

// The bytes were read before, for literal paths only: a computed path cannot name a file.
Expr Evaluator::file(const Expr& expr) {
  const std::string* bytes = nullptr;
  if (texts_ != nullptr && expr.operands.size() == 1 && expr.operands[0].kind == Kind::text) {
    const auto of_file = texts_->find(expr.span.file);
    if (of_file != texts_->end())
      if (const auto found = of_file->second.find(expr.operands[0].text); found != of_file->second.end())
        bytes = &found->second;
  }
  if (bytes == nullptr) return wrong(expr, "`file` takes one literal path, as in `file(\"train.sh\")`");
  Expr out;
  out.kind = Kind::text;
  out.span = expr.span;
  if (!budget_.allow_text(bytes->size(), expr.span)) return out;
  budget_.spend_text(bytes->size(), expr.span);
  out.text = *bytes;
  out.tag = interpreter_of(expr.operands[0].text, out.text);
  return out;
}

Expr Evaluator::arithmetic_call(const Expr& expr) {
  const std::vector<Expr>& given = expr.operands;
  if (expr.text == "mod") {
    const auto a = given.size() == 2 ? whole_number(given[0]) : std::nullopt;
    const auto b = given.size() == 2 ? whole_number(given[1]) : std::nullopt;
    if (!a || !b || *b == 0 || *b == -1)
      return wrong(expr, "`mod` takes two whole numbers, and the second must not be 0");
    return number(*a % *b, expr.span);
  }
  if (expr.text == "len") {
    if (given.size() == 1 && given[0].kind == Kind::list)
      return number(static_cast<std::int64_t>(given[0].operands.size()), expr.span);
    if (given.size() == 1 && given[0].kind == Kind::text && !given[0].operands.empty())
      return wrong(expr, "the length of a string with run references is not known here");
    if (given.size() == 1 && given[0].kind == Kind::text)
      return number(static_cast<std::int64_t>(given[0].text.size()), expr.span);
    return wrong(expr, "`len` takes one list or string");
  }
  const auto x = given.size() == 1 ? plain_number(given[0]) : std::nullopt;
  if (!x || std::abs(*x) > 1e15) return wrong(expr, "`" + expr.text + "` takes one number");
  return number(static_cast<std::int64_t>(expr.text == "ceil" ? std::ceil(*x) : std::floor(*x)), expr.span);
}

// min and max; a list counts as its elements.
Expr Evaluator::extreme(const Expr& expr) {
  const bool list = expr.operands.size() == 1 && expr.operands[0].kind == Kind::list;
  const std::vector<Expr>& among = list ? expr.operands[0].operands : expr.operands;
  const std::string name = "`" + expr.text + "`";
  if (among.empty()) return wrong(expr, name + " takes at least one value");
  Expr best = among[0];
  for (const Expr& candidate : among) {
    const auto difference = order(candidate, best);
    if (!difference) return wrong(candidate, name + " cannot order " + describe(candidate) + " and " + describe(best));
    if (expr.text == "min" ? *difference < 0 : *difference > 0) best = candidate;
  }
  best.span = expr.span;
  return best;
}

}  // namespace muster::sema
