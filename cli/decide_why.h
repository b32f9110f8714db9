// What `muster decide` adds to an answer: why not another one, and what would change it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/emit.h"
#include "compiler/base/diagnostic.h"
#include "compiler/model/policy.h"
#include "plan/plan.h"

namespace muster::cli {

struct WhyOptions {
  std::string wanted;  // of --why-not
  bool flip = false;
  bool flip_all = false;  // of facts that the author cannot change too
  std::string flip_of;    // an output; "": any

  bool asked() const { return !wanted.empty() || flip || !flip_of.empty(); }
};

// What the rules would have, where the answer is a plane of another kind; "" where it is their own.
struct FirstChoice {
  std::string control_plane;
  std::string why_not;  // "plane k: requests …"
};

// That no fact is stated twice with two values. False: reported.
bool agree(const std::vector<std::pair<std::string, std::string>>& facts, Diagnostics& diagnostics);

std::string why_text(const model::Policy& policy, const plan::Facts& facts, const FirstChoice& first,
                     const WhyOptions& options, const Sources& sources, Diagnostics& diagnostics);
std::string why_markdown(const model::Policy& policy, const plan::Facts& facts, const FirstChoice& first,
                         const WhyOptions& options, const Sources& sources, Diagnostics& diagnostics);
// {"why_not": …, "flips": …}
Json why_json(const model::Policy& policy, const plan::Facts& facts, const WhyOptions& options, const Sources& sources,
              Diagnostics& diagnostics);
// Every fact with its value and where it came from.
std::string facts_markdown(const plan::Facts& facts, const Sources& sources);

}  // namespace muster::cli
