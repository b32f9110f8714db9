#include "cli/fit_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "compiler/base/text.h"
#include "plan/fit/at_once.h"

namespace muster::cli {
namespace {

// Of a level: "16 of 1,000 replicas at a time" where that is not all.
std::string part_at_a_time(const plan::Level& level, const std::optional<std::int64_t>& room, const plan::AtOnce& all,
                           bool in_parts) {
  if (level.verdict != plan::Verdict::fits || !in_parts || !room || *room >= all.in_all) return {};
  return plan::part_text(*room, all.in_all, all.unit) + " at a time";
}

void add_level(std::string& out, const char* what, const plan::Level& level, const std::string& part) {
  out += "  " + padded(what, 9) + std::string(plan::name(level.verdict));
  std::string text = level.certificate ? level.certificate->text : part;
  if (!level.certificate && !level.note.empty()) text += (text.empty() ? "" : "; ") + level.note;
  out += (text.empty() ? "" : ": ") + text + "\n";
}

// "fits: 40 of 1,000 at a time".
std::string verdict_text(const plan::Fit& fit, bool in_parts) {
  const plan::AtOnce& all = fit.at_once;
  std::string out(plan::name(fit.verdict));
  if (fit.verdict != plan::Verdict::fits) return out;
  if (!fit.borrowed.empty()) out += " by borrowing " + fit.borrowed + ", which can be taken back";
  if (!in_parts || !all.possible || *all.possible >= all.in_all) return out;
  return out + ": " + with_thousands(*all.possible) + " of " + with_thousands(all.in_all) + " at a time";
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

// "for 5 nodes, of 2 to 8".
std::string growth_text(const plan::Growth& growth) {
  return "for " + counted(growth.to, growth.of_nodes ? "node" : "replica") + ", of " + std::to_string(growth.low) +
         " to " + std::to_string(growth.high);
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

// "pool a", "pools a and b".
std::string pools_text(const plan::Fit& fit) {
  std::vector<std::string> names;
  for (const plan::PlacedNode& p : fit.placements)
    if (std::find(names.begin(), names.end(), p.pool) == names.end()) names.push_back(p.pool);
  return (names.size() > 1 ? "pools " : "pool ") + listed(names, "and");
}

}  // namespace

std::string fit_text(const plan::Fit& fit, const model::Workload& workload) {
  const plan::AtOnce& all = fit.at_once;
  const bool in_parts = plan::starts_one_by_one(workload);
  std::string out = workload.id + ": " + verdict_text(fit, in_parts) + "\n";
  add_level(out, "capacity", fit.capacity, part_at_a_time(fit.capacity, all.room, all, in_parts));
  add_level(out, "policy", fit.policy, part_at_a_time(fit.policy, all.allowed, all, in_parts));
  add_level(out, "now", fit.now, part_at_a_time(fit.now, all.room_now, all, in_parts));
  if (!fit.queue_reason.empty()) out += "  " + padded("queue", 9) + fit.queue_reason + "\n";
  if (!fit.otherwise.empty()) out += "  " + padded("but", 9) + fit.otherwise + "\n";
  constexpr std::size_t shown = 4;
  std::string before;
  for (std::size_t i = 0; i < std::min(shown, fit.placed_before.size()); ++i)
    before += (i == 0 ? "" : ", ") + fit.placed_before[i];
  if (fit.placed_before_count > shown)
    before += " and " + counted(static_cast<long long>(fit.placed_before_count - shown), "other");
  if (!before.empty()) out += "  " + padded("after", 9) + before + "\n";
  if (fit.growth) out += "  " + padded("room", 9) + growth_text(*fit.growth) + "\n";
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
         " of " + pools_text(fit) + ": " + compress_hosts(names) + "\n";
  if (const std::string parts = parts_text(fit); !parts.empty()) out += "  " + padded("parts", 9) + parts + "\n";
  out += "  " + padded("leaves", 9) + std::to_string(fit.leaf_switches) +
         (fit.leaf_switches == 1 ? " leaf switch" : " leaf switches") + below(fit) + ", no placement uses fewer than " +
         std::to_string(fit.leaf_lower_bound) + "\n";
  return out;
}

}  // namespace muster::cli
