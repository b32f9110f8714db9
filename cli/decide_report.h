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
#include "driver/choose.h"
#include "driver/planning.h"
#include "plan/steps/make_plan.h"
#include "targets/as_read.h"

namespace muster::cli {

// How much is wanted of it.
struct DecideAsk {
  bool why = false;  // every fact, and under which conditions a requirement is satisfied
  WhyOptions more;

  bool asked() const { return why || more.asked(); }
};

// Whether `compile` writes what was decided.
struct Outlook {
  std::optional<bool> writes;  // nullopt: only the rules were asked
  bool fits = true;
  std::string why;  // unless it writes
  // Of a job script or a manifest: what it is written for, "plane main (slurm)". "": it is a workload, to be written.
  std::string written_for{};
  std::string change{};  // what would help it most; "": nothing
};

Outlook outlook_of(const driver::Chosen& chosen);

// The answer to one workload.
struct Asked {
  driver::Chosen chosen;
  Outlook outlook;
};
// `rules_alone`: nothing is lowered; its plan is that of the rules. `only`: the one target that may be used. A plan is
// missing where `diagnostics` says why.
Asked ask(const plan::PlanRequest& request, bool rules_alone, Diagnostics& diagnostics,
          const targets::Target* only = nullptr);

// The same for a job script or a manifest: where the rules would run what it asks for, and whether the file itself fits
// on the plane that it is written for.
Asked ask_existing(const targets::AsRead& read, const plan::PlanRequest& request, Diagnostics& diagnostics);

// A decision and what it was made of. Borrows all of it.
struct Decided {
  const plan::Decision& decision;
  const plan::Facts& facts;
  const model::Policy& policy;
  std::span<const plan::Skipped> skipped;
  const Sources& sources;
  Outlook outlook;
};

struct FactsDecision {
  plan::Facts facts;
  plan::Decision decision;
};
// Without a workload: what `--fact` states, and the site. nullopt: reported.
std::optional<FactsDecision> decide_facts(const std::vector<std::pair<std::string, std::string>>& stated,
                                          driver::Session& session, const driver::Setting& setting);

// Outputs with the rows that gave them, what satisfies each requirement, candidates that were passed over. In text,
// outputs that say nothing of the job (one plane to choose from, the plain runtime and layout) are there with `ask.why`
// only. What `ask.more` names and the policy does not have goes to `diagnostics`.
std::string report_text(const std::string& title, const Decided& decided, const DecideAsk& ask,
                        Diagnostics& diagnostics);
std::string report_markdown(const std::string& title, const Decided& decided, const DecideAsk& ask,
                            Diagnostics& diagnostics);
// An object of docs/schemas/decide.json, without its `id`.
Json report_json(const Decided& decided, const DecideAsk& ask, Diagnostics& diagnostics);

}  // namespace muster::cli
