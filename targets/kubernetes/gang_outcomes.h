// What gangs do on each provider: the rows of gang_outcomes.def, which the judge tests/cluster compares with what it
// sees.
#pragma once

#include <string_view>
#include <vector>

namespace muster::targets::kubernetes {

struct GangScenario {
  std::string_view name;
  std::string_view happens;  // what is done to the gang
};

// A kind of object on a provider. "kueue-topology" is Kueue with a topology on its flavors.
struct GangRow {
  std::string_view kind, target, provider;
  std::vector<std::string_view> outcomes;  // in the order of the scenarios; "": it cannot have the case
};

// In the order of the table's columns.
std::vector<GangScenario> gang_scenarios();
// The table: a row for each kind on each provider, by provider.
std::vector<GangRow> gang_outcomes();

}  // namespace muster::targets::kubernetes
