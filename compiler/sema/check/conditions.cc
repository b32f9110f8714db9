#include "compiler/sema/check/conditions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/base/text.h"
#include "compiler/base/units.h"
#include "compiler/sema/schema/reader.h"
#include "compiler/sema/schema/symbols.h"

namespace muster::sema {
namespace {

using ast::Expr;
using ast::Op;
using model::Compare;
using model::Predicate;

constexpr KeySchema facts[] = {
    {"gpu.model", Type::name, "GPU model; case is ignored"},
    {"gpu.memory", Type::size, "memory of one GPU"},
    {"gpu.vendor", Type::symbol, "vendor of the GPU", {}, symbols::vendors},
    {"gpu.compute", Type::number, "CUDA compute capability: 9.0"},
    {"gpu.link", Type::symbol, "how the GPUs of a node are connected", {}, symbols::links},
    {"node.name", Type::name, "host name; only in a `require` of its own"},
    {"node.cpus", Type::integer, "CPU cores of a node"},
    {"node.memory", Type::size, "memory of a node"},
    {"node.disk", Type::size, "local disk of a node"},
    {"cpu.arch", Type::symbol, "processor architecture", {}, symbols::archs},
    {"network.fabric", Type::symbol, "type of the fabric", {}, symbols::fabrics},
    {"network.bandwidth", Type::rate, "network bandwidth of one node"},
    {"pool.zone", Type::name, "placement label"},
    {"pool.preemptible", Type::boolean, "whether the capacity can be preempted"},
};

const KeySchema* find_fact(std::string_view name) {
  for (const KeySchema& fact : facts)
    if (fact.name == name) return &fact;
  return nullptr;
}

bool ordered(Type type) {
  return type == Type::integer || type == Type::size || type == Type::rate || type == Type::number;
}

class ConditionReader {
 public:
  ConditionReader(const Sources& sources, Diagnostics& diagnostics) : sources_(sources), diagnostics_(diagnostics) {}

  std::optional<Predicate> read(const Expr& e) {
    if (e.kind == Expr::Kind::path) return bare(e);
    if (e.kind != Expr::Kind::operation) return not_a_condition(e);
    if (e.op == Op::logical_and) return group(e, Predicate::Kind::all);
    if (e.op == Op::logical_or) return group(e, Predicate::Kind::any);
    if (e.op == Op::logical_not) return negation(e);
    if (const auto compare = comparison(e.op)) return term(e, *compare);
    return not_a_condition(e);
  }

 private:
  std::optional<Predicate> not_a_condition(const Expr& e) {
    diagnostics_.add(Code::wrong_type, e.span, "expected a condition, found " + describe(e))
        .notes.push_back("write a condition such as `gpu.memory >= 80GB`");
    return std::nullopt;
  }

  std::optional<Predicate> group(const Expr& e, Predicate::Kind kind) {
    Predicate out{kind, {}, {}, e.span};
    bool good = true;
    for (const Expr& operand : e.operands) {
      auto inner = read(operand);
      good = good && inner;
      if (inner) out.operands.push_back(std::move(*inner));
    }
    if (!good) return std::nullopt;
    return out;
  }

  // `not fact in [..]` and `not fact` become terms; `not (…)` stays a negation.
  std::optional<Predicate> negation(const Expr& e) {
    auto inner = read(e.operands[0]);
    if (!inner) return std::nullopt;
    if (inner->kind == Predicate::Kind::term) {
      model::Term& term = inner->term;
      const bool flips = term.compare == Compare::in || term.compare == Compare::equal;
      if (flips) {
        term.compare = term.compare == Compare::in ? Compare::not_in : Compare::not_equal;
        term.text = sources_.text(e.span);
        term.span = inner->span = e.span;
        return inner;
      }
    }
    Predicate out{Predicate::Kind::negation, {}, {}, e.span};
    out.operands.push_back(std::move(*inner));
    return out;
  }

  const KeySchema* fact_of(const Expr& e) {
    const KeySchema* fact = e.kind == Expr::Kind::path ? find_fact(e.text) : nullptr;
    if (fact != nullptr) return fact;
    std::vector<std::string_view> names;
    for (const KeySchema& f : facts) names.push_back(f.name);
    Diagnostic& d =
        diagnostics_.add(Code::unknown_fact, e.span,
                         e.kind == Expr::Kind::path ? "unknown fact `" + e.text + "`"
                                                    : "expected a fact on the left side, found " + describe(e));
    const std::string near = e.kind == Expr::Kind::path ? closest(e.text, names) : std::string();
    if (!near.empty()) d.fixes.push_back({e.span, near, "did you mean `" + near + "`?", false});
    else d.notes.push_back("facts are " + quoted_list(names));
    return nullptr;
  }

  std::optional<Predicate> bare(const Expr& e) {
    const KeySchema* fact = fact_of(e);
    if (fact == nullptr) return std::nullopt;
    if (fact->type != Type::boolean) {
      diagnostics_.add(Code::wrong_type, e.span,
                       "`" + e.text + "` is " + std::string(noun(fact->type)) + "; compare it with a value");
      return std::nullopt;
    }
    return Predicate{Predicate::Kind::term, {e.text, Compare::equal, {true}, e.text, e.span}, {}, e.span};
  }

  std::optional<Predicate> term(const Expr& e, Compare compare) {
    const KeySchema* fact = fact_of(e.operands[0]);
    if (fact == nullptr) return std::nullopt;
    const bool order = compare == Compare::less || compare == Compare::at_most || compare == Compare::greater ||
                       compare == Compare::at_least;
    if (order && !ordered(fact->type)) {
      diagnostics_.add(Code::wrong_type, e.span, "`" + std::string(fact->name) + "` cannot be ordered")
          .notes.push_back("use `==`, `!=` or `in`");
      return std::nullopt;
    }
    Predicate out{Predicate::Kind::term,
                  {std::string(fact->name), compare, {}, std::string(sources_.text(e.span)), e.span},
                  {},
                  e.span};
    const Expr& right = e.operands[1];
    if (compare == Compare::in && right.kind != Expr::Kind::list) {
      diagnostics_.add(Code::wrong_type, right.span, "`in` takes a list, found " + describe(right));
      return std::nullopt;
    }
    const std::vector<Expr> one{right};
    for (const Expr& constant : compare == Compare::in ? right.operands : one) {
      const auto value = read_value(constant, *fact, diagnostics_);
      if (!value || !fits(*fact, *value, constant.span)) return std::nullopt;
      out.term.values.push_back(constant_of(*fact, *value));
    }
    return out;
  }

  // The numbers of facts have at most one digit after the point.
  bool fits(const KeySchema& fact, const Value& value, Span span) {
    if (fact.type != Type::number || parse_tenths(value.text)) return true;
    diagnostics_.add(Code::out_of_range, span, "`" + std::string(fact.name) + "` must be a number such as 9.0");
    return false;
  }

  static model::FactValue constant_of(const KeySchema& fact, const Value& value) {
    if (fact.type == Type::boolean) return value.flag;
    if (fact.type == Type::number) return parse_tenths(value.text).value_or(0);
    if (ordered(fact.type)) return value.low;
    return fact.name == "gpu.model" ? lower(value.text) : value.text;
  }

  const Sources& sources_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<model::Compare> comparison(ast::Op op) {
  switch (op) {
    case Op::equal: return Compare::equal;
    case Op::not_equal: return Compare::not_equal;
    case Op::less: return Compare::less;
    case Op::at_most: return Compare::at_most;
    case Op::greater: return Compare::greater;
    case Op::at_least: return Compare::at_least;
    case Op::in: return Compare::in;
    default: return std::nullopt;
  }
}

std::span<const KeySchema> pool_facts() { return facts; }

std::optional<model::Predicate> read_predicate(const ast::Expr& expr, const Sources& sources,
                                               Diagnostics& diagnostics) {
  return ConditionReader(sources, diagnostics).read(expr);
}

}  // namespace muster::sema
