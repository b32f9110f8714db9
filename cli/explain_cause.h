// What `muster explain CAUSE` prints: a cause that `muster why` may name, as text and as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/emit.h"

namespace muster::cli {

// The codes of all causes but the limits of Slurm, of which each has its own.
std::vector<std::string> cause_codes();
bool is_cause(std::string_view code);
// What it means, by what it is known, what shows the rest and what repairs it.
std::string cause_text(std::string_view code);
Json cause_json(std::string_view code);

}  // namespace muster::cli
