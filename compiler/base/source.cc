#include "compiler/base/source.h"

#include <algorithm>
#include <span>
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

namespace {

// Every so many bytes of a text the index says how many signs begin before: lines may be as long as the file.
constexpr std::size_t block = 1024;

bool begins_sign(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// An index of a text: where its lines begin, then the signs that begin before each of its blocks.
std::vector<std::uint32_t> index_of(std::string_view text) {
  std::vector<std::uint32_t> out = {0}, signs;
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i % block == 0) signs.push_back(count);
    count += begins_sign(text[i]);
    if (text[i] == '\n') out.push_back(static_cast<std::uint32_t>(i + 1));
  }
  if (text.size() % block == 0) signs.push_back(count);
  out.insert(out.end(), signs.begin(), signs.end());
  return out;
}

struct Index {
  std::span<const std::uint32_t> lines, signs;

  Index(const std::vector<std::uint32_t>& all, std::string_view text)
      : lines(std::span(all).first(all.size() - text.size() / block - 1)), signs(std::span(all).subspan(lines.size())) {}

  std::uint32_t signs_before(std::size_t offset, std::string_view text) const {
    std::uint32_t out = signs[offset / block];
    for (std::size_t i = offset / block * block; i < offset; ++i) out += begins_sign(text[i]);
    return out;
  }
};

}  // namespace

const std::vector<std::uint32_t>& Sources::line_starts(const File& file) const {
  if (file.line_starts.empty()) file.line_starts = index_of(file.text);
  return file.line_starts;
}

Position Sources::position(std::uint32_t file, std::uint32_t offset) const {
  const File& f = files_[file - 1];
  const Index index(line_starts(f), f.text);
  offset = std::min<std::uint32_t>(offset, static_cast<std::uint32_t>(f.text.size()));
  const auto after = std::upper_bound(index.lines.begin(), index.lines.end(), offset);
  const auto line = static_cast<std::uint32_t>(after - index.lines.begin());
  const std::uint32_t begin = index.lines[line - 1];
  if (offset - begin > block)
    return {line, 1 + index.signs_before(offset, f.text) - index.signs_before(begin, f.text)};
  const auto signs = std::count_if(f.text.begin() + begin, f.text.begin() + offset, begins_sign);
  return {line, 1 + static_cast<std::uint32_t>(signs)};
}

std::string_view Sources::line(std::uint32_t file, std::uint32_t line) const {
  const File& f = files_[file - 1];
  const auto starts = Index(line_starts(f), f.text).lines;
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
