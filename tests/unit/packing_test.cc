#include "scheduler/packing.h"

#include <cstdlib>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "tests/catch.h"
#include "tests/oracles/packing_oracle.h"

namespace packing_test {

using namespace muster;
using namespace muster::scheduler;

namespace {

// Where the slices of an H100 with 80 GB may stand, as commonly listed.
Cut h100() {
  return {7,
          {{{0, 1, 2, 3, 4, 5, 6}, 1, 1},
           {{0, 2, 4, 6}, 2, 1},
           {{0, 2, 4}, 2, 2},
           {{0, 4}, 4, 3},
           {{0}, 4, 4},
           {{0}, 8, 7}}};
}

struct Scene {
  std::vector<PackNode> nodes;
  Cut cut = h100();
  std::vector<PodGang> gangs;
};

// What is taken of a GPU already: nothing, all, a share, some slices.
Device any_device(std::mt19937& random, const Cut& cut) {
  Device out;
  switch (random() % 6) {
    case 0: out.whole = true; break;
    case 1: out.percent = 25 * (1 + static_cast<std::uint32_t>(random() % 4)); break;
    case 2:
      for (int i = 0; i < 2; ++i) {
        const std::vector<Device> next = after(cut, out, {Part::Kind::slice, static_cast<std::uint32_t>(random() % 4)});
        if (!next.empty()) out = next[random() % next.size()];
      }
      break;
    default: break;
  }
  return out;
}

PodGang any_gang(std::mt19937& random, const Cut& cut, std::size_t nodes) {
  PodGang gang;
  gang.pods = static_cast<std::int64_t>(1 + random() % 3), gang.a_node = static_cast<std::int64_t>(1 + random() % 3);
  gang.devices = random() % 8 == 0 ? static_cast<std::int32_t>(random() % 3) : 1;
  if (gang.devices == 1 && random() % 8 != 0) {
    const bool share = random() % 4 == 0;
    gang.part.kind = share ? Part::Kind::share : Part::Kind::slice;
    gang.part.amount = static_cast<std::uint32_t>(share ? 10 * (1 + random() % 10) : random() % cut.profiles.size());
  }
  gang.cpus = random() % 3 == 0 ? static_cast<std::int64_t>(random() % 6) : 0;
  gang.memory = random() % 6 == 0 ? static_cast<std::int64_t>(random() % 6) : 0;
  for (std::size_t n = 0; n < nodes && random() % 8 == 0; ++n) gang.barred.resize(nodes), gang.barred[n] = true;
  return gang;
}

// Up to three nodes of two GPUs and three gangs; in one of three scenes the slices stand in other places.
Scene small_scene(std::mt19937& random) {
  Scene scene;
  if (random() % 3 == 0) scene.cut = {4, {{{0, 1, 2, 3}, 1, 1}, {{0, 2}, 2, 2}, {{0, 1}, 3, 2}, {{0}, 4, 4}}};
  for (std::size_t i = 0, n = 1 + random() % 3; i < n; ++i) {
    PackNode node{static_cast<std::uint32_t>(random() % 2),
                  {},
                  static_cast<std::int64_t>(random() % 12),
                  static_cast<std::int64_t>(4 + random() % 8),
                  random() % 10 != 0};
    for (std::size_t d = 0, m = 1 + random() % 2; d < m; ++d) node.devices.push_back(any_device(random, scene.cut));
    scene.nodes.push_back(std::move(node));
  }
  for (std::size_t i = 0, n = 1 + random() % 3; i < n; ++i)
    scene.gangs.push_back(any_gang(random, scene.cut, scene.nodes.size()));
  return scene;
}

std::string fault_of(const Scene& scene, const PackAnswer& answer) {
  return oracles::fault_of(scene.nodes, scene.cut, scene.gangs, answer);
}

std::int64_t pods_of(const Scene& scene) {
  std::int64_t out = 0;
  for (const PodGang& gang : scene.gangs) out += gang.pods;
  return out;
}

}  // namespace

TEST_CASE("a GPU's states: 192 ways to take its memory, 78 sets of slices (T8)", "[packing]") {
  const Cut cut = h100();
  std::set<std::uint32_t> masks;
  std::set<std::vector<std::uint32_t>> sets;
  std::set<std::pair<Device, std::vector<std::uint32_t>>> seen;
  const std::function<void(const Device&, std::vector<std::uint32_t>)> walk = [&](const Device& device,
                                                                                  std::vector<std::uint32_t> count) {
    if (!seen.emplace(device, count).second) return;
    masks.insert(device.slices);
    sets.insert(count);
    for (std::uint32_t p = 0; p < cut.profiles.size(); ++p) {
      ++count[p];
      for (const Device& then : after(cut, device, {Part::Kind::slice, p})) walk(then, count);
      --count[p];
    }
  };
  walk({}, std::vector<std::uint32_t>(cut.profiles.size(), 0));
  CHECK(masks.size() == 192);
  CHECK(sets.size() == 78);
}

TEST_CASE("gangs that are counted weigh what as many gangs weigh", "[packing][property]") {
  std::mt19937 random(12);
  int proven = 0;
  for (int i = 0; i < 1'000; ++i) {
    Scene scene = small_scene(random);
    std::erase_if(scene.gangs, [&](const PodGang& gang) {
      return !std::holds_alternative<Packed>(pack(scene.nodes, scene.cut, std::vector{gang}));
    });
    std::vector<PodGang> each;
    std::vector<std::size_t> first;
    for (PodGang& gang : scene.gangs) {
      first.push_back(each.size());
      each.insert(each.end(), 2 + random() % 3, gang);
      gang.count = static_cast<std::int64_t>(each.size() - first.back());
    }
    const Overweight one_by_one = find_overweight(scene.nodes, scene.cut, each);
    const Overweight counted = find_overweight(scene.nodes, scene.cut, scene.gangs);
    REQUIRE((one_by_one.need > one_by_one.have) == (counted.need > counted.have));
    if (counted.need <= counted.have) continue;
    ++proven;
    CHECK(counted.unit == one_by_one.unit);
    CHECK(counted.need == one_by_one.need);
    CHECK(counted.have == one_by_one.have);
    for (std::size_t g = 0; g < first.size(); ++g) CHECK(counted.weights[g] == one_by_one.weights[first[g]]);
  }
  CHECK(proven > 100);
}

TEST_CASE("a GPU's compute slices bind where its memory would hold more", "[packing]") {
  Cut cut;
  cut.compute = 7;
  cut.profiles = {{{0, 4}, 4, 4}};  // memory for two of them, compute for one
  const std::vector<Device> one = after(cut, {}, {Part::Kind::slice, 0});
  REQUIRE(one.size() == 2);
  for (const Device& device : one) CHECK(after(cut, device, {Part::Kind::slice, 0}).empty());
  cut.compute = 8;
  for (const Device& device : one) CHECK(after(cut, device, {Part::Kind::slice, 0}).size() == 1);
}

TEST_CASE("packing: no answer contradicts brute force", "[packing][property]") {
  // MUSTER_CASES=100000 is the long run; it prints its counts.
  const char* count = std::getenv("MUSTER_CASES");
  const int cases = count != nullptr ? std::atoi(count) : 1'000;
  std::mt19937 random(8);
  int fits = 0, heavy = 0, exhausted = 0, unknown = 0;
  for (int i = 0; i < cases; ++i) {
    const Scene scene = small_scene(random);
    const PackAnswer answer = pack(scene.nodes, scene.cut, scene.gangs);
    if (const std::string fault = fault_of(scene, answer); !fault.empty()) FAIL("case " << i << ": " << fault);
    const bool truth = oracles::most_pods(scene.nodes, scene.cut, scene.gangs) == pods_of(scene);
    if (std::holds_alternative<PackingGaveUp>(answer)) ++unknown;
    else if (truth != std::holds_alternative<Packed>(answer)) FAIL("case " << i << ": brute force says otherwise");
    fits += std::holds_alternative<Packed>(answer), heavy += std::holds_alternative<Overweight>(answer);
    exhausted += std::holds_alternative<Exhausted>(answer);
  }
  if (count != nullptr)
    WARN(cases << " cases: " << fits << " fit, " << heavy << " too heavy, " << exhausted << " tried in every way, "
               << unknown << " unknown");
  CHECK(fits > cases / 10);
  CHECK(heavy > cases / 10);
  CHECK(unknown == 0);
}

TEST_CASE("packing: one gang lies below the fewest spines that so few leaves allow", "[packing][property]") {
  std::mt19937 random(12);
  int placed = 0, several = 0;
  for (int i = 0; i < 200; ++i) {
    Scene scene;
    for (std::uint32_t leaf = 0; leaf < 6; ++leaf)
      scene.nodes.push_back({leaf, std::vector<Device>(1 + random() % 3), 64, 64, random() % 8 != 0});
    std::vector<std::uint32_t> spines;
    for (int leaf = 0; leaf < 6; ++leaf) spines.push_back(static_cast<std::uint32_t>(random() % 3));
    PodGang gang;
    gang.pods = gang.a_node = static_cast<std::int64_t>(1 + random() % 30);
    gang.part = {Part::Kind::slice, static_cast<std::uint32_t>(random() % 4)}, gang.devices = 1;
    const PackAnswer answer = pack(scene.nodes, scene.cut, std::span(&gang, 1), {.spine_of_leaf = spines});
    const auto* packed = std::get_if<Packed>(&answer);
    if (packed == nullptr) continue;
    const std::int64_t fewest = oracles::fewest_spines(scene.nodes, scene.cut, gang, spines);
    if (packed->spines != fewest || packed->spine_bound != fewest || packed->leaves != packed->lower_bound)
      FAIL("case " << i << ": " << packed->spines << " spines, bound " << packed->spine_bound << ", fewest " << fewest);
    ++placed, several += fewest > 1;
  }
  CHECK(placed > 50);
  CHECK(several > 5);
}

TEST_CASE("packing: one gang of slices on a fleet is exact", "[packing]") {
  // 64 nodes of 8 GPUs, each of which holds seven slices of the smallest kind, or two of the fourth.
  const std::vector<PackNode> nodes(64, PackNode{0, std::vector<Device>(8), 512, 4096, true});
  for (const auto& [profile, most] : {std::pair{0U, 64 * 8 * 7}, {1U, 64 * 8 * 4}, {3U, 64 * 8 * 2}, {5U, 64 * 8}}) {
    PodGang gang{.pods = most, .a_node = most, .part = {Part::Kind::slice, profile}, .devices = 1};
    CHECK(std::holds_alternative<Packed>(pack(nodes, h100(), std::span(&gang, 1))));
    ++gang.pods;
    const PackAnswer answer = pack(nodes, h100(), std::span(&gang, 1));
    REQUIRE(std::holds_alternative<Overweight>(answer));
    CHECK(std::get<Overweight>(answer).need == most + 1);
    CHECK(std::get<Overweight>(answer).have == most);
  }
}

TEST_CASE("packing: a small slice leaves room for a large one", "[packing]") {
  const std::vector<PackNode> nodes{{0, std::vector<Device>(1), 64, 64, true}};
  const std::vector<PodGang> gangs{{.pods = 3, .a_node = 3, .part = {Part::Kind::slice, 0}, .devices = 1},
                                   {.pods = 1, .a_node = 1, .part = {Part::Kind::slice, 4}, .devices = 1}};
  // One after the other, as they come from several workloads: the first must not stand where the second has to.
  const PackAnswer first = pack(nodes, h100(), std::span(gangs).first(1));
  REQUIRE(std::holds_alternative<Packed>(first));
  std::uint32_t taken = 0;
  for (const Seat& seat : std::get<Packed>(first).seats[0]) taken |= seat.slices;
  CHECK((taken & 0xFU) == 0);
  CHECK(std::holds_alternative<Packed>(pack(nodes, h100(), gangs)));
}

TEST_CASE("packing: huge numbers are answered at once", "[packing]") {
  const std::vector<PackNode> nodes(3, PackNode{0, std::vector<Device>(1), 64, 64, true});
  constexpr std::int64_t huge = std::int64_t{1} << 62;
  const std::vector<PodGang> free{{.pods = huge, .a_node = huge, .part = {}}};
  CHECK(std::holds_alternative<PackingGaveUp>(pack(nodes, h100(), free)));
  const std::vector<PodGang> cut{{.pods = huge, .a_node = huge, .part = {Part::Kind::share, 1}, .devices = 1}};
  const PackAnswer answer = pack(nodes, h100(), cut);
  REQUIRE(std::holds_alternative<Overweight>(answer));
  CHECK(std::get<Overweight>(answer).have == 300);
  const std::vector<PodGang> many{{.pods = 1, .part = {}, .devices = 2'000'000'000}};
  CHECK(std::holds_alternative<Overweight>(pack(nodes, h100(), many)));
}

TEST_CASE("packing: the checker rejects a thousand damaged answers", "[packing][property]") {
  std::mt19937 random(31);
  const std::vector<std::function<void(Packed&)>> packings{
      [](Packed& p) { p.seats[0].pop_back(); },           [](Packed& p) { p.seats[0].push_back(p.seats[0][0]); },
      [](Packed& p) { p.seats[0][0].node = 9; },          [](Packed& p) { p.seats[0][0].devices.push_back(0); },
      [](Packed& p) { p.seats[0][0].slices ^= 1U << 7; }, [](Packed& p) { ++p.leaves; },
      [](Packed& p) { p.lower_bound = p.leaves + 1; },    [](Packed& p) { p.seats.pop_back(); },
  };
  const std::vector<std::function<void(Overweight&)>> weights{
      [](Overweight& o) { ++o.need; },          [](Overweight& o) { --o.have; },
      [](Overweight& o) { o.have = o.need; },   [](Overweight& o) { o.weights.pop_back(); },
      [](Overweight& o) { o.weights[0] = -1; },
  };
  int damaged = 0;
  for (int i = 0; damaged < 1'000; ++i) {
    const Scene scene = small_scene(random);
    PackAnswer answer = pack(scene.nodes, scene.cut, scene.gangs);
    REQUIRE(fault_of(scene, answer) == "");
    if (Packed* p = std::get_if<Packed>(&answer)) packings[random() % packings.size()](*p);
    else if (Overweight* o = std::get_if<Overweight>(&answer)) weights[random() % weights.size()](*o);
    else if (Exhausted* e = std::get_if<Exhausted>(&answer)) (random() % 2 == 0 ? e->need : e->have) += 1;
    if (fault_of(scene, answer).empty()) FAIL("answer " << i << " was damaged and passed");
    ++damaged;
  }
}

}  // namespace packing_test
