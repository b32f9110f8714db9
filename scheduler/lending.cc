#include "scheduler/lending.h"

#include <algorithm>
#include <utility>

#include "scheduler/saturate.h"

namespace muster::scheduler {

LendingTree::LendingTree(std::vector<Lender> lenders) : lenders_(std::move(lenders)) {
  for (const Lender& one : lenders_) has_.push_back(one.nominal), taken_.push_back(one.used);
  // From the lowest upwards.
  for (std::size_t i = lenders_.size(); i-- > 0;) {
    if (!lenders_[i].above) continue;
    const std::size_t above = *lenders_[i].above;
    has_[above] = sum(has_[above], has_[i] - kept(i));
    taken_[above] = sum(taken_[above], std::max<std::int64_t>(0, taken_[i] - kept(i)));
  }
}

std::int64_t LendingTree::kept(std::size_t lender) const {
  const auto& lend = lenders_[lender].lend;
  return lend ? std::max<std::int64_t>(0, has_[lender] - *lend) : 0;
}

std::int64_t LendingTree::room(std::size_t lender) const {
  const Lender& one = lenders_[lender];
  if (!one.above) return has_[lender] - taken_[lender];
  std::int64_t from_above = room(*one.above);
  if (one.borrow) {
    const std::int64_t lent = has_[lender] - kept(lender);
    const std::int64_t taken = std::max<std::int64_t>(0, taken_[lender] - kept(lender));
    from_above = std::min(from_above, sum(lent - taken, *one.borrow));
  }
  return sum(std::max<std::int64_t>(0, kept(lender) - taken_[lender]), from_above);
}

std::int64_t LendingTree::borrowed(std::size_t lender) const {
  return std::max<std::int64_t>(0, taken_[lender] - has_[lender]);
}

}  // namespace muster::scheduler
