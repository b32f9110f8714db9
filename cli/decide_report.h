// One decision as `muster decide` prints it, for one site or for several.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/decide_why.h"
#include "cli/emit.h"
#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"
#include "compiler/model/policy.h"
#include "driver/planning.h"
#include "plan/make_plan.h"

namespace muster::cli {

// How much is wanted of it.
struct DecideAsk {
  bool why = false;  // every fact, and under which conditions a requirement is satisfied
  WhyOptions more;

  bool asked() const { return why || more.asked(); }
};

// A decision and what it was made of. Borrows all of it.
struct Decided {
  const plan::Decision& decision;
  const plan::Facts& facts;
  const model::Policy& policy;
  std::span<const plan::Skipped> skipped;
  const Sources& sources;
};

struct FactsDecision {
  plan::Facts facts;
  plan::Decision decision;
};
// Without a workload: what `--fact` states, and the site. nullopt: reported.
std::optional<FactsDecision> decide_facts(const std::vector<std::pair<std::string, std::string>>& stated,
                                          driver::Session& session, const driver::Setting& setting);

// Outputs with the rows that gave them, what satisfies each requirement, planes that were passed over. What
// `ask.more` names and the policy does not have goes to `diagnostics`.
std::string report_text(const std::string& title, const Decided& decided, const DecideAsk& ask,
                        Diagnostics& diagnostics);
std::string report_markdown(const std::string& title, const Decided& decided, const DecideAsk& ask,
                            Diagnostics& diagnostics);
// An object of docs/schemas/decide.json, without its `id`.
Json report_json(const Decided& decided, const DecideAsk& ask, Diagnostics& diagnostics);

}  // namespace muster::cli
