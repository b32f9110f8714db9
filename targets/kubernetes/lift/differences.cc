// An object beside what muster writes for it: what differs, field by field.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/data/write.h"
#include "targets/kubernetes/lift/raw.h"
#include "targets/kubernetes/read/cluster.h"

namespace muster::targets::kubernetes {
namespace lifting {
namespace {

// Names of volumes mean nothing outside of the pod: what is mounted where does.
void name_volumes(Node& spec) {
  std::map<std::string, std::string> names;
  for (const char* part : {"containers", "initContainers"})
    if (const Node* containers = spec.get(part))
      for (const Node& container : containers->items)
        if (const Node* mounts = container.get("volumeMounts"))
          for (const Node& mount : mounts->items)
            if (mount.get("name") != nullptr && mount.get("mountPath") != nullptr)
              names.try_emplace(mount.get("name")->text, mount.get("mountPath")->text);
  const auto rename = [&](Node& item) {
    if (const Node* name = item.get("name"))
      if (const auto found = names.find(name->text); found != names.end()) put(item, "name", text(found->second));
  };
  if (spec.get("volumes") != nullptr)
    for (Node& volume : at(spec, "volumes").items) rename(volume);
  for (const char* part : {"containers", "initContainers"})
    if (spec.get(part) != nullptr)
      for (Node& container : at(spec, part).items)
        if (container.get("volumeMounts") != nullptr)
          for (Node& mount : at(container, "volumeMounts").items) rename(mount);
}

void drop(Node& map, std::string_view key) {
  std::erase_if(map.members, [&](const data::Member& m) { return m.key == key; });
}

void drop_value(Node& map, std::string_view key, std::string_view value) {
  const Node* there = map.get(key);
  if (there != nullptr && there->is_scalar() && there->text == value) drop(map, key);
}

// An amount that the limits alone say is requested too.
void fill_requests(Node& container) {
  for (const char* key : {"resources", "resourcesPerNode"}) {
    if (container.get(key) == nullptr) continue;
    Node& resources = at(container, key);
    const Node limits = resources.get("limits") != nullptr ? *resources.get("limits") : map({});
    for (const data::Member& limit : limits.members)
      if (at(resources, "requests").get(limit.key) == nullptr) put(at(resources, "requests"), limit.key, limit.value);
    for (const char* part : {"limits", "requests"})
      if (resources.get(part) != nullptr)
        for (data::Member& amount : at(resources, part).members)
          if (const auto read = read_quantity(amount.value.text)) amount.value = text(std::to_string(*read));
    if (resources.get("requests") != nullptr && resources.get("requests")->members.empty()) drop(resources, "requests");
  }
}

// `$$` as the kubelet reads it.
std::string unescaped(std::string_view word) {
  std::string out;
  for (std::size_t i = 0; i < word.size(); ++i) {
    out += word[i];
    if (word[i] == '$' && i + 1 < word.size() && word[i + 1] == '$') ++i;
  }
  while (out.ends_with('\n')) out.pop_back();
  return out;
}

// Kubernetes starts `command` with `args` behind it.
void join_words(Node& container) {
  if (container.get("command") != nullptr && container.get("args") != nullptr) {
    const Node args = *container.get("args");
    for (const Node& word : args.items) append(container, "command", word);
    drop(container, "args");
  }
  for (const char* key : {"command", "args"})
    if (container.get(key) != nullptr)
      for (Node& word : at(container, key).items) word = text(unescaped(word.text));
}

void normal_container(Node& container, bool program) {
  if (program) drop(container, "name");
  join_words(container);
  fill_requests(container);
  for (const char* key : {"ports", "env", "volumeMounts"})
    if (const Node* there = container.get(key); there != nullptr && there->items.empty()) drop(container, key);
  if (container.get("ports") != nullptr)
    for (Node& port : at(container, "ports").items) drop_value(port, "protocol", "TCP");
  if (container.get("volumeMounts") != nullptr)
    for (Node& mount : at(container, "volumeMounts").items) drop_value(mount, "readOnly", "false");
  if (container.get("env") != nullptr)
    for (Node& variable : at(container, "env").items)
      if (const Node* value = variable.get("value")) put(variable, "value", text(unescaped(value->text)));
  for (const char* key : {"readinessProbe", "livenessProbe", "startupProbe"})
    if (container.get(key) != nullptr && container.get(key)->get("httpGet") != nullptr)
      drop_value(at(at(container, key), "httpGet"), "scheme", "HTTP");
}

void drop_own_labels(Node& metadata) {
  if (metadata.get("labels") == nullptr) return;
  Node& labels = at(metadata, "labels");
  for (const char* key : {"name", "instance", "component", "managed-by"})
    drop(labels, "app.kubernetes.io/" + std::string(key));
  if (labels.members.empty()) drop(metadata, "labels");
}

void normal_tree(Node& node) {
  std::erase_if(node.members, [](const data::Member& m) { return m.value.kind == Node::Kind::null; });
  if (node.get("metadata") != nullptr && node.get("metadata")->is_map()) {
    Node& metadata = at(node, "metadata");
    drop_own_labels(metadata);
    drop(metadata, "creationTimestamp");
    if (metadata.members.empty()) drop(node, "metadata");
  }
  if (const Node* containers = node.get("containers"); containers != nullptr && containers->is_list()) {
    name_volumes(node);
    bool program = true;
    for (Node& container : at(node, "containers").items) normal_container(container, std::exchange(program, false));
    if (node.get("initContainers") != nullptr)
      for (Node& container : at(node, "initContainers").items) normal_container(container, false);
    for (const char* key : {"volumes", "tolerations"})
      if (node.get(key) != nullptr && node.get(key)->items.empty()) drop(node, key);
  }
  if (node.get("resourcesPerNode") != nullptr) normal_container(node, false);
  for (Node& item : node.items) normal_tree(item);
  for (data::Member& member : node.members) normal_tree(member.value);
}

Node normal_object(Node object) {
  drop(object, "status");
  drop(object, "apiVersion");
  if (object.get("metadata") != nullptr)
    for (const char* key : {"name", "generateName", "namespace", "creationTimestamp", "uid", "resourceVersion",
                            "generation", "managedFields", "selfLink"})
      drop(at(object, "metadata"), key);
  normal_tree(object);
  return object;
}

// What tells an item of a list apart, for a path; "": its place does not matter and nothing does.
std::string key_of_item(const Node& item) {
  for (const char* key : {"mountPath", "containerPort", "name", "groupName"})
    if (const Node* found = item.get(key); found != nullptr && found->is_scalar()) return found->text;
  return {};
}

bool is_keyed(const Node& list) {
  return !list.items.empty() &&
         std::all_of(list.items.begin(), list.items.end(), [](const Node& i) { return !key_of_item(i).empty(); });
}

std::string below(const std::string& path, std::string_view key) {
  if (key.find_first_of("./[") != std::string_view::npos) return path + "[\"" + std::string(key) + "\"]";
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

struct Difference {
  std::string path;
  const Node* before = nullptr;  // nullptr: muster writes more
  const Node* after = nullptr;   // nullptr: muster writes nothing
};

class Comparison {
 public:
  void compare(const Node& before, const Node& after, const std::string& path) {
    if (before.is_map() && after.is_map()) return compare_maps(before, after, path);
    if (before.is_list() && after.is_list()) return compare_lists(before, after, path);
    if (before.is_scalar() && after.is_scalar() && before.text == after.text) return;
    found.push_back({path, &before, &after});
  }

  std::vector<Difference> found;

 private:
  void compare_maps(const Node& before, const Node& after, const std::string& path) {
    for (const data::Member& member : before.members) {
      const Node* other = after.get(member.key);
      if (other != nullptr) compare(member.value, *other, below(path, member.key));
      else found.push_back({below(path, member.key), &member.value, nullptr});
    }
    for (const data::Member& member : after.members) {
      if (before.get(member.key) != nullptr) continue;
      if (is_keyed(member.value)) compare_lists({}, member.value, below(path, member.key));  // as an empty list
      else found.push_back({below(path, member.key), nullptr, &member.value});
    }
  }

  // Containers by their place, since the first one is the program's; other lists by what tells their items apart.
  void compare_lists(const Node& before, const Node& after, const std::string& path) {
    if (path.ends_with(".containers")) return compare_places(before, after, path);
    const bool keyed = (before.items.empty() || is_keyed(before)) && (after.items.empty() || is_keyed(after));
    if (!keyed) return compare_sets(before, after, path);
    const auto find = [](const Node& list, const std::string& key) -> const Node* {
      for (const Node& item : list.items)
        if (key_of_item(item) == key) return &item;
      return nullptr;
    };
    for (const Node& item : before.items) {
      const std::string key = key_of_item(item), here = path + "[" + key + "]";
      const Node* other = find(after, key);
      if (other != nullptr) compare(item, *other, here);
      else found.push_back({here, &item, nullptr});
    }
    for (const Node& item : after.items)
      if (find(before, key_of_item(item)) == nullptr)
        found.push_back({path + "[" + key_of_item(item) + "]", nullptr, &item});
  }

  void compare_places(const Node& before, const Node& after, const std::string& path) {
    for (std::size_t i = 0; i < std::max(before.items.size(), after.items.size()); ++i) {
      const std::string here = path + "[" + std::to_string(i) + "]";
      if (i >= after.items.size()) found.push_back({here, &before.items[i], nullptr});
      else if (i >= before.items.size()) found.push_back({here, nullptr, &after.items[i]});
      else compare(before.items[i], after.items[i], here);
    }
  }

  void compare_sets(const Node& before, const Node& after, const std::string& path) {
    const auto sorted = [&](const Node& list) {
      std::vector<std::string> out;
      for (const Node& item : list.items) out.push_back(data::to_json(item));
      const bool words = path.ends_with("command") || path.ends_with("args");
      if (!words) std::sort(out.begin(), out.end());
      return out;
    };
    if (sorted(before) != sorted(after)) found.push_back({path, &before, &after});
  }
};

// On one line, without its secrets.
std::string shown_value(const Node& node, const std::vector<std::string>& secrets) {
  std::string text = node.is_scalar() ? node.text : data::to_json(node);
  for (const std::string& secret : secrets)
    for (std::size_t at = 0; !secret.empty() && (at = text.find(secret, at)) != std::string::npos; at += 3)
      text.replace(at, secret.size(), "***");
  std::string out;
  for (const char c : text)
    if (!is_space(c) || (!out.empty() && !is_space(out.back()) && out.back() != '[' && out.back() != '{'))
      out += is_space(c) ? ' ' : c;
  return printable(out, 80);
}

// Why muster writes what nobody asked for.
struct AddedReason {
  std::string_view part, why;
};
constexpr AddedReason added_reasons[] = {
    {"[/dev/shm]", "muster gives pods with GPUs shared memory"},
    {"tolerations", "muster tolerates the taint that most clouds set on nodes with GPUs"},
    {"strategy", "muster keeps no GPUs free for a rollout: a replica stops before its replacement starts"},
    {"preStop", "muster lets a replica answer until every proxy knows that it goes"},
    {"lifecycle", "muster lets a replica answer until every proxy knows that it goes"},
    {"enableServiceLinks", "a Service of such a name would set variables of the program"},
    {"podFailurePolicy", "muster counts evictions as attempts, as a Job without the policy does"},
    {"subdomain", "muster writes a headless Service, so that ranks find each other"},
    {"PET_", "muster sets what torchrun reads"},
    {"cleanPodPolicy", "workers that the master leaves behind would hold their GPUs"},
    {"rayStartParams", "muster gives each role a resource of its name"},
    {"matchLabels", "muster selects the pods by a label of its own"},
    {"backoffLimit", "muster says how often it is started again"},
    {"completionMode", "each pod has a number"}};

std::optional<std::string> added(const Difference& difference) {
  if (difference.before != nullptr) return std::nullopt;
  const auto row = std::find_if(std::begin(added_reasons), std::end(added_reasons), [&](const AddedReason& reason) {
    return difference.path.find(reason.part) != std::string::npos;
  });
  return std::string(row == std::end(added_reasons) ? std::string_view() : row->why);
}

std::string note_of(const Difference& difference, const std::vector<std::string>& secrets) {
  if (const auto why = added(difference))
    return "muster adds `" + shown_value(*difference.after, secrets) + "`" + (why->empty() ? "" : ": " + *why);
  if (difference.after == nullptr)
    return "muster does not write it: `" + shown_value(*difference.before, secrets) + "`";
  return "muster writes `" + shown_value(*difference.after, secrets) + "`, the object has `" +
         shown_value(*difference.before, secrets) + "`";
}

// Where it is written in the object: the deepest field of the path that is there.
Span place_of(const Difference& difference, const Object& object) {
  if (difference.before != nullptr && difference.before->span.known()) return difference.before->span;
  const Span whole = object.root.span();
  return {whole.file, whole.begin, whole.begin};
}

// Whether a line already says that this differs: it is about the field, or about one that has it.
bool speaks_for(const ImportLine& line, const Difference& difference) {
  if (line.note.empty() || line.fate == Fate::raw || line.option.empty()) return false;
  const std::string_view path = difference.path;
  const bool below_it =
      path.starts_with(line.option) &&
      (path.size() == line.option.size() || path[line.option.size()] == '.' || path[line.option.size()] == '[');
  const Span at = difference.before != nullptr ? difference.before->span : Span{};
  const bool inside = at.known() && line.span.known() && at.file == line.span.file && at.begin >= line.span.begin &&
                      at.end <= line.span.end;
  const bool of_object = line.option.find('/') < line.option.find('.');  // "Service/web"
  return !of_object && (below_it || inside) && line.fate != Fate::question;
}

// What Kubernetes itself fills in for its own kinds.
bool is_default(const Difference& difference, const Imported& imported) {
  if (difference.before != nullptr || !difference.after->is_scalar()) return false;
  const std::string_view path = difference.path;
  if (is_one_of(imported.group, {"batch", "apps"}))
    for (const char* key : {"spec.replicas", "spec.completions", "spec.parallelism"})
      if (path == key && difference.after->text == "1") return true;
  return false;
}

}  // namespace
}  // namespace lifting

void name_differences(const Object& object, const std::string& written, Imported& imported) {
  using namespace lifting;
  const Node own = written_object(written, imported);
  if (!own.is_map()) {
    imported.lines.push_back(
        {object.root.span(), "", Fate::lost, "", "muster does not write an object of this kind for it"});
    return;
  }
  const Node before = normal_object(*object.root.node), after = normal_object(own);
  Comparison comparison;
  comparison.compare(before, after, "");
  for (const Difference& difference : comparison.found) {
    if (std::any_of(imported.lines.begin(), imported.lines.end(),
                    [&](const ImportLine& line) { return speaks_for(line, difference); }))
      continue;
    if (is_default(difference, imported)) continue;
    if (difference.path == "spec.podFailurePolicy" && difference.before == nullptr && imported.group == "batch")
      imported.lines.push_back({object.root.span(), "spec.podReplacementPolicy", Fate::approximated, "",
                                "with a podFailurePolicy Kubernetes replaces a pod only once it has failed"});
    const bool lost = difference.after == nullptr;
    imported.lines.push_back({place_of(difference, object), difference.path, lost ? Fate::lost : Fate::approximated, "",
                              note_of(difference, imported.secret_values)});
    imported.lines.back().added = added(difference);
  }
  // What was meant to be carried as it is, and is not.
  std::set<std::pair<std::uint32_t, std::uint32_t>> otherwise;
  for (const ImportLine& line : imported.lines)
    if (line.fate != Fate::raw && line.span.known() && !line.note.empty())
      otherwise.emplace(line.span.begin, line.span.end);
  std::erase_if(imported.lines, [&](const ImportLine& line) {
    return line.fate == Fate::raw && otherwise.contains({line.span.begin, line.span.end});
  });
}

}  // namespace muster::targets::kubernetes
