// Amounts that a sentence compares, in one unit: "needs 900GiB, nodes have 899GiB", not "… 943008068KiB".
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/base/units.h"

namespace muster {

// Each amount in the unit in which all of them are shortest, as long as what differs still differs in print, in the
// same direction, nothing is off by more than half a percent, and only 0 is printed as 0. Exact if that is as readable.
std::vector<std::string> in_one_unit(std::span<const Size> amounts);
std::vector<std::string> in_one_unit(std::span<const Duration> amounts);

// An amount beside another that is printed by to_string: in its unit, if that shows the difference.
std::string in_unit_of(Size amount, Size other);
std::string in_unit_of(Rate amount, Rate other);

// Two of them, for structured bindings.
struct InOneUnit {
  std::string first, second;
};
InOneUnit in_one_unit(Size first, Size second);
InOneUnit in_one_unit(Duration first, Duration second);

}  // namespace muster
