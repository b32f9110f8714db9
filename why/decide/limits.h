// The limits of Slurm's accounting, by the grammar of their names: `(QOS|Assoc)(Grp|Max|Min)<what>(Per<whom>)`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::why {

struct LimitName {
  std::string level;     // qos, assoc
  std::string scope;     // group, max, min
  std::string resource;  // cpu, gres/gpu, node, mem, jobs, submit, wall, billing, license, bb
  bool minutes = false, run_minutes = false;
  std::string per;  // user, account, job, node; "": the level itself

  std::string code() const;  // "slurm/qos-max-gpus-per-user"
  std::string what() const;  // "the GPUs of a user in the QOS"
  // The columns of sacctmgr in which its value is, the likeliest first.
  std::vector<std::string> columns() const;
};

// nullopt: it is not the name of a limit.
std::optional<LimitName> read_limit(std::string_view reason);

}  // namespace muster::why
