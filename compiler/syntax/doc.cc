#include "compiler/syntax/doc.h"

#include <algorithm>

namespace muster::syntax {
namespace {

std::string text_of(std::string_view comment) {
  const std::size_t first = comment.find_first_not_of("# \t");
  const std::size_t last = comment.find_last_not_of(" \t\r");
  return first == std::string_view::npos ? "" : std::string(comment.substr(first, last + 1 - first));
}

bool own_line(std::string_view text, Span comment) {
  const std::size_t before = text.find_last_not_of(" \t", comment.begin == 0 ? 0 : comment.begin - 1);
  return comment.begin == 0 || before == std::string_view::npos || text[before] == '\n';
}

// Whether nothing but one line end and blanks is between two offsets.
bool next_line(std::string_view text, std::uint32_t begin, std::uint32_t end) {
  const std::string_view between = text.substr(begin, end - begin);
  return std::count(between.begin(), between.end(), '\n') == 1 &&
         between.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

std::string doc_of(const ast::File& file, const Sources& sources, Span declared) {
  const std::string_view text = sources.text(file.file);
  const auto after = std::lower_bound(file.comments.begin(), file.comments.end(), declared.begin,
                                      [](const Span& comment, std::uint32_t at) { return comment.begin < at; });
  std::string out;
  std::uint32_t below = declared.begin;
  for (auto at = after; at != file.comments.begin(); below = at->begin) {
    --at;
    if (!next_line(text, at->end, below) || !own_line(text, *at)) break;
    const std::string text_found = text_of(sources.text(*at));
    out = text_found + (text_found.empty() || out.empty() ? "" : " ") + out;
  }
  if (!out.empty()) return out;
  const auto behind = std::lower_bound(after, file.comments.end(), declared.end,
                                       [](const Span& comment, std::uint32_t at) { return comment.begin < at; });
  if (behind == file.comments.end()) return out;
  const bool same_line =
      text.substr(declared.end, behind->begin - declared.end).find_first_not_of(" \t,") == std::string_view::npos;
  return same_line ? text_of(sources.text(*behind)) : out;
}

}  // namespace muster::syntax
