// `require` taken apart: conditions on nodes by name, and conditions on pools.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/model/fleet.h"
#include "compiler/model/workload.h"

namespace muster::plan {

struct NodeNames {
  std::optional<std::vector<std::string>> only;  // sorted; `==` and `in` of several conditions intersect
  std::vector<std::string> not_;                 // sorted
  Span span;                                     // of the first condition on node.name
  Span only_span;

  bool asked() const { return span.known() || only || !not_.empty(); }
  bool takes(std::string_view node) const;
};

// Whether the names take one of the hosts. O(names).
bool takes_any(const NodeNames& nodes, const HostNames& hosts);

// Whether a pool has a node of this name, and the name most like it that one has; "": none is like it.
bool is_node_of(const model::Fleet& fleet, std::string_view name);
std::string nearest_node(const model::Fleet& fleet, std::string_view name);

// The conjuncts of a role's `require`s. node.name can only be as a conjunct of its own, compared by
// ==, !=, in or not in: it then becomes a list of nodes, which every target can write.
struct Conditions {
  NodeNames nodes;
  std::vector<model::Predicate> of_pool;  // GPU models in lower case
  std::vector<Span> misplaced;            // node.name elsewhere
};

Conditions take_apart(const model::Role& role);

// Whether a term on this fact is anywhere in the predicate.
bool mentions(const model::Predicate& predicate, std::string_view fact);

// The predicate with the GPU models that it compares in lower case, as fleets have them.
model::Predicate with_lower_models(model::Predicate predicate);

// As the user would write it: "gpu.memory >= 80GB or pool.preemptible".
std::string describe(const model::Predicate& predicate);

// Each fact that the predicate reads, once, in order of appearance.
std::vector<std::string_view> facts_read(const model::Predicate& predicate);

// A value of a pool's fact in the language's units: "80GB", "400Gbps", "infiniband".
std::string describe(std::string_view fact, const model::FactValue& value);

// The same, in the unit in which the predicate's text has what it compares the fact with.
std::string describe(std::string_view fact, const model::FactValue& value, const model::Predicate& predicate);

}  // namespace muster::plan
