// The domains of a pool's topology: which one a role speaks of, which nodes each has, what it is called.
#pragma once

#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace muster::plan {

// nullptr: the role asks for none.
const model::Topology* topology_of(const RolePlan& role);

// Whether the topology of the role, which has one, keeps a replica in a domain that splits the pool's nodes.
bool in_domain(const RolePlan& role);

// Whether its segments lie in a smaller domain than the required one of its replicas.
bool is_nested(const RolePlan& role);

// The domain by which a role's nodes are counted: that of its segments, else that of its replicas, else leaves.
model::Within domain_of(const RolePlan& role);

// The pool's sets of nodes of that kind; empty: it declares none. Blocks are the nodes of their leaves.
std::vector<model::Leaf> domains_of(const model::Pool& pool, model::Within domain);

// "leaf", "leaves", "leaf switch", "leaf switches".
struct DomainTerms {
  std::string_view one, many, device, devices;
};
DomainTerms terms_of(model::Within domain);

}  // namespace muster::plan
