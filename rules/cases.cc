#include "rules/cases.h"

#include <algorithm>
#include <set>

#include "compiler/base/text.h"

namespace muster::rules {
namespace {

std::vector<std::string> given(const Outcome& outcome, std::string_view output) {
  if (const model::FactValue* value = outcome.output(output)) return {model::to_string(*value)};
  const std::vector<std::string>* values = outcome.collection(output);
  return values != nullptr ? *values : std::vector<std::string>{};
}

std::string words(const std::vector<std::string>& values) {
  if (values.empty()) return "nothing";
  return quoted_list(std::vector<std::string_view>(values.begin(), values.end()));
}

}  // namespace

CaseResult run(const model::Policy& policy, const Space& space, const model::Case& test) {
  CaseResult out;
  std::vector<NamedValue> facts;
  for (const auto& [fact, value] : test.facts) facts.push_back({fact, value});
  auto result = evaluate(policy, facts);
  if (const auto* error = std::get_if<EvaluationError>(&result)) {
    out.failures.push_back(error->text);
    return out;
  }
  const Outcome& outcome = std::get<Outcome>(result);
  for (const Fired& fired : outcome.fired) out.fired.push_back(fired.row->id);
  Cell& cell = out.cell.emplace();
  for (std::size_t i = 0; i < outcome.facts.size(); ++i)
    cell.push_back(space.class_of(space.dimensions()[i], outcome.facts[i].value));
  for (const auto& [output, wanted] : test.expect) {
    const auto values = given(outcome, output);
    if (values != wanted) out.failures.push_back("`" + output + "` is " + words(values) + ", not " + words(wanted));
  }
  for (const std::string& row : test.rows)
    if (std::find(out.fired.begin(), out.fired.end(), row) == out.fired.end())
      out.failures.push_back("row `" + row + "` does not apply");
  for (const model::Invariant* broken : broken_invariants(policy, outcome))
    out.failures.push_back("invariant `" + broken->id + "` is violated: " + broken->text);
  return out;
}

Coverage coverage(const model::Policy& policy, const Space& space, const std::vector<CaseResult>& results,
                  std::string_view layer) {
  Coverage out;
  std::set<std::string_view> fired;
  std::set<Cell> cells;
  for (const CaseResult& result : results) {
    fired.insert(result.fired.begin(), result.fired.end());
    if (result.cell) cells.insert(*result.cell);
  }
  for (const model::Table& table : policy.tables)
    for (const model::Row& row : table.rows) {
      if (!layer.empty() && row.layer != layer) continue;
      ++out.rows;
      if (fired.count(row.id) == 0) out.missing.push_back(row.id);
    }
  out.cells = cells.size();
  out.all_cells = space.cells();
  return out;
}

}  // namespace muster::rules
