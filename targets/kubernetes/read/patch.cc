#include "targets/kubernetes/read/patch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

#include "compiler/base/limits.h"

namespace muster::targets::kubernetes {
namespace {

using data::Member;
using data::Node;

constexpr std::string_view directive = "$patch";
constexpr std::size_t most_values = 100'000;  // of an object that a JSON patch makes

// The keys by which Kubernetes merges a list: of its Go types `patchMergeKey` and `listMapKey`.
struct MergeKeys {
  std::string_view list;
  std::array<std::string_view, 2> keys;
  std::string_view beside = {};  // a key that items of this list have, where lists of one name have other keys
};

constexpr MergeKeys merge_keys[] = {
    {"containers", {"name"}},
    {"initContainers", {"name"}},
    {"ephemeralContainers", {"name"}},
    {"env", {"name"}},
    {"volumes", {"name"}},
    {"volumeMounts", {"mountPath"}},
    {"volumeDevices", {"devicePath"}},
    {"imagePullSecrets", {"name"}},
    {"resourceClaims", {"name"}},
    {"claims", {"name"}},
    {"schedulingGates", {"name"}},
    {"secrets", {"name"}},
    {"hostAliases", {"ip"}},
    {"ports", {"containerPort", "protocol"}, "containerPort"},
    {"ports", {"port", "protocol"}, "port"},
    {"topologySpreadConstraints", {"topologyKey", "whenUnsatisfiable"}},
};

std::vector<Member>::iterator find(Node& map, std::string_view key) {
  return std::find_if(map.members.begin(), map.members.end(), [&](const Member& m) { return m.key == key; });
}

std::string_view text_of(const Node& map, std::string_view key) {
  const Node* found = map.get(key);
  return found != nullptr && found->is_scalar() ? std::string_view(found->text) : std::string_view();
}

bool has(const Node& list, std::string_view key) {
  return std::any_of(list.items.begin(), list.items.end(), [&](const Node& item) { return item.get(key) != nullptr; });
}

const MergeKeys* keys_of(std::string_view name, const Node& base, const Node& patch) {
  for (const MergeKeys& row : merge_keys)
    if (row.list == name && (row.beside.empty() || has(base, row.beside) || has(patch, row.beside))) return &row;
  return nullptr;
}

// A protocol that is not written is TCP.
bool same_item(const Node& a, const Node& b, const MergeKeys& row) {
  return std::all_of(row.keys.begin(), row.keys.end(), [&](std::string_view key) {
    if (key.empty()) return true;
    const auto value = [&](const Node& item) {
      const std::string_view text = text_of(item, key);
      return key == "protocol" && text.empty() ? std::string_view("TCP") : text;
    };
    return value(a) == value(b);
  });
}

class Merger {
 public:
  explicit Merger(bool custom) : custom_(custom) {}

  std::string take_why() { return std::move(why_); }

  // False: the value is removed.
  bool merge(Node& base, const Node& patch, std::string_view name) {
    if (patch.is_map()) {
      const std::string_view what = text_of(patch, directive);
      if (what == "delete") return false;
      if (what == "replace" || !base.is_map()) return base = without_directives(patch), true;
      if (!what.empty() && what != "merge") why_ = "`$patch: " + std::string(what) + "` is not read";
      merge_maps(base, patch);
    } else if (patch.is_list() && base.is_list()) {
      merge_lists(base, patch, name);
    } else {
      base = without_directives(patch);
    }
    return true;
  }

 private:
  // A value that nothing is merged into: what it removes is not there.
  Node without_directives(const Node& patch) {
    Node out = patch;
    std::erase_if(out.members, [&](const Member& m) {
      const bool removes = m.value.kind == Node::Kind::null || text_of(m.value, directive) == "delete";
      return m.key == directive || (!custom_ && removes) || is_unread(m.key);
    });
    std::erase_if(out.items, [](const Node& item) { return !text_of(item, directive).empty(); });
    for (Member& m : out.members) m.value = without_directives(m.value);
    for (Node& item : out.items) item = without_directives(item);
    return out;
  }

  bool is_unread(std::string_view key) {
    if (!key.starts_with("$setElementOrder/") && !key.starts_with("$deleteFromPrimitiveList/") && key != "$retainKeys")
      return false;
    if (!key.starts_with("$setElementOrder/")) why_ = "`" + std::string(key) + "` is not read";
    return true;
  }

  void merge_maps(Node& base, const Node& patch) {
    for (const Member& m : patch.members) {
      if (m.key == directive || is_unread(m.key)) continue;
      const auto found = find(base, m.key);
      if (m.value.kind == Node::Kind::null) {
        if (found != base.members.end()) base.members.erase(found);
      } else if (found == base.members.end()) {
        if (text_of(m.value, directive) == "delete") continue;
        base.members.push_back({m.key, m.key_span, without_directives(m.value)});
      } else {
        const bool replaced = !m.value.is_map() && !(m.value.is_list() && found->value.is_list());
        if (replaced) found->key_span = m.key_span;
        if (!merge(found->value, m.value, m.key)) base.members.erase(found);
      }
    }
  }

  void merge_lists(Node& base, const Node& patch, std::string_view name) {
    const bool replaces = std::any_of(patch.items.begin(), patch.items.end(), [](const Node& item) {
      return item.members.size() == 1 && text_of(item, directive) == "replace";
    });
    const bool of_maps = std::all_of(patch.items.begin(), patch.items.end(), [](const Node& n) { return n.is_map(); });
    const MergeKeys* row = custom_ || replaces || !of_maps ? nullptr : keys_of(name, base, patch);
    if (row == nullptr) {
      base = without_directives(patch);
      return;
    }
    std::vector<Node> merged;  // the patch's in its order, then the others
    for (const Node& item : patch.items) {
      const auto found = std::find_if(base.items.begin(), base.items.end(),
                                      [&](const Node& own) { return same_item(own, item, *row); });
      if (found == base.items.end()) {
        if (text_of(item, directive) != "delete") merged.push_back(without_directives(item));
        continue;
      }
      Node own = std::move(*found);
      base.items.erase(found);
      if (merge(own, item, name)) merged.push_back(std::move(own));
    }
    std::move(base.items.begin(), base.items.end(), std::back_inserter(merged));
    base.items = std::move(merged);
  }

  bool custom_;
  std::string why_;
};

// ---- RFC 6902 --------------------------------------------------------------------------------

// The keys of a pointer; nullopt: it is none.
std::optional<std::vector<std::string>> keys_of_pointer(std::string_view pointer) {
  std::vector<std::string> out;
  if (pointer.empty()) return out;
  if (pointer.front() != '/') return std::nullopt;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      out.emplace_back();
    } else if (pointer[i] == '~' && i + 1 < pointer.size() && (pointer[i + 1] == '0' || pointer[i + 1] == '1')) {
      out.back() += pointer[++i] == '0' ? '~' : '/';
    } else {
      out.back() += pointer[i];
    }
  }
  return out;
}

std::optional<std::size_t> index_of(std::string_view key, std::size_t end) {
  std::size_t out = 0;
  const auto [last, error] = std::from_chars(key.data(), key.data() + key.size(), out);
  const bool whole = error == std::errc() && last == key.data() + key.size() && !key.empty();
  return whole && out < end ? std::optional(out) : std::nullopt;
}

Node* child_of(Node& parent, std::string_view key) {
  if (parent.is_map()) {
    const auto found = find(parent, key);
    return found == parent.members.end() ? nullptr : &found->value;
  }
  const auto index = parent.is_list() ? index_of(key, parent.items.size()) : std::nullopt;
  return index ? &parent.items[*index] : nullptr;
}

Node* value_at(Node& root, const std::vector<std::string>& keys, std::size_t count) {
  Node* at = &root;
  for (std::size_t i = 0; i < count && at != nullptr; ++i) at = child_of(*at, keys[i]);
  return at;
}

// A key that is to be replaced may be missing, as kustomize has it.
bool put_at(Node& root, const std::vector<std::string>& keys, Node value, Span key_span, bool must_exist) {
  if (keys.empty()) return root = std::move(value), true;
  Node* parent = value_at(root, keys, keys.size() - 1);
  if (parent == nullptr) return false;
  if (Node* own = child_of(*parent, keys.back()); own != nullptr && (must_exist || parent->is_map())) {
    if (parent->is_map()) find(*parent, keys.back())->key_span = key_span;
    *own = std::move(value);
    return true;
  }
  if (parent->is_map()) return parent->members.push_back({keys.back(), key_span, std::move(value)}), true;
  if (must_exist || !parent->is_list()) return false;
  const auto at =
      keys.back() == "-" ? std::optional(parent->items.size()) : index_of(keys.back(), parent->items.size() + 1);
  if (!at) return false;
  parent->items.insert(parent->items.begin() + static_cast<std::ptrdiff_t>(*at), std::move(value));
  return true;
}

bool remove_at(Node& root, const std::vector<std::string>& keys) {
  if (keys.empty()) return false;
  Node* parent = value_at(root, keys, keys.size() - 1);
  if (parent == nullptr || child_of(*parent, keys.back()) == nullptr) return false;
  if (parent->is_map()) parent->members.erase(find(*parent, keys.back()));
  else
    parent->items.erase(parent->items.begin() +
                        static_cast<std::ptrdiff_t>(*index_of(keys.back(), parent->items.size())));
  return true;
}

bool same_value(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.text != b.text || a.items.size() != b.items.size() || a.members.size() != b.members.size())
    return false;
  for (std::size_t i = 0; i < a.items.size(); ++i)
    if (!same_value(a.items[i], b.items[i])) return false;
  return std::all_of(a.members.begin(), a.members.end(), [&](const Member& m) {
    const Node* other = b.get(m.key);
    return other != nullptr && same_value(m.value, *other);
  });
}

// Levels of maps and lists.
std::size_t depth_of(const Node& root) {
  std::size_t out = 0;
  for (const Member& m : root.members) out = std::max(out, depth_of(m.value));
  for (const Node& item : root.items) out = std::max(out, depth_of(item));
  return out + 1;
}

// Copies that grow and places that lie ever deeper end here.
bool is_within_limits(const std::vector<std::string>& keys, const Node& value, std::size_t& values) {
  values += count_values(value);
  return values <= most_values && keys.size() + depth_of(value) <= value_of(Limit::nesting);
}

bool apply_one(Node& object, const Node& operation, std::size_t& values) {
  const std::string_view op = text_of(operation, "op");
  const Node* path = operation.get("path");
  const auto keys = path == nullptr ? std::nullopt : keys_of_pointer(path->text);
  if (!keys) return false;
  const Node* value = operation.get("value");
  if (op == "remove") return remove_at(object, *keys);
  if (op == "add" || op == "replace")
    return value != nullptr && is_within_limits(*keys, *value, values) &&
           put_at(object, *keys, *value, path->span, op == "replace");
  if (op == "test") {
    const Node* own = value_at(object, *keys, keys->size());
    return own != nullptr && value != nullptr && same_value(*own, *value);
  }
  if (op != "move" && op != "copy") return false;
  const auto from = keys_of_pointer(text_of(operation, "from"));
  const Node* own = from ? value_at(object, *from, from->size()) : nullptr;
  if (own == nullptr) return false;
  if (!is_within_limits(*keys, *own, values)) return false;
  Node copy = *own;
  return (op == "copy" || remove_at(object, *from)) && put_at(object, *keys, std::move(copy), path->span, false);
}

}  // namespace

bool is_json_patch(const Node& root) {
  return root.is_list() && !root.items.empty() && root.items.front().get("op") != nullptr;
}

std::string merge_patch(Node& object, const Node& patch, bool custom, bool& deleted) {
  Merger merger(custom);
  deleted = !merger.merge(object, patch, "");
  return merger.take_why();
}

std::string apply_json_patch(Node& object, const Node& operations) {
  std::size_t values = count_values(object);
  for (const Node& operation : operations.items)
    if (!apply_one(object, operation, values))
      return "`" + std::string(text_of(operation, "op")) + "` of `" + std::string(text_of(operation, "path")) +
             "` cannot be applied";
  return {};
}

std::size_t count_values(const Node& root) {
  std::size_t out = 1;
  for (const Member& m : root.members) out += count_values(m.value);
  for (const Node& item : root.items) out += count_values(item);
  return out;
}

}  // namespace muster::targets::kubernetes
