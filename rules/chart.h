// Rules as people read them: tables in markdown and CSV, and a flow chart.
#pragma once

#include <string>

#include "compiler/model/policy.h"

namespace muster::rules {

// "`control-plane = slurm`" of a row, "nothing" of one that sets nothing.
std::string sets_text(const model::Row& row);
// "tightly-coupled and nodes > 1", "always": as the file has it, thresholds with their values.
std::string when_text(const model::Row& row, const model::Policy& policy);

// A heading and a table for each table of the policy.
std::string markdown_tables(const model::Policy& policy);
// One line a row: table, hit, row, when, sets, reason, cite, layer.
std::string csv_table(const model::Policy& policy);
// A mermaid flow chart: what each table that chooses reads, and which row gives which answer.
std::string flow_chart(const model::Policy& policy);

}  // namespace muster::rules
