// Whether the nodes of a workload work only together, and how many of them: one answer for the checker, the facts, the
// targets and lint.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/model/workload.h"
#include "compiler/shell/body.h"

namespace muster::model {

enum class CoupledBy : std::uint8_t {
  nothing,
  kind,      // train, mpi, rl
  fabric,    // a service whose role requires it
  replica,   // a replica of a service that spans several nodes
  runner,    // as `launch` says
  variable,  // the environment has the address or the size of a rendezvous
  command,   // the command or the script starts a launcher over several nodes
};

struct Coupling {
  CoupledBy by = CoupledBy::nothing;
  const Role* role = nullptr;  // the first that it is true of; of a kind: nullptr
  std::string_view what{};     // the variable or the launcher
  Span span{};

  explicit operator bool() const { return by != CoupledBy::nothing; }
};

// Kinds whose processes compute together.
bool couples(Kind kind);

// The first of these reasons, in their order, that holds. A runner of ranks couples the processes of one node as well.
Coupling coupling_of(const Workload& workload);

// How many nodes must run at once before any of them gets anywhere, at the low end of every range; 1: each node works
// by itself. A Ray cluster is there with its head: workers of a range from 1 come when they can.
std::int64_t coupled_nodes(const Workload& workload);

// "the 5 nodes of runner torchrun must start together".
std::string together(const Workload& workload);

// Whether processes that something else starts on several nodes find each other by this variable of the environment.
bool is_rendezvous(std::string_view variable, std::string_view value);

// The launcher that a text starts over several nodes, as its options say; "" if none.
std::string_view launcher_over_nodes(const shell::Body& body);

}  // namespace muster::model
