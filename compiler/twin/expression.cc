// Expressions that are in strings: the parser reads them, and their places are found again in the document.
#include <algorithm>
#include <utility>

#include "compiler/syntax/literal.h"
#include "compiler/syntax/parse.h"
#include "compiler/syntax/token.h"
#include "compiler/twin/values.h"

namespace muster::twin {
namespace {

using ast::Expr;

// The parser reads files, so the expression is given to it as the value of a key.
constexpr std::string_view before = "_{_=", after = "\n}";

std::size_t utf8_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// How many bytes an escape takes that begins with a backslash.
std::size_t escape_length(std::string_view raw) {
  if (raw.size() < 2) return 1;
  const bool pair = raw[1] == 'u' && raw.size() >= 12 && (raw[2] == 'd' || raw[2] == 'D') && raw[6] == '\\' &&
                    std::string_view("89abAB").find(raw[3]) != std::string_view::npos;
  const std::size_t length = raw[1] == 'u' ? (pair ? 12 : 6) : raw[1] == 'x' ? 4 : raw[1] == 'U' ? 10 : 2;
  return std::min(length, raw.size());
}

// Where the bytes of a decoded scalar are in its spelling: escapes, doubled quotes and the white space
// of folded lines are passed over.
class Offsets {
 public:
  Offsets(Span scalar, const std::string& decoded, const Sources& sources) : scalar_(scalar) {
    const std::string_view raw = sources.text(scalar);
    std::size_t at = 0;
    for (std::size_t i = 0; i < decoded.size();) {
      const std::size_t bytes = std::min(utf8_length(decoded[i]), decoded.size() - i);
      at = find(raw, at, decoded[i]);
      for (std::size_t k = 0; k < bytes; ++k) offsets_.push_back(static_cast<std::uint32_t>(std::min(at, raw.size())));
      at += at < raw.size() && raw[at] == '\\' ? escape_length(raw.substr(at)) : bytes;
      i += bytes;
    }
    offsets_.push_back(static_cast<std::uint32_t>(std::min(at, raw.size())));
  }

  // A place in the text that the parser was given, in the document.
  Span place(Span span) const {
    if (!span.known()) return span;
    return {scalar_.file, offset(span.begin), std::max(offset(span.begin), offset(span.end))};
  }

 private:
  static std::size_t find(std::string_view raw, std::size_t at, char wanted) {
    const bool space = wanted == ' ' || wanted == '\n';
    while (at < raw.size() && raw[at] != wanted && raw[at] != '\\' && !space) ++at;
    return at;
  }
  std::uint32_t offset(std::uint32_t parsed) const {
    const std::size_t at = parsed < before.size() ? 0 : parsed - before.size();
    return scalar_.begin + offsets_[std::min(at, offsets_.size() - 1)];
  }

  Span scalar_;
  std::vector<std::uint32_t> offsets_;
};

void move_places(Expr& expr, const Offsets& offsets) {
  expr.span = offsets.place(expr.span);
  for (Expr& operand : expr.operands) move_places(operand, offsets);
}

void move_places(Diagnostic& d, const Offsets& offsets) {
  d.primary = offsets.place(d.primary);
  for (Label& label : d.labels) label.span = offsets.place(label.span);
  // A fix that brings quotes or backslashes would have to be spelt as the document spells them.
  std::erase_if(d.fixes, [](const FixIt& f) { return f.text.find_first_of("\"\\") != std::string::npos; });
  for (FixIt& fix : d.fixes) fix.where = offsets.place(fix.where);
}

// `h100`, `64GiB`, `$nodes`: nearly all there are. nullopt: it takes the parser.
std::optional<Expr> single_word(const std::string& text, Span where) {
  const syntax::TokenList lexed = syntax::tokenize(text);
  if (lexed.tokens.size() != 1 || !lexed.comments.empty()) return std::nullopt;
  const syntax::Token& token = lexed.tokens[0];
  if (token.begin != 0 || token.end != text.size()) return std::nullopt;
  Expr out;
  out.span = where;
  out.text = text;
  if (token.kind == syntax::TokenKind::identifier) out.kind = Expr::Kind::path;
  else if (token.kind == syntax::TokenKind::quantity) out.kind = Expr::Kind::quantity;
  else if (token.kind == syntax::TokenKind::variable) out.kind = Expr::Kind::variable, out.text.erase(0, 1);
  else return std::nullopt;
  return out;
}

}  // namespace

Span inside(Span scalar, const Sources& sources) {
  const std::string_view raw = sources.text(scalar);
  if (raw.size() >= 2 && (raw[0] == '"' || raw[0] == '\'')) ++scalar.begin, --scalar.end;
  return scalar;
}

std::optional<Expr> read_expression(const std::string& text, Span scalar, const Sources& sources,
                                    Diagnostics& diagnostics) {
  const Span where = inside(scalar, sources);
  if (auto word = single_word(text, where)) return word;
  Sources parsed;
  Diagnostics found;
  auto tree = syntax::parse(parsed, parsed.add("expression", std::string(before) + text + std::string(after)), found);
  const Offsets offsets(where, text, sources);
  for (Diagnostic& d : found.sorted()) {
    move_places(d, offsets);
    diagnostics.add(std::move(d));
  }
  if (!tree) return std::nullopt;
  ast::Setting* setting = nullptr;
  if (tree->blocks.size() == 1 && tree->blocks[0].items.size() == 1)
    setting = std::get_if<ast::Setting>(&tree->blocks[0].items[0].value);
  if (setting == nullptr) {  // `1 } x {`
    diagnostics.add(Code::document_shape, where, "this is not a single value of the muster language");
    return std::nullopt;
  }
  move_places(setting->value, offsets);
  return std::move(setting->value);
}

}  // namespace muster::twin
