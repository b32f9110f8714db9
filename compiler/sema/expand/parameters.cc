#include "compiler/sema/expand/parameters.h"

#include <algorithm>
#include <array>
#include <map>

#include "compiler/base/text.h"
#include "compiler/base/units.h"
#include "compiler/sema/schema/reader.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/value.h"

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
  Diagnostic& d = diagnostics.add(Code::unknown_symbol, type.span, "unknown type `" + ast::spelling(type) + "`");
  const std::string near = closest(type.name.text, types);
  if (!near.empty() && near != type.name.text)
    d.fixes.push_back({type.name.span, near, "did you mean `" + near + "`?", false});
  d.notes.push_back("types are " + quoted_list(types) + "; write a list as `list(string)`");
  return false;
}

bool mentions_variable(const ast::Expr& e) {
  return e.kind == Kind::variable || std::any_of(e.operands.begin(), e.operands.end(), mentions_variable);
}

// Whether a parameter can be read although an earlier one has no value, which is reported already.
bool is_independent(const ast::Signature& p) {
  return !(p.range && mentions_variable(*p.range)) && !(p.fallback && mentions_variable(*p.fallback));
}

bool in_range(const ast::Expr& value, const ast::Expr& range) {
  if (range.kind == Kind::list)
    return std::any_of(range.operands.begin(), range.operands.end(),
                       [&](const auto& e) { return same_value(value, e); });
  const auto low = order(value, range.operands[0]), high = order(value, range.operands[1]);
  return low && high && *low >= 0 && *high <= 0;
}

// The parameters of one template or file, taking their values in turn.
class Binder {
 public:
  Binder(const Callee& callee, Scope& scope, Evaluator& evaluator, Diagnostics& diagnostics)
      : callee_(callee), scope_(scope), evaluator_(evaluator), diagnostics_(diagnostics) {}

  // The value, if it has the type and lies in the range of `in`. nullopt: reported.
  std::optional<ast::Expr> take(const ast::Signature& p, const Actual* actual) {
    std::optional<ast::Expr> value;
    if (actual != nullptr) value = actual->value ? actual->value : read(p, *actual);
    else if (p.fallback) value = fallback(p);
    else missing(p);
    if (!value || !conforms(p, *value) || (p.range && !within(p, *value))) return std::nullopt;
    return value;
  }

 private:
  // A string is used as it is; other values are written as in a file.
  std::optional<ast::Expr> read(const ast::Signature& p, const Actual& actual) {
    ast::Expr out;
    out.kind = Kind::text;
    out.text = actual.text;
    out.span = actual.span;
    if (p.type.name.text == "string") return out;
    auto value = syntax::parse_value(actual.text, actual.span);
    if (value) {
      const std::size_t before = diagnostics_.size();
      value = evaluator_.value(*value, Scope());
      return diagnostics_.size() == before ? value : std::nullopt;
    }
    wrong_type(p, actual.span, printable(actual.text, 60));
    return std::nullopt;
  }

  std::optional<ast::Expr> fallback(const ast::Signature& p) {
    const std::size_t before = diagnostics_.size();
    ast::Expr out = evaluator_.value(*p.fallback, scope_);
    return diagnostics_.size() == before ? std::optional(std::move(out)) : std::nullopt;
  }

  void missing(const ast::Signature& p) {
    const std::string name = "`" + p.name.text + "`";
    Diagnostic& d = diagnostics_.add(Code::bad_argument, callee_.where.known() ? callee_.where : p.name.span,
                                     callee_.title + " requires a value for " + name);
    if (callee_.where.known()) d.labels.push_back({p.span, "the parameter"});
    if (callee_.options) d.notes.push_back("pass it with `--set " + p.name.text + "=VALUE`");
  }

  bool conforms(const ast::Signature& p, const ast::Expr& value) {
    if (sema::conforms(value, p.type)) return true;
    wrong_type(p, value.span, describe(value));
    return false;
  }

  void wrong_type(const ast::Signature& p, Span where, const std::string& found) {
    const std::string type = ast::spelling(p.type);
    Diagnostic& d = diagnostics_.add(Code::wrong_type, where,
                                     "parameter `" + p.name.text + "` has type " + type + ", found " + found);
    if (!p.fallback || where != p.fallback->span) d.labels.push_back({p.span, "the parameter"});
  }

  bool within(const ast::Signature& p, const ast::Expr& value) {
    const std::size_t before = diagnostics_.size();
    const ast::Expr range = evaluator_.value(*p.range, scope_);
    if (diagnostics_.size() != before) return false;
    const bool shape = range.kind == Kind::list || (range.kind == Kind::operation && range.op == ast::Op::range);
    if (!shape || !is_literal(range)) {
      diagnostics_.add(Code::wrong_type, p.range->span, "`in` must be followed by a range or a list of values");
      return false;
    }
    const auto good = [&](const ast::Expr& e) { return in_range(e, range); };
    const bool each = value.kind == Kind::list;
    if (each ? std::all_of(value.operands.begin(), value.operands.end(), good) : good(value)) return true;
    diagnostics_
        .add(Code::out_of_range, value.span,
             "`" + p.name.text + "` is " + literal_text(value) + ", but must be in " + literal_text(range), "the value")
        .labels.push_back({p.range->span, "the allowed values"});
    return false;
  }

  const Callee& callee_;
  Scope& scope_;
  Evaluator& evaluator_;
  Diagnostics& diagnostics_;
};

}  // namespace

void report_unknown(std::span<const ast::Signature> parameters, const Actual& actual, const std::string& title,
                    Diagnostics& diagnostics) {
  std::vector<std::string_view> names;
  for (const ast::Signature& p : parameters) names.push_back(p.name.text);
  Diagnostic& d =
      diagnostics.add(Code::bad_argument, actual.name_span, title + " has no parameter `" + actual.name + "`");
  const std::string near = closest(actual.name, names);
  if (!near.empty()) d.fixes.push_back({actual.name_span, near, "did you mean `" + near + "`?", false});
  else if (!names.empty()) d.notes.push_back("its parameters are " + quoted_list(names));
}

bool bind(std::span<const ast::Signature> parameters, const std::vector<Actual>& actuals, const Callee& callee,
          Scope& scope, Evaluator& evaluator, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  std::map<std::string_view, const Actual*> given;
  std::map<std::string_view, const ast::Signature*> declared;
  for (const Actual& actual : actuals)
    if (!given.emplace(actual.name, &actual).second)
      diagnostics.add(Code::duplicate_key, actual.name_span, "`" + actual.name + "` is passed twice");
  for (const ast::Signature& p : parameters) {
    const auto [first, fresh] = declared.emplace(p.name.text, &p);
    if (!fresh)
      diagnostics.add(Code::duplicate_name, p.name.span, "parameter `" + p.name.text + "` is declared twice")
          .labels.push_back({first->second->name.span, "first declared here"});
  }
  for (const Actual& actual : actuals)
    if (!declared.contains(actual.name)) report_unknown(parameters, actual, callee.title, diagnostics);
  if (diagnostics.size() != before) return false;
  Binder binder(callee, scope, evaluator, diagnostics);
  bool good = true;
  for (const ast::Signature& p : parameters) {
    if (!good && !is_independent(p)) continue;
    const auto actual = given.find(p.name.text);
    std::optional<ast::Expr> value;
    if (known_type(p.type, diagnostics)) value = binder.take(p, actual == given.end() ? nullptr : actual->second);
    if (value) scope.add(p.name.text, std::move(*value), p.span);
    else good = false;
  }
  return good;
}

}  // namespace muster::sema
