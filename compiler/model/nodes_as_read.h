// What an existing script or manifest says of its nodes itself. For a workload of the language, muster writes this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/units.h"

namespace muster::model {

// A job of which the file gives the number of tasks, and leaves it to the scheduler how many of them a node has.
struct TasksAsRead {
  std::int64_t count = 1;
  std::int64_t least_nodes = 1, most_nodes = 1;  // each has a task
  std::optional<std::int64_t> most_on_a_node{};  // --ntasks-per-node beside --ntasks
  std::int64_t cpus = 1, gpus = 0;               // of a task; GPUs of the role are those of a node
};

struct NodesAsRead {
  bool apart = false;                                   // no two of its pods are on one node
  Size memory_a_cpu{};                                  // --mem-per-cpu: the CPUs that it gets are those of a pool
  std::optional<TasksAsRead> tasks{};                   // nullopt: each of its nodes has as many
  std::string reservation{};                            // whose nodes it asks for
  std::optional<std::vector<std::string>> tolerates{};  // taints; nullopt: those that its queue tolerates
  std::vector<std::string> also_tolerates{};            // taints that a pod which is placed beside them does not
  std::optional<std::vector<std::string>> pools{};      // that its selectors allow; nullopt: they allow all
  // Pools that they exclude by labels alone which a queue does not look at: those that its flavors do not have.
  std::vector<std::string> overlooked{};
  std::string selects{};                  // then what it selects, for messages: "a=b"
  std::vector<std::string> unsure{};      // pools that the site does not say that they allow
  std::vector<std::string> undeclared{};  // of these: "which nodes have the label `a=b`"
};

}  // namespace muster::model
