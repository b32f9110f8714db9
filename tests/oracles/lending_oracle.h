// How much a member of cohorts may use, by trying every way in which its cohorts could lend. Of what it checks nothing
// is used but the struct that states a case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/lending.h"

namespace muster::oracles {

// The most that `lender` may use in all beside what the others use; -1: what they use is more than there is already.
// Amounts are small, and each stands behind the one above it.
std::int64_t most_of(std::vector<scheduler::Lender> lenders, std::size_t lender);

}  // namespace muster::oracles
