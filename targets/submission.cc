#include "targets/submission.h"

#include <algorithm>

#include "compiler/base/order.h"
#include "targets/lookup.h"

namespace muster::targets {

Submissions::Submissions(std::span<const Submission> all) : all_(all) {
  for (std::size_t i = 0; i < all.size(); ++i) by_name_.emplace(all[i].workload->name, i);
}

bool Submissions::is_chained() const {
  return std::any_of(all_.begin(), all_.end(), [](const Submission& s) { return !s.workload->depends_on.empty(); });
}

std::vector<std::size_t> Submissions::in_order() const {
  std::vector<std::vector<std::size_t>> waits_for(all_.size());
  for (std::size_t i = 0; i < all_.size(); ++i)
    for (const model::After& after : all_[i].workload->depends_on)
      if (const auto other = find(after.workload)) waits_for[i].push_back(*other);
  return order_of(waits_for);
}

std::optional<std::size_t> Submissions::find(const std::string& workload) const {
  const auto found = by_name_.find(workload);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

void Submissions::check_variables(Diagnostics& diagnostics) const {
  std::unordered_map<std::string, std::string> workload_of;
  for (const Submission& one : all_)
    for (const model::After& after : one.workload->depends_on) {
      if (find(after.workload)) continue;
      const auto [other, fresh] = workload_of.emplace(contract_name("", after.workload), after.workload);
      if (!fresh && other->second != after.workload)
        diagnostics
            .add(Code::target_refuses, after.span,
                 "`" + after.workload + "` and `" + other->second +
                     "` are submitted elsewhere, but the script would read both from the same variable")
            .notes.push_back("compile them together with this workload, or rename one");
    }
}

std::string submit_head(std::string_view what) {
  return "#!/bin/sh\n# " + std::string(what) + "\nset -eu\ncd \"$(dirname \"$0\")\"\n";
}

}  // namespace muster::targets
