// Verdicts of levels: which is worse, how far one is from a fit, how one is made and added to.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "plan/plan.h"

namespace muster::plan {

// The worse of two: does-not-fit, then unknown, then fits.
Verdict worse(Verdict a, Verdict b);
// The worst of the levels of a fit.
Verdict worst_of(const Fit& fit);

// How far a level is from a fit, to compare pools by: what no number of nodes mends is farthest.
struct Distance {
  bool is_floor = false;
  std::int64_t missing = 0;
  auto operator<=>(const Distance&) const = default;
};
Distance distance(const Level& level);

// The level of a proof, and a level with one more note.
Level refused(Certificate certificate);
void add_note(Level& level, std::string text);

}  // namespace muster::plan
