// Quota that cohorts lend, beside an oracle that tries every way of lending.
#include "scheduler/lending.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "tests/catch.h"
#include "tests/oracles/lending_oracle.h"
#include "tests/property/random.h"

namespace lending_test {

using namespace muster;
using scheduler::Lender;

namespace {

std::optional<std::int64_t> limit(property::Random& random) {
  return random.one_in(2) ? std::nullopt : std::optional<std::int64_t>(random.upto(3));
}

// A tree of up to six; only those with nothing below them use something.
std::vector<Lender> random_tree(property::Random& random) {
  std::vector<Lender> out(static_cast<std::size_t>(2 + random.upto(4)));
  std::vector<bool> cohort(out.size(), false);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].nominal = random.upto(4);
    if (i == 0) continue;
    out[i].above = static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(i) - 1));
    out[i].borrow = limit(random), out[i].lend = limit(random);
    cohort[*out[i].above] = true;
  }
  for (std::size_t i = 0; i + 1 < out.size(); ++i)
    if (!cohort[i]) out[i].used = random.upto(3);
  return out;
}

}  // namespace

TEST_CASE("what a member of cohorts may use is what an oracle finds", "[lending][property]") {
  property::Random random(20261128);
  int asked = 0, right = 0, lent = 0, deep = 0;
  constexpr int cases = 5'000;
  for (int n = 0; asked < cases && n < 4 * cases; ++n) {
    const std::vector<Lender> tree = random_tree(random);
    const std::size_t member = tree.size() - 1;
    const std::int64_t most = oracles::most_of(tree, member);
    if (most < 0) continue;  // the others use more than there is
    ++asked;
    const std::int64_t found = scheduler::LendingTree(tree).room(member);
    right += found == most;
    lent += most > tree[member].nominal;
    deep += tree[*tree[member].above].above.has_value();
    if (found == most) continue;
    CAPTURE(n, most, found);
    FAIL_CHECK("the oracle finds another amount");
  }
  CHECK(asked == cases);
  CHECK(right == cases);
  CHECK(lent > cases / 10);
  CHECK(deep > cases / 4);
}

TEST_CASE("what a member uses more than it has is borrowed", "[lending]") {
  // A cohort of two: one has 8 and may borrow 16, the other has 24 and lends 8.
  std::vector<Lender> tree = {{}, {0, 8, 16, {}}, {0, 24, {}, 8}};
  CHECK(scheduler::LendingTree(tree).room(1) == 16);
  CHECK(scheduler::LendingTree(tree).room(2) == 32);
  tree[1].used = 12;
  CHECK(scheduler::LendingTree(tree).borrowed(1) == 4);
  CHECK(scheduler::LendingTree(tree).room(1) == 4);
  CHECK(scheduler::LendingTree(tree).room(2) == 20);
  tree[2].used = 20;
  CHECK(scheduler::LendingTree(tree).room(1) == 0);
}

}  // namespace lending_test
