#include "compiler/base/source.h"

#include <algorithm>
#include <utility>

namespace muster {

std::uint32_t Sources::add(std::string name, std::string text) {
  files_.push_back({std::move(name), std::move(text), {}});
  return static_cast<std::uint32_t>(files_.size());
}

void Sources::forget(std::uint32_t file) {
  if (file == files_.size()) return files_.pop_back();
  std::string().swap(files_[file - 1].text);
  files_[file - 1].index = {};
}

void Sources::drop_texts_after(std::size_t count) {
  for (std::size_t i = count; i < files_.size(); ++i) {
    std::string().swap(files_[i].text);
    files_[i].index = {};
  }
}

std::string_view Sources::text(Span span) const {
  if (!span.known()) return {};
  return text(span.file).substr(span.begin, span.end - span.begin);
}

namespace {

constexpr std::size_t block = 1024;

// How many begin before each block of a text; made for the first line that is longer than one.
const std::vector<std::uint32_t>& characters_of(std::string_view text, std::vector<std::uint32_t>& characters) {
  if (!characters.empty()) return characters;
  std::uint32_t count = 0;
  for (std::size_t at = 0; at <= text.size(); at += block) {
    characters.push_back(count);
    const std::string_view part = text.substr(at, block);
    count += static_cast<std::uint32_t>(std::count_if(part.begin(), part.end(), begins_character));
  }
  return characters;
}

std::uint32_t characters_before(std::size_t offset, const std::vector<std::uint32_t>& characters,
                                std::string_view text) {
  std::uint32_t out = characters[offset / block];
  for (std::size_t i = offset / block * block; i < offset; ++i) out += begins_character(text[i]);
  return out;
}

}  // namespace

const Sources::Index& Sources::index_of(const File& file) {
  Index& index = file.index;
  if (!index.lines.empty()) return index;
  const std::string_view text = file.text;
  index.lines.push_back(0);
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    index.lines.push_back(static_cast<std::uint32_t>(at + 1));
  return index;
}

Position Sources::position(std::uint32_t file, std::uint32_t offset) const {
  const File& f = files_[file - 1];
  const auto& lines = index_of(f).lines;
  offset = std::min<std::uint32_t>(offset, static_cast<std::uint32_t>(f.text.size()));
  const auto after = std::upper_bound(lines.begin(), lines.end(), offset);
  const auto line = static_cast<std::uint32_t>(after - lines.begin());
  const std::uint32_t begin = lines[line - 1];
  if (offset - begin > block) {
    const auto& characters = characters_of(f.text, f.index.characters);
    return {line, 1 + characters_before(offset, characters, f.text) - characters_before(begin, characters, f.text)};
  }
  const auto characters = std::count_if(f.text.begin() + begin, f.text.begin() + offset, begins_character);
  return {line, 1 + static_cast<std::uint32_t>(characters)};
}

std::string_view Sources::line(std::uint32_t file, std::uint32_t line) const {
  const File& f = files_[file - 1];
  const auto& starts = index_of(f).lines;
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
