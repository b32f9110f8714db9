#include "compiler/base/source.h"

#include <algorithm>
#include <utility>

namespace muster {

std::uint32_t Sources::add(std::string name, std::string text) {
  files_.push_back({std::move(name), std::move(text), {}});
  return static_cast<std::uint32_t>(files_.size());
}

std::string_view Sources::text(Span span) const {
  if (!span.known()) return {};
  return text(span.file).substr(span.begin, span.end - span.begin);
}

const std::vector<std::uint32_t>& Sources::line_starts(const File& file) const {
  if (file.line_starts.empty()) {
    file.line_starts.push_back(0);
    for (std::size_t i = 0; i < file.text.size(); ++i)
      if (file.text[i] == '\n') file.line_starts.push_back(static_cast<std::uint32_t>(i + 1));
  }
  return file.line_starts;
}

Position Sources::position(std::uint32_t file, std::uint32_t offset) const {
  const File& f = files_[file - 1];
  const auto& starts = line_starts(f);
  offset = std::min<std::uint32_t>(offset, static_cast<std::uint32_t>(f.text.size()));
  const auto after = std::upper_bound(starts.begin(), starts.end(), offset);
  const auto line = static_cast<std::uint32_t>(after - starts.begin());
  std::uint32_t column = 1;
  for (std::uint32_t i = starts[line - 1]; i < offset; ++i)
    if ((static_cast<unsigned char>(f.text[i]) & 0xC0) != 0x80) ++column;  // count lead bytes
  return {line, column};
}

std::string_view Sources::line(std::uint32_t file, std::uint32_t line) const {
  const File& f = files_[file - 1];
  const auto& starts = line_starts(f);
  if (line == 0 || line > starts.size()) return {};
  const std::size_t begin = starts[line - 1];
  std::size_t end = line < starts.size() ? starts[line] - 1 : f.text.size();
  if (end > begin && f.text[end - 1] == '\r') --end;
  return std::string_view(f.text).substr(begin, end - begin);
}

std::string Sources::place(Span span) const {
  if (!span.known()) return {};
  const Position p = position(span.file, span.begin);
  return name(span.file) + ":" + std::to_string(p.line) + ":" + std::to_string(p.column);
}

}  // namespace muster
