#include "targets/kubernetes/lift/raw.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/data/read.h"
#include "compiler/data/write.h"

namespace muster::targets::kubernetes {
namespace lifting {
namespace {

void strip(Node& node) {
  node.aliased = false;
  node.comment.clear();
  if (!node.is_scalar()) node.text.clear();
  for (Node& item : node.items) strip(item);
  for (data::Member& member : node.members) strip(member.value);
}

// What tells the items of a list apart, which a patch needs.
std::string_view identity_of(const Node& item) {
  for (const char* key : {"mountPath", "name", "groupName"})
    if (item.get(key) != nullptr) return key;
  return {};
}

class Leftovers {
 public:
  explicit Leftovers(ObjectLift& lift) : lift_(lift) {}

  // The parts of a field without an account, each with a line.
  Node left(const Field& field, std::string_view where) {
    const Node& node = *field.node;
    if (lift_.ledger.has(node)) return nothing();
    const bool program = lift_.programs.contains(&node);
    if (!program && !lift_.ledger.has_below(node)) {
      if (!holds_program(node)) {
        if (node.kind == Node::Kind::null) return nothing();
        lift_.ledger.say(node.span, field.path, Fate::raw,
                         "target " + lift_.out.target + " { " + std::string(where) + " }", "");
        return plain_copy(node);
      }
    }
    if (node.is_list()) return left_list(field, where);
    Node out = map({});
    for (const Field& member : field.members())
      if (Node part = left(member, where); part.kind != Node::Kind::null) put(out, member.key, std::move(part));
    if (out.members.empty()) return nothing();
    if (program && node.get("name") != nullptr) out.members.insert(out.members.begin(), {"name", {}, text("*")});
    return out;
  }

 private:
  bool holds_program(const Node& node) const {
    if (lift_.programs.contains(&node)) return true;
    return std::any_of(node.items.begin(), node.items.end(), [&](const Node& i) { return holds_program(i); }) ||
           std::any_of(node.members.begin(), node.members.end(),
                       [&](const data::Member& m) { return holds_program(m.value); });
  }

  // The program's container first: its `*` stands for what is there before the others come.
  Node left_list(const Field& field, std::string_view where) {
    Node out = list({});
    for (const Field& item : field.items()) {
      Node part = left(item, where);
      if (part.kind == Node::Kind::null) continue;
      const std::string_view key = item.node->is_map() ? identity_of(*item.node) : std::string_view();
      if (part.is_map() && !key.empty() && part.get(key) == nullptr)
        part.members.insert(part.members.begin(), {std::string(key), {}, *item.node->get(key)});
      const bool first = part.is_map() && part.get("name") != nullptr && part.get("name")->text == "*";
      out.items.insert(first ? out.items.begin() : out.items.end(), std::move(part));
    }
    return out.items.empty() ? nothing() : std::move(out);
  }

  ObjectLift& lift_;
};

Node pod_of(Leftovers& leftovers, const PodTemplate& pods) {
  Node out = map({});
  if (pods.metadata.node != nullptr && pods.metadata)
    if (Node part = leftovers.left(pods.metadata, "pod"); part.kind != Node::Kind::null) put(out, "metadata", part);
  if (pods.spec)
    if (Node part = leftovers.left(pods.spec, "pod"); part.kind != Node::Kind::null) put(out, "spec", part);
  return out;
}

// ---- against what the target writes

const Node* same_item(const Node& own, const Node& item) {
  const std::string_view key = identity_of(item);
  if (key.empty()) return nullptr;
  for (const Node& other : own.items)
    if (const Node* name = other.get(key); name != nullptr && name->text == item.get(key)->text) return &other;
  return nullptr;
}

bool prune(Node& patch, const Node& own);

// Items that are there already, or contradict what is, go. True: nothing is left.
bool prune_list(Node& patch, const Node& own) {
  if (!own.is_list()) return true;
  const bool of_scalars =
      std::any_of(patch.items.begin(), patch.items.end(), [](const Node& i) { return i.is_scalar(); });
  if (of_scalars && !own.items.empty()) return true;  // lists grow: words would be added to words
  std::erase_if(patch.items, [&](Node& item) {
    const Node* name = item.is_map() ? item.get("name") : nullptr;
    if (name != nullptr && name->text == "*") {
      for (const Node& each : own.items) {
        Node before = item;
        std::erase_if(before.members, [](const data::Member& m) { return m.key == "name"; });
        if (prune(before, each)) return true;
        before.members.insert(before.members.begin(), {"name", {}, text("*")});
        item = std::move(before);
      }
      return false;
    }
    if (const Node* same = item.is_map() ? same_item(own, item) : nullptr) {
      const std::string key(identity_of(item));
      const Node identity = *item.get(key);
      std::erase_if(item.members, [&](const data::Member& m) { return m.key == key; });
      const bool nothing_left = prune(item, *same);
      item.members.insert(item.members.begin(), {key, {}, identity});
      return nothing_left;
    }
    return std::any_of(own.items.begin(), own.items.end(),
                       [&](const Node& other) { return data::to_json(other) == data::to_json(item); });
  });
  return patch.items.empty();
}

// Takes out of a patch what the target already writes, alike or not. True: nothing is left of it.
bool prune(Node& patch, const Node& own) {
  if (patch.is_list()) return prune_list(patch, own);
  if (!patch.is_map() || !own.is_map()) return true;
  // Words behind a command that has its own are another program.
  const bool whole_command = own.get("command") != nullptr && own.get("args") == nullptr;
  std::erase_if(patch.members, [&](data::Member& member) {
    if (whole_command && member.key == "args") return true;
    const Node* there = own.get(member.key);
    return there != nullptr && prune(member.value, *there);
  });
  return patch.members.empty();
}

}  // namespace

Node plain_copy(const Node& node) {
  Node out = node;
  strip(out);
  return out;
}

Node written_object(const std::string& written, const Imported& imported) {
  Sources sources;
  data::Documents read = data::read_yaml(sources, sources.add("written", written));
  const std::string kind = imported.object.substr(0, imported.object.find('/'));
  for (data::Document& document : read.documents) {
    const Node* own = document.root.get("kind");
    const Node* version = document.root.get("apiVersion");
    if (own != nullptr && own->text == kind && version != nullptr && group_of(version->text) == imported.group)
      return std::move(document.root);
  }
  return {};
}

LiftState what_is_left(ObjectLift& lift) {
  LiftState out;
  Leftovers leftovers(lift);
  std::vector<const PodTemplate*> roles = lift.lifted;
  std::erase_if(roles, [](const PodTemplate* pods) { return !pods->spec; });
  std::vector<ImportLine>& lines = lift.ledger.lines();
  const std::size_t before = lines.size();
  std::vector<Node> left_pods;
  std::size_t lines_of_first = before;
  for (const PodTemplate* pods : roles) {
    left_pods.push_back(pod_of(leftovers, *pods));
    if (left_pods.size() == 1) lines_of_first = lines.size();
  }
  const bool alike = std::all_of(left_pods.begin(), left_pods.end(), [&](const Node& pod) {
    return data::to_json(pod) == data::to_json(left_pods.front());
  });
  lines.resize(alike ? lines_of_first : before);
  if (alike && !left_pods.empty()) {
    out.left_pod = left_pods.front();
    for (const PodTemplate* pods : roles) lift.ledger.mark(pods->metadata), lift.ledger.mark(pods->spec);
  }
  out.left = leftovers.left(lift.object.root, "object");
  return out;
}

}  // namespace lifting

namespace {

// The first pod template of a tree.
const Node* first_template(const Node& node) {
  if (node.is_map() && node.at("spec.containers") != nullptr) return &node;
  for (const data::Member& member : node.members)
    if (const Node* found = first_template(member.value)) return found;
  for (const Node& item : node.items)
    if (const Node* found = first_template(item)) return found;
  return nullptr;
}

// Adds YAML to an option of the block, which may have some already.
void add_option(model::TargetOptions& target, const std::string& name, const Node& tree) {
  if (!tree.is_map() || tree.members.empty()) return;
  const auto there = std::find_if(target.options.begin(), target.options.end(),
                                  [&](const model::RawOption& option) { return option.name == name; });
  if (there == target.options.end())
    return void(target.options.push_back({name, model::unplaced(data::to_yaml(tree)), false}));
  Sources sources;
  data::Documents read = data::read_yaml(sources, sources.add("block", there->value.value));
  merge(read.documents.front().root, tree);
  there->value.value = data::to_yaml(read.documents.front().root);
}

}  // namespace

void add_raw(LiftState state, const std::string& written, Imported& imported) {
  const Node own = lifting::written_object(written, imported);
  if (const Node* pod = first_template(own); pod != nullptr && state.left_pod.is_map())
    if (lifting::prune(state.left_pod, *pod)) state.left_pod = {};
  if (state.left.is_map() && lifting::prune(state.left, own)) state.left = {};
  auto& blocks = imported.workload.targets;
  if (blocks.empty()) {
    model::TargetOptions target;
    target.target = imported.target;
    target.span = imported.workload.span;
    blocks.push_back(std::move(target));
  }
  add_option(blocks.front(), "pod", state.left_pod);
  add_option(blocks.front(), "object", state.left);
  if (blocks.front().options.empty()) blocks.clear();
}

}  // namespace muster::targets::kubernetes
