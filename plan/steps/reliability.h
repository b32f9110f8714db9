// What failures do to a workload: figures, each with its formula, the rate it rests on and where that is from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace muster::plan {

// What the files do not say. Times in seconds.
struct ReliabilityAsk {
  double restart = 300;          // from a failure to work again
  std::optional<double> repair;  // a node is away so long; without it no spares are counted
  double probability = 0.99;     // that the spares are enough
};

struct Figure {
  std::string name;  // "best checkpoint interval"
  double value = 0;
  std::string unit;     // "s", "1" for a ratio or a count
  std::string formula;  // with the symbols that the report explains
  std::string note;     // where the figure is not to be trusted
};

// Under one rate of failures.
struct RateReport {
  double per_node_day = 0;
  std::string source;
  std::vector<Figure> figures;
};

struct Reliability {
  std::int64_t nodes = 0;
  std::int64_t gpus = 0;           // of all of them
  std::vector<RateReport> rates;   // the fleet's own first, then published ones by rising rate
  std::vector<std::string> notes;  // what was assumed, what is missing, where the model does not hold
  std::string change{};            // what to write instead, and what that is worth; "": nothing
};

// All nodes of the plan's roles fail at the rate of the first role's pool. The plan has a pool.
Reliability reliability_of(const Plan& plan, const ReliabilityAsk& ask);

// Its `change` alone, where the fleet says how often a node fails; else "".
std::string change_for_failures(const Plan& plan);

}  // namespace muster::plan
