// What happens to a workload when it fails at night: the rows of failures.def, which judges execute on Slurm and on the
// cluster of tests/cluster.
#pragma once

#include <string_view>
#include <vector>

namespace muster::targets {

struct Failure {
  std::string_view name;
  std::string_view happens;
};

// `retry` as it is written; "no `retry`".
struct RetrySetting {
  std::string_view name;
  std::string_view keys;
};

struct FailureCell {
  // Only `end`, "–": it cannot happen to the kind. All "": the kind refuses the setting.
  std::string_view restarts, runs, end;
};

struct FailureKind {
  std::string_view name, target, what;
  // By failure, and in it by setting.
  std::vector<std::vector<FailureCell>> cells;
};

// What only a kubelet does, which the judge plays.
struct PlayedEnd {
  std::string_view what, code, how, source;
};

std::vector<Failure> failures();
std::vector<RetrySetting> retry_settings();
std::vector<FailureKind> failure_kinds();
std::vector<PlayedEnd> played_ends();

}  // namespace muster::targets
