// The catalogue: what each lint rule is called, how bad its finding is, and where it can occur.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"

namespace muster::lint {

// One enumerator a page of lint/rules, e.g. RuleId::double_launch (printed SLM001).
enum class RuleId : std::uint16_t {
#include "lint/rule_ids.inc"
};

// What kind of file is read.
enum class Input : std::uint8_t { script, manifest, muster };

// Where a rule can occur: in a workload of a muster file, or in its `target NAME { }` alone (what muster itself writes
// cannot have it); in a batch script or a manifest written by hand; in a fleet or site; in a rule file.
enum class Place : std::uint8_t { spec = 1, target_block = 2, script = 4, manifest = 8, site = 16, rules = 32 };
struct Places {
  std::uint8_t bits = 0;
  constexpr bool has(Place place) const { return (bits & static_cast<std::uint8_t>(place)) != 0; }
};
// The words of the catalogue, in the order of Place; and the same as "spec, script".
std::vector<std::string_view> names(Places places);
std::string listed(Places places);

// `min` is what breaks a run, `normal` (printed `default`) what a team wants to see by default, `strict`
// all. Each holds the one before.
enum class Profile : std::uint8_t { min, normal, strict };
std::string_view name(Profile profile);

// A preview rule reports only where it is asked for by name or with --preview: its precision is not
// yet known to be good enough.
enum class Stage : std::uint8_t { stable, preview };

// The best fix that its findings may carry: see Fix::safe.
enum class FixKind : std::uint8_t { none, unsafe, safe };
std::string_view name(FixKind kind);

// A page that says what a rule claims: its address is a web page or a document of this repository
// (`docs/reference/lint.md`).
struct Source {
  std::string_view title, address;
};

struct Rule {
  std::string_view id;  // "SLM001"
  std::string name;     // "double-launch"
  Severity severity;    // of a finding that is surely wrong
  Places places;
  Profile profile;
  Stage stage;
  FixKind fix;
  std::string_view summary;     // what is wrong, in one line
  std::string_view checks;      // what the rule looks at, and what it leaves out
  std::string_view why;         // what happens otherwise
  std::string_view instead;     // what to write
  std::string explanation;      // why, and what to write, in one paragraph
  std::vector<Source> sources;  // where it is known from
  std::string_view parameters;  // its thresholds: "hours 4"; "" for none
  std::string_view page;        // "lint/rules/slurm/SLM001.md"
};

// The rules whose ids begin alike: "SLM", "Slurm".
struct Family {
  std::string_view id, title;
};

const Rule& info(RuleId rule);
std::span<const Rule> all_rules();
std::span<const Family> all_families();
// Whether a rule may find nothing without a site, not even that it cannot be told, where it finds something with one.
bool needs_site(RuleId rule);
// Finds a rule by its id or its name, in any case; nullptr if there is none.
const Rule* find_rule(std::string_view id_or_name);
// The id or name that is nearest to a word that names none; "" if none is near.
std::string nearest_rule(std::string_view word);

}  // namespace muster::lint
