// What workloads and sites write alike. Inside compiler/sema only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/model/workload.h"
#include "compiler/sema/block_writer.h"

namespace muster::sema {

// The schema of a declaration: workload, fleet, site.
const BlockSchema& declaration(std::string_view name);

void write_software(BlockWriter& out, const model::SoftwareSpec& software);
void write_facts(BlockWriter& out, const std::vector<std::pair<std::string, model::Located<model::FactValue>>>& facts);

}  // namespace muster::sema
