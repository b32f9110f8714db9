// A document to the syntax tree.
#include <utility>

#include "compiler/base/text.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/parse.h"
#include "compiler/twin/names.h"
#include "compiler/twin/twin.h"
#include "compiler/twin/values.h"

namespace muster::twin {
namespace {

using data::Member;
using data::Node;

constexpr std::size_t most_reports = 50;  // of one run; reading stops there

class Reader {
 public:
  Reader(const Sources& sources, Diagnostics& diagnostics) : sources_(sources), diagnostics_(diagnostics) {}

  void file(const Node& root, ast::File& out) {
    std::vector<ast::Item> items;
    file_ = &out;
    body(root, {nullptr, true}, items);
    for (ast::Item& item : items) {
      auto* block = std::get_if<ast::Block>(&item.value);
      if (block == nullptr) misplaced(item);
      else if (block->kind.quoted)
        refuse(block->kind.span, "the kind of a declaration must be one identifier, such as `workload`");
      else out.blocks.push_back(std::move(*block));
    }
  }

 private:
  void refuse(Span where, std::string message) { diagnostics_.add(Code::document_shape, where, std::move(message)); }

  void misplaced(const ast::Item& item) {
    const auto* setting = std::get_if<ast::Setting>(&item.value);
    refuse(setting != nullptr ? setting->key.span : std::visit([](const auto& i) { return place(i); }, item.value),
           "the top level must hold blocks by kind and name, such as `workload: { train: { … } }`");
  }
  static Span place(const ast::Setting& s) { return s.key.span; }
  template <class T>
  static Span place(const T& item) {
    return item.span;
  }

  // An object, or {"$items": [object, …]}: for blocks that have an order or occur twice.
  void body(const Node& node, const Scope& scope, std::vector<ast::Item>& out) {
    if (!node.is_map()) return refuse(node.span, "a block must be an object");
    if (node.members.size() != 1 || node.members[0].key != "$items") return fragment(node, scope, out);
    const Node& parts = node.members[0].value;
    if (!parts.is_list()) return refuse(parts.span, "`$items` takes a list of objects");
    for (const Node& part : parts.items) {
      if (part.is_map()) fragment(part, scope, out);
      else refuse(part.span, "`$items` takes a list of objects");
    }
  }

  void fragment(const Node& node, const Scope& scope, std::vector<ast::Item>& out) {
    for (const Member& member : node.members)
      if (diagnostics_.size() < most_reports) this->member(member, scope, out);
  }

  ast::Name name(std::string text, Span span) {
    if (text.find('\0') != std::string::npos) diagnostics_.add(Code::not_text, span, "the name contains a NUL byte");
    const bool quoted = !syntax::is_word(text);
    return {std::move(text), inside(span, sources_), quoted};
  }

  // `$$` escapes a literal `$`; any other `$` begins a mark.
  ast::Name plain_name(const std::string& text, Span span) {
    if (text.starts_with("$$")) return name(text.substr(2), span);
    if (text.starts_with('$'))
      refuse(span, "unknown mark `" + text.substr(0, 100) + "`; write a name that begins with `$` with `$$`");
    return name(text, span);
  }

  void member(const Member& m, const Scope& scope, std::vector<ast::Item>& out) {
    if (m.key == "$block") return explicit_block(m.value, scope, out);
    if (is_reserved(m.key)) return scope.top ? declaration(m) : conditions(m, scope, out);
    std::string written = m.key;
    const bool append = written.ends_with("+=");
    if (append) written.resize(written.size() - 2);
    if (written.ends_with("==")) written.pop_back();
    ast::Name name = plain_name(written, m.key_span);
    name.text = scope.canonical(name.text);
    if (append) return setting(std::move(name), m.value, scope, true, out);
    const auto* key = scope.key(name.text);
    const auto* block = scope.block(name.text);
    const bool script = key != nullptr && key->type == sema::Type::script && block == nullptr;
    if (!m.value.is_map() || is_marked_value(m.value) || script)
      return setting(std::move(name), m.value, scope, false, out);
    if (block == nullptr || block->label == sema::LabelRule::none)
      return add_block(std::move(name), std::nullopt, m.value, {block, false}, scope.top, out);
    for (const Member& labelled : m.value.members) {
      if (labelled.value.is_map())
        add_block(name, plain_name(labelled.key, labelled.key_span), labelled.value, {block, false}, scope.top, out);
      else
        refuse(labelled.value.span,
               "`" + name.text + "` must be an object with blocks by name: `" + name.text + ": { NAME: { … } }`");
    }
  }

  void setting(ast::Name name, const Node& node, const Scope& scope, bool append, std::vector<ast::Item>& out) {
    const bool open = scope.schema != nullptr && scope.schema->extras.any_key;
    const sema::KeySchema any{name.text, open ? scope.schema->extras.any_type : sema::Type::text, {}};
    const sema::KeySchema* key = scope.key(name.text);
    auto value = read_value(node, reading_of(key != nullptr ? key : &any), sources_, diagnostics_);
    if (value) out.push_back({ast::Setting{std::move(name), std::move(*value), append}});
  }

  void add_block(ast::Name kind, std::optional<ast::Name> label, const Node& node, const Scope& scope, bool declaration,
                 std::vector<ast::Item>& out) {
    ast::Block block;
    block.span = label ? label->span : kind.span;
    block.span.end = std::max(block.span.end, node.span.end);
    block.kind = std::move(kind);
    block.label = std::move(label);
    // Only declarations are made of templates.
    std::optional<ast::Instance>* outer = std::exchange(from_, declaration ? &block.from : nullptr);
    body(node, scope, block.items);
    from_ = outer;
    out.push_back({std::move(block)});
  }

  // {"$block": {"kind": …, "label": …, "body": {…}}}: a block whose name is missing or not expected there.
  void explicit_block(const Node& node, const Scope& scope, std::vector<ast::Item>& out) {
    const Member *kind = nullptr, *label = nullptr, *body = nullptr;
    for (const Member& m : node.members) (m.key == "kind" ? kind : m.key == "label" ? label : body) = &m;
    const auto is_text = [](const Member* m) { return m == nullptr || m->value.kind == Node::Kind::text; };
    if (kind == nullptr || body == nullptr || body->key != "body" || !is_text(kind) || !is_text(label) ||
        node.members.size() != (label == nullptr ? 2u : 3u))
      return refuse(node.span, "`$block` takes an object with `kind`, `body` and, optionally, `label`");
    ast::Name kind_name = name(scope.canonical(kind->value.text), kind->value.span);
    std::optional<ast::Name> label_name;
    if (label != nullptr) label_name = name(label->value.text, label->value.span);
    const Scope inner{scope.block(kind_name.text), false};
    add_block(std::move(kind_name), std::move(label_name), body->value, inner, scope.top, out);
  }

  // ---- require, prefer, assert, when ---------------------------------------------------------

  void conditions(const Member& m, const Scope& scope, std::vector<ast::Item>& out) {
    if (m.key == "from") return instance(m);
    if (!m.value.is_list()) return condition_item(m, m.value, scope, out);
    for (const Node& node : m.value.items) condition_item(m, node, scope, out);
  }

  void condition_item(const Member& m, const Node& node, const Scope& scope, std::vector<ast::Item>& out) {
    if (m.key == "require") return require(node, out);
    if (m.key == "prefer") return prefer(node, out);
    if (m.key == "assert") return assertion(node, out);
    if (m.key == "when") return when(node, scope, out);
    refuse(m.key_span, "`" + m.key + "` is only allowed at the top level of a file");
  }

  void require(const Node& node, std::vector<ast::Item>& out) {
    if (auto value = read_value(node, condition, sources_, diagnostics_))
      out.push_back({ast::Requirement{std::move(*value), node.span}});
  }

  void prefer(const Node& node, std::vector<ast::Item>& out) {
    const Node* that = node.get("that");
    const bool bare = that == nullptr && (!node.is_map() || is_marked_value(node));
    if (!bare && (that == nullptr || node.members.size() > 2))
      return refuse(node.span, "`prefer` takes a condition, or an object with `that` and `weight`");
    auto value = read_value(bare ? node : *that, condition, sources_, diagnostics_);
    if (!value) return;
    ast::Preference out_item{std::move(*value), {}, {}, node.span};
    for (const Member& m : node.members) {
      if (bare || m.key == "that") continue;
      auto weight = read_value(m.value, condition, sources_, diagnostics_);
      if (weight && weight->kind != ast::Expr::Kind::number) refuse(m.value.span, "`weight` must be a number");
      if (!weight) return;
      out_item.weight_word = word(m.key == "$$that" ? "that" : m.key, m.key_span);
      out_item.weight = weight->text;
    }
    out.push_back({std::move(out_item)});
  }

  void assertion(const Node& node, std::vector<ast::Item>& out) {
    const Node *that = node.get("that"), *stated = node.get("message");
    if (that == nullptr || stated == nullptr || node.members.size() != 2)
      return refuse(node.span, "`assert` takes an object with `that` and `message`");
    auto value = read_value(*that, condition, sources_, diagnostics_);
    auto text = read_value(*stated, message, sources_, diagnostics_);
    if (text && text->kind != ast::Expr::Kind::text)
      return refuse(stated->span, "the `message` of `assert` must be a string");
    if (value && text) out.push_back({ast::Assertion{std::move(*value), std::move(*text), node.span}});
  }

  void when(const Node& node, const Scope& scope, std::vector<ast::Item>& out) {
    const Node *condition_node = node.get("if"), *then = node.get("then"), *otherwise = node.get("else");
    if (condition_node == nullptr || then == nullptr || node.members.size() != (otherwise == nullptr ? 2u : 3u))
      return refuse(node.span, "`when` takes an object with `if`, `then` and, optionally, `else`");
    auto value = read_value(*condition_node, condition, sources_, diagnostics_);
    if (!value) return;
    ast::Conditional item{std::move(*value), bare_block(*then, inside_when(scope)), node.span, {}};
    if (otherwise != nullptr) item.otherwise = bare_block(*otherwise, inside_when(scope));
    out.push_back({std::move(item)});
  }

  ast::Block bare_block(const Node& node, const Scope& scope) {
    ast::Block out;
    out.span = node.span;
    std::optional<ast::Instance>* outer = std::exchange(from_, nullptr);
    body(node, scope, out.items);
    from_ = outer;
    return out;
  }

  // ---- import, param, let, template, from ----------------------------------------------------

  // An object, or a list of several where a name occurs twice.
  template <class Use>
  void each(const Node& node, Use use) {
    if (!node.is_map() && !node.is_list()) refuse(node.span, "expected an object");
    for (const Member& member : node.members) use(member);
    for (const Node& part : node.items) {
      if (!part.is_map()) refuse(part.span, "expected an object");
      for (const Member& member : part.members) use(member);
    }
  }

  // An identifier of the grammar, which cannot be quoted.
  ast::Name word(const std::string& text, Span span) {
    ast::Name out = name(text, span);
    if (std::exchange(out.quoted, false))
      refuse(span, "`" + text.substr(0, 100) + "` is not a valid name: it is reserved or not an identifier");
    return out;
  }

  std::optional<ast::Expr> bare_value(const Node& node) { return read_value(node, condition, sources_, diagnostics_); }

  void declaration(const Member& m) {
    if (m.key == "import") {
      each(m.value, [this](const Member& i) { import(i); });
    } else if (m.key == "param") {
      each(m.value, [this](const Member& p) { signature(p, file_->parameters); });
    } else if (m.key == "let") {
      each(m.value, [this](const Member& l) {
        if (auto value = bare_value(l.value))
          file_->bindings.push_back({word(l.key, l.key_span), std::move(*value), l.key_span});
      });
    } else if (m.key == "template") {
      each(m.value, [this](const Member& t) { blueprint(t); });
    } else {
      refuse(m.key_span, "`" + m.key + "` is only allowed in a block");
    }
  }

  void import(const Member& m) {
    if (m.value.kind != Node::Kind::text) return refuse(m.value.span, "an import must be a path");
    ast::Name path = name(m.value.text, m.value.span);
    path.quoted = true;
    file_->imports.push_back({std::move(path), word(m.key, m.key_span), m.key_span});
  }

  // {"type": "list(string)", "in": …, "default": …}
  void signature(const Member& m, std::vector<ast::Signature>& out) {
    const Node *type = m.value.get("type"), *range = m.value.get("in"), *fallback = m.value.get("default");
    const std::size_t known = 1u + (range != nullptr) + (fallback != nullptr);
    if (type == nullptr || type->kind != Node::Kind::text || m.value.members.size() != known)
      return refuse(m.value.span, "a parameter must be an object with `type` and, optionally, `in` and `default`");
    ast::Signature s;
    s.name = word(m.key, m.key_span);
    s.span = m.key_span;
    s.type.span = inside(type->span, sources_);
    const std::size_t open = type->text.find('(');
    const bool list = open != std::string::npos && type->text.ends_with(')');
    s.type.name = word(list ? type->text.substr(0, open) : type->text, type->span);
    if (list) s.type.element = word(type->text.substr(open + 1, type->text.size() - open - 2), type->span).text;
    if (range != nullptr) s.range = read_value(*range, reading_of(s.type), sources_, diagnostics_);
    if (fallback != nullptr) s.fallback = read_value(*fallback, reading_of(s.type), sources_, diagnostics_);
    out.push_back(std::move(s));
  }

  void blueprint(const Member& m) {
    const Node *parameters = m.value.get("param"), *body = m.value.get("body");
    if (body == nullptr || m.value.members.size() != (parameters == nullptr ? 1u : 2u))
      return refuse(m.value.span, "a template must be an object with `param` and `body`");
    ast::Template t{word(m.key, m.key_span), {}, {}, m.key_span};
    if (parameters != nullptr) each(*parameters, [&](const Member& p) { signature(p, t.parameters); });
    t.body = bare_block(*body, {&sema::workload_schema(), false});
    file_->templates.push_back(std::move(t));
  }

  // "from": {"lib.fsdp": {"nodes": 4}}
  void instance(const Member& m) {
    if (from_ == nullptr || from_->has_value()) return refuse(m.key_span, "`from` is not allowed here");
    if (!m.value.is_map() || m.value.members.size() != 1)
      return refuse(m.value.span, "`from` takes an object with one member: the template and its arguments");
    const Member& base = m.value.members[0];
    const std::size_t dot = base.key.find('.');
    ast::Instance out;
    out.span = base.key_span;
    if (dot != std::string::npos) out.module = word(base.key.substr(0, dot), base.key_span);
    out.base = word(base.key.substr(dot == std::string::npos ? 0 : dot + 1), base.key_span);
    each(base.value, [&](const Member& a) {
      if (auto value = bare_value(a.value)) out.arguments.push_back({word(a.key, a.key_span), std::move(*value)});
    });
    *from_ = std::move(out);
  }

  const Sources& sources_;
  Diagnostics& diagnostics_;
  ast::File* file_ = nullptr;
  std::optional<ast::Instance>* from_ = nullptr;  // of the block whose body is read
};

// A plain scalar of YAML by the rules of JSON: `no`, `0x10`, `010`, `12:30`, `1_000` and `.5` are strings.
void as_json(Node& node) {
  for (Node& item : node.items) as_json(item);
  for (Member& member : node.members) as_json(member.value);
  if (node.is_map() || node.is_list() || node.quoted || node.kind == Node::Kind::text) return;
  const std::string_view digits = std::string_view(node.text).substr(node.text.starts_with('-') ? 1 : 0);
  if (node.is_true() || node.is_false()) node.kind = Node::Kind::boolean;
  else if (is_json_number(digits)) node.kind = Node::Kind::number;
  else if (!node.text.empty() && node.text != "~" && node.text != "null") node.kind = Node::Kind::text;
}

std::optional<ast::File> read_documents(const Sources& sources, std::uint32_t file, Form form,
                                        Diagnostics& diagnostics) {
  data::Documents documents;
  if (form == Form::yaml) documents = data::read_yaml(sources, file, budget, data::Scalars::as_spelt);
  else documents.documents.push_back(data::read_json(sources, file, budget, nullptr, data::Scalars::as_spelt));
  const std::size_t before = diagnostics.size();
  for (const Diagnostic& d : documents.diagnostics.sorted()) diagnostics.add(d);
  ast::File out;
  out.file = file;
  for (data::Document& document : documents.documents) {
    for (const Diagnostic& d : document.diagnostics.sorted()) diagnostics.add(d);
    if (document.diagnostics.has_errors()) continue;
    if (form == Form::yaml) as_json(document.root);
    Reader(sources, diagnostics).file(document.root, out);
  }
  if (diagnostics.size() != before) return std::nullopt;
  return out;
}

}  // namespace

Form form_of(std::string_view file_name, std::string_view text) {
  if (file_name.ends_with(".muster.json")) return Form::json;
  if (file_name.ends_with(".muster.yaml") || file_name.ends_with(".muster.yml")) return Form::yaml;
  const std::size_t first = file_name == "-" ? text.find_first_not_of(" \t\r\n") : std::string_view::npos;
  return first != std::string_view::npos && text[first] == '{' ? Form::json : Form::muster;
}

std::optional<ast::File> read(const Sources& sources, std::uint32_t file, Form form, Diagnostics& diagnostics) {
  if (form == Form::muster) return syntax::parse(sources, file, diagnostics);
  return read_documents(sources, file, form, diagnostics);
}

}  // namespace muster::twin
