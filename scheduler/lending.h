// Quota of one resource in a tree of cohorts whose members lend each other what they do not use, by Kueue's rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace muster::scheduler {

// A member or a cohort.
struct Lender {
  std::optional<std::size_t> above{};    // the cohort that it is in, which stands before it; nullopt: the top
  std::int64_t nominal = 0;              // its own
  std::optional<std::int64_t> borrow{};  // the most that it takes from above beyond what it lends; nullopt: no limit
  std::optional<std::int64_t> lend{};    // the most that those above may take of it; nullopt: all
  std::int64_t used = 0;                 // by itself
};

class LendingTree {
 public:
  explicit LendingTree(std::vector<Lender> lenders);

  // How much more the one may use: what it keeps for itself, and what it may take of the cohort above it, which holds
  // for that one in turn. Below 0 where more is in use than there is.
  std::int64_t room(std::size_t lender) const;
  // How much of what is in use there and below is of others.
  std::int64_t borrowed(std::size_t lender) const;

 private:
  std::int64_t kept(std::size_t lender) const;  // of what it has, those above never get it

  std::vector<Lender> lenders_;
  std::vector<std::int64_t> has_, taken_;  // with what is below: lent upwards, and taken beyond what is kept there
};

}  // namespace muster::scheduler
