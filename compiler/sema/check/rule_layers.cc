// The order of layers, and the checks of the merged policy.
#include <algorithm>
#include <optional>

#include "compiler/base/text.h"
#include "compiler/sema/check/check_rules.h"

namespace muster::sema {
namespace {

using model::FactDeclaration;
using model::FactType;
using model::FactValue;

constexpr std::size_t most_layers = 16, most_policies = 64;
constexpr std::size_t most_facts = 64, most_tables = 64, most_rows = 2'000, most_values = 1'000;

// A policy's layers: a built-in policy or none, then blocks, the lowest first.
struct Chain {
  const model::Policy* base = nullptr;
  std::vector<const Node*> nodes;
};

class Linker {
 public:
  Linker(std::span<const Node> nodes, std::span<const model::Policy> built_in, Diagnostics& diagnostics)
      : nodes_(nodes), built_in_(built_in), diagnostics_(diagnostics) {}

  // nullopt: reported.
  std::optional<Chain> chain_of(const Node& node) {
    Chain chain;
    path_.clear();
    if (!add(node, node.label_span, chain)) return std::nullopt;
    return chain;
  }

 private:
  // Depth first; most_layers bounds the recursion.
  bool add(const Node& node, Span asked, Chain& chain) {
    if (std::find(path_.begin(), path_.end(), &node) != path_.end()) {
      diagnostics_.add(Code::cycle, asked,
                       "rules `" + node.label + "` extend themselves, directly or through other rules");
      return false;
    }
    if (path_.size() >= most_layers) {
      diagnostics_.add(Code::rules_too_large, asked,
                       "the rules have more than " + std::to_string(most_layers) + " layers");
      return false;
    }
    path_.push_back(&node);
    bool good = true;
    for (const auto& name : node.texts("extends")) good = good && add(name, chain);
    path_.pop_back();
    if (std::find(chain.nodes.begin(), chain.nodes.end(), &node) == chain.nodes.end()) chain.nodes.push_back(&node);
    return good;
  }

  bool add(const model::Located<std::string>& name, Chain& chain) {
    for (const Node& other : nodes_)
      if (other.label == name.value) return add(other, name.span, chain);
    std::vector<std::string_view> names;
    for (const model::Policy& policy : built_in_) {
      names.push_back(policy.name);
      if (policy.name != name.value) continue;
      if (chain.base == nullptr && chain.nodes.empty()) chain.base = &policy;
      if (chain.base == &policy) return true;
      diagnostics_.add(Code::conflict, name.span,
                       "`" + name.value + "` is a complete policy and must be the first entry of `extends`");
      return false;
    }
    for (const Node& node : nodes_) names.push_back(node.label);
    Diagnostic& d = diagnostics_.add(Code::unknown_name, name.span, "unknown rules `" + name.value + "`");
    const std::string near = closest(name.value, names);
    if (!near.empty()) d.fixes.push_back({name.span, near, "did you mean `" + near + "`?", false});
    return false;
  }

  std::span<const Node> nodes_;
  std::span<const model::Policy> built_in_;
  Diagnostics& diagnostics_;
  std::vector<const Node*> path_;
};

// ---- thresholds

void settle(const model::Policy& policy, const std::string& name, FactValue& value) {
  for (const model::Threshold& threshold : policy.thresholds)
    if (!name.empty() && threshold.name == name) value = threshold.value;
}

void settle(const model::Policy& policy, std::vector<model::Term>& terms) {
  for (model::Term& term : terms)
    for (std::size_t i = 0; i < term.thresholds.size(); ++i) settle(policy, term.thresholds[i], term.values[i]);
}

// ---- conditions that can never be true

// One value for every class of values that the terms distinguish.
std::vector<FactValue> candidates(const FactDeclaration* fact, const std::vector<const model::Term*>& terms) {
  std::vector<FactValue> out;
  if (fact != nullptr && fact->type == FactType::symbol) return {fact->values.begin(), fact->values.end()};
  for (const model::Term* term : terms)
    for (const FactValue& value : term->values) {
      const auto* n = std::get_if<std::int64_t>(&value);
      if (n == nullptr) {
        out.push_back(value);
        continue;
      }
      for (const std::int64_t near : {*n == INT64_MIN ? *n : *n - 1, *n, *n == INT64_MAX ? *n : *n + 1}) {
        const bool below = fact != nullptr && fact->min && near < *fact->min;
        const bool above = fact != nullptr && fact->max && near > *fact->max;
        if (!below && !above) out.push_back(near);
      }
    }
  if (std::holds_alternative<bool>(terms[0]->values[0])) return {false, true};
  if (fact == nullptr) out.push_back(std::string());  // for an output: any other value
  return out;
}

bool has_threshold(const model::Term& term) {
  return std::any_of(term.thresholds.begin(), term.thresholds.end(), [](const auto& name) { return !name.empty(); });
}

// The subject whose terms exclude each other; nullptr if there is none. Thresholds change: what they exclude is not a
// fault of the row that uses them, and the proof reports it as a row that never applies.
const model::Term* excluded(const model::Policy& policy, const std::vector<model::Term>& when,
                            const std::vector<std::string>& collected) {
  for (const model::Term& first : when) {
    if (std::find(collected.begin(), collected.end(), first.fact) != collected.end() || first.values.empty()) continue;
    std::vector<const model::Term*> terms;
    for (const model::Term& term : when)
      if (term.fact == first.fact) terms.push_back(&term);
    if (terms[0] != &first || std::any_of(terms.begin(), terms.end(), [](auto* t) { return has_threshold(*t); }))
      continue;
    const std::vector<FactValue> values = candidates(policy.fact(first.fact), terms);
    const auto meets = [&](const FactValue& value) {
      return std::all_of(terms.begin(), terms.end(), [&](const model::Term* t) { return model::holds(*t, value); });
    };
    if (std::none_of(values.begin(), values.end(), meets)) return terms.back();
  }
  return nullptr;
}

void report_excluded(const model::Policy& policy, const std::string& id, const std::vector<model::Term>& when,
                     Span where, const std::vector<std::string>& collected, Diagnostics& diagnostics) {
  std::size_t values = 0;
  for (const model::Term& term : when) values += term.values.size();
  if (values > most_values) {
    diagnostics.add(Code::rules_too_large, where, "the condition of `" + id + "` has more than 1,000 values");
    return;
  }
  const model::Term* term = excluded(policy, when, collected);
  if (term == nullptr) return;
  diagnostics.add(Code::impossible_condition, term->span.known() ? term->span : where,
                  "the condition of `" + id + "` is never true: no value of `" + term->fact + "` satisfies it");
}

bool too_large(const model::Policy& policy, Span where, Diagnostics& diagnostics) {
  std::size_t rows = 0;
  for (const model::Table& table : policy.tables) rows += table.rows.size();
  const std::size_t counts[] = {policy.facts.size(), policy.tables.size(), rows, policy.invariants.size()};
  const std::size_t most[] = {most_facts, most_tables, most_rows, most_rows};
  const char* nouns[] = {"facts", "tables", "rows", "invariants"};
  for (int i = 0; i < 4; ++i)
    if (counts[i] > most[i]) {
      diagnostics.add(Code::rules_too_large, where,
                      "`" + policy.name + "` has " + std::to_string(counts[i]) + " " + nouns[i] + "; the limit is " +
                          std::to_string(most[i]));
      return true;
    }
  return false;
}

}  // namespace

void settle(model::Policy& policy, Span where, Diagnostics& diagnostics) {
  if (too_large(policy, where, diagnostics)) return;
  std::vector<std::string> collected;
  for (model::Table& table : policy.tables)
    for (model::Row& row : table.rows) {
      settle(policy, row.when);
      for (model::Assignment& set : row.sets) {
        settle(policy, set.threshold, set.value);
        if (table.hit == model::Hit::collect) collected.push_back(set.output);
      }
    }
  std::sort(collected.begin(), collected.end());
  collected.erase(std::unique(collected.begin(), collected.end()), collected.end());
  for (model::Invariant& invariant : policy.invariants) settle(policy, invariant.when);
  for (const model::Table& table : policy.tables)
    for (const model::Row& row : table.rows)
      report_excluded(policy, row.id, row.when, row.span.known() ? row.span : where, collected, diagnostics);
  for (const model::Invariant& i : policy.invariants)
    report_excluded(policy, i.id, i.when, i.span.known() ? i.span : where, collected, diagnostics);
}

model::Case build_case(const Node& node, Diagnostics& diagnostics) {
  model::Case out{node.label, {}, {}, {}, node.label_span};
  if (const Node* facts = node.one("facts"))
    for (const Entry& e : facts->entries) out.facts.emplace_back(dashed(e.name), e.value.fact);
  const Node* expect = node.one("expect");
  if (expect == nullptr) {
    diagnostics.add(Code::missing_key, node.label_span, "a case requires an `expect { … }` block");
    return out;
  }
  for (const ast::Item& item : expect->source->items) {
    const auto* setting = std::get_if<ast::Setting>(&item.value);
    if (setting == nullptr) continue;
    std::vector<std::string> values;
    if (setting->value.kind != ast::Expr::Kind::list) values.push_back(setting->value.text);
    else
      for (const ast::Expr& value : setting->value.operands) values.push_back(value.text);
    if (setting->key.text == "rows") {
      out.rows = std::move(values);
      continue;
    }
    std::sort(values.begin(), values.end());
    out.expect.emplace_back(dashed(setting->key.text), std::move(values));
  }
  return out;
}

std::vector<model::Policy> build_policies(std::span<const Node> nodes, std::span<const model::Policy> built_in,
                                          const Sources& sources, Diagnostics& diagnostics) {
  std::vector<model::Policy> out;
  if (nodes.size() > most_policies) {
    diagnostics.add(Code::rules_too_large, nodes[most_policies].label_span,
                    "the file has more than " + std::to_string(most_policies) + " `rules` blocks");
    return out;
  }
  Linker linker(nodes, built_in, diagnostics);
  for (const Node& node : nodes) {
    const auto chain = linker.chain_of(node);
    if (!chain) continue;
    model::Policy policy = chain->base != nullptr ? *chain->base : model::Policy();
    for (const Node* layer : chain->nodes) policy = apply_rules(*layer, std::move(policy), sources, diagnostics);
    settle(policy, node.label_span, diagnostics);
    out.push_back(std::move(policy));
  }
  return out;
}

}  // namespace muster::sema
