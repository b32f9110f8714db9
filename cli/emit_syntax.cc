// The syntax tree as JSON.
#include "cli/emit.h"
#include "compiler/base/ci_commands.h"

namespace muster::cli {
namespace {

const char* kind_name(ast::Expr::Kind kind) {
  using Kind = ast::Expr::Kind;
  switch (kind) {
    case Kind::number: return "number";
    case Kind::quantity: return "quantity";
    case Kind::text: return "text";
    case Kind::boolean: return "boolean";
    case Kind::variable: return "variable";
    case Kind::path: return "path";
    case Kind::ratio: return "ratio";
    case Kind::heredoc: return "heredoc";
    case Kind::list: return "list";
    case Kind::call: return "call";
    case Kind::operation: return "operation";
    case Kind::choice: return "if";
  }
  return "";
}

Json expr_json(const ast::Expr& e) {
  Json out = {{"kind", kind_name(e.kind)}};
  if (e.kind == ast::Expr::Kind::operation) out["op"] = ast::spelling(e.op);
  if (!e.text.empty()) out["text"] = e.text;
  if (!e.tag.empty()) out["tag"] = e.tag;
  if (!e.operands.empty()) {
    out["operands"] = Json::array();
    for (const ast::Expr& operand : e.operands) out["operands"].push_back(expr_json(operand));
  }
  return out;
}

Json block_json(const ast::Block& block);

Json item_json(const ast::Setting& s) {
  Json out = {{"setting", s.key.text}, {"value", expr_json(s.value)}};
  if (s.append) out["append"] = true;
  return out;
}
Json item_json(const ast::Block& b) { return block_json(b); }
Json item_json(const ast::Requirement& r) { return {{"require", expr_json(r.condition)}}; }
Json item_json(const ast::Preference& p) {
  Json out = {{"prefer", expr_json(p.condition)}};
  if (!p.weight.empty()) out[p.weight_word.text] = p.weight;
  return out;
}
Json item_json(const ast::Assertion& a) { return {{"assert", expr_json(a.condition)}, {"text", expr_json(a.message)}}; }
Json item_json(const ast::Conditional& c) {
  Json out = {{"when", expr_json(c.condition)}, {"body", block_json(c.body)}};
  if (c.otherwise) out["else"] = block_json(*c.otherwise);
  return out;
}

Json instance_json(const ast::Instance& instance) {
  Json out = {{"template", instance.base.text}, {"arguments", Json::object()}};
  if (instance.module) out["import"] = instance.module->text;
  for (const ast::Argument& a : instance.arguments) out["arguments"][a.name.text] = expr_json(a.value);
  return out;
}

Json signature_json(const ast::Signature& s) {
  Json out = {{"param", s.name.text}, {"type", s.type.name.text}};
  if (!s.type.element.empty()) out["element"] = s.type.element;
  if (s.range) out["in"] = expr_json(*s.range);
  if (s.fallback) out["default"] = expr_json(*s.fallback);
  return out;
}

Json template_json(const ast::Template& t) {
  Json out = {{"template", t.name.text}, {"params", Json::array()}, {"body", block_json(t.body)}};
  for (const ast::Signature& s : t.parameters) out["params"].push_back(signature_json(s));
  return out;
}

Json block_json(const ast::Block& block) {
  Json out = {{"block", block.kind.text}};
  if (block.label) out["label"] = block.label->text;
  if (block.from) out["from"] = instance_json(*block.from);
  out["items"] = Json::array();
  for (const ast::Item& item : block.items)
    out["items"].push_back(std::visit([](const auto& i) { return item_json(i); }, item.value));
  return out;
}

}  // namespace

Json to_json(const ast::File& file, const Sources& sources) {
  Json out = {{"file", sources.name(file.file)}, {"blocks", Json::array()}};
  for (const ast::Import& i : file.imports) out["imports"].push_back({{"path", i.path.text}, {"as", i.alias.text}});
  for (const ast::Signature& s : file.parameters) out["params"].push_back(signature_json(s));
  for (const ast::Binding& b : file.bindings)
    out["let"].push_back({{"name", b.name.text}, {"value", expr_json(b.value)}});
  for (const ast::Template& t : file.templates) out["templates"].push_back(template_json(t));
  for (const ast::Block& block : file.blocks) out["blocks"].push_back(block_json(block));
  return out;
}

std::string print(const Json& json) {
  return safe_to_print(json.dump(2, ' ', false, Json::error_handler_t::replace), TextForm::json) + "\n";
}

}  // namespace muster::cli
