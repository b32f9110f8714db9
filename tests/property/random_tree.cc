#include "tests/property/random_tree.h"

#include <cstdio>
#include <utility>
#include <vector>

namespace muster::property {
namespace {

using ast::Expr;
using ast::Op;

// No one-letter units: `5 h` on one line is an error of its own.
constexpr std::string_view words[] = {"nodes", "gpus",  "time-limit", "_x",  "A_B",  "h100",        "a1-b2",
                                      "queue", "mount", "resources",  "env", "kind", "long-key-of", "weight"};

ast::Name random_name(Random& random, bool may_quote) {
  if (may_quote && random.one_in(6)) return {random_text(random, 4), {}, true};
  return {std::string(random.any_of(words)), {}, false};
}

Expr leaf(Expr::Kind kind, std::string text, std::string tag = {}) {
  Expr out;
  out.kind = kind;
  out.text = std::move(text);
  out.tag = std::move(tag);
  return out;
}

// With a ${variable} before and one after its bytes.
Expr random_interpolation(Random& random) {
  Expr out = leaf(Expr::Kind::text, random_text(random, 4));
  for (const std::size_t at : {std::size_t{0}, out.text.size()}) {
    out.operands.push_back(leaf(Expr::Kind::variable, std::string(random.any_of(words))));
    out.operands.back().at = static_cast<std::uint32_t>(at);
  }
  return out;
}

Expr random_leaf(Random& random) {
  static constexpr std::string_view numbers[] = {"0", "8", "1000000", "0.5", "1e-4", "12E+3"};
  static constexpr std::string_view quantities[] = {"80GB", "64Gi", "64GiB", "1h30m", "99.9%", "400Gbps", "7x", "2Ki"};
  switch (random.upto(9)) {
    case 9: return random_interpolation(random);
    case 0: return leaf(Expr::Kind::number, std::string(random.any_of(numbers)));
    case 1: return leaf(Expr::Kind::quantity, std::string(random.any_of(quantities)));
    case 2: return leaf(Expr::Kind::boolean, random.one_in(2) ? "true" : "false");
    case 3: return leaf(Expr::Kind::variable, std::string(random.any_of(words)));
    case 4: return leaf(Expr::Kind::ratio, std::string(random.any_of(words)), "8");
    case 5: return leaf(Expr::Kind::path, std::string(random.any_of(words)) + "." + std::string(random.any_of(words)));
    case 6: return leaf(Expr::Kind::path, std::string(random.any_of(words)));
    default: return leaf(Expr::Kind::text, random_text(random, 8));
  }
}

// A comparison's operands are not bare comparisons, and the first operand of `and` is no bare `and`
// (the parser makes one of the two): the tree says only what parentheses can say.
Expr random_expression(Random& random, int depth) {
  if (depth == 0 || random.one_in(3)) return random_leaf(random);
  Expr out;
  if (random.one_in(12)) return leaf(Expr::Kind::heredoc, random_script(random), random.one_in(3) ? "" : "bash");
  if (random.one_in(3)) {
    out.kind = random.one_in(3) ? Expr::Kind::call : Expr::Kind::list;
    if (out.kind == Expr::Kind::call) out.text = random.any_of(words);
    for (std::int64_t n = random.upto(random.one_in(4) ? 20 : 4); n > 0; --n)
      out.operands.push_back(random_expression(random, depth - 1));
    return out;
  }
  if (random.one_in(5)) {
    out.kind = Expr::Kind::choice;
    for (int i = 0; i < 3; ++i) out.operands.push_back(random_expression(random, depth - 1));
    return out;
  }
  out.kind = Expr::Kind::operation;
  out.op = static_cast<Op>(random.upto(static_cast<int>(Op::negate)));
  const bool prefix = out.op == Op::logical_not || out.op == Op::negate;
  const bool chain = out.op == Op::logical_and || out.op == Op::logical_or;
  for (std::int64_t n = prefix ? 1 : 2 + (chain ? random.upto(3) : 0); n > 0; --n)
    out.operands.push_back(random_expression(random, depth - 1));
  if (chain && out.operands[0].kind == Expr::Kind::operation && out.operands[0].op == out.op)
    out.operands[0] = random_leaf(random);
  return out;
}

ast::Block random_block(Random& random, int depth, bool top);

ast::Block random_body(Random& random, int depth) {
  ast::Block out = random_block(random, depth, false);
  out.kind = {};
  out.label.reset();
  return out;
}

ast::Item random_item(Random& random, int depth) {
  switch (random.upto(depth > 0 ? 9 : 7)) {
    case 0: return {ast::Requirement{random_expression(random, 3), {}}};
    case 1: {
      ast::Preference out{random_expression(random, 2), {}, {}, {}};
      if (random.one_in(2)) out.weight_word.text = "weight", out.weight = "1_0";
      return {std::move(out)};
    }
    case 2: {
      Expr message = random.one_in(3) ? random_interpolation(random) : leaf(Expr::Kind::text, random_text(random, 6));
      return {ast::Assertion{random_expression(random, 2), std::move(message), {}}};
    }
    case 8: return {random_block(random, depth - 1, false)};
    case 9: {
      ast::Conditional out{random_expression(random, 2), random_body(random, depth - 1), {}, {}};
      if (random.one_in(2)) out.otherwise = random_body(random, depth - 1);
      return {std::move(out)};
    }
    default: return {ast::Setting{random_name(random, true), random_expression(random, 3), random.one_in(6)}};
  }
}

ast::Block random_block(Random& random, int depth, bool top) {
  ast::Block out;
  out.kind = random_name(random, !top);
  if (random.one_in(2)) out.label = random_name(random, true);
  for (std::int64_t n = random.upto(5); n > 0; --n) out.items.push_back(random_item(random, depth));
  return out;
}

ast::Signature random_signature(Random& random) {
  ast::Signature out;
  out.name = random_name(random, false);
  out.type.name = random_name(random, false);
  if (random.one_in(3)) out.type.element = random.any_of(words);
  if (random.one_in(2)) out.range = random_expression(random, 2);
  if (random.one_in(2)) out.fallback = random_expression(random, 2);
  return out;
}

ast::Instance random_instance(Random& random) {
  ast::Instance out;
  if (random.one_in(2)) out.module = random_name(random, false);
  out.base = random_name(random, false);
  for (std::int64_t n = random.upto(4); n > 0; --n)
    out.arguments.push_back({random_name(random, false), random_expression(random, 2)});
  return out;
}

ast::Template random_template(Random& random) {
  ast::Template out{random_name(random, false), {}, random_body(random, 2), {}};
  for (std::int64_t n = random.upto(4); n > 0; --n) out.parameters.push_back(random_signature(random));
  return out;
}

// Types a tree. A gap stands between any two tokens.
class Scribe {
 public:
  Scribe(Random& random, int& comments) : random_(random), comments_(comments) {}

  std::string type(const ast::File& file) {
    for (const ast::Import& i : file.imports) declare(i);
    for (const ast::Block& b : file.blocks) item(b);
    for (const ast::Signature& s : file.parameters) token("param"), signature(s);
    for (const ast::Template& t : file.templates) declare(t);
    for (const ast::Binding& b : file.bindings)
      token("let"), token(b.name.text), token("="), expression(b.value, false);
    gap();
    return std::move(out_);
  }

 private:
  void gap() {
    switch (random_.upto(14)) {
      case 0: out_ += "\n"; break;
      case 1: out_ += "\n\n\n \t"; break;
      case 2: out_ += "  \r\n   "; break;
      case 3: comment(); break;
      default: out_ += " "; break;
    }
  }
  void comment() {
    static constexpr std::string_view texts[] = {"#", "# why", "## \"a { ] >>>", "#!x  ", "# \u00E9 '"};
    for (std::int64_t n = random_.upto(2); n >= 0; --n, ++comments_) {
      out_ += random_.one_in(2) ? " " : "\n";
      out_ += std::string(random_.any_of(texts)) + "\n";
    }
  }
  void token(std::string_view text) {
    gap();
    out_ += text;
  }

  void declare(const ast::Import& i) {
    token("import");
    name(i.path);
    token("as");
    token(i.alias.text);
  }
  void declare(const ast::Template& t) {
    token("template");
    token(t.name.text);
    listed(t.parameters, [this](const ast::Signature& s) { signature(s); });
    item(t.body);
  }
  void signature(const ast::Signature& s) {
    token(s.name.text), token(":"), token(s.type.name.text);
    if (!s.type.element.empty()) token("("), token(s.type.element), token(")");
    if (s.range) token("in"), expression(*s.range, false);
    if (s.fallback) token("="), expression(*s.fallback, false);
  }
  void instance(const ast::Instance& i) {
    token("from");
    if (i.module) token(i.module->text), token(".");
    token(i.base.text);
    listed(i.arguments, [this](const ast::Argument& a) {
      token(a.name.text), token("=");
      expression(a.value, false);
    });
  }
  template <class T, class Write>
  void listed(const std::vector<T>& parts, Write write) {
    token("(");
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) token(",");
      write(parts[i]);
    }
    if (!parts.empty() && random_.one_in(2)) token(",");
    token(")");
  }

  void name(const ast::Name& n) { token(n.quoted ? escaped(n.text) : n.text); }

  std::string escaped(std::string_view text) { return "\"" + escapes(text) + "\""; }

  std::string interpolated(const Expr& e) {
    std::string out = "\"";
    std::size_t from = 0;
    for (const Expr& hole : e.operands) {
      out += escapes(std::string_view(e.text).substr(from, hole.at - from)) + "${" + hole.text + "}";
      from = hole.at;
    }
    return out + escapes(std::string_view(e.text).substr(from)) + "\"";
  }

  std::string escapes(std::string_view text) {
    std::string out;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= 0x80 || (byte >= ' ' && c != '"' && c != '\\' && c != '$' && !random_.one_in(9))) {
        out.push_back(c);
      } else {
        char code[12];
        std::snprintf(code, sizeof code, "\\u{%X}", byte);
        out += code;
      }
    }
    return out;
  }

  void heredoc(const Expr& e) {
    const std::string indent(static_cast<std::size_t>(random_.upto(3)), random_.one_in(2) ? ' ' : '\t');
    token("<<<" + e.tag + (random_.one_in(2) ? "  \n" : "\n"));
    for (std::size_t at = 0; at < e.text.size();) {
      const std::size_t end = e.text.find('\n', at) + 1;
      out_ += (end == at + 1 && random_.one_in(2) ? "" : indent) + e.text.substr(at, end - at);
      at = end;
    }
    out_ += indent + ">>>\n";
  }

  void sequence(const std::vector<Expr>& parts, const char* open, const char* close) {
    token(open);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) token(",");
      expression(parts[i], false);
    }
    if (!parts.empty() && random_.one_in(2)) token(",");
    token(close);
  }

  // What is inside an operation always stands in parentheses.
  void literal(const Expr& e) {
    const bool raw = e.text.find_first_of("'\r\n") == std::string::npos && random_.one_in(2);
    if (!e.operands.empty()) token(interpolated(e));
    else token(raw ? "'" + e.text + "'" : escaped(e.text));
  }

  void expression(const Expr& e, bool inside) {
    const bool joined = e.kind == Expr::Kind::operation || e.kind == Expr::Kind::choice;
    const bool parentheses = (inside && joined) || random_.one_in(8);
    if (parentheses) token("(");
    switch (e.kind) {
      case Expr::Kind::text: literal(e); break;
      case Expr::Kind::number: token(e.text == "1000000" ? "1_000_000" : e.text); break;
      case Expr::Kind::variable: token("$" + e.text); break;
      case Expr::Kind::ratio: token(e.text + ":" + e.tag); break;
      case Expr::Kind::heredoc: heredoc(e); break;
      case Expr::Kind::list: sequence(e.operands, "[", "]"); break;
      case Expr::Kind::call: token(e.text), sequence(e.operands, "(", ")"); break;
      case Expr::Kind::operation: operation(e); break;
      case Expr::Kind::choice:
        token("if"), expression(e.operands[0], false);
        token("then"), expression(e.operands[1], false);
        token("else"), expression(e.operands[2], false);
        break;
      default: token(e.text); break;
    }
    if (parentheses) token(")");
  }

  void operation(const Expr& e) {
    if (e.operands.size() == 1) token(ast::spelling(e.op));
    for (std::size_t i = 0; i < e.operands.size(); ++i) {
      if (i > 0) token(ast::spelling(e.op));
      expression(e.operands[i], true);
    }
  }

  void item(const ast::Setting& s) {
    name(s.key);
    token(s.append ? "+=" : "=");
    expression(s.value, false);
  }
  void item(const ast::Block& b) {
    if (!b.kind.text.empty() || b.kind.quoted) name(b.kind);
    if (b.label) name(*b.label);
    if (b.from) instance(*b.from);
    if (b.from && b.items.empty() && random_.one_in(2)) return;
    token("{");
    for (const ast::Item& i : b.items) std::visit([this](const auto& v) { item(v); }, i.value);
    token("}");
  }
  void item(const ast::Requirement& r) {
    token("require");
    expression(r.condition, false);
  }
  void item(const ast::Preference& p) {
    token("prefer");
    expression(p.condition, false);
    if (!p.weight.empty()) token(p.weight_word.text), token(p.weight);
  }
  void item(const ast::Assertion& a) {
    token("assert");
    expression(a.condition, false);
    token(",");
    literal(a.message);
  }
  void item(const ast::Conditional& c) {
    token("when");
    expression(c.condition, false);
    item(c.body);
    if (!c.otherwise) return;
    token("else");
    item(*c.otherwise);
  }

  Random& random_;
  int& comments_;
  std::string out_;
};

}  // namespace

std::string random_text(Random& random, int most) {
  static constexpr std::string_view pieces[] = {
      "a",          "word", " ",    "\"",   "'",  "\\", "$",  "${",
      "${x}",       "#",    "{",    "]",    "\n", "\t", "\r", "\u00E9",
      "\U0001F600", ">>>",  "\x01", "\x7F", ",",  "=",  "0",  "rather-long-piece-of-text",
      "/a/b.c"};
  std::string out;
  for (std::int64_t n = random.upto(most); n > 0; --n) out += random.any_of(pieces);
  return out;
}

std::string random_script(Random& random) {
  static constexpr std::string_view lines[] = {"",          "set -e",      "  indented", "\ttab", "   ",
                                               "# comment", "cat <<<x",    ">>> x",      "x >>>", "  >>>x",
                                               "$a ${b}",   "\u00E9 \x01", "trailing  ", "}"};
  std::string out;
  for (std::int64_t n = random.upto(6); n > 0; --n) (out += random.any_of(lines)) += '\n';
  return out;
}

ast::File random_file(Random& random) {
  ast::File out;
  for (std::int64_t n = random.upto(3); n >= 0; --n) out.blocks.push_back(random_block(random, 3, true));
  for (ast::Block& block : out.blocks)
    if (random.one_in(4)) block.label = random_name(random, true), block.from = random_instance(random);
  for (std::int64_t n = random.upto(2); n > 0; --n)
    out.imports.push_back({{random_text(random, 4), {}, true}, random_name(random, false), {}});
  for (std::int64_t n = random.upto(2); n > 0; --n) out.parameters.push_back(random_signature(random));
  for (std::int64_t n = random.upto(2); n > 0; --n)
    out.bindings.push_back({random_name(random, false), random_expression(random, 2), {}});
  for (std::int64_t n = random.upto(2); n > 0; --n) out.templates.push_back(random_template(random));
  return out;
}

std::string scribble(const ast::File& file, Random& random, int& comments) {
  return Scribe(random, comments).type(file);
}

}  // namespace muster::property
