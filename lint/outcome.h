// What a run of lint found, as the reports show it. Plain data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"
#include "lint/account.h"
#include "lint/finding.h"

namespace muster::lint {

// `open` counts; the others were accepted: by a suppression in the file, or by the baseline.
enum class State : std::uint8_t { open, suppressed, known };

struct Result {
  Finding finding;
  std::string key;  // see set_keys
  State state = State::open;
  std::string reason;  // of the suppression
  // Of an open one: why the change that is judged accepts it, by something that the state before does not have.
  std::string proposed{};
};

// What a change adds that would accept findings once it is merged.
enum class AddedKind : std::uint8_t { suppression, waiver, baseline };
std::string_view name(AddedKind kind);

struct Added {
  AddedKind kind{};
  std::string rule;  // its id; of a baseline entry it may be a code of the front end
  std::string file;
  std::uint32_t line = 0;  // 0: of the file as a whole
  std::string reason;
  std::string subject{};  // of a waiver: the pattern; of a baseline entry: its key
};

struct Outcome {
  std::vector<Result> results;     // by file, place, rule
  std::vector<std::string> files;  // that were read, in order; those left out among them
  // That cannot be used, in whole or in part, or are not read. The faults of the first are among the results.
  std::vector<std::string> left_out;
  // Each file that could start something, once, by its name: the files that are judged among them.
  std::vector<Account> accounts{};
  std::vector<std::string> stale;  // entries of the baseline that nothing matches any more
  std::size_t fixed = 0;           // fixes that were applied
  std::size_t elsewhere = 0;       // findings that were there before the change that is asked about
  std::string policy_from{};       // whose policy and suppressions decide, as the user wrote it; "": the files' own
  std::vector<Added> added{};      // what the files have beyond that; by file and line
};

// Notes on an open result what would accept it once the change is merged. The first reason counts.
void propose(Result& result, std::string reason);

struct Counts {
  std::size_t errors = 0, warnings = 0, infos = 0;  // open, and surely wrong
  std::size_t unclear = 0;                          // open, but not to be told from the file alone
  std::size_t suppressed = 0, known = 0;
};
void add(const Result& result, Counts& counts);
Counts count(const Outcome& outcome);

// Sorts by file, place and rule; the same finding at the same place is listed once: the one that counts most.
void sort_results(std::vector<Result>& results);

// What several files find at one place of a file that they import is listed once: the first of those that count most.
void drop_repeats(std::vector<Result>& results, const Sources& sources);

// Gives each result of one file, sorted, the key that baselines and fingerprints rest on: rule, file,
// subject, path and the how-manieth of these it is, from 0, joined by `|` (a `|` or `\` of a part, or a
// control character, is escaped by `\`). No line number: a key stays when lines move.
void set_keys(std::vector<Result>& results, const Sources& sources);
// A text as a part of such a key.
std::string key_part(std::string_view part);

// Lets no two results of a run have one key: several files may find something in one that they import, and each counts
// from 0. One that gets another number is not known any more.
void distinguish(std::vector<Result>& results);

// 16 hex digits of a key (FNV-1a of 64 bits), for formats that want an opaque word.
std::string fingerprint(std::string_view key);

// A finding that surely is wrong, is open, and is at `level` or worse.
bool counts_at(const Result& result, Severity level);

}  // namespace muster::lint
