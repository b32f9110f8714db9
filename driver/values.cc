#include "driver/values.h"

#include <algorithm>
#include <optional>
#include <set>

#include "compiler/base/text.h"

namespace muster::driver {
namespace {

// One cell: its bytes as meant, and its place, quotes included.
struct Cell {
  std::string text;
  Span span;
  bool quoted = false;
};
using Row = std::vector<Cell>;

// RFC 4180, lines ended by LF or CR LF, a byte order mark allowed.
class Csv {
 public:
  Csv(std::uint32_t file, std::string_view text, Diagnostics& diagnostics)
      : file_(file), text_(text), diagnostics_(diagnostics) {}

  // Rows without bytes are passed over. nullopt: reported.
  std::optional<std::vector<Row>> read() {
    std::vector<Row> out;
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    while (at_ < text_.size()) {
      Row row;
      do {
        auto cell = this->cell();
        if (!cell) return std::nullopt;
        row.push_back(std::move(*cell));
      } while (take(','));
      if (!line_end()) return std::nullopt;
      const bool blank = row.size() == 1 && row[0].text.empty() && !row[0].quoted;
      if (blank) continue;
      if (out.size() > max_rows) {
        diagnostics_.add(Code::budget, row[0].span, "the matrix has more than 10,000 rows");
        return std::nullopt;
      }
      out.push_back(std::move(row));
    }
    return out;
  }

 private:
  char next() const { return at_ < text_.size() ? text_[at_] : '\n'; }
  bool take(char c) {
    const bool there = at_ < text_.size() && text_[at_] == c;
    at_ += there ? 1 : 0;
    return there;
  }
  Span span(std::size_t begin) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
  }

  std::optional<Cell> cell() {
    Cell out;
    const std::size_t begin = at_;
    out.quoted = take('"');
    if (out.quoted && !quoted(out.text)) {
      diagnostics_.add(Code::bad_matrix,
                       {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin) + 1},
                       "the quote is not closed");
      return std::nullopt;
    }
    if (!out.quoted) {
      const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
      out.text = text_.substr(at_, end - at_);
      at_ = end;
    }
    out.span = span(begin);
    return out;
  }

  bool quoted(std::string& out) {
    for (;;) {
      const std::size_t end = text_.find('"', at_);
      if (end == std::string_view::npos) return false;
      out += text_.substr(at_, end - at_);
      at_ = end + 1;
      if (!take('"')) return true;
      out.push_back('"');
    }
  }

  bool line_end() {
    const std::size_t begin = at_;
    if (take('\r') && next() != '\n') at_ = begin;
    if (take('\n') || at_ == text_.size()) return true;
    diagnostics_.add(Code::bad_matrix, {file_, static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(at_) + 1},
                     "a closing quote must be followed by a comma or the end of the line");
    return false;
  }

  std::uint32_t file_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
};

bool check_header(const Row& header, Diagnostics& diagnostics) {
  std::set<std::string_view> seen;
  const std::size_t before = diagnostics.size();
  for (const Cell& cell : header) {
    if (cell.text.empty()) diagnostics.add(Code::bad_matrix, cell.span, "the first row must name every column");
    else if (!seen.insert(cell.text).second)
      diagnostics.add(Code::bad_matrix, cell.span, "column `" + printable(cell.text, 60) + "` occurs twice");
  }
  return diagnostics.size() == before;
}

// A row as values: empty cells leave their parameters alone.
sema::Request request_of(const Row& header, const Row& row, bool named) {
  sema::Request out;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i].text.empty() && !row[i].quoted) continue;
    if (named && header[i].text == "name") out.name = row[i].text;
    else out.given.push_back({header[i].text, header[i].span, row[i].text, row[i].span});
  }
  return out;
}

}  // namespace

std::vector<sema::Given> read_settings(const std::vector<std::string>& settings, Sources& sources,
                                       Diagnostics& diagnostics) {
  std::vector<sema::Given> out;
  if (settings.empty()) return out;
  std::string text;
  for (const std::string& setting : settings) text += setting + "\n";
  const std::uint32_t file = sources.add("--set", text);
  std::uint32_t begin = 0;
  for (const std::string& setting : settings) {
    const auto end = begin + static_cast<std::uint32_t>(setting.size());
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      diagnostics.add(Code::bad_argument, {file, begin, end}, "`--set` takes NAME=VALUE");
    } else {
      const auto middle = begin + static_cast<std::uint32_t>(equals);
      out.push_back(
          {setting.substr(0, equals), {file, begin, middle}, setting.substr(equals + 1), {file, middle + 1, end}});
    }
    begin = end + 1;
  }
  return out;
}

std::vector<sema::Request> read_matrix(const std::string& file, const Files& from, const std::string& base,
                                       const std::vector<std::string>& parameters, Sources& sources,
                                       Diagnostics& diagnostics) {
  std::string why;
  auto text = from.read(file, max_matrix_bytes, why);
  if (text && text->size() > max_matrix_bytes) why = "it is larger than 4 MiB";
  if (!why.empty()) {
    diagnostics.add(Code::cannot_read, {}, "cannot read `" + file + "`: " + why);
    return {};
  }
  const std::uint32_t number = sources.add(file, std::move(*text));
  if (const auto bad = first_invalid_utf8(sources.text(number))) {
    const auto at = static_cast<std::uint32_t>(*bad);
    diagnostics.add(Code::not_utf8, {number, at, at + 1}, "byte " + std::to_string(at) + " is not valid UTF-8");
    return {};
  }
  const auto rows = Csv(number, sources.text(number), diagnostics).read();
  if (!rows) return {};
  if (rows->size() < 2) diagnostics.add(Code::bad_matrix, {number, 0, 0}, "the matrix has no row after the first");
  if (rows->size() < 2 || !check_header((*rows)[0], diagnostics)) return {};
  const bool named = std::find(parameters.begin(), parameters.end(), "name") == parameters.end();
  std::vector<sema::Request> out;
  for (std::size_t i = 1; i < rows->size(); ++i) {
    const Row& row = (*rows)[i];
    if (row.size() != (*rows)[0].size()) {
      diagnostics.add(Code::bad_matrix, row.back().span,
                      "row " + std::to_string(i) + " has " + counted(static_cast<long long>(row.size()), "cell") +
                          ", but the first row names " + std::to_string((*rows)[0].size()));
      continue;
    }
    out.push_back(request_of((*rows)[0], row, named));
    if (out.back().name.empty()) out.back().name = base + "-" + std::to_string(i);
  }
  return out;
}

void name_cells(const std::vector<sema::Request>& rows, std::span<Diagnostic> found) {
  for (Diagnostic& d : found)
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const sema::Given& cell : rows[i].given)
        if (cell.span == d.primary)
          d.notes.push_back("row " + std::to_string(i + 1) + ", column `" + printable(cell.name, 60) + "`");
}

}  // namespace muster::driver
