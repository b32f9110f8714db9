// What a change of the rules changes: cells, as boxes, and the step of the version that this takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/model/policy.h"
#include "rules/box.h"

namespace muster::rules {

enum class Step : std::uint8_t { none, patch, minor, major };
std::string_view name(Step step);

struct DiffItem {
  std::string output;
  std::string from, to;  // of a collected output one of them is empty: a value lost or won
  std::uint64_t cells = 0;
  std::vector<std::string> boxes;  // in words: "existing == slurm and nodes >= 2"
};

struct PolicyDiff {
  std::uint64_t cells = 0;         // of the space of both
  std::vector<std::string> facts;  // "fact `x` is new", …
  std::vector<DiffItem> items;     // of outputs that answer, in their order
  Step needed = Step::none;
  std::optional<Step> taken;  // of the versions; nullopt: they are no versions, or go down
};

// nullopt: more boxes than the proof takes.
std::optional<PolicyDiff> diff(const model::Policy& before, const model::Policy& after);

// "nodes >= 2 and existing in [slurm, both]"; "always" for the whole space.
std::string describe(const Space& space, const Box& box);

}  // namespace muster::rules
