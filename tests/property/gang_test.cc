// place_gang against brute force on small random fleets, and the brute force against damaged answers.
#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "scheduler/gang.h"
#include "tests/catch.h"
#include "tests/oracles/gang_oracle.h"
#include "tests/property/random.h"

namespace property_gang_test {

using namespace muster::scheduler;
using muster::oracles::fault_of;
using muster::property::Random;

namespace {

struct Case {
  std::vector<Node> nodes;
  Gang gang;
};

Node random_node(Random& random, std::uint32_t leaf) {
  Node node;
  node.leaf = leaf;
  node.gpus_total = random.one_in(5) ? 4 : 8;
  node.untouched = !random.one_in(3);
  node.gpus = node.untouched ? node.gpus_total : static_cast<std::int32_t>(random.upto(node.gpus_total));
  node.cpus = node.untouched ? 64 : 8 * node.gpus;
  node.memory = (node.untouched ? 512 : 64 * node.gpus) - (random.one_in(6) ? 32 : 0);
  node.usable = !random.one_in(8);
  return node;
}

Case random_case(Random& random) {
  Case c;
  const std::int64_t leaves = 1 + random.upto(5);
  for (std::int64_t leaf = 0; leaf < leaves; ++leaf)
    for (std::int64_t n = random.upto(5); n > 0; --n)
      c.nodes.push_back(random_node(random, static_cast<std::uint32_t>(leaf)));
  if (random.one_in(3))  // node numbers need not follow the leaves
    for (std::size_t i = 1; i < c.nodes.size(); ++i)
      std::swap(c.nodes[i], c.nodes[static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(i)))]);
  c.gang.gpus = static_cast<std::int32_t>(std::vector{0, 1, 2, 4, 8}[static_cast<std::size_t>(random.upto(4))]);
  c.gang.cpus = random.one_in(2) ? 8 * c.gang.gpus : random.upto(70);
  c.gang.memory = random.one_in(2) ? 0 : random.upto(520);
  c.gang.exclusive = random.one_in(5);
  c.gang.segment = random.one_in(3) ? 2 + random.upto(1) : 1;
  c.gang.nodes = c.gang.segment * (1 + random.upto(c.gang.segment > 1 ? 3 : 9));
  c.gang.one_leaf = random.one_in(6);
  return c;
}

// Changes one thing; false if this way does not apply to the answer.
bool damage(Placement& p, const Case& c, Random& random) {
  if (p.nodes.empty()) return false;
  const auto any = static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(p.nodes.size()) - 1));
  switch (random.upto(5)) {
    case 0: p.nodes.erase(p.nodes.begin() + static_cast<std::ptrdiff_t>(any)); return true;
    case 1: p.nodes.insert(p.nodes.begin() + static_cast<std::ptrdiff_t>(any), p.nodes[any]); return true;
    case 2: ++p.leaves; return true;
    case 3: --p.lower_bound; return true;
    case 4: p.nodes[any] = static_cast<std::uint32_t>(c.nodes.size()); return true;
    default: break;
  }
  // Another node instead, whatever it is: packing and tie-breaks leave one right choice a leaf. A
  // node of another leaf may be as good, so stay in the leaf.
  for (std::uint32_t i = 0; i < c.nodes.size(); ++i)
    if (c.nodes[i].leaf == c.nodes[p.nodes[any]].leaf &&
        std::find(p.nodes.begin(), p.nodes.end(), i) == p.nodes.end()) {
      p.nodes[any] = i;
      return true;
    }
  return false;
}

bool damage(Shortage& s, const Case&, Random& random) {
  switch (random.upto(8)) {
    case 0: ++s.need; return true;
    case 1: ++s.have; return true;
    case 2: ++s.fit; return true;
    case 3: ++s.unusable; return true;
    case 4: ++s.busy; return true;
    case 5: ++s.partial; return true;
    case 6: ++s.partial_gpus; return true;
    case 7: ++s.too_small; return true;
    default: s.kind = s.kind == Shortage::Kind::nodes ? Shortage::Kind::segments : Shortage::Kind::nodes; return true;
  }
}

}  // namespace

TEST_CASE("gang answers are true in every number", "[property][gang]") {
  Random random(20240607);
  std::int64_t placed = 0, refused[3] = {0, 0, 0};
  for (int i = 0; i < 150'000; ++i) {
    const Case c = random_case(random);
    const Answer answer = place_gang(c.nodes, c.gang);
    const std::string fault = fault_of(c.nodes, c.gang, answer);
    if (!fault.empty()) FAIL("case " << i << ": " << fault);
    if (const Shortage* s = std::get_if<Shortage>(&answer)) ++refused[static_cast<int>(s->kind)];
    else ++placed;
  }
  // The cases are worth something only if every answer is among them.
  CHECK(placed > 20'000);
  for (std::int64_t n : refused) CHECK(n > 500);
}

TEST_CASE("the oracle rejects damaged answers", "[property][gang]") {
  Random random(77);
  int damaged = 0;
  for (int i = 0; i < 50'000; ++i) {
    const Case c = random_case(random);
    Answer answer = place_gang(c.nodes, c.gang);
    if (!std::visit([&](auto& a) { return damage(a, c, random); }, answer)) continue;
    ++damaged;
    if (fault_of(c.nodes, c.gang, answer).empty()) FAIL("case " << i << ": a damaged answer was accepted");
    // An answer of the wrong sort is false too.
    const Answer other = std::holds_alternative<Placement>(answer) ? Answer(Shortage{}) : Answer(Placement{});
    if (fault_of(c.nodes, c.gang, other).empty()) FAIL("case " << i << ": the opposite answer was accepted");
  }
  CHECK(damaged > 40'000);
}

TEST_CASE("below the fewest spines, as brute force over the leaves finds", "[property][gang]") {
  Random random(31);
  std::int64_t several = 0, one = 0, damaged = 0;
  for (int i = 0; i < 60'000; ++i) {
    Case c = random_case(random);
    std::vector<std::uint32_t> spines;
    for (std::uint32_t leaf = 0; leaf < 6; ++leaf) spines.push_back(static_cast<std::uint32_t>(random.upto(2)));
    Answer answer = place_gang(c.nodes, c.gang, spines);
    const std::string fault = fault_of(c.nodes, c.gang, answer, spines);
    if (!fault.empty()) FAIL("case " << i << ": " << fault);
    auto* p = std::get_if<Placement>(&answer);
    if (p == nullptr || p->nodes.empty()) continue;
    ++(p->spines > 1 ? several : one);
    ++(random.one_in(2) ? p->spines : p->spine_bound);
    if (fault_of(c.nodes, c.gang, answer, spines).empty()) FAIL("case " << i << ": a damaged answer was accepted");
    ++damaged;
  }
  CHECK(several > 500);
  CHECK(one > 5'000);
  CHECK(damaged > 10'000);
}

}  // namespace property_gang_test
