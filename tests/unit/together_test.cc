#include "scheduler/together.h"

#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "scheduler/apart.h"
#include "tests/catch.h"
#include "tests/oracles/together_oracle.h"

namespace together_test {

using namespace muster;
using namespace muster::scheduler;

namespace {

struct Scene {
  std::vector<Node> nodes;
  std::vector<Member> members;
  bool apart = false;
};

// Up to seven nodes in three leaves and three gangs; CPUs and memory bind in some, bars and segments in others.
Scene small_scene(std::mt19937& random) {
  const auto below = [&](unsigned n) { return static_cast<std::int32_t>(random() % n); };
  Scene scene;
  scene.apart = random() % 4 == 0;
  const bool tight_cpus = random() % 3 == 0;
  for (int i = 0, n = 2 + below(6); i < n; ++i) {
    const std::int32_t free = below(3) == 0 ? below(9) : 8;
    scene.nodes.push_back({.leaf = static_cast<std::uint32_t>(below(3)),
                           .gpus = free,
                           .gpus_total = 8,
                           .cpus = tight_cpus ? below(17) : 2 * free,
                           .memory = random() % 5 == 0 ? below(17) : 16,
                           .usable = random() % 10 != 0,
                           .untouched = free == 8});
  }
  for (int i = 0, n = 2 + below(2); i < n; ++i) {
    Gang gang{.nodes = 1 + below(3), .gpus = 1 << below(4), .exclusive = random() % 8 == 0};
    gang.cpus = tight_cpus ? below(9) : gang.gpus;
    gang.memory = random() % 3 == 0 ? below(9) : 0;
    if (random() % 5 == 0 && gang.nodes == 2) gang.segment = 2;
    else gang.one_leaf = random() % 8 == 0;
    scene.members.push_back({gang});
    if (random() % 4 != 0) continue;
    for (std::size_t node = 0; node < scene.nodes.size(); ++node)
      scene.members.back().barred.push_back(random() % 3 == 0);
  }
  return scene;
}

JointAnswer answer_of(const Scene& scene) { return place_together(scene.nodes, scene.members, {.apart = scene.apart}); }

std::string fault_of(const Scene& scene, const JointAnswer& answer) {
  return oracles::fault_of(scene.nodes, scene.members, scene.apart, answer);
}

struct Tally {
  int fits = 0, minimal = 0, refused = 0, unknown = 0, unknown_fits = 0;
};

void compare(const Scene& scene, Tally& tally) {
  const JointAnswer answer = answer_of(scene);
  REQUIRE(fault_of(scene, answer) == "");
  const auto truth = oracles::fewest_leaves(scene.nodes, scene.members, scene.apart);
  if (const Together* t = std::get_if<Together>(&answer)) {
    ++tally.fits;
    REQUIRE(truth);
    REQUIRE(t->lower_bound <= *truth);
    REQUIRE(t->leaves >= *truth);
    tally.minimal += t->leaves == t->lower_bound ? 1 : 0;
  } else if (std::holds_alternative<GaveUp>(answer)) {
    ++tally.unknown;
    tally.unknown_fits += truth ? 1 : 0;
  } else {
    ++tally.refused;
    REQUIRE_FALSE(truth);
  }
}

Node whole(std::uint32_t leaf, std::int32_t gpus = 8) {
  return {.leaf = leaf, .gpus = gpus, .gpus_total = 8, .cpus = 64, .memory = 512, .untouched = gpus == 8};
}

}  // namespace

TEST_CASE("gangs together: no answer contradicts brute force", "[together][property]") {
  // MUSTER_CASES=100000 is the long run; it prints its counts.
  const char* count = std::getenv("MUSTER_CASES");
  const int cases = count != nullptr ? std::atoi(count) : 3'000;
  std::mt19937 random(11);
  Tally tally;
  for (int i = 0; i < cases; ++i) {
    INFO("case " << i);
    compare(small_scene(random), tally);
  }
  if (count != nullptr)
    WARN(cases << " cases: " << tally.fits << " fit (" << tally.minimal << " proven minimal), " << tally.refused
               << " refused with a proof, " << tally.unknown << " unknown (" << tally.unknown_fits << " of them fit)");
  CHECK(tally.fits > cases / 10);
  CHECK(tally.refused > cases / 10);
  CHECK(tally.unknown < cases / 20);
}

TEST_CASE("the line of an inventory is that of its nodes", "[together][property]") {
  std::mt19937 random(7);
  int proven = 0;
  for (int i = 0; i < 3'000; ++i) {
    const Scene scene = small_scene(random);
    const Line line = find_line(scene.nodes, scene.members, scene.apart);
    const Line counted = find_line(Inventory(scene.nodes), scene.members, scene.apart);
    CHECK(line.unit == counted.unit);
    CHECK(line.slot == counted.slot);
    CHECK(line.members == counted.members);
    CHECK(line.need == counted.need);
    CHECK(line.have == counted.have);
    proven += line.need > line.have;
  }
  CHECK(proven > 100);
}

TEST_CASE("gangs that are counted give the line of as many gangs", "[together][property]") {
  std::mt19937 random(13);
  int proven = 0;
  for (int i = 0; i < 1'000; ++i) {
    Scene scene = small_scene(random);
    for (Member& member : scene.members) member.gang.one_leaf = false, member.gang.segment = 1, member.barred.clear();
    if (has_own_nodes(scene.members, scene.apart)) continue;  // the first ones that are too many are named
    std::vector<Member> each;
    std::vector<std::uint32_t> group_of;
    for (std::uint32_t m = 0; m < scene.members.size(); ++m) {
      scene.members[m].count =
          5 + static_cast<std::int64_t>(random() % 4);  // nine or more in all: not every set of them
      for (std::int64_t n = 0; n < scene.members[m].count; ++n) {
        each.push_back({scene.members[m].gang});
        group_of.push_back(m);
      }
    }
    const Line line = find_line(scene.nodes, each, scene.apart),
               counted = find_line(scene.nodes, scene.members, scene.apart);
    std::vector<std::uint32_t> members;
    for (const std::uint32_t m : line.members)
      if (members.empty() || members.back() != group_of[m]) members.push_back(group_of[m]);
    CHECK(counted.unit == line.unit);
    CHECK(counted.slot == line.slot);
    CHECK(counted.members == members);
    CHECK(counted.need == line.need);
    CHECK(counted.have == line.have);
    proven += line.need > line.have;
  }
  CHECK(proven > 100);
}

TEST_CASE("roles of unlike sizes share nodes", "[together]") {
  const std::vector<Node> nodes{whole(0), whole(0), whole(1)};
  const std::vector<Member> members{{{.nodes = 2, .gpus = 6}}, {{.nodes = 3, .gpus = 2}}};
  const JointAnswer answer = place_together(nodes, members);
  REQUIRE(std::holds_alternative<Together>(answer));
  CHECK(std::get<Together>(answer).leaves == 2);
  CHECK(std::get<Together>(answer).lower_bound == 2);
}

TEST_CASE("slots of the larger size run out though GPUs are free", "[together]") {
  const std::vector<Node> nodes{whole(0), whole(0, 6), whole(1, 6)};
  const std::vector<Member> members{{{.nodes = 3, .gpus = 4}}, {{.nodes = 2, .gpus = 4}}};
  const JointAnswer answer = place_together(nodes, members);
  REQUIRE(std::holds_alternative<Line>(answer));
  const Line line = std::get<Line>(answer);
  CHECK(line.unit == Line::Unit::gpus);
  CHECK(line.slot == 4);
  CHECK(line.need == 5);
  CHECK(line.have == 4);
  CHECK(line.members == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("gangs of which no two share a node need a node for each pod", "[together]") {
  // By CPUs alone there is room: 4 x 32 and 2 x 64 are as many as four nodes have.
  const std::vector<Node> nodes{whole(0), whole(0), whole(0), whole(1)};
  const std::vector<Member> members{{{.nodes = 4, .cpus = 32}}, {{.nodes = 2, .cpus = 64}}};
  const JointAnswer answer = place_together(nodes, members);
  REQUIRE(std::holds_alternative<Line>(answer));
  const Line line = std::get<Line>(answer);
  CHECK(line.unit == Line::Unit::places);
  CHECK(line.need == 6);
  CHECK(line.have == 4);
  CHECK(line.crowded);
}

TEST_CASE("each two of three gangs are kept apart by another unit", "[together]") {
  const std::vector<Node> nodes{whole(0), whole(0), whole(1)};
  const std::vector<Member> members{{{.nodes = 2, .gpus = 5, .cpus = 8, .memory = 300}},
                                    {{.nodes = 1, .gpus = 4, .cpus = 40, .memory = 100}},
                                    {{.nodes = 1, .gpus = 1, .cpus = 40, .memory = 300}}};
  const JointAnswer answer = place_together(nodes, members);
  REQUIRE(std::holds_alternative<Line>(answer));
  const Line line = std::get<Line>(answer);
  CHECK(line.unit == Line::Unit::places);
  CHECK(line.need == 4);
  CHECK(line.have == 3);
  CHECK(line.crowded);
}

TEST_CASE("gangs that are apart run out of nodes: the set of T7", "[together]") {
  const std::vector<Node> nodes{whole(0), whole(0), whole(0), whole(0)};
  const std::vector<bool> first_two{false, false, true, true};
  const std::vector<Member> members{
      {{.nodes = 2, .gpus = 1}, first_two}, {{.nodes = 1, .gpus = 1}, first_two}, {{.nodes = 1, .gpus = 8}}};
  const JointAnswer answer = place_together(nodes, members, {.apart = true});
  REQUIRE(std::holds_alternative<Line>(answer));
  CHECK(std::get<Line>(answer).members == std::vector<std::uint32_t>{0, 1});
  CHECK(std::get<Line>(answer).need == 3);
  CHECK(std::get<Line>(answer).have == 2);
}

namespace {

// Whether every pod finds a node of its own: one after the other, and who has one may have to take another.
bool matches(const Scene& scene) {
  std::vector<std::uint32_t> pods;
  for (std::uint32_t m = 0; m < scene.members.size(); ++m)
    pods.insert(pods.end(), static_cast<std::size_t>(scene.members[m].gang.nodes), m);
  std::vector<int> holder(scene.nodes.size(), -1);
  std::vector<bool> asked;
  const std::function<bool(int)> seat = [&](int pod) {
    const Member& member = scene.members[pods[static_cast<std::size_t>(pod)]];
    for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
      const Node& node = scene.nodes[n];
      const bool open = node.usable && node.gpus >= member.gang.gpus && (member.barred.empty() || !member.barred[n]);
      if (asked[n] || !open) continue;
      asked[n] = true;
      if (holder[n] >= 0 && !seat(holder[n])) continue;
      holder[n] = pod;
      return true;
    }
    return false;
  };
  for (std::size_t pod = 0; pod < pods.size(); ++pod) {
    asked.assign(scene.nodes.size(), false);
    if (!seat(static_cast<int>(pod))) return false;
  }
  return true;
}

// Nine to thirteen gangs on nodes that are available to some of them.
Scene contended_scene(std::mt19937& random) {
  Scene scene;
  scene.apart = true;
  for (unsigned i = 0, n = 16 + random() % 24; i < n; ++i)
    scene.nodes.push_back({.leaf = i / 4, .gpus = static_cast<std::int32_t>(4 + random() % 2 * 4), .gpus_total = 8});
  const unsigned bars = 1 + random() % 4;
  for (unsigned i = 0, n = 9 + random() % 5; i < n; ++i) {
    scene.members.push_back(
        {Gang{.nodes = static_cast<std::int64_t>(1 + random() % 3), .gpus = random() % 4 == 0 ? 8 : 4}});
    if (random() % 4 == 0) continue;
    for (std::size_t node = 0; node < scene.nodes.size(); ++node)
      scene.members.back().barred.push_back(node / 4 % bars != i % bars && random() % 6 != 0);
  }
  return scene;
}

}  // namespace

TEST_CASE("more than eight gangs apart: a placement or the set of T7, always", "[together][property]") {
  std::mt19937 random(8);
  int placed = 0, refused = 0, sets = 0;
  for (int i = 0; i < 4'000; ++i) {
    const Scene scene = contended_scene(random);
    const JointAnswer answer = answer_of(scene);
    const bool fits = std::holds_alternative<Together>(answer);
    if (fits != matches(scene)) FAIL("scene " << i << ": the matching says otherwise");
    if (std::holds_alternative<GaveUp>(answer)) FAIL("scene " << i << ": gave up");
    if (const std::string fault = fault_of(scene, answer); !fault.empty()) FAIL("scene " << i << ": " << fault);
    if (const Line* line = std::get_if<Line>(&answer)) sets += line->members.size() < scene.members.size();
    ++(fits ? placed : refused);
  }
  CHECK(placed > 300);
  CHECK(refused > 300);
  CHECK(sets > 100);
}

TEST_CASE("the checker rejects a thousand damaged answers", "[together][property]") {
  std::mt19937 random(23);
  const std::vector<std::function<void(Together&)>> placements{
      [](Together& t) { t.placements[0].nodes.pop_back(); },
      [](Together& t) { t.placements[0].nodes.push_back(t.placements[0].nodes[0]); },
      [](Together& t) { t.placements[1].nodes[0] = 9999; },
      [](Together& t) { ++t.leaves; },
      [](Together& t) { t.lower_bound = t.leaves + 1; },
      [](Together& t) { ++t.placements[0].leaves; },
      [](Together& t) { t.placements.pop_back(); },
  };
  const std::vector<std::function<void(Line&)>> lines{
      [](Line& l) { ++l.need; },          [](Line& l) { --l.have; },
      [](Line& l) { l.have = l.need; },   [](Line& l) { l.members.push_back(l.members[0]); },
      [](Line& l) { l.members.clear(); }, [](Line& l) { l.slot = 0; },
  };
  int damaged = 0, full = 0;
  for (int i = 0; damaged < 1'000; ++i) {
    INFO("answer " << i);
    const Scene scene = small_scene(random);
    JointAnswer answer = answer_of(scene);
    REQUIRE(fault_of(scene, answer) == "");
    if (Together* t = std::get_if<Together>(&answer)) {
      // A node that is closed or full is what a careless placement takes.
      for (std::uint32_t n = 0; n < scene.nodes.size() && i % 2 == 0; ++n)
        if (!scene.nodes[n].usable || scene.nodes[n].gpus < scene.members[0].gang.gpus) {
          t->placements[0].nodes[0] = n;
          ++full;
          break;
        }
      if (fault_of(scene, answer).empty()) placements[random() % placements.size()](*t);
    } else if (Line* l = std::get_if<Line>(&answer)) {
      lines[random() % lines.size()](*l);
    } else if (MemberMisfit* a = std::get_if<MemberMisfit>(&answer)) {
      (random() % 2 == 0 ? a->shortage.have : a->shortage.fit) += 1;
    } else {
      continue;
    }
    REQUIRE(fault_of(scene, answer) != "");
    ++damaged;
  }
  CHECK(full > 50);
}

}  // namespace together_test
