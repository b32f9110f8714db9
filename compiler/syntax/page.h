// What the formatter has written so far: lines, rows that wait to be aligned, and the comments that are beside
// the walk. Inside compiler/syntax only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/syntax/ast.h"
#include "compiler/syntax/places.h"

namespace muster::syntax {

// A line of a body that may be aligned with its neighbours: `head` is padded, `rest` follows.
struct Row {
  bool labelled = false;  // `mount data { … }`: aligned among themselves
  std::string head;
  std::string rest;
  std::string comment;
};

struct Page {
  Page(const ast::File& file, const Places& places) : comments(file.comments), places(places) {}

  bool at_line_start() const { return out.empty() || out.back() == '\n'; }
  void put(std::string_view text);
  void end_line();
  std::size_t column() const;
  // A blank line where the source has one, or one is due; none after an opening bracket.
  void blank_line(std::uint32_t begin);
  // The line of an opening bracket ends; a comment that is there stays there.
  void open(std::uint32_t bracket, std::uint32_t first);

  bool comment_before(std::uint32_t end) const { return pending() != nullptr && pending()->begin < end; }
  void own_line(std::string_view text);
  void comments_before(std::uint32_t begin);
  void leading(std::uint32_t begin);
  // The comment that belongs to what ends at `end`: one inside it that had no place, or one that
  // follows on its line and before `limit`.
  std::optional<std::string> trailing(std::uint32_t end, std::uint32_t limit);
  // Ends a line that `out` holds, with the comment that belongs to it.
  void finish_line(std::uint32_t end, std::uint32_t limit);

  void add_row(bool labelled, std::size_t head, const std::string& line, std::optional<std::string> comment);
  // Writes the rows gathered so far: heads aligned, then the comments of neighbouring lines.
  void flush();

  std::string out;
  std::vector<Row> rows;
  std::size_t depth = 0;
  std::uint32_t last_end = nowhere;  // where in the source the last thing written ended
  bool force_blank = false;

 private:
  const Span* pending() const { return next_ < comments.size() ? &comments[next_] : nullptr; }
  std::string take_comment();

  const std::vector<Span>& comments;
  const Places& places;
  std::size_t next_ = 0;  // the first comment not written yet
};

}  // namespace muster::syntax
