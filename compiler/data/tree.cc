#include "compiler/data/tree.h"

namespace muster::data {

const Node* Node::get(std::string_view key) const {
  for (const Member& member : members)
    if (member.key == key) return &member.value;
  return nullptr;
}

const Node* Node::at(std::string_view path) const {
  const Node* node = this;
  while (node != nullptr && !path.empty()) {
    const std::size_t dot = path.find('.');
    node = node->get(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return node;
}

}  // namespace muster::data
