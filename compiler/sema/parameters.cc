#include "compiler/sema/parameters.h"

#include <algorithm>
#include <array>
#include <set>

#include "compiler/base/text.h"
#include "compiler/base/units.h"
#include "compiler/sema/reader.h"

namespace muster::sema {
namespace {

using Kind = ast::Expr::Kind;

constexpr std::array<std::string_view, 9> types = {"int",  "number",   "bool", "string", "symbol",
                                                   "size", "duration", "rate", "list"};

bool is_quantity(const ast::Expr& e, std::size_t index) {
  if (e.kind != Kind::quantity) return false;
  const auto parsed = parse_quantity(e.text);
  const auto* quantity = std::get_if<Quantity>(&parsed);
  return quantity != nullptr && quantity->index() == index;
}

bool conforms(const ast::Expr& e, std::string_view type) {
  if (type == "int") return e.kind == Kind::number && e.text.find_first_of(".eE") == std::string::npos;
  if (type == "number") return e.kind == Kind::number;
  if (type == "bool") return e.kind == Kind::boolean;
  if (type == "string") return e.kind == Kind::text;
  if (type == "symbol") return e.is_symbol();
  if (type == "size") return is_quantity(e, 0);
  if (type == "duration") return is_quantity(e, 1);
  return type == "rate" && is_quantity(e, 2);
}

bool conforms(const ast::Expr& e, const ast::TypeName& type) {
  if (type.name.text != "list") return conforms(e, type.name.text);
  return e.kind == Kind::list &&
         std::all_of(e.operands.begin(), e.operands.end(), [&](const auto& o) { return conforms(o, type.element); });
}

bool known_type(const ast::TypeName& type, Diagnostics& diagnostics) {
  const auto known = [](std::string_view name) { return std::find(types.begin(), types.end(), name) != types.end(); };
  const bool list = type.name.text == "list";
  if (known(type.name.text) && list == !type.element.empty() &&
      (!list || (known(type.element) && type.element != "list")))
    return true;
  Diagnostic& d = diagnostics.add(Code::unknown_symbol, type.span, "there is no type `" + spelling(type) + "`");
  d.notes.push_back("types are " + quoted_list(types) + ", the last as `list(string)`");
  return false;
}

bool in_range(const ast::Expr& value, const ast::Expr& range) {
  if (range.kind == Kind::list)
    return std::any_of(range.operands.begin(), range.operands.end(),
                       [&](const auto& e) { return same_value(value, e); });
  const auto low = order(value, range.operands[0]), high = order(value, range.operands[1]);
  return low && high && *low >= 0 && *high <= 0;
}

std::string text_of(const ast::Expr& e) { return shown(e).value_or(describe(e)); }

std::string range_text(const ast::Expr& range) {
  if (range.kind != Kind::list) return text_of(range.operands[0]) + ".." + text_of(range.operands[1]);
  std::string out;
  for (const ast::Expr& e : range.operands) out += (out.empty() ? "" : ", ") + text_of(e);
  return "[" + out + "]";
}

// The value where it is good: of the type, and within what `in` says. False: reported.
bool accept(const ast::Signature& p, const ast::Expr& value, const Scope& scope, Evaluator& evaluator,
            Diagnostics& diagnostics) {
  if (!conforms(value, p.type)) {
    diagnostics
        .add(Code::wrong_type, value.span,
             "parameter `" + p.name.text + "` is of type " + spelling(p.type) + ", found " + describe(value))
        .labels.push_back({p.span, "the parameter"});
    return false;
  }
  if (!p.range) return true;
  const ast::Expr range = evaluator.value(*p.range, scope);
  const bool usable = range.kind == Kind::list || (range.kind == Kind::operation && range.op == ast::Op::range);
  if (!usable || !is_literal(range)) {
    diagnostics.add(Code::wrong_type, p.range->span, "after `in` stands a range or a list of values");
    return false;
  }
  const auto good = [&](const ast::Expr& e) { return in_range(e, range); };
  const bool fits =
      value.kind == Kind::list ? std::all_of(value.operands.begin(), value.operands.end(), good) : good(value);
  if (fits) return true;
  diagnostics
      .add(Code::out_of_range, value.span,
           "`" + p.name.text + "` is " + text_of(value) + ", and it must lie in " + range_text(range))
      .labels.push_back({p.range->span, "the bounds"});
  return false;
}

void report_unknown(std::span<const ast::Signature> parameters, const Actual& actual, const std::string& of,
                    Diagnostics& diagnostics) {
  std::vector<std::string_view> names;
  for (const ast::Signature& p : parameters) names.push_back(p.name.text);
  Diagnostic& d = diagnostics.add(Code::bad_argument, actual.name_span, of + " has no parameter `" + actual.name + "`");
  const std::string near = closest(actual.name, names);
  if (!near.empty()) d.notes.push_back("did you mean `" + near + "`?");
  else if (!names.empty()) d.notes.push_back("it has " + quoted_list(names));
}

ast::Expr as_text(const Actual& actual) {
  ast::Expr out;
  out.kind = Kind::text;
  out.text = actual.spelt;
  out.span = actual.value.span;
  return out;
}

}  // namespace

std::string spelling(const ast::TypeName& type) {
  return type.element.empty() ? type.name.text : type.name.text + "(" + type.element + ")";
}

void bind(std::span<const ast::Signature> parameters, const std::vector<Actual>& actuals, const std::string& of,
          Span where, Scope& scope, Evaluator& evaluator, Diagnostics& diagnostics) {
  for (const Actual& actual : actuals) {
    const auto named = [&](const auto& p) { return p.name.text == actual.name; };
    if (std::none_of(parameters.begin(), parameters.end(), named)) report_unknown(parameters, actual, of, diagnostics);
  }
  std::set<std::string> seen;
  for (const ast::Signature& p : parameters) {
    if (!seen.insert(p.name.text).second) {
      diagnostics.add(Code::duplicate_name, p.name.span, "there are two parameters `" + p.name.text + "`");
      continue;
    }
    if (!known_type(p.type, diagnostics)) continue;
    const auto given =
        std::find_if(actuals.begin(), actuals.end(), [&](const Actual& a) { return a.name == p.name.text; });
    if (given == actuals.end() && !p.fallback) {
      diagnostics.add(Code::bad_argument, where, of + " needs a value for `" + p.name.text + "`")
          .labels.push_back({p.span, "the parameter"});
      continue;
    }
    const bool spelt = given != actuals.end() && !given->spelt.empty() && p.type.name.text == "string" &&
                       given->value.kind != Kind::text;
    ast::Expr value = given == actuals.end() ? evaluator.value(*p.fallback, scope)
                      : spelt                ? as_text(*given)
                                             : given->value;
    if (accept(p, value, scope, evaluator, diagnostics))
      scope.entries.push_back({p.name.text, std::move(value), p.span});
  }
}

}  // namespace muster::sema
