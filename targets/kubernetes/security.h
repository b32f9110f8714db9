// The pod security standards of Kubernetes: what a level does not admit.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "targets/kubernetes/tree.h"

namespace muster::targets::kubernetes {

struct Excess {
  std::string what;              // "capability IPC_LOCK in container `main`"
  std::string_view admitted_by;  // the strictest level that admits it
};

// The first part of an object that pods of a level (`baseline` or `restricted`) must not have; nullopt: there is none.
// Of `restricted` only what muster does not write by itself on such a plane is looked for.
// https://kubernetes.io/docs/concepts/security/pod-security-standards/
std::optional<Excess> beyond(const Node& object, std::string_view level);

// "user 1000 cannot use the capability IPC_LOCK in container `main`": one that is added to a container, but that only
// root has from the start; nullopt: there is none.
std::optional<std::string> useless_capability(const Node& object);

}  // namespace muster::targets::kubernetes
