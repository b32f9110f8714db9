// The syntax tree to a document.
#include <set>
#include <utility>

#include "compiler/data/write.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/spans.h"
#include "compiler/twin/names.h"
#include "compiler/twin/twin.h"
#include "compiler/twin/values.h"

namespace muster::twin {
namespace {

using data::Node;

Node body(const std::vector<ast::Item>& items, const Scope& scope, const Sources& sources,
          const ast::Instance* from = nullptr);

Node empty_map() {
  Node out;
  out.kind = Node::Kind::map;
  return out;
}

// Names and values: one object, or a list of them where a name is there twice.
class Pairs {
 public:
  void add(const std::string& name, Node value) {
    if (!names_.insert(name).second) {
      objects_.push_back(empty_map());
      names_ = {name};
    }
    objects_.back().members.push_back({name, {}, std::move(value)});
  }
  Node take() { return objects_.size() == 1 ? std::move(objects_[0]) : list_node(std::move(objects_)); }

 private:
  std::vector<Node> objects_ = {empty_map()};
  std::set<std::string> names_;
};

// Gathers items into objects. A new object begins where a member would occur twice, or would have to be
// added to after another one: the order is kept.
class Fragments {
 public:
  Fragments(const Scope& scope, const Sources& sources) : scope_(scope), sources_(sources) {}

  void add(const ast::Setting& s) {
    const sema::KeySchema* key = scope_.key(s.key.text);
    const bool open = scope_.schema != nullptr && scope_.schema->extras.any_key;
    const sema::KeySchema any{s.key.text, open ? scope_.schema->extras.any_type : sema::Type::text, {}};
    put(member_of(s.key.text, scope_, s.append),
        write_value(s.value, reading_of(key != nullptr ? key : &any), sources_));
  }

  void add(const ast::Block& block) {
    const sema::BlockSchema* schema = scope_.block(block.kind.text);
    const sema::KeySchema* key = scope_.key(block.kind.text);
    const bool wants_label = schema != nullptr && schema->label == sema::LabelRule::required;
    const bool script = schema == nullptr && key != nullptr && key->type == sema::Type::script;
    Node inner = body(block.items, {schema, false}, sources_, block.from ? &*block.from : nullptr);
    const std::string member = member_of(block.kind.text, scope_);
    if (script || wants_label != block.label.has_value()) {
      put("$block", generic(block, std::move(inner)));
    } else if (!wants_label) {
      put(member, std::move(inner));
    } else {
      const std::string label = escaped(block.label->text);
      Node* same = last(member);
      if (same == nullptr || !labels_.insert(label).second) put(member, map_node(label, std::move(inner)), {label});
      else same->members.push_back({label, {}, std::move(inner)});
    }
  }

  void add(const ast::Requirement& r) { append("require", write_value(r.condition, condition, sources_)); }

  void add(const ast::Preference& p) {
    Node out = map_node("that", write_value(p.condition, condition, sources_));
    if (!p.weight.empty()) {
      ast::Expr weight;
      weight.text = p.weight;
      const std::string word = p.weight_word.text == "that" ? "$$that" : p.weight_word.text;
      out.members.push_back({word, {}, write_value(weight, condition, sources_)});
    }
    append("prefer", std::move(out));
  }

  void add(const ast::Assertion& a) {
    Node out = map_node("that", write_value(a.condition, condition, sources_));
    out.members.push_back({"message", {}, write_value(a.message, message, sources_)});
    append("assert", std::move(out));
  }

  void add(const ast::Conditional& c) {
    Node out = map_node("if", write_value(c.condition, condition, sources_));
    out.members.push_back({"then", {}, body(c.body.items, inside_when(scope_), sources_)});
    if (c.otherwise) out.members.push_back({"else", {}, body(c.otherwise->items, inside_when(scope_), sources_)});
    append("when", std::move(out));
  }

  void add(const ast::Instance& from) {
    Pairs arguments;
    for (const ast::Argument& a : from.arguments) arguments.add(a.name.text, write_value(a.value, condition, sources_));
    const std::string base = (from.module ? from.module->text + "." : "") + from.base.text;
    put("from", map_node(base, arguments.take()));
  }

  // What is at the top of a file before its blocks.
  void declare(const ast::File& file) {
    Pairs imports, bindings, templates;
    for (const ast::Import& i : file.imports) imports.add(i.alias.text, text_node(i.path.text));
    for (const ast::Binding& b : file.bindings) bindings.add(b.name.text, write_value(b.value, condition, sources_));
    for (const ast::Template& t : file.templates) {
      Node out = map_node("param", parameters(t.parameters));
      if (t.parameters.empty()) out.members.clear();
      out.members.push_back({"body", {}, body(t.body.items, {&sema::workload_schema(), false}, sources_)});
      templates.add(t.name.text, std::move(out));
    }
    if (!file.imports.empty()) put("import", imports.take());
    if (!file.parameters.empty()) put("param", parameters(file.parameters));
    if (!file.bindings.empty()) put("let", bindings.take());
    if (!file.templates.empty()) put("template", templates.take());
  }

  // One object, or all of them below `$items`.
  Node take() {
    if (objects_.size() == 1) return std::move(objects_[0]);
    return map_node("$items", list_node(std::move(objects_)));
  }

 private:
  Node parameters(const std::vector<ast::Signature>& signatures) {
    Pairs out;
    for (const ast::Signature& s : signatures) {
      Node one = map_node("type", text_node(ast::spelling(s.type)));
      if (s.range) one.members.push_back({"in", {}, write_value(*s.range, reading_of(s.type), sources_)});
      if (s.fallback) one.members.push_back({"default", {}, write_value(*s.fallback, reading_of(s.type), sources_)});
      out.add(s.name.text, std::move(one));
    }
    return out.take();
  }

  Node* last(const std::string& member) {
    auto& members = objects_.back().members;
    return !members.empty() && members.back().key == member ? &members.back().value : nullptr;
  }

  void put(const std::string& member, Node value, std::set<std::string> labels = {}) {
    labels_ = std::move(labels);
    if (!members_.insert(member).second) {
      objects_.push_back(empty_map());
      members_ = {member};
    }
    objects_.back().members.push_back({member, {}, std::move(value)});
  }

  void append(const std::string& member, Node value) {
    if (last(member) == nullptr) put(member, list_node({}));
    last(member)->items.push_back(std::move(value));
  }

  static Node generic(const ast::Block& block, Node inner) {
    Node out = map_node("kind", text_node(block.kind.text));
    if (block.label) out.members.push_back({"label", {}, text_node(block.label->text)});
    out.members.push_back({"body", {}, std::move(inner)});
    return out;
  }

  Scope scope_;
  const Sources& sources_;
  std::vector<Node> objects_ = {empty_map()};
  std::set<std::string> members_;  // of the last object
  std::set<std::string> labels_;   // of its last member
};

Node body(const std::vector<ast::Item>& items, const Scope& scope, const Sources& sources, const ast::Instance* from) {
  Fragments out(scope, sources);
  if (from != nullptr) out.add(*from);
  for (const ast::Item& item : items) std::visit([&](const auto& i) { out.add(i); }, item.value);
  return out.take();
}

void normalise(ast::Name& name, const Scope& scope) {
  name.text = scope.canonical(name.text);
  name.quoted = !syntax::is_word(name.text);
}

void normalise(std::vector<ast::Item>& items, const Scope& scope);

void normalise(ast::Block& block, const Scope& scope) {
  normalise(block.kind, scope);
  if (block.label) block.label->quoted = !syntax::is_word(block.label->text);
  normalise(block.items, {scope.block(block.kind.text), false});
}

void normalise(ast::Conditional& when, const Scope& scope) {
  normalise(when.body.items, scope);
  if (when.otherwise) normalise(when.otherwise->items, scope);
}

void normalise(std::vector<ast::Item>& items, const Scope& scope) {
  for (ast::Item& item : items) {
    if (auto* setting = std::get_if<ast::Setting>(&item.value)) normalise(setting->key, scope);
    else if (auto* block = std::get_if<ast::Block>(&item.value)) normalise(*block, scope);
    else if (auto* when = std::get_if<ast::Conditional>(&item.value)) normalise(*when, inside_when(scope));
    else if (auto* prefer = std::get_if<ast::Preference>(&item.value)) std::erase(prefer->weight, '_');
  }
}

// Where a `$` of a text is not escaped is a spelling, which only a muster file has.
struct DropDollars {
  void operator()(Span&) const {}
  void operator()(ast::Expr& expr) const {
    if (expr.kind == ast::Expr::Kind::text) expr.at = 0;
  }
};

}  // namespace

void normalise(ast::File& file) {
  syntax::SpanWalk(DropDollars()).file(file);
  for (ast::Template& t : file.templates) normalise(t.body.items, {&sema::workload_schema(), false});
  for (ast::Block& block : file.blocks) normalise(block, {nullptr, true});
}

std::string write(const ast::File& file, const Sources& sources, Form form) {
  Fragments out({nullptr, true}, sources);
  out.declare(file);
  for (const ast::Block& block : file.blocks) out.add(block);
  const Node root = out.take();
  return form == Form::json ? data::to_json(root) : data::to_yaml(root);
}

}  // namespace muster::twin
