#include <yaml-cpp/yaml.h>

#include "tests/loss/reader.h"

namespace muster::loss {
namespace {

Tree tree_of(const YAML::Node& node) {
  Tree out;
  if (node.IsScalar()) {
    out.is = Tree::Is::scalar;
    out.text = node.Scalar();
  } else if (node.IsMap()) {
    out.is = Tree::Is::map;
    for (const auto& member : node) out.members.emplace_back(member.first.Scalar(), tree_of(member.second));
  } else if (node.IsSequence()) {
    out.is = Tree::Is::list;
    for (const auto& item : node) out.items.push_back(tree_of(item));
  }
  return out;
}

const Tree nothing;

}  // namespace

const Tree& Tree::operator[](std::string_view key) const {
  for (const auto& [name, member] : members)
    if (name == key) return member;
  return nothing;
}

Output read_output(std::string target, std::string text, std::string submit) {
  Output out{std::move(target), std::move(text), std::move(submit), {}};
  if (out.text.starts_with("#!")) return out;
  for (const YAML::Node& document : YAML::LoadAll(out.text)) out.objects.push_back(tree_of(document));
  return out;
}

}  // namespace muster::loss
