// The answer for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"
#include "why/decide/decide.h"

namespace muster::why {

std::string text_of(const std::vector<Finding>& findings, const Sources& sources);

// Whether the fact of a key is a line as a program printed it.
bool is_message(std::string_view key);
// "job.sbatch:3" of the place of a fact.
std::string place_text(Place place, const Sources& sources);
// What a repair does, in words: "--nodes=4 --gpus-per-node=2".
std::string repair_text(const FoundRepair& repair);
// The option of the system for a key of a change: "gpus-per-node".
std::string_view option_name(std::string_view key);
// "job 94" or "train": what a finding is about, with what it does.
std::string headline(const Finding& finding);

}  // namespace muster::why
