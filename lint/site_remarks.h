// What takes a site to tell is the same question in every file of a run: it is reported once.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lint/outcome.h"

namespace muster::lint {

class SiteRemarks {
 public:
  // Drops the open results that need a site and say what an earlier one says.
  void merge(std::vector<Result>& results);
  // Notes on those that are left how many places they are about.
  void note_repeats(std::vector<Result>& results) const;

 private:
  std::map<std::pair<RuleId, std::string>, std::size_t> places_;  // by rule and message
};

}  // namespace muster::lint
