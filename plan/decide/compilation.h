// What the facts of a workload say of those that are compiled with it.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/model/workload.h"

namespace muster::plan {

// The workloads of a compilation, looked through once for all of them. Borrows them; a copy costs little.
class Compilation {
 public:
  Compilation() = default;
  Compilation(std::span<const model::Workload> workloads);
  Compilation(const std::vector<model::Workload>& workloads) : Compilation(std::span(workloads)) {}

  bool empty() const { return summary_ == nullptr; }
  // The first that is a service; nullptr: none is.
  const model::Workload* service() const { return empty() ? nullptr : summary_->service; }
  // How many accounts they name, and `own` besides, which may be of another workload.
  std::size_t accounts(const model::Optional<std::string>& own) const;

 private:
  struct Summary {
    const model::Workload* service = nullptr;
    std::set<std::string_view> accounts;
  };

  std::shared_ptr<const Summary> summary_;
};

}  // namespace muster::plan
