#include "compiler/data/tree.h"

#include <charconv>

namespace muster::data {

const Node& Found::absent() {
  static const Node nothing;
  return nothing;
}

const Node& Node::first() const { return items.empty() ? Found::absent() : items.front(); }

std::optional<std::int64_t> Node::integer() const {
  std::int64_t value = 0;
  const char *begin = text.data(), *end = begin + text.size();
  const auto read = std::from_chars(begin, end, value);
  if (kind != Kind::integer || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

Found Node::get(std::string_view key) const {
  for (const Member& member : members)
    if (member.key == key) return Found(&member.value);
  return nullptr;
}

Found Node::at(std::string_view path) const {
  const Node* node = this;
  while (node != nullptr && !path.empty()) {
    const std::size_t dot = path.find('.');
    node = node->get(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return Found(node);
}

}  // namespace muster::data
