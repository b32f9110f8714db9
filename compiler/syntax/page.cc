#include "compiler/syntax/page.h"

#include <algorithm>

#include "compiler/syntax/format.h"
#include "compiler/syntax/spelling.h"

namespace muster::syntax {

void Page::put(std::string_view text) {
  if (at_line_start()) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    out.append(2 * depth, ' ');
  }
  out += text;
}

void Page::end_line() {
  if (!at_line_start()) out.push_back('\n');
}

std::size_t Page::column() const {
  if (at_line_start()) return 2 * depth;
  const std::string_view tail = std::string_view(out).substr(out.size() - std::min(out.size(), 4 * line_width));
  const std::size_t line = tail.rfind('\n');  // a line that began before the tail is over its width anyway
  return columns(line == std::string_view::npos ? tail : tail.substr(line + 1));
}

void Page::blank_line(std::uint32_t begin) {
  const bool due = force_blank || (last_end != nowhere && places.blank_line(last_end, begin));
  if (due && !out.empty()) {
    flush();
    out.push_back('\n');
  }
  force_blank = false;
}

std::string Page::take_comment() {
  last_end = pending()->end;
  return std::string(places.comment(comments[next_++]));
}

void Page::own_line(std::string_view text) {
  flush();
  end_line();
  put(text);
  out.push_back('\n');
}

void Page::comments_before(std::uint32_t begin) {
  while (comment_before(begin)) {
    flush();
    end_line();
    blank_line(pending()->begin);
    own_line(take_comment());
  }
}

void Page::leading(std::uint32_t begin) {
  comments_before(begin);
  blank_line(begin);
}
std::optional<std::string> Page::trailing(std::uint32_t end, std::uint32_t limit) {
  last_end = end;
  if (end == nowhere || !comment_before(limit)) return std::nullopt;
  if (pending()->begin > end && places.line_break(end, pending()->begin)) return std::nullopt;
  std::string text = take_comment();
  last_end = std::max(last_end, end);
  return text;
}

void Page::finish_line(std::uint32_t end, std::uint32_t limit) {
  if (const auto comment = trailing(end, limit)) {
    if (at_line_start()) put(*comment);  // after a heredoc
    else out += "  " + *comment;
  }
  end_line();
}

void Page::add_row(bool labelled, std::size_t head, const std::string& line, std::optional<std::string> comment) {
  rows.push_back({labelled, line.substr(0, head), line.substr(head + 1), std::move(comment).value_or("")});
}

void Page::flush() {
  std::vector<std::string> lines;
  for (std::size_t i = 0, j = 0; i < rows.size(); i = j) {
    std::size_t width = 0;
    for (j = i; j < rows.size() && rows[j].labelled == rows[i].labelled; ++j)
      width = std::max(width, columns(rows[j].head));
    for (std::size_t k = i; k < j; ++k)
      lines.push_back(rows[k].head + std::string(width + 1 - columns(rows[k].head), ' ') + rows[k].rest);
  }
  for (std::size_t i = 0, j = 0; i < rows.size(); i = j) {
    std::size_t width = 0;
    for (j = i; j < rows.size() && !rows[j].comment.empty(); ++j) width = std::max(width, columns(lines[j]));
    for (std::size_t k = i; k < j; ++k) lines[k] += std::string(width + 2 - columns(lines[k]), ' ') + rows[k].comment;
    j = std::max(j, i + 1);
  }
  rows.clear();
  for (const std::string& line : lines) {
    put(line);
    out.push_back('\n');
  }
}

void Page::open(std::uint32_t bracket, std::uint32_t first) {
  finish_line(bracket, first);
  last_end = nowhere;
  ++depth;
}

}  // namespace muster::syntax
