// Nanoseconds for one gang of 1,000 whole nodes on 12,500 nodes, about half of them busy.
// Usage: gang_bench [SEED]. Exit code 1 above a millisecond.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <variant>
#include <vector>

#include "scheduler/gang.h"

using namespace muster::scheduler;

namespace {

constexpr std::uint32_t node_count = 12'500, leaf_size = 32;

std::vector<Node> fleet(std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Node> nodes(node_count);
  for (std::uint32_t i = 0; i < node_count; ++i) {
    const std::int32_t taken = random() % 2 == 0 ? 0 : static_cast<std::int32_t>(1 + random() % 8);
    nodes[i] = {.leaf = i / leaf_size, .gpus = 8 - taken, .gpus_total = 8, .cpus = 24 * (8 - taken),
                .memory = (std::int64_t{256} << 30) * (8 - taken), .usable = random() % 50 != 0, .untouched = taken == 0};
  }
  return nodes;
}

// The best of several rounds, in ns: the others measured the machine.
double time_of(const std::vector<Node>& nodes, const Gang& gang, std::size_t& sink) {
  double best = 1e18;
  for (int round = 0; round < 20; ++round) {
    constexpr int repeats = 50;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i) {
      const Answer answer = place_gang(nodes, gang);
      if (const Placement* p = std::get_if<Placement>(&answer)) sink += p->nodes.back();
    }
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    best = taken.count() / repeats < best ? taken.count() / repeats : best;
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const auto seed = static_cast<std::uint32_t>(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1);
  std::vector<Node> nodes = fleet(seed);
  std::size_t sink = 0;
  const double spread = time_of(nodes, {.nodes = 1000, .gpus = 8}, sink);
  const double segments = time_of(nodes, {.nodes = 1000, .gpus = 8, .segment = 4}, sink);
  const double partial = time_of(nodes, {.nodes = 1000, .gpus = 4}, sink);
  for (Node& node : nodes) node.leaf = 0;
  const double flat = time_of(nodes, {.nodes = 1000, .gpus = 4}, sink);
  std::printf("seed %u, 1000-node gang on %u nodes, ns an operation (checksum %zu)\n", seed, node_count, sink);
  std::printf("whole nodes %.0f\nsegments of 4 %.0f\n4 GPUs a node %.0f\none leaf for all %.0f\n", spread, segments, partial, flat);
  return spread < 1e6 && segments < 1e6 && partial < 1e6 && flat < 1e6 ? 0 : 1;
}
