#include "plan/pools/conditions.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "compiler/base/in_one_unit.h"
#include "compiler/base/text.h"
#include "compiler/base/units.h"

namespace muster::plan {
namespace {

using model::Compare;
using model::Predicate;

constexpr std::string_view node_name = "node.name";

// The names of a term, bracket forms spelt out, sorted.
std::vector<std::string> names_of(const model::Term& term) {
  std::vector<std::string> names;
  for (const model::FactValue& value : term.values) {
    const std::string text = model::to_string(value);
    auto expanded = expand_hosts(text);
    if (!expanded) expanded = {text};
    names.insert(names.end(), expanded->begin(), expanded->end());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void add_names(NodeNames& nodes, const model::Term& term, bool wanted, Span span) {
  if (!nodes.span.known()) nodes.span = span;
  std::vector<std::string> names = names_of(term), merged;
  if (!wanted) {
    std::set_union(nodes.not_.begin(), nodes.not_.end(), names.begin(), names.end(), std::back_inserter(merged));
    nodes.not_ = std::move(merged);
    return;
  }
  nodes.only_span = span;
  if (nodes.only) {
    std::set_intersection(nodes.only->begin(), nodes.only->end(), names.begin(), names.end(),
                          std::back_inserter(merged));
    names = std::move(merged);
  }
  nodes.only = std::move(names);
}

// Whether the conjunct is a plain condition on node.name, which is then taken; `not` turns it round.
bool take_node_names(const Predicate& conjunct, NodeNames& nodes) {
  const bool negated = conjunct.kind == Predicate::Kind::negation;
  const Predicate& inner = negated ? conjunct.operands[0] : conjunct;
  if (inner.kind != Predicate::Kind::term || inner.term.fact != node_name) return false;
  const Compare compare = inner.term.compare;
  const bool names = compare == Compare::equal || compare == Compare::in;
  if (!names && compare != Compare::not_equal && compare != Compare::not_in) return false;
  add_names(nodes, inner.term, names != negated, conjunct.span.known() ? conjunct.span : inner.term.span);
  return true;
}

void take_conjunct(const Predicate& predicate, Conditions& out) {
  if (predicate.kind == Predicate::Kind::all) {
    for (const Predicate& operand : predicate.operands) take_conjunct(operand, out);
  } else if (take_node_names(predicate, out.nodes)) {
    return;
  } else if (mentions(predicate, node_name)) {
    out.misplaced.push_back(predicate.span.known() ? predicate.span : predicate.term.span);
  } else {
    out.of_pool.push_back(with_lower_models(predicate));
  }
}

std::string_view sign(Compare compare) {
  switch (compare) {
    case Compare::equal: return "==";
    case Compare::not_equal: return "!=";
    case Compare::less: return "<";
    case Compare::at_most: return "<=";
    case Compare::greater: return ">";
    case Compare::at_least: return ">=";
    case Compare::in: return "in";
    case Compare::not_in: return "not in";
  }
  return "==";
}

bool is_size(std::string_view fact) { return fact.ends_with(".memory") || fact.ends_with(".disk"); }

bool is_rate(std::string_view fact) { return fact.ends_with(".bandwidth"); }

// Of amounts with units the text is printed anew, so that both sides have one unit.
bool is_amount(std::string_view fact) { return is_size(fact) || is_rate(fact); }

const model::Term* first_term_on(const Predicate& predicate, std::string_view fact) {
  if (predicate.kind == Predicate::Kind::term)
    return predicate.term.fact == fact && !predicate.term.values.empty() ? &predicate.term : nullptr;
  for (const Predicate& operand : predicate.operands)
    if (const model::Term* found = first_term_on(operand, fact)) return found;
  return nullptr;
}

std::string describe_term(const model::Term& term) {
  if (!term.text.empty() && !is_amount(term.fact)) return term.text;
  std::string values;
  for (const model::FactValue& value : term.values) values += (values.empty() ? "" : ", ") + describe(term.fact, value);
  if (term.compare == Compare::in || term.compare == Compare::not_in) values = "[" + values + "]";
  return term.fact + " " + std::string(sign(term.compare)) + " " + values;
}

}  // namespace

bool NodeNames::takes(std::string_view node) const {
  if (only && !std::binary_search(only->begin(), only->end(), node)) return false;
  return !std::binary_search(not_.begin(), not_.end(), node);
}

bool takes_any(const NodeNames& nodes, const HostNames& hosts) {
  const auto is_here = [&](const std::string& name) { return hosts.find(name).has_value(); };
  if (nodes.only)
    return std::any_of(nodes.only->begin(), nodes.only->end(),
                       [&](const std::string& name) { return nodes.takes(name) && is_here(name); });
  const auto excluded = std::count_if(nodes.not_.begin(), nodes.not_.end(), is_here);
  return static_cast<std::size_t>(excluded) < hosts.size();
}

bool is_node_of(const model::Fleet& fleet, std::string_view name) {
  return std::any_of(fleet.pools.begin(), fleet.pools.end(),
                     [&](const model::Pool& pool) { return pool.node_names.find(name).has_value(); });
}

std::string nearest_node(const model::Fleet& fleet, std::string_view name) {
  std::vector<std::string> names;
  for (const model::Pool& pool : fleet.pools) {
    const std::vector<std::string> own = pool.node_names.all();
    names.insert(names.end(), own.begin(), own.end());
  }
  std::sort(names.begin(), names.end());
  const std::vector<std::string_view> known(names.begin(), names.end());
  return closest(name, known);
}

Conditions take_apart(const model::Role& role) {
  Conditions out;
  for (const Predicate& predicate : role.requires_) take_conjunct(predicate, out);
  return out;
}

bool mentions(const Predicate& predicate, std::string_view fact) {
  if (predicate.kind == Predicate::Kind::term) return predicate.term.fact == fact;
  return std::any_of(predicate.operands.begin(), predicate.operands.end(),
                     [&](const Predicate& operand) { return mentions(operand, fact); });
}

Predicate with_lower_models(Predicate predicate) {
  if (predicate.term.fact == "gpu.model")
    for (model::FactValue& value : predicate.term.values)
      if (std::string* text = std::get_if<std::string>(&value)) *text = lower(*text);
  for (Predicate& operand : predicate.operands) operand = with_lower_models(std::move(operand));
  return predicate;
}

std::string describe(const Predicate& predicate) {
  using Kind = Predicate::Kind;
  if (predicate.kind == Kind::term) return describe_term(predicate.term);
  if (predicate.kind == Kind::negation) {
    const Predicate& inner = predicate.operands[0];
    return inner.kind == Kind::term ? "not " + describe(inner) : "not (" + describe(inner) + ")";
  }
  std::string out;
  for (const Predicate& operand : predicate.operands) {
    const bool brackets = operand.kind == Kind::any || operand.kind == Kind::all;
    if (!out.empty()) out += predicate.kind == Kind::all ? " and " : " or ";
    out += brackets ? "(" + describe(operand) + ")" : describe(operand);
  }
  return out;
}

std::vector<std::string_view> facts_read(const Predicate& predicate) {
  if (predicate.kind == Predicate::Kind::term) return {predicate.term.fact};
  std::vector<std::string_view> out;
  for (const Predicate& operand : predicate.operands)
    for (std::string_view fact : facts_read(operand))
      if (std::find(out.begin(), out.end(), fact) == out.end()) out.push_back(fact);
  return out;
}

std::string describe(std::string_view fact, const model::FactValue& value) {
  if (const std::int64_t* number = std::get_if<std::int64_t>(&value)) {
    if (is_size(fact)) return to_string(Size{*number});
    if (is_rate(fact)) return to_string(Rate{*number});
    if (fact == "gpu.compute") return tenths_text(*number);
  }
  return model::to_string(value);
}

std::string describe(std::string_view fact, const model::FactValue& value, const Predicate& predicate) {
  const std::int64_t* number = std::get_if<std::int64_t>(&value);
  const model::Term* term = first_term_on(predicate, fact);
  const auto* other = term == nullptr ? nullptr : std::get_if<std::int64_t>(&term->values.front());
  if (number == nullptr || other == nullptr || !is_amount(fact)) return describe(fact, value);
  return is_size(fact) ? in_unit_of(Size{*number}, Size{*other}) : in_unit_of(Rate{*number}, Rate{*other});
}

}  // namespace muster::plan
