#include "plan/decide/compilation.h"

#include <utility>

namespace muster::plan {

Compilation::Compilation(std::span<const model::Workload> workloads) {
  if (workloads.empty()) return;
  Summary summary;
  for (const model::Workload& workload : workloads) {
    if (summary.service == nullptr && workload.kind.value == model::Kind::serve) summary.service = &workload;
    if (workload.account) summary.accounts.insert(workload.account->value);
  }
  summary_ = std::make_shared<const Summary>(std::move(summary));
}

std::size_t Compilation::accounts(const model::Optional<std::string>& own) const {
  const std::size_t named = empty() ? 0 : summary_->accounts.size();
  return named + (own && (empty() || !summary_->accounts.contains(own->value)) ? 1 : 0);
}

}  // namespace muster::plan
