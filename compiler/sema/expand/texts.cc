#include "compiler/sema/expand/texts.h"

namespace muster::sema {
namespace {

using Paths = std::vector<const ast::Expr*>;

void collect(const ast::Expr& e, Paths& out) {
  using Kind = ast::Expr::Kind;
  if (e.kind == Kind::call && e.text == "file" && e.operands.size() == 1 && e.operands[0].kind == Kind::text &&
      e.operands[0].operands.empty())
    out.push_back(&e.operands[0]);
  for (const ast::Expr& operand : e.operands) collect(operand, out);
}

void collect(const ast::Block& block, Paths& out);

void collect(const ast::Setting& s, Paths& out) { collect(s.value, out); }
void collect(const ast::Requirement& r, Paths& out) { collect(r.condition, out); }
void collect(const ast::Preference& p, Paths& out) { collect(p.condition, out); }
void collect(const ast::Assertion& a, Paths& out) { collect(a.condition, out), collect(a.message, out); }
void collect(const ast::Conditional& c, Paths& out) {
  collect(c.condition, out);
  collect(c.body, out);
  if (c.otherwise) collect(*c.otherwise, out);
}

void collect(const ast::Block& block, Paths& out) {
  if (block.from)
    for (const ast::Argument& argument : block.from->arguments) collect(argument.value, out);
  for (const ast::Item& item : block.items) std::visit([&](const auto& i) { collect(i, out); }, item.value);
}

void collect(const std::vector<ast::Signature>& parameters, Paths& out) {
  for (const ast::Signature& p : parameters)
    for (const auto* part : {&p.range, &p.fallback})
      if (*part) collect(**part, out);
}

}  // namespace

std::string interpreter_of(std::string_view path, std::string_view text) {
  std::string_view line = text.starts_with("#!") ? text.substr(2, text.find('\n') - 2) : std::string_view();
  if (line.empty()) return path.ends_with(".py") ? "python" : path.ends_with(".zsh") ? "zsh" : "bash";
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
  std::string_view word = line.substr(line.find_last_of("/ ") + 1);
  if (word.starts_with('-')) {  // `#!/bin/bash -e`
    line = line.substr(0, line.find(" -"));
    word = line.substr(line.find_last_of("/ ") + 1);
  }
  if (word.starts_with("python")) return "python";
  return std::string(word);
}

std::vector<const ast::Expr*> file_paths(const ast::File& file) {
  Paths out;
  collect(file.parameters, out);
  for (const ast::Binding& b : file.bindings) collect(b.value, out);
  for (const ast::Template& t : file.templates) {
    collect(t.parameters, out);
    collect(t.body, out);
  }
  for (const ast::Block& block : file.blocks) collect(block, out);
  return out;
}

}  // namespace muster::sema
