// Which rules run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lint/rule.h"

namespace muster::lint {

// A flag a rule, in the order of the catalogue.
struct Selection {
  std::vector<bool> runs;
  Profile profile = Profile::normal;

  bool contains(RuleId rule) const { return runs[static_cast<std::size_t>(rule)]; }
};

// All stable rules of a profile, the preview ones too where `preview` is set; or, if `only` is not empty, what it
// names. `except` is taken away in the end. A word is an id, a name or a family ("SLM"); a family brings preview rules
// only with `preview`. A word that names nothing is put into `unknown`.
Selection select_rules(const std::vector<std::string>& only, const std::vector<std::string>& except, bool preview,
                       std::string& unknown, Profile profile = Profile::normal);

}  // namespace muster::lint
