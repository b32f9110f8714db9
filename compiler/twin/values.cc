#include "compiler/twin/values.h"

#include <algorithm>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/token.h"
#include "compiler/twin/places.h"

namespace muster::twin {
namespace {

using ast::Expr;
using data::Node;
using sema::Type;

constexpr std::string_view mark = "$expr";

Expr leaf(Expr::Kind kind, std::string text, Span span) {
  Expr out;
  out.kind = kind;
  out.text = std::move(text);
  out.span = span;
  return out;
}

bool is_number(const Expr& e) {
  if (e.kind == Expr::Kind::operation && e.op == ast::Op::negate) return is_number(e.operands[0]);
  return e.kind == Expr::Kind::number;
}

// `H100:8`, as one token.
bool is_ratio(const std::string& text) {
  const auto tokens = syntax::tokenize(text).tokens;
  using Kind = syntax::TokenKind;
  return tokens.size() == 3 && tokens[0].kind == Kind::identifier && tokens[1].kind == Kind::colon &&
         tokens[2].kind == Kind::number && tokens[0].begin == 0 && tokens[2].end == text.size() &&
         text.find_first_of(" \t\r\n") == std::string::npos;
}

class ValueReader {
 public:
  ValueReader(const Sources& sources, Diagnostics& diagnostics) : sources_(sources), diagnostics_(diagnostics) {}

  std::optional<Expr> value(const Node& node, Reading reading) {
    switch (node.kind) {
      case Node::Kind::null: return refuse(node.span, "`null` is not a value; remove the key");
      case Node::Kind::boolean: return leaf(Expr::Kind::boolean, node.text, node.span);
      case Node::Kind::integer:
      case Node::Kind::number: return number(node);
      case Node::Kind::text: return text(node, reading.whole);
      case Node::Kind::list: return list(node, reading);
      case Node::Kind::map: return map(node, reading.whole);
    }
    return std::nullopt;
  }

 private:
  std::optional<Expr> refuse(Span where, std::string message) {
    diagnostics_.add(Code::document_shape, where, std::move(message));
    return std::nullopt;
  }

  static Expr number(const Node& node) {
    if (!node.text.starts_with('-')) return leaf(Expr::Kind::number, node.text, node.span);
    Expr out = leaf(Expr::Kind::operation, {}, node.span);
    out.op = ast::Op::negate;
    out.operands.push_back(
        leaf(Expr::Kind::number, node.text.substr(1), {node.span.file, node.span.begin + 1, node.span.end}));
    return out;
  }

  std::optional<Expr> text(const Node& node, Strings strings) {
    if (node.text.find('\0') != std::string::npos) {
      diagnostics_.add(Code::not_text, node.span, "the string contains a NUL byte");
      return std::nullopt;
    }
    if (strings == Strings::script) return program(node.text, "", node.span);
    if ((strings == Strings::word || strings == Strings::gpu) && syntax::is_word(node.text))
      return leaf(Expr::Kind::path, node.text, inside(node.span, sources_));
    const bool spelling = strings == Strings::expression || (strings == Strings::gpu && is_ratio(node.text));
    if (!spelling) return leaf(Expr::Kind::text, node.text, node.span);
    auto out = read_expression(node.text, node.span, sources_, diagnostics_);
    // A JSON string stays a string, so that the checker reports a wrong type: "8" is not 8.
    if (out && (is_number(*out) || out->kind == Expr::Kind::boolean || out->kind == Expr::Kind::text))
      return leaf(Expr::Kind::text, node.text, node.span);
    return out;
  }

  std::optional<Expr> list(const Node& node, Reading reading) {
    Expr out = leaf(Expr::Kind::list, {}, node.span);
    for (const Node& item : node.items) {
      auto element = value(item, {reading.element, reading.element});
      if (!element) return std::nullopt;
      out.operands.push_back(std::move(*element));
    }
    return out;
  }

  // {"$expr": "…"}, or a script with its interpreter.
  std::optional<Expr> map(const Node& node, Strings strings) {
    const bool marked = is_marked_value(node);
    if (!marked && (strings != Strings::script || node.members.size() != 1))
      return refuse(node.span, strings == Strings::script
                                   ? "a script must be a string, or an object such as `{\"bash\": \"…\"}`"
                                   : "an object is not allowed here");
    const data::Member& member = node.members[0];
    if (!marked) return script(member);
    if (member.value.kind != Node::Kind::text)
      return refuse(member.value.span, "`$expr` takes a string with an expression of the muster language");
    return read_expression(member.value.text, member.value.span, sources_, diagnostics_);
  }

  // Whether it can follow `<<<`, or precede the `(` of a call.
  static bool names_interpreter(const data::Member& member) {
    const bool heredoc = member.value.kind == Node::Kind::text && syntax::fits_heredoc(member.value.text);
    const auto fits = [](char c) { return is_alnum(c) || c == '-' || c == '_'; };
    return heredoc ? std::all_of(member.key.begin(), member.key.end(), fits) : syntax::is_word(member.key);
  }

  std::optional<Expr> script(const data::Member& member) {
    const bool list = member.value.is_list();
    if (!names_interpreter(member)) return refuse(member.key_span, "unsupported interpreter");
    if (member.value.kind == Node::Kind::text && text(member.value, Strings::text))
      return program(member.value.text, member.key, member.value.span);
    if (!list) return refuse(member.value.span, "a script must be a string");
    Expr out = leaf(Expr::Kind::call, member.key, member.value.span);
    for (const Node& item : member.value.items) {
      if (item.kind != Node::Kind::text) return refuse(item.span, "a part of a script must be a string");
      auto part = text(item, Strings::text);
      if (!part) return std::nullopt;
      out.operands.push_back(std::move(*part));
    }
    return out;
  }

  // A heredoc where it can hold the bytes, else a call: bash("…").
  static Expr program(const std::string& bytes, const std::string& interpreter, Span span) {
    const bool heredoc = syntax::fits_heredoc(bytes);
    Expr out = leaf(heredoc ? Expr::Kind::heredoc : Expr::Kind::call, heredoc ? bytes : interpreter, span);
    if (heredoc) out.tag = interpreter;
    if (!heredoc && interpreter.empty()) out.text = "bash";
    if (!heredoc) out.operands.push_back(leaf(Expr::Kind::text, bytes, span));
    return out;
  }

  const Sources& sources_;
  Diagnostics& diagnostics_;
};

std::string spell(const Expr& expr, const Sources& sources) {
  constexpr std::string_view before = "_ {\n  _ = ", after = "\n}\n";
  ast::File file;
  file.blocks.emplace_back();
  file.blocks[0].kind.text = "_";
  file.blocks[0].items.push_back({ast::Setting{{"_", {}, false}, without_places(expr)}});
  const std::string text = syntax::format(file, sources);
  return text.substr(before.size(), text.size() - before.size() - after.size());
}

// Whether a node reads back as the expression. The node was written by this program, so nothing is reported.
bool reads_back(const Node& node, Reading reading, const Expr& expr) {
  Diagnostics unseen;
  Sources none;
  const auto back = ValueReader(none, unseen).value(node, reading);
  return back && unseen.empty() && ast::equal(*back, expr);
}

// The shortest node that may hold the expression; null where only the mark can.
Node plain(const Expr& e, Reading reading, const Sources& sources) {
  if (e.kind == Expr::Kind::boolean) return scalar_node(Node::Kind::boolean, e.text);
  const bool negative = e.kind == Expr::Kind::operation && e.op == ast::Op::negate;
  const Expr& digits = negative ? e.operands[0] : e;
  if (digits.kind == Expr::Kind::number && is_json_number(digits.text))
    return scalar_node(Node::Kind::number, (negative ? "-" : "") + digits.text);
  if (e.kind == Expr::Kind::list) {
    Node out = list_node({});
    for (const Expr& item : e.operands)
      out.items.push_back(write_value(item, {reading.element, reading.element}, sources));
    return out;
  }
  const bool script = reading.whole == Strings::script;
  if (script && e.kind == Expr::Kind::heredoc)
    return e.tag.empty() ? text_node(e.text) : map_node(e.tag, text_node(e.text));
  if (script && e.kind == Expr::Kind::call) {
    Node parts = list_node({});
    for (const Expr& part : e.operands) parts.items.push_back(text_node(part.text));
    return map_node(e.text, std::move(parts));
  }
  if (e.kind == Expr::Kind::text && reading.whole != Strings::script) return text_node(e.text);
  const bool gpu = reading.whole == Strings::gpu;
  if (e.kind == Expr::Kind::path && (gpu || reading.whole == Strings::word)) return text_node(e.text);
  const bool ratio = e.kind == Expr::Kind::ratio && gpu;
  return reading.whole == Strings::expression || ratio ? text_node(spell(e, sources)) : Node();
}

}  // namespace

Strings strings_of(Type type) {
  switch (type) {
    case Type::symbol:
    case Type::symbols:
    case Type::name:
    case Type::names:
    case Type::fact: return Strings::word;
    case Type::gpu: return Strings::gpu;
    case Type::boolean:
    case Type::integer:
    case Type::integers:
    case Type::size:
    case Type::duration:
    case Type::rate:
    case Type::count:
    case Type::cpus:
    case Type::size_or_all:
    case Type::memory:
    case Type::any:
    case Type::axis: return Strings::expression;
    case Type::script: return Strings::script;
    default: return Strings::text;
  }
}

Strings strings_in_list(Type type) {
  const Strings strings = strings_of(type);
  return type == Type::axis || strings == Strings::script ? Strings::text : strings;
}

Reading reading_of(const sema::KeySchema* key) {
  if (key == nullptr) return {};
  return {strings_of(key->type), strings_in_list(key->type)};
}

Reading reading_of(const ast::TypeName& type) {
  const std::string& one = type.element.empty() ? type.name.text : type.element;
  const Strings strings = one == "string" ? Strings::text : one == "symbol" ? Strings::word : Strings::expression;
  return {strings, strings};
}

bool is_json_number(std::string_view text) {
  const auto digits = [&] {
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(end);
    return end;
  };
  const bool zero = text.starts_with('0');
  const std::size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  if (!text.starts_with('e') && !text.starts_with('E')) return text.empty();
  text.remove_prefix(1);
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return digits() > 0 && text.empty();
}

bool is_marked_value(const Node& node) {
  return node.is_map() && node.members.size() == 1 && node.members[0].key == mark;
}

std::optional<Expr> read_value(const Node& node, Reading reading, const Sources& sources, Diagnostics& diagnostics) {
  return ValueReader(sources, diagnostics).value(node, reading);
}

Node write_value(const Expr& expr, Reading reading, const Sources& sources) {
  Node node = plain(expr, reading, sources);
  const bool list = node.is_list();  // its items were compared one by one
  if (list || (node.kind != Node::Kind::null && reads_back(node, reading, expr))) return node;
  return map_node(std::string(mark), text_node(spell(expr, sources)));
}

Node scalar_node(Node::Kind kind, std::string text) {
  Node out;
  out.kind = kind;
  out.text = std::move(text);
  return out;
}

Node list_node(std::vector<Node> items) {
  Node out;
  out.kind = Node::Kind::list;
  out.items = std::move(items);
  return out;
}

Node map_node(std::string key, Node value) {
  Node out;
  out.kind = Node::Kind::map;
  out.members.push_back({std::move(key), {}, std::move(value)});
  return out;
}

}  // namespace muster::twin
