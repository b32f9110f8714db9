// The baseline: findings that were there before lint was, kept in a file and not counted.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lint/outcome.h"

namespace muster::lint {

// The keys of {"schema": "muster.baseline/v1", "findings": [KEY, …]}, sorted. nullopt: `why` says what is
// wrong with the text.
std::optional<std::vector<std::string>> read_baseline(std::string_view text, std::string& why);
// Marks the open results whose keys are in the baseline as known.
void mark_known(std::vector<Result>& results, const std::vector<std::string>& baseline);

// Notes on open results that the change puts them into the baseline, and lists all that it puts there; `keys` are
// sorted.
void propose_baseline(const std::vector<std::string>& keys, const std::string& baseline, Outcome& outcome);

// The file that a key is about.
std::string file_of(std::string_view key);

// What a baseline holds beside what was found now: `stale` are entries whose finding is gone, with the file
// if `exists` says so; `kept` those of files that are there and were not read, or cannot be used.
struct Leftover {
  std::vector<std::string> stale;
  std::vector<std::string> kept;
};
Leftover compare(const Outcome& outcome, const std::vector<std::string>& baseline,
                 const std::function<bool(const std::string&)>& exists);

// A baseline of the open and the known findings and of `kept`: sorted, one a line. What is unclear or
// suppressed is not in it.
std::string write_baseline(const Outcome& outcome, const std::vector<std::string>& kept);

}  // namespace muster::lint
