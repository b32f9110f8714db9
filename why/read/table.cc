#include "why/read/table.h"

#include <algorithm>
#include <array>

#include "compiler/base/text.h"

namespace muster::why {
namespace {

constexpr std::array known_columns = {
#define COLUMN(name) std::string_view(name),
#include "why/read/columns.def"
#undef COLUMN
};

struct Column {
  std::size_t begin = 0, end = 0;  // of its cells
};

// A word of a header that is two columns or more, in its parts. Empty: it is one column.
std::vector<std::string> parts_of(std::string_view word) {
  if (std::find(known_columns.begin(), known_columns.end(), word) != known_columns.end()) return {};
  for (const std::string_view column : known_columns) {
    if (!word.starts_with(column)) continue;
    const std::string_view rest = word.substr(column.size());
    std::vector<std::string> out{std::string(column)};
    if (std::find(known_columns.begin(), known_columns.end(), rest) != known_columns.end()) {
      out.emplace_back(rest);
      return out;
    }
    for (std::string& part : parts_of(rest)) out.push_back(std::move(part));
    if (out.size() > 1) return out;
  }
  return {};
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < line.size();) {
    while (at < line.size() && line[at] == ' ') ++at;
    const std::size_t begin = at;
    while (at < line.size() && line[at] != ' ') ++at;
    if (at > begin) out.push_back(line.substr(begin, at - begin));
  }
  return out;
}

bool is_rule(std::string_view line) {
  return line.size() > 3 && trimmed(line).find_first_not_of("- ") == std::string_view::npos;
}

// Titles of kubectl are told apart by two blanks or more: "LAST SEEN   TYPE".
std::vector<Column> columns_under(std::string_view header) {
  std::vector<Column> out;
  for (std::size_t at = 0; at < header.size(); ++at)
    if (header[at] != ' ' && (at == 0 || (header[at - 1] == ' ' && (at < 2 || header[at - 2] == ' '))))
      out.push_back({at, std::string_view::npos});
  for (std::size_t i = 0; i + 1 < out.size(); ++i) out[i].end = out[i + 1].begin;
  return out;
}

std::vector<Column> columns_of_rule(std::string_view rule) {
  std::vector<Column> out;
  for (std::size_t at = 0; at < rule.size();) {
    while (at < rule.size() && rule[at] == ' ') ++at;
    const std::size_t begin = at;
    while (at < rule.size() && rule[at] == '-') ++at;
    if (at > begin) out.push_back({begin, at});
  }
  return out;
}

Row row_of(const std::vector<std::string>& names, const std::vector<std::string>& values, std::uint32_t line) {
  Row row{{}, line};
  for (std::size_t i = 0; i < names.size(); ++i)
    row.cells.emplace_back(names[i], i < values.size() ? values[i] : std::string());
  return row;
}

Table by_bars(std::span<const Line> lines) {
  Table out;
  for (const std::string_view name : split(lines[0].text, '|')) out.columns.emplace_back(trimmed(name));
  for (const Line& line : lines.subspan(1)) {
    std::vector<std::string> values;
    for (const std::string_view value : split(line.text, '|')) values.emplace_back(trimmed(value));
    out.rows.push_back(row_of(out.columns, values, line.number));
  }
  return out;
}

// The column that a word is most under.
std::size_t column_of(std::size_t begin, std::size_t end, const std::vector<Column>& columns) {
  const auto under = [&](const Column& column) {
    return static_cast<std::ptrdiff_t>(std::min(end, column.end)) -
           static_cast<std::ptrdiff_t>(std::max(begin, column.begin));
  };
  const auto most = std::max_element(columns.begin(), columns.end(),
                                     [&](const Column& a, const Column& b) { return under(a) < under(b); });
  return static_cast<std::size_t>(most - columns.begin());
}

// Cells under a rule of dashes: whole words, though a person moved some of them.
Table by_words(std::span<const Line> lines, const std::vector<Column>& columns) {
  const auto cells_of = [&](std::string_view text) {
    std::vector<std::string> out(columns.size());
    for (const std::string_view word : words_of(text)) {
      const auto begin = static_cast<std::size_t>(word.data() - text.data());
      std::string& cell = out[column_of(begin, begin + word.size(), columns)];
      cell += (cell.empty() ? "" : " ") + std::string(word);
    }
    return out;
  };
  Table out{cells_of(lines[0].text), {}};
  for (const Line& line : lines.subspan(2)) out.rows.push_back(row_of(out.columns, cells_of(line.text), line.number));
  return out;
}

// Cells under the titles of kubectl.
Table by_places(std::span<const Line> lines, const std::vector<Column>& columns) {
  Table out;
  for (const Column& column : columns)
    out.columns.emplace_back(
        column.begin < lines[0].text.size()
            ? trimmed(std::string_view(lines[0].text)
                          .substr(column.begin, std::min(column.end, lines[0].text.size()) - column.begin))
            : std::string_view());
  for (const Line& line : lines.subspan(1)) {
    std::vector<std::string> values;
    for (const Column& column : columns) {
      const std::string_view text = line.text;
      values.emplace_back(column.begin < text.size()
                              ? trimmed(text.substr(column.begin, std::min(column.end, text.size()) - column.begin))
                              : std::string_view());
    }
    out.rows.push_back(row_of(out.columns, values, line.number));
  }
  return out;
}

Table by_blanks(std::span<const Line> lines) {
  Table out{header_names(lines[0].text), {}};
  for (const Line& line : lines.subspan(1)) {
    const std::vector<std::string_view> words = words_of(line.text);
    std::vector<std::string> values(words.begin(), words.end());
    if (values.size() > out.columns.size() && !out.columns.empty()) {
      const std::string_view last = words[out.columns.size() - 1];
      values.resize(out.columns.size());
      values.back() = std::string(line.text.substr(static_cast<std::size_t>(last.data() - line.text.data())));
    }
    out.rows.push_back(row_of(out.columns, values, line.number));
  }
  return out;
}

}  // namespace

std::string_view Row::get(std::initializer_list<std::string_view> columns) const {
  for (const std::string_view column : columns)
    for (const auto& [name, value] : cells)
      if (equal_ignoring_case(name, column)) return value;
  return {};
}

std::vector<std::string> header_names(std::string_view line) {
  std::vector<std::string> out;
  for (const std::string_view word : words_of(line)) {
    std::vector<std::string> parts = parts_of(word);
    if (parts.empty()) out.emplace_back(word);
    else out.insert(out.end(), std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()));
  }
  return out;
}

Table read_table(std::span<const Line> lines) {
  if (lines.empty()) return {};
  const std::string_view header = lines[0].text;
  if (header.find('|') != std::string_view::npos) return by_bars(lines);
  if (lines.size() > 1 && is_rule(lines[1].text)) return by_words(lines, columns_of_rule(lines[1].text));
  // Slurm aligns to the right or to fixed widths: words. kubectl and `sinfo -R` align to the left,
  // and a cell may be empty or have several words.
  const std::vector<std::string_view> words = words_of(header);
  const bool to_the_left = !words.empty() && is_one_of(words[0], {"NAME", "NAMESPACE", "LAST", "REASON"});
  return to_the_left ? by_places(lines, columns_under(header)) : by_blanks(lines);
}

}  // namespace muster::why
