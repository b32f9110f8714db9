#include "tests/oracles/lending_oracle.h"

#include <optional>

namespace muster::oracles {
namespace {

// The least that must flow from above into the one so that it and all below have what they use, of all flows that its
// limits let; below 0 it gives. nullopt: none of them is enough. What is given and not needed above is lost.
std::optional<std::int64_t> least_flow(const std::vector<scheduler::Lender>& lenders, std::size_t one,
                                       std::int64_t most) {
  std::int64_t needed = lenders[one].used;
  for (std::size_t below = one + 1; below < lenders.size(); ++below) {
    if (lenders[below].above != one) continue;
    const std::optional<std::int64_t> flow = least_flow(lenders, below, most);
    if (!flow) return std::nullopt;
    needed += *flow;
  }
  for (std::int64_t flow = -most; flow <= most; ++flow) {
    const bool within =
        (!lenders[one].borrow || flow <= *lenders[one].borrow) && (!lenders[one].lend || -flow <= *lenders[one].lend);
    if (within && needed <= lenders[one].nominal + flow) return flow;
  }
  return std::nullopt;
}

bool is_possible(std::vector<scheduler::Lender> lenders, std::int64_t most) {
  for (scheduler::Lender& one : lenders)
    if (!one.above) one.borrow = one.lend = 0;  // there is nothing above it
  for (std::size_t i = 0; i < lenders.size(); ++i)
    if (!lenders[i].above && !least_flow(lenders, i, most)) return false;
  return true;
}

}  // namespace

std::int64_t most_of(std::vector<scheduler::Lender> lenders, std::size_t lender) {
  std::int64_t most = 0;
  for (const scheduler::Lender& one : lenders) most += one.nominal + one.used;
  std::int64_t found = -1;
  for (std::int64_t used = 0; used <= most; ++used) {
    lenders[lender].used = used;
    if (!is_possible(lenders, most)) return found;
    found = used;
  }
  return found;
}

}  // namespace muster::oracles
