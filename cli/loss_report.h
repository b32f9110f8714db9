// The loss report of a compiled workload, as text and as JSON: what became of every key, and the lines that carry it.
#pragma once

#include <span>
#include <string>

#include "cli/emit.h"
#include "compiler/base/source.h"
#include "compiler/model/site.h"
#include "driver/compile_run.h"
#include "targets/carriers.h"

namespace muster::cli {

// `documents`: those that were written of the workload, and the script that submits it where there is one.
std::string loss_text(const driver::Compiled& compiled, std::span<const targets::Document> documents,
                      const model::Site& site);
// A list of entries. `carried_by` of an entry: for each file the ranges of its lines, from 1, both ends included.
Json loss_json(const driver::Compiled& compiled, std::span<const targets::Document> documents, const model::Site& site,
               const Sources& sources);

}  // namespace muster::cli
