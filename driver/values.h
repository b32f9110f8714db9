// Values for parameters: `--set NAME=VALUE` and the rows of `--matrix FILE.csv`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/limits.h"
#include "compiler/base/source.h"
#include "compiler/sema/expand/expand.h"
#include "driver/files.h"

namespace muster::driver {

constexpr std::size_t max_matrix_bytes = value_of(Limit::checked_bytes);
constexpr std::size_t max_rows = value_of(Limit::matrix_rows);

// The options become a text of their own in `sources`, a line each, so that messages can show them.
std::vector<sema::Given> read_settings(const std::vector<std::string>& settings, Sources& sources,
                                       Diagnostics& diagnostics);

// One request a row of a CSV file (RFC 4180): the first row names the parameters. A row's workload is called
// after its cell in a column `name`, unless that is one of `parameters`, else BASE-1, BASE-2 and so on. What is
// wrong is reported with its row and column.
std::vector<sema::Request> read_matrix(const std::string& file, const Files& from, const std::string& base,
                                       const std::vector<std::string>& parameters, Sources& sources,
                                       Diagnostics& diagnostics);

// Notes the row and the column on what was found in a cell.
void name_cells(const std::vector<sema::Request>& rows, std::span<Diagnostic> found);

}  // namespace muster::driver
