// Facts that are stated, on the command line or in a file: names, types and ranges.
#pragma once

#include <vector>

#include "compiler/base/diagnostic.h"
#include "plan/decide/facts.h"
#include "plan/plan.h"

namespace muster::plan {

// The facts that muster derives, in their order.
std::span<const model::FactDeclaration> own_facts();

// Every usable statement of the request, strongest first, one a name. Reports the others.
std::vector<Fact> stated_facts(const FactRequest& request, Diagnostics& diagnostics);

}  // namespace muster::plan
