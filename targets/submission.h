// Workloads that wait for each other, for the scripts that submit them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "targets/target.h"

namespace muster::targets {

class Submissions {
 public:
  explicit Submissions(std::span<const Submission> all);

  // Whether one waits for another at all.
  bool is_chained() const;
  // Their numbers, each behind those that it waits for.
  std::vector<std::size_t> in_order() const;
  // The number of a workload; nullopt if it is submitted elsewhere.
  std::optional<std::size_t> find(const std::string& workload) const;
  // Workloads that are submitted elsewhere are asked for by a variable each: `a-b` and `a_b` would share theirs, and
  // one of them would be waited for in vain. Reports those.
  void check_variables(Diagnostics& diagnostics) const;
  const Submission& operator[](std::size_t i) const { return all_[i]; }
  std::size_t size() const { return all_.size(); }

 private:
  std::span<const Submission> all_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
};

// The first lines of such a script; `what` is its comment.
std::string submit_head(std::string_view what);

}  // namespace muster::targets
