// What becomes of each key of a workload at each target: one table, from which docs/targets.md and `muster targets`
// are printed and which the loss contract holds against what the targets do.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "targets/loss.h"

namespace muster::targets {

inline constexpr std::size_t target_count = 10;

// A key as the schema has it ("resources.nodes", "mount.path", "env.*"), and for each target, in the order of
// all_targets(), every outcome that there is, by the letters of `outcome`: which one a field comes to depends on its
// value and on the site.
struct Carriage {
  std::string_view key;
  std::array<std::string_view, target_count> outcomes;
};
std::span<const Carriage> carriage();

// '=' carried exactly, '~' approximated, '-' reported as not carried, 'm' read by muster itself, 'x' refused.
char outcome(const LossEntry& entry);

// The word for such a letter: "carried", "approximated", "reported", "read", "refused".
std::string_view outcome_word(char letter);

}  // namespace muster::targets
