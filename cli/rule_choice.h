// The options of a command line that say which rules of lint run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "lint/select.h"

namespace muster::cli {

// As they are spelt.
struct RuleChoice {
  std::vector<std::string> select, ignore;
  std::string profile = "default";
  bool preview = false;

  bool given() const { return !select.empty() || !ignore.empty() || preview || profile != "default"; }
};

void add_rule_choice(Arguments& app, RuleChoice& choice);
// The rules that are chosen. A word that names none is put into `why_not`, in a sentence.
lint::Selection chosen_rules(const RuleChoice& choice, std::optional<std::string>& why_not);

}  // namespace muster::cli
