#include "rules/verify.h"

#include <algorithm>

#include "compiler/base/text.h"

namespace muster::rules {
namespace {

using Kind = Finding::Kind;

class Judge {
 public:
  Judge(const model::Policy& policy, const Space& space, const Evidence& evidence)
      : policy_(policy), space_(space), evidence_(evidence) {}

  std::vector<Finding> findings() {
    for (std::size_t t = 0; t < policy_.tables.size(); ++t) judge_table(t);
    for (const model::FactDeclaration& fact : policy_.facts) judge_fact(fact);
    for (std::size_t i = 0; i < policy_.invariants.size(); ++i) judge_invariant(i);
    return std::move(findings_);
  }

 private:
  const model::Row& row(RowNumber n) const { return policy_.tables[n.first].rows[n.second]; }

  Finding& add(Kind kind, const std::string& subject, Span span, std::string text) {
    findings_.push_back({kind, subject, {}, 0, std::nullopt, std::move(text), span});
    return findings_.back();
  }

  void weigh(Finding& finding, const Tally& tally) {
    finding.cells = tally.cells;
    finding.witness = space_.values(*tally.least);
  }

  void judge_table(std::size_t number) {
    const model::Table& table = policy_.tables[number];
    if (const auto gap = evidence_.gaps.find(number); gap != evidence_.gaps.end())
      weigh(add(Kind::gap, table.name, table.span, "table " + quoted(table.name) + " has no row"), gap->second);
    for (const auto& [pair, tally] : evidence_.overlaps) {
      if (pair.first.first != number) continue;
      const model::Row &a = row(pair.first), &b = row(pair.second);
      Finding& finding =
          add(Kind::overlap, table.name, b.span, "rows " + quoted(a.id) + " and " + quoted(b.id) + " both apply");
      finding.rows = {a.id, b.id};
      weigh(finding, tally);
    }
    for (std::size_t r = 0; r < table.rows.size(); ++r) judge_row({number, r});
  }

  void judge_row(RowNumber number) {
    const model::Row& r = row(number);
    if (evidence_.reached.count(number) == 0) {
      const bool first = policy_.tables[number.first].hit == model::Hit::first;
      add(Kind::unreachable, r.id, r.span,
          "row " + quoted(r.id) + (first ? " is never the first that applies" : " never applies"))
          .rows = {r.id};
    }
    if (r.reason.empty()) add(Kind::no_reason, r.id, r.span, "row " + quoted(r.id) + " has no reason").rows = {r.id};
    judge_values(r.id, r.when, r.span);
  }

  // Of an output that rows give words to, a word that none gives.
  void judge_values(const std::string& id, const std::vector<model::Term>& terms, Span span) {
    for (const model::Term& term : terms) {
      if (policy_.fact(term.fact) != nullptr) continue;
      for (const model::FactValue& value : term.values)
        if (!is_given(term.fact, value)) {
          Finding& finding = add(Kind::unknown_value, id, term.span.known() ? term.span : span,
                                 quoted(id) + " expects " + quoted(term.fact) + " to be " +
                                     quoted(model::to_string(value)) + ", which no row sets");
          finding.rows = {id};
        }
    }
  }

  // A value, or one that a threshold may be set to. Texts put together are not followed.
  bool is_given(const std::string& output, const model::FactValue& value) const {
    for (const model::Table& table : policy_.tables)
      for (const model::Row& r : table.rows)
        for (const model::Assignment& set : r.sets) {
          if (set.output != output) continue;
          if (set.prepend || set.value == value) return true;
          for (const model::Threshold& threshold : policy_.thresholds)
            if (threshold.name == set.threshold && std::find(threshold.values.begin(), threshold.values.end(),
                                                             model::to_string(value)) != threshold.values.end())
              return true;
        }
    return false;
  }

  void judge_fact(const model::FactDeclaration& fact) {
    const bool reacts = std::any_of(evidence_.reactions.begin(), evidence_.reactions.end(),
                                    [&](const auto& reaction) { return reaction.second == fact.name; });
    if (!reacts && fact.unread.empty())
      add(Kind::dead_fact, fact.name, fact.span, "no output depends on fact " + quoted(fact.name));
    if (reacts && !fact.unread.empty())
      add(Kind::read_fact, fact.name, fact.span,
          "fact " + quoted(fact.name) + " is declared `unread`, but outputs depend on it");
  }

  void judge_invariant(std::size_t number) {
    const model::Invariant& invariant = policy_.invariants[number];
    if (const auto broken = evidence_.broken.find(number); broken != evidence_.broken.end())
      weigh(add(Kind::broken_invariant, invariant.id, invariant.span,
                "invariant " + quoted(invariant.id) + " is violated: " + invariant.text),
            broken->second);
    if (evidence_.asked.count(number) == 0)
      add(Kind::idle_invariant, invariant.id, invariant.span,
          "the condition of invariant " + quoted(invariant.id) + " is never true");
    std::vector<model::Term> terms = invariant.when;
    terms.push_back(invariant.then);
    judge_values(invariant.id, terms, invariant.span);
  }

  const model::Policy& policy_;
  const Space& space_;
  const Evidence& evidence_;
  std::vector<Finding> findings_;
};

std::vector<std::string> outputs_of(const model::Policy& policy) {
  std::vector<std::string> out;
  for (const model::Table& table : policy.tables)
    for (const model::Row& row : table.rows)
      for (const model::Assignment& set : row.sets)
        if (std::find(out.begin(), out.end(), set.output) == out.end()) out.push_back(set.output);
  return out;
}

}  // namespace

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::gap: return "gap";
    case Kind::overlap: return "overlap";
    case Kind::unreachable: return "unreachable";
    case Kind::unknown_value: return "unknown-value";
    case Kind::dead_fact: return "dead-fact";
    case Kind::read_fact: return "read-fact";
    case Kind::broken_invariant: return "broken-invariant";
    case Kind::idle_invariant: return "idle-invariant";
    case Kind::no_reason: return "no-reason";
    case Kind::no_case: return "no-case";
    case Kind::too_large: break;
  }
  return "too-large";
}

Verification verify(const model::Policy& policy) {
  const Space space(policy);
  Verification out;
  out.cells = space.cells();
  out.enumerated = out.cells <= most_enumerated;
  out.tables = policy.tables.size();
  out.invariants = policy.invariants.size();
  for (const model::Table& table : policy.tables) out.rows += table.rows.size();
  std::optional<Evidence> evidence;
  if (space.classes() <= most_classes)
    evidence = out.enumerated ? by_enumeration(policy, space) : by_boxes(policy, space);
  if (!evidence) {
    out.findings.push_back({Kind::too_large,
                            policy.name,
                            {},
                            0,
                            std::nullopt,
                            "the proof needs more than " + std::to_string(most_boxes) + " boxes or " +
                                std::to_string(most_classes) + " classes of values",
                            policy.span});
    return out;
  }
  out.findings = Judge(policy, space, *evidence).findings();
  for (const std::string& output : outputs_of(policy)) {
    auto& facts = out.depends.emplace_back(output, std::vector<std::string>{}).second;
    for (const model::FactDeclaration& fact : policy.facts)
      if (evidence->reactions.count({output, fact.name}) != 0) facts.push_back(fact.name);
  }
  return out;
}

std::string describe(const model::Policy& policy, const std::vector<NamedValue>& facts) {
  std::string out;
  for (const NamedValue& fact : facts) {
    const model::FactDeclaration* declared = policy.fact(fact.name);
    if (declared != nullptr && declared->fallback == fact.value) continue;
    out += (out.empty() ? "" : ", ") + fact.name + "=" + model::to_string(fact.value);
  }
  return out.empty() ? "every fact at its default" : out;
}

}  // namespace muster::rules
