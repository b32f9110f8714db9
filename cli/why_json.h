// The answer of `muster why` as JSON: docs/schemas/why.json.
#pragma once

#include <vector>

#include "cli/emit.h"
#include "why/decide/decide.h"

namespace muster::cli {

Json why_json(const std::vector<why::Finding>& findings, const Sources& sources, const why::Facts& facts);

}  // namespace muster::cli
