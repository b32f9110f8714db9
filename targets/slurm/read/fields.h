// The small grammars that Slurm's output is made of: `Key=Value` records, tables with `|`, GRES, times.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/base/units.h"
#include "targets/slurm/read/cluster.h"

namespace muster::targets::slurm {

// One line without its end (LF or CRLF).
struct Line {
  std::string_view text;
  std::uint32_t begin = 0;  // in the file
};
std::vector<Line> lines_of(const ClusterText& text);

// A key of a record that says nothing of where jobs may run, where it has one of these values: "NO|0"; "": any.
struct SilentKey {
  std::string_view key, values{};
};

// `Key=Value` words. The first of a key counts: Reason, Comment and Extra are free text, which could
// claim anything, and are behind the facts. A key that is looked up is marked as read.
struct Fields {
  std::vector<std::pair<std::string_view, std::string_view>> items;
  Span span;  // of the first key
  mutable std::vector<bool> read{};

  // The keys with a value that were not read and that are not silent.
  std::vector<std::string> unread(std::span<const SilentKey> silent) const;

  // In any case of letters; "" for what is not there, (null) or N/A.
  std::string_view get(std::string_view key) const;
  std::optional<std::int64_t> number(std::string_view key) const;  // digits alone
};

// The words of one line, appended. Values run to the next ` Key=`; those of free text to the line's end,
// quoted ones to the quote.
void tokenize(const Line& line, std::uint32_t file, Fields& fields);

// Records of scontrol: each begins with `head=` at the start of a line, indented lines go on.
std::vector<Fields> read_records(const ClusterText& text, std::string_view head);

// Statements of a configuration file: `#` comments and `\` at the end of a line are taken care of.
// `joined` holds the lines that had to be put together, and must outlive the result.
std::vector<Fields> read_statements(const ClusterText& text, std::vector<std::string>& joined);

// A table with a header: cells by the name of their column, in any case.
struct Table {
  std::vector<std::string_view> columns;
  std::vector<std::vector<std::string_view>> rows;
  std::vector<Span> spans;
  ClusterText text;
  mutable std::vector<bool> read{};  // the columns that were looked up

  // The columns that have a value in the row and are not silent; `only_unread`: that were not looked up.
  std::vector<std::pair<std::string, std::string>> cells(std::size_t row, std::span<const SilentKey> silent,
                                                         bool only_unread) const;
  // The place of a cell.
  Span span_of(std::size_t row, std::string_view cell) const;
  // The cell under the first of these columns that is there; "" if none is.
  std::string_view cell(std::size_t row, std::initializer_list<std::string_view> names) const;
};
Table read_table(const ClusterText& text);

// "gpu:h100:8(S:0-1),mps:800" and "gres:gpu:2", "gres/gpu:h100=2"; what is not GRES is left out.
std::vector<Gres> read_gres(std::string_view text);
// Slurm's time: minutes, m:s, h:m:s, d-h, d-h:m, d-h:m:s. nullopt: no limit, or no time.
std::optional<Duration> read_time(std::string_view text);
// "a,b" to its parts; none for "", ALL and NONE.
std::vector<std::string> read_list(std::string_view text);

// Whether the value of a limit says that there is none: nothing, or a word of Slurm for it, such as UNLIMITED.
bool is_no_limit(std::string_view value);

}  // namespace muster::targets::slurm
