#include "targets/kubernetes/schema.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "targets/kubernetes/kinds.h"
#include "targets/kubernetes/read/pod.h"

namespace muster::targets::kubernetes {
namespace {

enum class Shape : std::uint8_t { object, map, list, text, whole, number, boolean, whole_or_text, quantity, any };

struct SchemaField {
  std::string_view name;
  std::uint16_t type;
};

// Of an object `first` and `count` are its fields, of a text that lists its values those; of a list or map `first` is
// the type of what is in it.
struct SchemaType {
  Shape shape;
  std::uint16_t first, count;
};

#include "targets/kubernetes/schema_table.inc"

using data::Node;
using Kind = Node::Kind;

std::span<const SchemaField> fields_of(const SchemaType& type) {
  if (type.shape != Shape::object) return {};
  return std::span(schema_fields).subspan(type.first, type.count);
}

const SchemaField* field_of(const SchemaType& type, std::string_view name) {
  const auto fields = fields_of(type);
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const SchemaField& f) { return f.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

// One step from the object to a value, on the stack of the walk.
struct Step {
  const Step* up = nullptr;
  const data::Member* member = nullptr;  // else an item of a list
  std::size_t index = 0;
  const Node* node = nullptr;
  const SchemaType* type = nullptr;
};

// The field at the end of the steps.
Field field_at(const Field& root, const Step& step) {
  if (step.up == nullptr) return root;
  Field holder = field_at(root, *step.up);
  if (step.member != nullptr) return holder.get(step.member->key);
  return {
      step.node, holder.path + "[" + std::to_string(step.index) + "]", {}, {}, holder.aliased || step.node->aliased};
}

// The path below a type at which a field of that name is, level by level so that the nearest is found first.
std::string path_below(const SchemaType& type, std::string_view name) {
  constexpr int levels = 5;
  std::vector<std::pair<const SchemaType*, std::string>> now{{&type, ""}}, next;
  std::array<bool, std::size(schema_types)> seen{};
  for (int level = 0; level < levels; ++level, now = std::exchange(next, {}))
    for (const auto& [at, path] : now)
      for (const SchemaField& field : fields_of(*at)) {
        if (level > 0 && field.name == name) return path;
        const SchemaType* below = &schema_types[field.type];
        std::string way = path + (path.empty() ? "" : ".") + std::string(field.name);
        if (below->shape == Shape::list) below = &schema_types[below->first], way += "[]";
        if (below->shape != Shape::object || std::exchange(seen[static_cast<std::size_t>(below - schema_types)], true))
          continue;
        next.emplace_back(below, std::move(way));
      }
  return {};
}

// What a person meant by a field that is not there: a name of the same object, else the place where the name belongs.
void set_field_instead(const Field& root, const Step& holder, Refusal& refusal) {
  const std::string_view key = refusal.where.key;
  std::vector<std::string_view> names;
  for (const SchemaField& field : fields_of(*holder.type)) names.push_back(field.name);
  const auto same =
      std::find_if(names.begin(), names.end(), [&](std::string_view n) { return equal_ignoring_case(n, key); });
  refusal.instead = same != names.end() ? std::string(*same) : closest(key, names);
  if (!refusal.instead.empty()) return;
  refusal.elsewhere = true;
  for (const Step* up = holder.up; up != nullptr; up = up->up)
    if (field_of(*up->type, key) != nullptr) {
      const std::string path = field_at(root, *up).path;
      refusal.instead = path.empty() ? "the object itself" : path;
      return;
    }
  const std::string below = path_below(*holder.type, key);
  if (!below.empty()) refusal.instead = (refusal.holder.empty() ? "" : refusal.holder + ".") + below;
}

std::string_view expected(Shape shape) {
  constexpr std::string_view names[] = {"a map",
                                        "a map",
                                        "a list",
                                        "text",
                                        "a whole number",
                                        "a number",
                                        "`true` or `false`",
                                        "a whole number or text",
                                        "a quantity",
                                        ""};
  return names[static_cast<std::size_t>(shape)];
}

// `custom`: what a CRD describes takes a part of a number as text only.
bool is_shape(Shape shape, Kind kind, bool custom) {
  switch (shape) {
    case Shape::object:
    case Shape::map: return kind == Kind::map;
    case Shape::list: return kind == Kind::list;
    case Shape::text: return kind == Kind::text;
    case Shape::whole:  // "1e3" is a whole number; whether 4.0 is one depends on the reader
    case Shape::number: return kind == Kind::integer || kind == Kind::number;
    case Shape::boolean: return kind == Kind::boolean;
    case Shape::whole_or_text:
    case Shape::quantity: return kind == Kind::integer || kind == Kind::text || (kind == Kind::number && !custom);
    case Shape::any: break;
  }
  return true;
}

// What a tool or a person may still fill in: `NUM_GPUS`, `${REPLICAS}`, `{volume}`, `[FileSystemId]`, `{}`.
bool is_to_fill_in(const Node& node, Shape wanted) {
  const bool scalar = wanted != Shape::list && wanted != Shape::map && wanted != Shape::object;
  if (node.is_map() && node.members.empty()) return scalar;
  std::string spelled = node.text;
  if (scalar && node.is_list() && node.items.size() == 1 && !node.items[0].quoted)
    spelled = "[" + node.items[0].text + "]";
  else if (node.is_map() && node.members.size() == 1 && node.members[0].value.kind == Kind::null)
    spelled = "{" + node.members[0].key + "}";
  else if (node.kind != Kind::text) return false;
  return spelled.empty() || blank_in(spelled, In::refused);
}

class Walk {
 public:
  Walk(const Field& root, std::size_t most, bool custom) : root_(root), most_(most), custom_(custom) {}

  void value(const Step& at) {
    const Node& node = *at.node;
    const SchemaType& type = *at.type;
    if (found_.size() >= most_ || node.kind == Kind::null || type.shape == Shape::any) return;
    if (!is_shape(type.shape, node.kind, custom_)) {
      if (!is_to_fill_in(node, type.shape)) add(Refusal::Why::wrong_type, at).expected = expected(type.shape);
      return;
    }
    if (type.shape == Shape::text && type.count > 0) listed(at);
    if (node.is_list())
      for (std::size_t i = 0; i < node.items.size(); ++i)
        value({&at, nullptr, i, &node.items[i], &schema_types[type.first]});
    for (const data::Member& member : node.members) {
      if (type.shape == Shape::map) value({&at, &member, 0, &member.value, &schema_types[type.first]});
      else if (type.shape == Shape::object) field(at, member);
    }
  }

  std::vector<Refusal> take() { return std::move(found_); }

 private:
  Refusal& add(Refusal::Why why, const Step& at) {
    return found_.emplace_back(Refusal{why, field_at(root_, at), "", ""});
  }

  void listed(const Step& at) {
    const auto values = std::span(schema_values).subspan(at.type->first, at.type->count);
    const std::string_view text = at.node->text;
    if (blank_in(text, In::yaml) || text.empty() || std::find(values.begin(), values.end(), text) != values.end())
      return;
    Refusal& refusal = add(Refusal::Why::unknown_value, at);
    refusal.values.assign(values.begin(), values.end());
    const auto same =
        std::find_if(values.begin(), values.end(), [&](std::string_view v) { return equal_ignoring_case(v, text); });
    refusal.instead = same != values.end() ? std::string(*same) : closest(text, values);
  }

  void field(const Step& holder, const data::Member& member) {
    const std::string_view key = member.key;
    if (const SchemaField* known = field_of(*holder.type, key))
      return value({&holder, &member, 0, &member.value, &schema_types[known->type]});
    // `$patch` directs a patch, `x-` holds an anchor of YAML; what is null is not stored.
    if (found_.size() >= most_ || member.value.kind == Kind::null || key.starts_with('$') || key.starts_with("x-") ||
        key.starts_with('.') || blank_in(key, In::yaml))
      return;
    Refusal& refusal = add(Refusal::Why::unknown_field, {&holder, &member, 0, &member.value, nullptr});
    refusal.holder = field_at(root_, holder).path;
    set_field_instead(root_, holder, refusal);
  }

  const Field& root_;
  std::size_t most_;
  bool custom_;
  std::vector<Refusal> found_;
};

}  // namespace

const SchemaKind* find_schema(std::string_view api_version, std::string_view kind) {
  const auto found = std::find_if(std::begin(schema_kinds), std::end(schema_kinds),
                                  [&](const SchemaKind& k) { return k.kind == kind && k.api_version == api_version; });
  return found == std::end(schema_kinds) ? nullptr : &*found;
}

std::vector<Refusal> refused(const SchemaKind& kind, const Field& object, std::size_t most) {
  Walk walk(object, most, !kind.release.starts_with("Kubernetes"));
  walk.value({nullptr, nullptr, 0, object.node, &schema_types[kind.type]});
  return walk.take();
}

}  // namespace muster::targets::kubernetes
