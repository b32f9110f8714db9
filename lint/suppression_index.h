// Which suppressions a finding falls under, where there may be thousands of both.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "lint/suppress.h"

namespace muster::lint {

// Borrows the suppressions, which it marks as used; none is added or removed meanwhile.
class SuppressionIndex {
 public:
  // One whose `until` lies before `as_of` ("": no date) does not hold.
  SuppressionIndex(Suppressions& suppressions, std::string_view as_of);

  // The suppression that a finding falls under, and marks all that cover it as used; nullptr for none. One that is
  // merely proposed is the answer where there is no other.
  const Suppression* find(const Finding& finding);

 private:
  // Those of one rule that cover the same findings.
  struct Group {
    std::vector<Suppression*> items;  // as they are written
    const Suppression* accepted = nullptr;
    const Suppression* proposed = nullptr;
    bool used = false;
  };
  // For what begins in a part of a file.
  struct Scope {
    std::uint32_t begin = 0, end = 0;
    bool placed = false;
    Group group{};
    std::size_t outer = 0;  // one more than the number of the last one before it that ends behind its begin; 0: none
  };
  using Scopes = std::vector<Scope>;                                     // ascending by begin, long ones first
  using Block = std::tuple<RuleId, std::string_view, std::string_view>;  // and of which subject and paths
  struct Found;

  void add(Suppression& suppression, bool expired, Group& group);
  void find_block(const Finding& finding, Found& found);
  void find_scope(RuleId rule, Span place, bool placed_only, Found& found);
  static void take(Group& group, Found& found);

  std::map<Block, Group> blocks_;
  std::map<std::pair<RuleId, std::uint32_t>, Scopes> scopes_;  // by rule and file
};

}  // namespace muster::lint
