// Where in a `target NAME { … }` a line of what was written with it comes from.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/model/workload.h"
#include "lint/finding.h"

namespace muster::lint {

// One option of a block; its index and that of the block say which.
struct BlockOption {
  const model::TargetOptions* block = nullptr;
  const model::RawOption* option = nullptr;
};

// The option of sbatch that a finding is about, by its path ("--mem") or by the directive that it is at; nullptr:
// it is about none of these.
const BlockOption* option_named(const std::vector<BlockOption>& options, const Finding& finding,
                                std::string_view directive);

// The place of what a finding's path names, `line` being the text that it is at in the file that was written: of an
// option of YAML the line that has most of the path, else the option.
Span place_in(const Sources& sources, const BlockOption& option, std::string_view path, std::string_view line);

// Where line `n`, from 1, of a text is in the file; all of the text where it is not there line by line.
Span place_of_line(const Sources& sources, const model::Located<std::string>& text, std::uint32_t n);

}  // namespace muster::lint
