#include "cli/fit_demo.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <variant>
#include <vector>

#include "scheduler/inventory.h"
#include "scheduler/reliability.h"

namespace muster::cli {
namespace {

constexpr std::uint32_t slots = 8, gang = 5;

// Pods of both gangs in turn, each to the first free slot; who has each slot.
std::string bound_in_turn() {
  std::string held;
  for (std::uint32_t n = 0; n < 2 * gang && held.size() < slots; ++n) held += n % 2 == 0 ? 'A' : 'B';
  held.resize(slots, '.');
  return held;
}

// Each gang whole or not at all, on a fleet of that many slots.
std::string admitted() {
  scheduler::Inventory fleet{std::vector<scheduler::Node>(slots)};
  std::string held(slots, '.');
  for (const char name : {'A', 'B'}) {
    const scheduler::Answer answer = fleet.place({.nodes = gang, .exclusive = true});
    const auto* placement = std::get_if<scheduler::Placement>(&answer);
    if (placement == nullptr) continue;
    for (const std::uint32_t slot : placement->nodes) held[slot] = name, fleet.set(slot, {.untouched = false});
  }
  return held;
}

std::string row(const std::string& held) {
  std::string out = "|";
  for (const char who : held) out += std::string(" ") + who + " |";
  return out;
}

std::string outcome(const std::string& held, char name) {
  const auto have = std::count(held.begin(), held.end(), name);
  const std::string count = std::to_string(have) + " of " + std::to_string(gang) + " pods";
  if (have == gang) return count + ", runs";
  return count + (have > 0 ? ", waits and holds them" : ", waits and holds nothing");
}

std::string shown(const std::string& title, const std::string& held) {
  std::string out = title + "\n  " + row(held) + "\n";
  for (const char name : {'A', 'B'}) out += "  gang " + std::string(1, name) + ": " + outcome(held, name) + "\n";
  return out;
}

}  // namespace

std::string deadlock_demo() {
  std::string out = std::to_string(slots) + " slots, two gangs A and B of " + std::to_string(gang) +
                    " pods; a gang works when it has all of its pods\n\n";
  out += shown("pod by pod, in turn", bound_in_turn());
  out += "  neither gang works and neither releases its pods: a deadlock\n\n";
  out += shown("gang by gang, all or none", admitted());
  out += "  one works, and the other starts after it\n\n";
  out += "probability of the deadlock where pods are bound in random order, 1 - 2 C(n, s-n) / C(2n, s)\n";
  constexpr std::int64_t sizes[][2] = {{5, 8}, {4, 5}, {4, 6}, {4, 7}, {8, 12}, {16, 24}};
  for (const auto& [n, s] : sizes) {
    char line[96];
    std::snprintf(line, sizeof line, "  gangs of %2lld, %2lld slots: %.6f\n", static_cast<long long>(n),
                  static_cast<long long>(s), scheduler::deadlock_probability(n, s));
    out += line;
  }
  return out;
}

}  // namespace muster::cli
