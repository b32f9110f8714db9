#include <yaml-cpp/yaml.h>

#include <functional>

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

// Calls `visit(key, tree)` for everything below a tree.
void each(const Tree& tree, const std::string& key, const std::function<void(const std::string&, const Tree&)>& visit) {
  visit(key, tree);
  for (const auto& [name, member] : tree.members) each(member, name, visit);
  for (const Tree& item : tree.items) each(item, key, visit);
}

bool any(const Tree& tree, const std::function<bool(const std::string&, const Tree&)>& test) {
  bool found = false;
  each(tree, "", [&](const std::string& key, const Tree& value) { found = found || test(key, value); });
  return found;
}

// Whether a member of that name, anywhere below, has the value.
bool says(const Tree& node, const std::string& name, const std::string& value) {
  return any(node, [&](const std::string& key, const Tree& at) { return key == name && at.text == value; });
}
bool says(const Tree& node, const std::string& name, std::int64_t value) {
  return says(node, name, std::to_string(value));
}
bool holds(const Tree& node, const std::string& value) {
  return any(node, [&](const std::string&, const Tree& at) { return at.text == value; });
}

const Tree& Tree::operator[](std::string_view key) const {
  for (const auto& [name, member] : members)
    if (name == key) return member;
  return nothing;
}

Output read_output(std::string target, std::string text, std::string submit) {
  Output out{std::move(target), std::move(text), std::move(submit), {}};
  const bool task = out.text.find("\nrun: ") != std::string::npos && out.text.find("\nname: ") != std::string::npos;
  if (task || out.target == "dstack") {
    out.task = tree_of(YAML::Load(out.text));
    return out;
  }
  if (out.text.find("\nkind: ") == std::string::npos) return out;  // a script
  for (const YAML::Node& document : YAML::LoadAll(out.text)) out.objects.push_back(tree_of(document));
  return out;
}

}  // namespace muster::loss
