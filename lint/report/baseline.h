// The baseline: findings that were there before lint was, kept in a file and not counted.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lint/outcome.h"

namespace muster::lint {

// {"schema": "muster.baseline/v1", "salt": "HEX", "findings": [KEY, …]}.
struct Baseline {
  std::string salt{};               // "" in one without secrets, or of an older muster
  std::vector<std::string> keys{};  // sorted
};

// nullopt: `why` says what is wrong with the text. Takes a few times the memory of the text, whatever it is.
std::optional<Baseline> read_baseline(std::string_view text, std::string& why);

// The key of a finding as a baseline with this salt has it. That of a secret ends with the first 32 bits of the SHA-256
// of salt and secret, so another secret at its place is another finding, and the secret cannot be looked up.
std::string key_in_baseline(const Result& result, std::string_view salt);

// Marks the open results whose keys are in the baseline as known. A secret that is in it without a digest stays open,
// with a note.
void mark_known(std::vector<Result>& results, const Baseline& baseline);

// Notes on open results that the change puts them into the baseline, and lists all that it puts there.
void propose_baseline(const Baseline& proposed, const std::string& name, Outcome& outcome);

// Whether a baseline of the outcome needs a salt.
bool has_secrets(const Outcome& outcome);

// The file that a key is about.
std::string file_of(std::string_view key);

// What a baseline holds beside what was found now: `stale` are entries whose finding is gone, with the file
// if `exists` says so; `kept` those of files that are there and were not read, or cannot be used.
struct Leftover {
  std::vector<std::string> stale;
  std::vector<std::string> kept;
};
Leftover compare(const Outcome& outcome, const Baseline& baseline,
                 const std::function<bool(const std::string&)>& exists);

// A baseline of the open and the known findings and of `kept`: sorted, one a line. What is unclear or
// suppressed is not in it.
std::string write_baseline(const Outcome& outcome, const std::vector<std::string>& kept, const std::string& salt);

}  // namespace muster::lint
