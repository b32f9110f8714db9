#include "targets/kubernetes/tree.h"

#include <algorithm>
#include <map>

#include "compiler/base/text.h"

namespace muster::targets::kubernetes {
namespace {

Node scalar(Node::Kind kind, std::string value) {
  Node out;
  out.kind = kind;
  out.text = std::move(value);
  return out;
}

// What a pod may call an environment variable: names of the C locale, and those with `-` and `.`.
bool can_be_variable(std::string_view name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_alnum(c) || c == '_' || c == '-' || c == '.'; });
}

Node* find(Node& map, std::string_view key) {
  for (data::Member& member : map.members)
    if (member.key == key) return &member.value;
  return nullptr;
}

// What tells the items of a list apart: where they are mounted, else their name.
const std::string* name_of(const Node& item) {
  const Node* path = item.get("mountPath");
  const Node* name = path != nullptr ? path : item.get("name");
  if (name == nullptr) name = item.get("groupName");
  return name != nullptr ? &name->text : nullptr;
}

bool is_named_list(const Node& node) {
  return node.is_list() && !node.items.empty() &&
         std::all_of(node.items.begin(), node.items.end(), [](const Node& item) { return name_of(item) != nullptr; });
}

void merge_into(Node& into, const Node& patch, const std::string& path, std::vector<std::string>& clashes);

void merge_lists(Node& into, const Node& patch, const std::string& path, std::vector<std::string>& clashes) {
  const bool named = is_named_list(patch);
  std::map<std::string, std::vector<std::size_t>> own;  // the items of `into` by name
  const auto meet = [&](std::size_t at) {
    if (const std::string* name = name_of(into.items[at])) own[*name].push_back(at);
  };
  for (std::size_t at = 0; named && at < into.items.size(); ++at) meet(at);
  for (const Node& item : patch.items) {
    const std::string name = named ? *name_of(item) : std::string();
    const auto merge_item = [&](const std::string& own_name, std::size_t at) {
      Node of_all = item;
      if (name == "*") put(of_all, "name", text(own_name));
      merge_into(into.items[at], of_all, path + "." + own_name, clashes);
    };
    if (named && name == "*") {
      for (std::size_t at = 0; at < into.items.size(); ++at)
        if (const std::string* each = name_of(into.items[at])) merge_item(std::string(*each), at);
    } else if (const auto same = own.find(name); named && same != own.end()) {
      for (const std::size_t at : same->second) merge_item(name, at);
    } else {
      into.items.push_back(item);
      if (named) meet(into.items.size() - 1);
    }
  }
}

void merge_into(Node& into, const Node& patch, const std::string& path, std::vector<std::string>& clashes) {
  if (into.is_list() && patch.is_list()) return merge_lists(into, patch, path, clashes);
  if (!into.is_map() || !patch.is_map()) {
    if (into.kind != patch.kind || into.text != patch.text) clashes.push_back(path);
    return;
  }
  for (const data::Member& member : patch.members) {
    Node* own = find(into, member.key);
    if (own == nullptr) into.members.push_back(member);
    else merge_into(*own, member.value, path.empty() ? member.key : path + "." + member.key, clashes);
  }
}

}  // namespace

Node text(std::string_view value) { return scalar(Node::Kind::text, std::string(value)); }
Node number(std::int64_t value) { return scalar(Node::Kind::integer, std::to_string(value)); }
Node truth(bool value) { return scalar(Node::Kind::boolean, value ? "true" : "false"); }

Node list(std::vector<Node> items) {
  Node out;
  out.kind = Node::Kind::list;
  out.items = std::move(items);
  return out;
}

Node texts(std::span<const std::string> items) {
  Node out = list({});
  for (const std::string& item : items) out.items.push_back(text(item));
  return out;
}

Node map(std::initializer_list<Entry> members) {
  Node out;
  out.kind = Node::Kind::map;
  out.members.reserve(members.size());
  for (const Entry& member : members) put(out, member.key, std::move(member.value));
  return out;
}

Node with_comment(Node node, std::string_view comment) {
  node.comment = comment;
  return node;
}

void put(Node& map, std::string_view key, Node value) {
  if (value.kind == Node::Kind::null) return;
  map.kind = Node::Kind::map;
  if (Node* there = find(map, key)) *there = std::move(value);
  else map.members.push_back({std::string(key), {}, std::move(value)});
}

Node& at(Node& map, std::string_view key) {
  if (Node* there = find(map, key)) return *there;
  Node empty;
  empty.kind = Node::Kind::map;
  put(map, key, std::move(empty));
  return map.members.back().value;
}

Node& annotations_of(Node& object) { return at(at(object, "metadata"), "annotations"); }
Node& labels_of(Node& object) { return at(at(object, "metadata"), "labels"); }

void append(Node& map, std::string_view key, Node item) {
  Node& items = at(map, key);
  items.kind = Node::Kind::list;
  items.items.push_back(std::move(item));
}

std::string expandable(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out += bytes[i];
    if (bytes[i] != '$' || i + 1 == bytes.size()) continue;
    if (bytes[i + 1] == '$') {
      out += '$';
    } else if (bytes[i + 1] == '(') {
      const std::size_t end = bytes.find(')', i);
      if (end == bytes.npos) continue;  // no variable can follow
      const std::string_view name = bytes.substr(i + 2, end - i - 2);
      if (can_be_variable(name)) {
        out += '$';
      } else {  // left as it is, with all that is in it
        out += bytes.substr(i + 1, end - i);
        i = end;
      }
    }
  }
  return out;
}

std::string quantity(Size size) {
  constexpr std::string_view binary[] = {"Ei", "Pi", "Ti", "Gi", "Mi", "Ki"},
                             decimal[] = {"E", "P", "T", "G", "M", "k"};
  std::string best = std::to_string(size.bytes);
  std::int64_t two = std::int64_t{1} << 60, ten = 1'000'000'000'000'000'000;
  for (std::size_t i = 0; i < 6 && size.bytes > 0; ++i, two >>= 10, ten /= 1000) {
    for (const auto& [unit, suffix] : {std::pair{two, binary[i]}, std::pair{ten, decimal[i]}}) {
      if (size.bytes % unit != 0) continue;
      const std::string spelling = std::to_string(size.bytes / unit) + std::string(suffix);
      if (spelling.size() < best.size()) best = spelling;
    }
  }
  return best;
}

Node amount(std::int64_t count) { return number(count); }

Node amount(Size size) {
  const std::string spelling = quantity(size);
  return spelling.find_first_not_of("0123456789") == std::string::npos ? number(size.bytes) : text(spelling);
}

std::vector<std::string> merge(Node& into, const Node& patch) {
  std::vector<std::string> clashes;
  merge_into(into, patch, "", clashes);
  return clashes;
}

}  // namespace muster::targets::kubernetes
