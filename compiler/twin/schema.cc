// The JSON Schema of documents: the schema tables in another notation.
#include <map>
#include <tuple>
#include <utility>

#include "compiler/data/write.h"
#include "compiler/twin/names.h"
#include "compiler/twin/twin.h"
#include "compiler/twin/values.h"

namespace muster::twin {
namespace {

using data::Node;
using sema::BlockSchema;
using sema::KeySchema;
using sema::LabelRule;
using sema::Type;

// Spellings of amounts. What has an operator, a `$` or a bracket is an expression, which only muster reads.
constexpr std::string_view number = "[0-9][0-9_]*([.][0-9]+)?", expression = "[-+*/($]";
constexpr std::string_view size_units = "(B|[kMGTP]B|[KMGTP]iB?)", rate_units = "(bps|[kMGT]bps)",
                           time_units = "(ms|s|m|h|d)";

Node text(std::string_view value) { return scalar_node(Node::Kind::text, std::string(value)); }
Node flag(bool value) { return scalar_node(Node::Kind::boolean, value ? "true" : "false"); }
Node integer(std::int64_t value) { return scalar_node(Node::Kind::integer, std::to_string(value)); }

Node with(Node node, std::string_view key, Node value) {
  node.members.push_back({std::string(key), {}, std::move(value)});
  return node;
}

Node typed(std::string_view type) { return map_node("type", text(type)); }
Node refer(std::string_view definition) { return map_node("$ref", text("#/$defs/" + std::string(definition))); }
Node pattern(const std::string& regex) { return with(typed("string"), "pattern", text(regex)); }
Node list_of(Node items) { return with(typed("array"), "items", std::move(items)); }

template <class... Nodes>
Node any_of(Nodes... nodes) {
  Node choices = list_node({});
  (choices.items.push_back(std::move(nodes)), ...);
  return map_node("anyOf", std::move(choices));
}

// An object that has these members and no others.
Node closed(Node properties, std::initializer_list<std::string_view> required = {}) {
  Node out = with(typed("object"), "properties", std::move(properties));
  Node names = list_node({});
  for (std::string_view name : required) names.items.push_back(text(name));
  if (!names.items.empty()) out = with(std::move(out), "required", std::move(names));
  return with(std::move(out), "additionalProperties", flag(false));
}

// A whole spelling, or any expression.
Node pattern_of(const std::string& regex) { return pattern("^" + regex + "$|" + std::string(expression)); }

std::string amount(std::string_view units) { return std::string(number) + std::string(units); }
std::string range(const std::string& one) { return one + "([.][.]" + one + ")?"; }

Node whole_number(const KeySchema& key) {
  using Limits = std::numeric_limits<std::int64_t>;
  Node out = typed("integer");
  if (key.min != Limits::min()) out = with(std::move(out), "minimum", integer(key.min));
  if (key.max != Limits::max() && key.max >= key.min) out = with(std::move(out), "maximum", integer(key.max));
  return out;
}

Node word(const KeySchema& key) {
  Node symbols = list_node({});
  for (std::string_view w : key.symbols) symbols.items.push_back(text(w));
  return map_node("enum", std::move(symbols));
}

Node one_or_many(const Node& one) { return any_of(one, list_of(any_of(one, refer("expression")))); }

// What a key takes, without the mark that every key takes.
Node value(const KeySchema& key) {
  const Node numeric = whole_number(key);
  switch (key.type) {
    case Type::boolean: return typed("boolean");
    case Type::integer: return any_of(numeric, pattern(std::string(expression)));
    case Type::number: return any_of(typed("number"), pattern(std::string(expression)));
    case Type::integers: return list_of(typed("integer"));
    case Type::symbol: return word(key);
    case Type::symbols: return one_or_many(word(key));
    case Type::names:
    case Type::gpu: return one_or_many(typed("string"));
    case Type::run_text: return any_of(typed("string"), refer("expression"));
    case Type::texts:
    case Type::run_texts: return list_of(any_of(typed("string"), refer("expression")));
    case Type::scalar:
    case Type::run_scalar:
    case Type::option: return refer("scalar");
    case Type::fact: return refer("fact");
    case Type::any: return refer("any");
    case Type::axis: return any_of(pattern("[.][.]"), with(list_of(refer("scalar")), "minItems", integer(1)));
    case Type::size: return pattern_of(amount(size_units));
    case Type::duration: return pattern_of("(" + amount(time_units) + ")+");
    case Type::rate: return pattern_of(amount(rate_units));
    case Type::count: return any_of(numeric, pattern("[.][.]|" + std::string(expression)));
    case Type::cpus: return any_of(numeric, pattern_of("(all|" + range(std::string(number)) + ")"));
    case Type::size_or_all: return pattern_of("(all|" + amount(size_units) + ")");
    case Type::memory: return pattern_of("(all|" + range(amount(size_units)) + ")");
    case Type::hosts_or_count: return any_of(numeric, typed("string"));
    case Type::script: return refer("script");
    default: return typed("string");
  }
}

Node described(Node node, std::string_view doc, std::string_view fallback = {}) {
  std::string symbols(doc);
  if (!fallback.empty()) symbols += "; by default " + std::string(fallback);
  return symbols.empty() ? node : with(map_node("description", text(symbols)), "allOf", list_node({std::move(node)}));
}

Node key_schema(const KeySchema& key) {
  const bool symbols_too = !key.symbols.empty() && key.type != Type::symbol && key.type != Type::symbols;
  const Node taken = symbols_too ? any_of(value(key), word(key)) : value(key);
  return described(any_of(taken, refer("expression")), key.doc, key.fallback);
}

// Definitions as they are met: one a block, named by its path.
class Definitions {
 public:
  Node take() { return std::move(all_); }
  void add(std::string_view name, Node schema) { all_.members.push_back({std::string(name), {}, std::move(schema)}); }

  // A block by its body, or by name and body. The same rows of a table are defined once, at the first block that has
  // them.
  Node block(const BlockSchema& schema, const std::string& path) {
    const Rows rows{schema.name, schema.doc.data(), schema.keys.data(), schema.blocks.data()};
    const auto [first, fresh] = first_.try_emplace(rows, path);
    if (fresh) define(schema, path);
    Node named = schema.label == LabelRule::required
                     ? with(typed("object"), "additionalProperties", refer(first->second))
                     : refer(first->second);
    return described(std::move(named), schema.doc);
  }

  void define(const BlockSchema& schema, const std::string& path) {
    Node properties = map_node("$block", refer("block"));
    for (const KeySchema& key : schema.keys)
      properties = with(std::move(properties), member(key.name, schema), key_schema(key));
    for (const BlockSchema& inner : schema.blocks) inner_block(inner, schema, path, properties);
    conditions(schema.extras, path, properties);
    const bool declaration = path.find('.') == std::string::npos;
    if (declaration) properties = with(std::move(properties), "from", refer("instance"));
    Node members = with(typed("object"), "properties", std::move(properties));
    members = with(std::move(members), "patternProperties", map_node("[+]=$", flag(true)));
    const KeySchema any{
        "", schema.extras.any_type, "", "", {}, false, KeySchema{"", Type::text, ""}.min, schema.extras.any_max};
    members = with(std::move(members), "additionalProperties", schema.extras.any_key ? key_schema(any) : flag(false));
    add(path + ".members", std::move(members));
    add(path, body(schema, path));
  }

  static Node has(std::string_view member) { return map_node("required", list_node({text(member)})); }

  // One object with all that is required (which a template may have), or several.
  static Node body(const BlockSchema& schema, const std::string& path) {
    Node required = list_node({});
    for (const KeySchema& key : schema.keys)
      if (key.required) required.items.push_back(text(member(key.name, schema)));
    const bool declaration = path.find('.') == std::string::npos;
    Node whole = refer(path + ".members");
    if (!required.items.empty() && declaration)
      whole = with(std::move(whole), "anyOf", list_node({map_node("required", std::move(required)), has("from")}));
    else if (!required.items.empty()) whole = with(std::move(whole), "required", std::move(required));
    Node parts = closed(map_node("$items", list_of(refer(path + ".members"))));
    return with(with(map_node("if", has("$items")), "then", std::move(parts)), "else", std::move(whole));
  }

 private:
  static std::string member(std::string_view name, const BlockSchema& schema) {
    return member_of(name, {&schema, false});
  }

  // `code = "."` and `code { git { … } }` are one member.
  void inner_block(const BlockSchema& inner, const BlockSchema& outer, const std::string& path, Node& properties) {
    Node schema = block(inner, path + "." + std::string(inner.name));
    const std::string name = member(inner.name, outer);
    for (data::Member& property : properties.members)
      if (property.key == name) return void(property.value = any_of(std::move(property.value), std::move(schema)));
    properties = with(std::move(properties), name, std::move(schema));
  }

  static void conditions(const sema::Extras& extras, const std::string& path, Node& properties) {
    const auto many = [](const Node& one) { return any_of(one, list_of(one)); };
    if (extras.conditions) {
      properties = with(std::move(properties), "require", many(refer("condition")));
      properties = with(std::move(properties), "prefer", many(refer("preference")));
    }
    properties = with(std::move(properties), "assert", many(refer("assertion")));
    Node inside = extras.conditionals ? refer("outcome") : refer(path + ".members");
    Node when = with(with(map_node("if", refer("condition")), "then", inside), "else", inside);
    properties = with(std::move(properties), "when", many(closed(std::move(when), {"if", "then"})));
  }

  using Rows = std::tuple<std::string_view, const char*, const KeySchema*, const BlockSchema*>;
  std::map<Rows, std::string> first_;
  Node all_ = [] {
    Node out;
    out.kind = Node::Kind::map;
    return out;
  }();
};

Node named(Node value) { return with(typed("object"), "additionalProperties", std::move(value)); }

// One object, or several where a name is there twice.
Node pairs(const Node& value) { return any_of(named(value), list_of(named(value))); }

void templates(Definitions& out) {
  out.add("any",
          any_of(typed("string"), typed("number"), typed("boolean"), list_of(refer("any")), refer("expression")));
  Node parameter = with(with(map_node("type", typed("string")), "in", refer("any")), "default", refer("any"));
  out.add("parameters", pairs(closed(std::move(parameter), {"type"})));
  Node instance = with(with(named(pairs(refer("any"))), "minProperties", integer(1)), "maxProperties", integer(1));
  out.add("instance", described(std::move(instance), "the template and its arguments: {\"lib.fsdp\": {\"nodes\": 4}}"));
  Node blueprint = with(map_node("param", refer("parameters")), "body", refer("workload.members"));
  out.add("template", closed(std::move(blueprint), {"body"}));
}

void common(Definitions& out) {
  Node expr = described(typed("string"), "an expression of the muster language: \"$nodes * 8\"");
  out.add("expression", closed(map_node("$expr", std::move(expr)), {"$expr"}));
  out.add("scalar", any_of(typed("string"), typed("number"), typed("boolean"), refer("expression")));
  out.add("fact", any_of(typed("string"), typed("integer"), typed("boolean"), refer("expression")));
  Node program = with(with(typed("object"), "minProperties", integer(1)), "maxProperties", integer(1));
  program = with(std::move(program), "additionalProperties", any_of(typed("string"), list_of(typed("string"))));
  out.add("script", described(any_of(typed("string"), std::move(program)),
                              "a script for bash, or an object that names another interpreter: {\"python\": \"…\"}"));
  out.add("condition",
          described(any_of(typed("string"), typed("boolean"), refer("expression")), "such as \"gpu.memory >= 80GB\""));
  Node weighed = closed(with(map_node("that", refer("condition")), "weight", typed("number")), {"that"});
  out.add("preference", any_of(refer("condition"), std::move(weighed)));
  out.add("assertion",
          closed(with(map_node("that", refer("condition")), "message", any_of(typed("string"), refer("expression"))),
                 {"that", "message"}));
  Node outcome =
      with(typed("object"), "properties", map_node("assert", any_of(refer("assertion"), list_of(refer("assertion")))));
  out.add("outcome", with(std::move(outcome), "additionalProperties", refer("fact")));
  templates(out);
  Node generic = with(with(map_node("kind", typed("string")), "label", typed("string")), "body", typed("object"));
  out.add("block",
          described(closed(std::move(generic), {"kind", "body"}), "a block whose name the tables do not expect"));
}

}  // namespace

std::string json_schema() {
  Definitions definitions;
  common(definitions);
  Node kinds = map_node("$block", refer("block"));
  kinds = with(std::move(kinds), "import", pairs(typed("string")));
  kinds = with(std::move(kinds), "param", refer("parameters"));
  kinds = with(std::move(kinds), "let", pairs(refer("any")));
  kinds = with(std::move(kinds), "template", pairs(refer("template")));
  for (const BlockSchema& top : sema::top_level())
    kinds = with(std::move(kinds), top.name, definitions.block(top, std::string(top.name)));
  definitions.add("file.members", closed(std::move(kinds)));
  definitions.add("file", Definitions::body({}, "file"));
  Node out = map_node("$schema", text("https://json-schema.org/draft/2020-12/schema"));
  out = with(std::move(out), "$id", text("muster.file/v1"));
  out = with(std::move(out), "title", text("A muster file as JSON or YAML: *.muster.json, *.muster.yaml"));
  out = with(std::move(out), "$ref", text("#/$defs/file"));
  return data::to_json(with(std::move(out), "$defs", definitions.take()));
}

}  // namespace muster::twin
