#include "targets/kubernetes/gang_outcomes.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "compiler/base/text.h"

namespace muster::targets::kubernetes {
namespace {

enum class Is : std::uint8_t { kind, scenario, outcome, no_case };

struct TableRow {
  Is is;
  std::string_view first, second, third;
};

constexpr TableRow table_rows[] = {
#define GANG_KIND(a, b, c) {Is::kind, a, b, c},
#define SCENARIO(a, b) {Is::scenario, a, b, ""},
#define OUTCOME(a, b, c) {Is::outcome, a, b, c},
#define NO_CASE(a, b) {Is::no_case, a, b, ""},
#include "targets/kubernetes/gang_outcomes.def"
#undef GANG_KIND
#undef SCENARIO
#undef OUTCOME
#undef NO_CASE
};

bool lists(std::string_view words, std::string_view word) {
  const std::vector<std::string_view> all = split(words, ' ');
  return std::find(all.begin(), all.end(), word) != all.end();
}

std::string_view outcome_of(std::string_view scenario, std::string_view kind, std::string_view provider) {
  for (const TableRow& row : table_rows)
    if (row.is == Is::no_case && row.first == scenario && (lists(row.second, kind) || lists(row.second, provider)))
      return {};
  const auto seen = [&](std::string_view whose) -> std::optional<std::string_view> {
    for (const TableRow& row : table_rows)
      if (row.is == Is::outcome && row.first == scenario && row.second == whose) return row.third;
    return std::nullopt;
  };
  if (seen(kind) == "refused") return "refused";
  for (const std::string& whose :
       {std::string(kind) + " on " + std::string(provider), std::string(provider), std::string(kind), std::string()})
    if (const auto found = seen(whose)) return *found;
  return {};
}

// In the order in which the kinds name them.
std::vector<std::string_view> providers() {
  std::vector<std::string_view> out;
  for (const TableRow& row : table_rows) {
    if (row.is != Is::kind) continue;
    for (const std::string_view provider : split(row.third, ' '))
      if (std::find(out.begin(), out.end(), provider) == out.end()) out.push_back(provider);
  }
  return out;
}

}  // namespace

std::vector<GangScenario> gang_scenarios() {
  std::vector<GangScenario> out;
  for (const TableRow& row : table_rows)
    if (row.is == Is::scenario) out.push_back({row.first, row.second});
  return out;
}

std::vector<GangRow> gang_outcomes() {
  std::vector<GangRow> out;
  const std::vector<GangScenario> scenarios = gang_scenarios();
  for (const std::string_view provider : providers())
    for (const TableRow& row : table_rows) {
      if (row.is != Is::kind || !lists(row.third, provider)) continue;
      GangRow& made = out.emplace_back(GangRow{row.first, row.second, provider, {}});
      for (const GangScenario& scenario : scenarios)
        made.outcomes.push_back(outcome_of(scenario.name, row.first, provider));
    }
  return out;
}

}  // namespace muster::targets::kubernetes
