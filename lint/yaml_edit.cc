#include "lint/yaml_edit.h"

#include <algorithm>

namespace muster::lint {
namespace {

using targets::kubernetes::Field;

std::size_t line_begin(std::string_view text, std::size_t at) {
  const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

// Where the line of `at` ends, before its line end.
std::size_t line_end(std::string_view text, std::size_t at) {
  std::size_t end = std::min(text.find('\n', at), text.size());
  if (end > at && text[end - 1] == '\r') --end;
  return end;
}

// A block collection that is written once and in place.
bool editable(const Sources& sources, const Field& field) {
  if (!field || field.aliased || !field.span().known()) return false;
  const std::string_view text = sources.text(field.span());
  return !text.empty() && text[0] != '{' && text[0] != '[' && (field.node->is_map() || field.node->is_list());
}

Edit lines_after(const Sources& sources, Span after, std::size_t indent, const std::vector<std::string>& lines) {
  const std::string_view text = sources.text(after.file);
  const auto at = static_cast<std::uint32_t>(line_end(text, after.end));
  const std::string_view eol = text.substr(at).starts_with("\r\n") ? "\r\n" : "\n";
  std::string added;
  for (const std::string& line : lines) added += std::string(eol) + std::string(indent, ' ') + line;
  return {{after.file, at, at}, added};
}

}  // namespace

std::optional<Edit> add_to_map(const Sources& sources, const Field& map, const std::vector<std::string>& lines) {
  if (!editable(sources, map) || map.node->members.empty()) return std::nullopt;
  const Span key = map.node->members.front().key_span;
  if (key.begin != map.span().begin) return std::nullopt;  // merged in, or with a tag
  const std::size_t indent = key.begin - line_begin(sources.text(key.file), key.begin);
  return lines_after(sources, map.span(), indent, lines);
}

std::optional<Edit> add_to_list(const Sources& sources, const Field& list, const std::vector<std::string>& lines) {
  if (!editable(sources, list) || sources.text(list.span())[0] != '-') return std::nullopt;
  const std::size_t begin = list.span().begin;
  const std::size_t indent = begin - line_begin(sources.text(list.span().file), begin);
  std::vector<std::string> item;
  for (const std::string& line : lines) item.push_back((item.empty() ? "- " : "  ") + line);
  return lines_after(sources, list.span(), indent, item);
}

std::optional<Edit> remove_entry(const Sources& sources, const Field& entry) {
  if (entry.aliased || !entry.key_span.known()) return std::nullopt;
  const std::string_view text = sources.text(entry.key_span.file);
  const std::size_t begin = line_begin(text, entry.key_span.begin);
  const std::string_view before = text.substr(begin, entry.key_span.begin - begin);
  if (before.find_first_not_of(' ') != std::string_view::npos) return std::nullopt;
  const std::size_t last = line_end(text, entry.span().end);
  const std::string_view after = text.substr(entry.span().end, last - entry.span().end);
  const std::size_t sign = after.find_first_not_of(" \t");
  if (sign != std::string_view::npos && after[sign] != '#') return std::nullopt;
  const std::size_t end = std::min(text.find('\n', last), text.size() - 1) + 1;
  return Edit{{entry.key_span.file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}, ""};
}

}  // namespace muster::lint
