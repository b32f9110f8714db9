// What becomes of each key of a workload at each target. Each target returns its own column; the table is made of them:
// docs/reference/targets.md and `muster targets` are printed from it, and the loss contract holds it against what the
// targets do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "targets/loss.h"

namespace muster::targets {

// A part of a target's column: keys as the schema has them ("resources.nodes", "mount.path", "env.*"), with blanks
// between, and every outcome that there is for them, by the letters of `outcome`: which one a field comes to depends on
// its value and on the site. A key that the target never meets is in no part.
struct Carried {
  std::string_view outcomes;
  std::string_view keys;
};

// A row of the table: a key, and its outcomes for each target in the order of all_targets(); "" where it never meets
// it.
struct Carriage {
  std::string_view key;
  std::vector<std::string_view> outcomes;
};
// All keys that some column has, in their order.
std::vector<Carriage> carriage();

// '=' carried exactly, '~' approximated, '-' reported as not carried, 'm' read by muster itself, 'x' refused.
char outcome(const LossEntry& entry);

// The word for such a letter: "carried", "approximated", "reported", "read", "refused".
std::string_view outcome_word(char letter);

}  // namespace muster::targets
