// A table as a terminal shows it: cells by the names of their columns, whatever the columns are.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "why/read/lines.h"

namespace muster::why {

struct Row {
  std::vector<std::pair<std::string, std::string>> cells;  // column, value
  std::uint32_t line = 0;

  // The cell under the first of these columns; "" if none is there.
  std::string_view get(std::initializer_list<std::string_view> columns) const;
};

struct Table {
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

// `lines` begin with the header and end with the last row. Cells are told apart by `|`, by a line of dashes, by what
// is under the header, or by blanks; the last column takes the rest of its line.
Table read_table(std::span<const Line> lines);

// The names of a header: "LAST SEEN", "NODELIST(REASON)"; "NODELISTSTATE", where a column is too narrow, is two.
std::vector<std::string> header_names(std::string_view line);

}  // namespace muster::why
