#include "plan/run/waits.h"

#include <map>
#include <string_view>

namespace muster::plan {

Waits::Waits(const std::vector<Plan*>& plans) {
  std::map<std::string_view, std::uint32_t> places;
  for (std::uint32_t n = 0; n < plans.size(); ++n) places.emplace(plans[n]->workload->name, n);
  std::vector<std::vector<std::uint32_t>> direct(plans.size());
  for (std::size_t n = 0; n < plans.size(); ++n)
    for (const model::After& after : plans[n]->workload->depends_on) {
      const auto found = places.find(after.workload);
      if (after.on == model::AfterOn::start || found == places.end()) continue;
      direct[n].push_back(found->second);
      any_ = true;
    }
  if (!any_) return;
  before_.resize(plans.size());
  done_.resize(plans.size(), false);
  for (std::uint32_t n = 0; n < plans.size(); ++n) collect(n, direct);
}

// Whom it waits for first. What waits for itself was reported before; here it ends as well.
void Waits::collect(std::uint32_t first, const std::vector<std::vector<std::uint32_t>>& direct) {
  std::vector<std::uint32_t> open{first};
  std::vector<std::size_t> next{0};
  while (!open.empty()) {
    const std::uint32_t n = open.back();
    if (next.back() == 0 && done_[n]) {
      open.pop_back(), next.pop_back();
      continue;
    }
    done_[n] = true;
    if (next.back() < direct[n].size()) {
      open.push_back(direct[n][next.back()++]);
      next.push_back(0);
      continue;
    }
    open.pop_back(), next.pop_back();
    if (direct[n].empty()) continue;
    Row& row = before_[n];
    row.resize((direct.size() + 63) / 64);
    for (const std::uint32_t other : direct[n]) {
      row[other / 64] |= std::uint64_t{1} << other % 64;
      for (std::size_t word = 0; word < before_[other].size(); ++word) row[word] |= before_[other][word];
    }
  }
}

bool Waits::waits_for(std::size_t plan, std::size_t other) const {
  return any_ && !before_[plan].empty() && (before_[plan][other / 64] >> other % 64 & 1) != 0;
}

}  // namespace muster::plan
