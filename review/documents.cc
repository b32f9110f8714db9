#include "review/documents.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "compiler/base/text.h"
#include "compiler/data/read.h"
#include "compiler/data/write.h"

namespace muster::review {
namespace {

using data::Node;

// Deeper values, and those beyond so many bytes of paths, are one value each: a hostile file would else have more
// bytes of paths than any machine has memory.
constexpr int deepest = 24;
constexpr std::size_t most_path_bytes = std::size_t{32} << 20, longest_step = 100;

// Lists whose members have a name, and the member that is it: Kubernetes merges them by it. In `ordered` ones the
// order says something too.
struct NamedList {
  std::string_view list, member;
  bool ordered = false;
};
constexpr std::array<NamedList, 19> named_lists = {{{"containers", "name"},
                                                    {"initContainers", "name", true},
                                                    {"env", "name"},
                                                    {"volumes", "name"},
                                                    {"volumeMounts", "mountPath"},
                                                    {"volumeDevices", "devicePath"},
                                                    {"imagePullSecrets", "name"},
                                                    {"ports", "name"},
                                                    {"tasks", "name"},
                                                    {"replicatedJobs", "name"},
                                                    {"workerGroupSpecs", "groupName"},
                                                    {"podSets", "name"},
                                                    {"resourceGroups", "name"},
                                                    {"volumeClaimTemplates", "name"},
                                                    {"hostAliases", "ip"},
                                                    {"resourceClaims", "name"},
                                                    {"tolerations", "key"},
                                                    {"secrets", "name"},
                                                    {"metrics", "type"}}};
// Lists of words that are sets.
constexpr std::array<std::string_view, 7> sets = {"accessModes", "add",   "drop",         "finalizers",
                                                  "verbs",       "hosts", "resourceNames"};
// What the API server or a controller writes.
constexpr std::array<std::string_view, 7> of_the_server = {"status",
                                                           "metadata.creationTimestamp",
                                                           "metadata.generation",
                                                           "metadata.managedFields",
                                                           "metadata.selfLink",
                                                           "metadata.resourceVersion",
                                                           "metadata.uid"};

const NamedList* named_list(std::string_view key) {
  const auto found = std::find_if(named_lists.begin(), named_lists.end(), [&](const auto& l) { return l.list == key; });
  return found == named_lists.end() ? nullptr : &*found;
}

// A key as part of a path; a long one is distinguished by its hash.
std::string step(std::string_view key) {
  if (key.size() <= longest_step) return std::string(key);
  return std::string(key.substr(0, longest_step / 2)) + "…" + std::to_string(hash_of(key));
}

class Flattener {
 public:
  explicit Flattener(const DigestEndings& endings) : endings_(endings) {}

  std::vector<Field> flatten(const Node& root) {
    value(root, {}, {}, 0);
    const auto less = [](const Field& a, const Field& b) { return a.path < b.path; };
    std::stable_sort(fields_.begin(), fields_.end(), less);
    const auto same = [](const Field& a, const Field& b) { return a.path == b.path; };
    fields_.erase(std::unique(fields_.begin(), fields_.end(), same), fields_.end());
    return std::move(fields_);
  }

 private:
  void put(const std::string& path, std::string text) {
    bytes_ += path.size();
    fields_.push_back({path, endings_.without(text)});
  }

  std::string scalar(const Node& node) const {
    if (node.kind == Node::Kind::null) return "null";
    const bool looks_else = node.kind == Node::Kind::text && data::plain_kind(node.text) != Node::Kind::text;
    return looks_else ? "\"" + node.text + "\"" : node.text;
  }

  void value(const Node& node, const std::string& path, std::string_view key, int depth) {
    const bool over = depth >= deepest || bytes_ > most_path_bytes;
    if (node.is_scalar()) put(path, scalar(node));
    else if (over) put(path, data::to_json(node));
    else if (node.is_map()) map(node, path, depth);
    else list(node, path, key, depth);
  }

  void map(const Node& node, const std::string& path, int depth) {
    if (node.members.empty() && !path.empty()) return put(path, "{}");
    for (const data::Member& m : node.members) {
      const bool plain = m.key.find_first_of(".[]") == std::string::npos;
      const std::string below = plain ? path + (path.empty() ? "" : ".") + step(m.key) : path + "[" + step(m.key) + "]";
      if (std::find(of_the_server.begin(), of_the_server.end(), below) != of_the_server.end()) continue;
      value(m.value, below, m.key, depth + 1);
    }
  }

  void list(const Node& node, const std::string& path, std::string_view key, int depth) {
    if (std::all_of(node.items.begin(), node.items.end(), std::mem_fn(&Node::is_scalar)))
      return scalars(node, path, key);
    if (const NamedList* named = named_list(key))
      if (const auto names = names_of(node, named->member)) return by_name(node, path, *names, named->ordered, depth);
    for (std::size_t i = 0; i < node.items.size(); ++i)
      value(node.items[i], path + "[" + std::to_string(i) + "]", {}, depth + 1);
  }

  void scalars(const Node& node, const std::string& path, std::string_view key) {
    std::vector<std::string> scalars;
    for (const Node& item : node.items) scalars.push_back(scalar(item));
    if (std::find(sets.begin(), sets.end(), key) != sets.end()) std::sort(scalars.begin(), scalars.end());
    std::string out;
    for (const std::string& word : scalars) out += (out.empty() ? "[" : ", ") + word;
    put(path, out.empty() ? "[]" : out + "]");
  }

  // nullopt: one lacks it, or two have the same.
  static std::optional<std::vector<std::string>> names_of(const Node& list, std::string_view member) {
    std::vector<std::string> out;
    std::set<std::string_view> seen;
    for (const Node& item : list.items) {
      const Node* name = item.get(member);
      if (name == nullptr || !name->is_scalar() || !seen.insert(name->text).second) return std::nullopt;
      out.push_back(name->text);
    }
    return out;
  }

  void by_name(const Node& node, const std::string& path, const std::vector<std::string>& names, bool ordered,
               int depth) {
    std::string order;
    for (std::size_t i = 0; i < names.size(); ++i) {
      value(node.items[i], path + "[" + step(endings_.without(names[i])) + "]", {}, depth + 1);
      order += (i == 0 ? "" : ", ") + names[i];
    }
    if (ordered) put(path + " (order)", order);
  }

  const DigestEndings& endings_;
  std::vector<Field> fields_;
  std::size_t bytes_ = 0;
};

std::string scalar_at(const Node& root, std::string_view path) {
  const Node* node = root.at(path);
  return node != nullptr && node->is_scalar() ? node->text : std::string();
}

void add_lines(std::string_view text, std::vector<std::string>& out) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// The length of a digest's ending of `text` in front of `end`, its dash included; 0: there is none.
std::size_t ending_before(std::string_view text, std::size_t end) {
  const auto all = [&](std::size_t digits, std::string_view of) {
    return end > digits + 1 && text[end - digits - 1] == '-' &&
           text.substr(end - digits, digits).find_first_not_of(of) == std::string_view::npos;
  };
  if (all(8, "0123456789abcdef")) return 9;
  return all(10, "2456789bcdfghkmt") ? 11 : 0;
}

bool is_name_character(char c) { return is_lower(c) || is_digit(c); }

}  // namespace

std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
  for (const char c : text) seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return seed;
}

bool is_amount(std::string_view value) {
  if (value.starts_with('-')) value.remove_prefix(1);
  if (value.empty() || !is_digit(value.front())) return false;
  constexpr std::size_t longest_unit = 3;  // Gi, min
  const std::size_t unit = value.find_first_not_of("0123456789.:-");
  return unit == std::string_view::npos ||
         (value.size() - unit <= longest_unit &&
          std::all_of(value.begin() + static_cast<std::ptrdiff_t>(unit), value.end(), is_letter));
}

void DigestEndings::add(std::string_view declared_name) {
  const std::size_t length = ending_before(declared_name, declared_name.size());
  if (length > 0) endings_.emplace(declared_name.substr(declared_name.size() - length));
}

std::string DigestEndings::without(std::string_view text) const {
  std::string out;
  if (endings_.empty()) return std::string(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t skip = 0;
    for (const std::size_t length : {std::size_t{9}, std::size_t{11}}) {
      const bool ends = i + length == text.size() || (i + length < text.size() && !is_name_character(text[i + length]));
      if (text[i] == '-' && ends && endings_.contains(text.substr(i, length))) skip = length;
    }
    if (skip == 0) out += text[i];
    else i += skip - 1;
  }
  return out;
}

Object object_of(const Node& root, const DigestEndings& endings) {
  Object out;
  out.kind = scalar_at(root, "kind");
  out.name_space = scalar_at(root, "metadata.namespace");
  out.name = endings.without(scalar_at(root, "metadata.name"));
  if (out.name.empty()) out.name = scalar_at(root, "metadata.generateName");
  out.fields = Flattener(endings).flatten(root);
  return out;
}

Object object_of(const targets::slurm::Script& script, const Sources& sources, std::string_view name) {
  Object out{"sbatch", {}, std::string(name), {}, {}};
  std::map<std::string, std::string> options;
  for (const targets::slurm::Directive& d : script.directives) {
    const std::string component = script.components > 1 ? "[" + std::to_string(d.component) + "] " : std::string();
    options[component + "--" + std::string(d.name)] = d.value.value_or("yes");
  }
  if (!script.interpreter.empty()) options["interpreter"] = script.interpreter;
  for (auto& [path, value] : options) out.fields.push_back({path, value});
  add_lines(sources.text(script.body), out.lines);
  return out;
}

std::vector<Object> objects_of(const std::string& name, const std::string& content) {
  Sources sources;
  const std::uint32_t file = sources.add(name, content);
  if (targets::slurm::is_batch_script(content)) {
    return {object_of(targets::slurm::read_script(sources, file), sources, name)};
  }
  std::vector<Object> out;
  if (name.ends_with(".yaml") || name.ends_with(".yml")) {
    const data::Documents read = data::read_yaml(sources, file);
    DigestEndings endings;
    for (const data::Document& d : read.documents) endings.add(scalar_at(d.root, "metadata.name"));
    for (const data::Document& d : read.documents) out.push_back(object_of(d.root, endings));
  } else {
    out.push_back({"file", {}, name, {}, {}});
    add_lines(content, out.back().lines);
  }
  return out;
}

}  // namespace muster::review
