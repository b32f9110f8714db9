#include "cli/fit_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "compiler/base/text.h"

namespace muster::cli {
namespace {

void add_level(std::string& out, const char* what, const plan::Level& level) {
  out += "  " + padded(what, 9) + std::string(plan::name(level.verdict));
  if (level.certificate) out += ": " + level.certificate->text;
  else if (!level.note.empty()) out += ": " + level.note;
  out += "\n";
}

// " below 2 spines (no fewer for so few leaves)".
std::string below(const plan::Fit& fit) {
  if (fit.spines == 0) return {};
  return " below " + counted(fit.spines, "spine") +
         (fit.spines == 1 ? ""
          : fit.spines == fit.spine_lower_bound
              ? ", the minimum for this number of leaves"
              : ", at least " + std::to_string(fit.spine_lower_bound) + " for this number of leaves");
}

// "from 2 nodes to 5 of at most 8".
std::string growth_text(const plan::Growth& growth) {
  return "from " + counted(growth.low, growth.of_nodes ? "node" : "replica") + " to " + std::to_string(growth.to) +
         " of at most " + std::to_string(growth.high);
}

// "n1 GPU 0: 4 × 1g.10gb, n1 GPU 1: 2 × 1g.10gb and 3 others".
std::string parts_text(const plan::Fit& fit) {
  struct Cut {
    std::string gpu, part;
    long long count = 0;
  };
  std::vector<Cut> cuts;
  for (const plan::PlacedNode& p : fit.placements) {
    if (!p.part || p.gpus.empty()) continue;
    const Cut cut{p.node + " GPU " + std::to_string(p.gpus.front()),
                  p.part->slices != 0 ? p.part->profile : std::to_string(p.part->percent) + "%"};
    if (cuts.empty() || cuts.back().gpu != cut.gpu || cuts.back().part != cut.part) cuts.push_back(cut);
    ++cuts.back().count;
  }
  constexpr std::size_t shown = 4;
  std::string out;
  for (std::size_t i = 0; i < std::min(shown, cuts.size()); ++i)
    out += (i == 0 ? "" : ", ") + cuts[i].gpu + ": " +
           (cuts[i].count > 1 ? std::to_string(cuts[i].count) + " × " : "") + cuts[i].part;
  if (cuts.size() > shown) out += " and " + counted(static_cast<long long>(cuts.size() - shown), "other");
  return out;
}

}  // namespace

std::string fit_text(const plan::Fit& fit, const model::Workload& workload) {
  std::string out = workload.id + ": " + std::string(plan::name(fit.verdict)) + "\n";
  add_level(out, "capacity", fit.capacity);
  add_level(out, "policy", fit.policy);
  add_level(out, "now", fit.now);
  constexpr std::size_t shown = 4;
  std::string before;
  for (std::size_t i = 0; i < std::min(shown, fit.placed_before.size()); ++i)
    before += (i == 0 ? "" : ", ") + fit.placed_before[i];
  if (fit.placed_before_count > shown)
    before += " and " + counted(static_cast<long long>(fit.placed_before_count - shown), "other");
  if (!before.empty()) out += "  " + padded("after", 9) + before + "\n";
  if (fit.growth) out += "  " + padded("grows", 9) + growth_text(*fit.growth) + "\n";
  if (fit.placements.empty()) return out;
  std::vector<std::string> names;
  for (const plan::PlacedNode& p : fit.placements) names.push_back(p.node);
  const auto pods = static_cast<long long>(names.size());
  std::vector<std::string_view> distinct(names.begin(), names.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.size() < names.size()) names = std::vector<std::string>(distinct.begin(), distinct.end());
  const auto nodes = static_cast<long long>(names.size());
  out += "  " + padded("nodes", 9) + (pods > nodes ? counted(pods, "pod") + " on " : "") + counted(nodes, "node") +
         " of pool " + fit.pool + ": " + compress_hosts(names) + "\n";
  if (const std::string parts = parts_text(fit); !parts.empty()) out += "  " + padded("parts", 9) + parts + "\n";
  out += "  " + padded("leaves", 9) + std::to_string(fit.leaf_switches) +
         (fit.leaf_switches == 1 ? " leaf switch" : " leaf switches") + below(fit) + ", no placement uses fewer than " +
         std::to_string(fit.leaf_lower_bound) + "\n";
  return out;
}

}  // namespace muster::cli
