#include "compiler/syntax/spelling.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "compiler/base/text.h"
#include "compiler/syntax/expression.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/literal.h"

namespace muster::syntax {
namespace {

using ast::Expr;
using ast::Op;

// No line holds more bytes: UTF-8 has up to four a column.
constexpr std::size_t most_bytes = 4 * line_width;

bool is_prefix(Op op) { return op == Op::logical_not || op == Op::negate; }

// What a "…" would read as a variable, or refuse as one without braces.
bool has_reference(std::string_view text) {
  for (std::size_t at = text.find('$'); at != text.npos && at + 1 < text.size(); at = text.find('$', at + 1))
    if (text[at + 1] == '{' || is_name_start(text[at + 1])) return true;
  return false;
}

// The inside of a "…".
std::string escapes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\\' || (c == '$' && has_reference(text.substr(i, 2)))) {
      out.append({'\\', c});
    } else if (c == '\n' || c == '\t' || c == '\r') {
      out.append({'\\', c == '\n' ? 'n' : c == '\t' ? 't' : 'r'});
    } else if (is_control(c)) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u{%x}", static_cast<unsigned>(c));
      out += code;
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::string escaped(std::string_view text) { return "\"" + escapes(text) + "\""; }

// The number or text in a place that may begin with parentheses, blanks and comments.
std::string_view token_in(std::string_view source) {
  while (!source.empty() && (source[0] == '(' || source[0] == '#' || is_space(source[0])))
    source.remove_prefix(source[0] == '#' ? std::min(source.find_first_of("\r\n"), source.size()) : 1);
  std::size_t end = 1;
  const bool quoted = source[0] == '"' || source[0] == '\'';
  while (quoted && source[end] != source[0]) end += source[end] == '\\' && source[0] == '"' ? 2 : 1;
  if (quoted) return source.substr(0, end + 1);
  return source.substr(0, source.find_first_of(" \t\r\n)#"));
}

}  // namespace

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool fits_text(std::string_view bytes) {
  return bytes.find('\0') == std::string_view::npos && !first_invalid_utf8(bytes);
}

bool fits_heredoc(std::string_view bytes) {
  if (!fits_text(bytes) || bytes.find('\r') != std::string_view::npos) return false;
  if (!bytes.empty() && !bytes.ends_with('\n')) return false;
  for (std::size_t at = bytes.find(">>>"); at != std::string_view::npos; at = bytes.find(">>>", at + 1)) {
    const std::size_t before = bytes.find_last_not_of(" \t", at == 0 ? std::string_view::npos : at - 1);
    const bool first = at == 0 || before == std::string_view::npos || bytes[before] == '\n';
    if (first && bytes[std::min(bytes.find_first_not_of(" \t", at + 3), bytes.size() - 1)] == '\n') return false;
  }
  return true;
}

std::string interpolated(const Expr& e) {
  std::string out = "\"";
  std::size_t from = 0;
  for (const Expr& hole : e.operands) {
    out += escapes(std::string_view(e.text).substr(from, hole.at - from)) + "${" + hole.text + "}";
    from = hole.at;
  }
  return out + escapes(std::string_view(e.text).substr(from)) + "\"";
}

std::string quote(std::string_view text) {
  const bool needs = text.find_first_of("\"\\") != std::string_view::npos || has_reference(text);
  const bool raw = text.find('\'') == std::string_view::npos && std::none_of(text.begin(), text.end(), is_control);
  return needs && raw ? "'" + std::string(text) + "'" : escaped(text);
}

bool is_word(std::string_view text) {
  static constexpr std::array<std::string_view, 19> reserved = {
      "import", "as",  "param", "let", "template", "from",  "when",    "else",   "if",    "then",
      "in",     "and", "or",    "not", "true",     "false", "require", "prefer", "assert"};
  if (text.empty() || !is_name_start(text[0]) || std::find(reserved.begin(), reserved.end(), text) != reserved.end())
    return false;
  for (std::size_t i = 1; i < text.size(); ++i)
    if (!is_name_char(text[i]) && !(text[i] == '-' && i + 1 < text.size() && is_name_char(text[i + 1]))) return false;
  return true;
}

bool is_key(std::string_view text) { return text == "from" || is_word(text); }

bool in_parentheses(const Expr& operand, const Expr& operation, bool first) {
  if (operand.grouped || operand.kind == Expr::Kind::choice) return true;
  if (operand.kind != Expr::Kind::operation) return false;
  const int inner = level(operand.op), outer = level(operation.op);
  if (is_prefix(operation.op)) {
    if (is_prefix(operand.op)) return operand.op == Op::logical_not && operation.op == Op::negate;
    return inner < (operation.op == Op::logical_not ? compare_level : negate_level);
  }
  if (inner != outer || is_prefix(operand.op)) return inner < outer;
  return !first || outer == compare_level;
}

std::string joint(Op op) { return op == Op::range ? ".." : " " + std::string(ast::spelling(op)) + " "; }

std::string Spelling::name(const ast::Name& name) const {
  if (!name.quoted) return name.text;
  return name.span.known() ? std::string(sources_.text(name.span)) : escaped(name.text);
}

void Spelling::leaf(const Expr& e, std::string& out) const {
  switch (e.kind) {
    case Expr::Kind::quantity: out += canonical_quantity(e.text); break;
    case Expr::Kind::variable: out += "$" + e.text; break;
    case Expr::Kind::ratio: out += e.text + ":" + e.tag; break;
    case Expr::Kind::number:
    case Expr::Kind::text: {
      if (e.span.known()) out += token_in(sources_.text(e.span));
      else if (!e.operands.empty()) out += interpolated(e);
      else out += e.kind == Expr::Kind::text ? quote(e.text) : e.text;
      break;
    }
    default: out += e.text; break;
  }
}

bool Spelling::flat(const Expr& e, std::string& out) const { return operand(e, e.grouped, out); }

bool Spelling::operand(const Expr& e, bool parentheses, std::string& out) const {
  if (!parentheses) return inside(e, out);
  out.push_back('(');
  const bool good = inside(e, out);
  out.push_back(')');
  return good;
}

bool Spelling::inside(const Expr& e, std::string& out) const {
  switch (e.kind) {
    case Expr::Kind::heredoc: return false;
    case Expr::Kind::list: return sequence(e, '[', ']', out);
    case Expr::Kind::call: out += e.text; return sequence(e, '(', ')', out);
    case Expr::Kind::operation: return operation(e, out);
    case Expr::Kind::choice: return choice(e, out);
    default: leaf(e, out); return true;
  }
}

bool Spelling::broken(const Expr& list) const {
  if (!list.span.known() || list.operands.empty() || !list.operands[0].span.known()) return false;
  const Span before = {list.span.file, list.span.begin, list.operands[0].span.begin};
  return sources_.text(before).find('\n') != std::string_view::npos;
}

bool Spelling::sequence(const Expr& e, char open, char close, std::string& out) const {
  if (broken(e)) return false;
  out.push_back(open);
  for (std::size_t i = 0; i < e.operands.size(); ++i) {
    if (i > 0) out += ", ";
    if (!operand(e.operands[i], e.operands[i].grouped, out)) return false;
  }
  out.push_back(close);
  return out.size() <= most_bytes;
}

bool Spelling::choice(const Expr& e, std::string& out) const {
  static constexpr std::array<std::string_view, 3> before = {"if ", " then ", " else "};
  for (std::size_t i = 0; i < before.size(); ++i) {
    out += before[i];
    if (!operand(e.operands[i], e.operands[i].grouped, out)) return false;
  }
  return out.size() <= most_bytes;
}

// A long `1 + 1 + …` hangs on its first operands: that side is walked in a loop, not by recursion.
bool Spelling::operation(const Expr& e, std::string& out) const {
  if (is_prefix(e.op)) {
    out += e.op == Op::logical_not ? "not " : "-";
    return operand(e.operands[0], in_parentheses(e.operands[0], e, true), out);
  }
  std::vector<const Expr*> spine = {&e};
  while (true) {
    const Expr& first = spine.back()->operands[0];
    const bool parentheses = in_parentheses(first, *spine.back(), true);
    const bool ends = first.kind != Expr::Kind::operation || is_prefix(first.op);
    if (ends && !operand(first, parentheses, out)) return false;
    if (ends) break;
    if (parentheses) out.push_back('(');
    if (spine.size() > most_bytes) return false;
    spine.push_back(&first);
  }
  while (!spine.empty()) {
    const Expr& node = *spine.back();
    spine.pop_back();
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      out += joint(node.op);
      if (!operand(node.operands[i], in_parentheses(node.operands[i], node, false), out)) return false;
    }
    if (out.size() > most_bytes) return false;
    if (!spine.empty() && in_parentheses(node, *spine.back(), true)) out.push_back(')');
  }
  return true;
}

}  // namespace muster::syntax
