// The one file that sees ANTLR: words and shapes in, our own tree out.
#include "compiler/syntax/parse.h"

#include <array>
#include <utility>

#include "MusterLexer.h"
#include "MusterParser.h"
#include "antlr4-runtime.h"
#include "compiler/base/text.h"
#include "compiler/syntax/expression.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/literal.h"
#include "compiler/syntax/token.h"
#include "compiler/syntax/token_stream.h"

namespace muster::syntax {
namespace {

using grammar::MusterLexer;
using grammar::MusterParser;

// Reports and gives up: what a parser says after it recovered is mostly an echo.
class GiveUp : public antlr4::BailErrorStrategy {
 public:
  void recover(antlr4::Parser*, std::exception_ptr) override { throw antlr4::ParseCancellationException(); }
  antlr4::Token* recoverInline(antlr4::Parser* parser) override { throw antlr4::InputMismatchException(parser); }
};

// What could have stood where the parser stumbled, by the rule it was in.
std::string expected_in(std::size_t rule) {
  switch (rule) {
    case MusterParser::RuleFile: return "a block such as `workload NAME {`";
    case MusterParser::RuleImporting: return "`import \"path\" as NAME`";
    case MusterParser::RuleParam:
    case MusterParser::RuleSignature:
    case MusterParser::RuleType: return "a parameter such as `nodes: int in 1..64 = 1`";
    case MusterParser::RuleBinding: return "`let NAME = VALUE`";
    case MusterParser::RuleBlueprint: return "`template NAME(parameters) {`";
    case MusterParser::RuleInstance:
    case MusterParser::RuleArgument: return "a template and its arguments, such as `fsdp(nodes = 4)`";
    case MusterParser::RuleBlock:
    case MusterParser::RuleLabel: return "`{`, or the block's name and `{`";
    case MusterParser::RuleBody:
    case MusterParser::RuleItem: return "a setting, a block or `}`";
    case MusterParser::RuleMember:
    case MusterParser::RuleKey: return "`=` and a value, or `{`";
    case MusterParser::RuleList:
    case MusterParser::RuleCall: return "`,` or the closing bracket";
    case MusterParser::RuleAssertion: return "`,` and a message in quotes";
    case MusterParser::RulePreference: return "a condition, optionally followed by `weight` and a number";
    default: return "a value";
  }
}

// Says what is wrong.
class FirstError : public antlr4::BaseErrorListener {
 public:
  FirstError(std::uint32_t file, std::string_view text, Diagnostics& diagnostics)
      : file_(file), text_(text), diagnostics_(diagnostics) {}

  void syntaxError(antlr4::Recognizer* recognizer, antlr4::Token* token, std::size_t, std::size_t, const std::string&,
                   std::exception_ptr) override {
    auto* parser = dynamic_cast<MusterParser*>(recognizer);
    const std::size_t rule = parser->getContext()->getRuleIndex();
    const bool at_end = token->getType() == antlr4::Token::EOF;
    const Span where = span(token, token);
    const std::string found =
        at_end ? "the end of the file" : "`" + std::string(text_.substr(where.begin, where.end - where.begin)) + "`";
    if (rule == MusterParser::RuleFile && token->getType() == MusterLexer::KW_IMPORT)
      diagnostics_.add(Code::syntax, where, "imports must be at the top of the file");
    else if (rule == MusterParser::RuleImporting && lacks_name(*parser, where.begin))
      diagnostics_.add(Code::syntax, span(parser->getContext()->start, parser->getTokenStream()->LT(-1)),
                       "expected " + expected_in(rule) + ": an import requires a name", "add `as NAME`");
    else diagnostics_.add(Code::syntax, where, "expected " + expected(*parser, rule) + ", found " + found);
  }

 private:
  Span span(const antlr4::Token* from, const antlr4::Token* to) const {
    return {file_, static_cast<std::uint32_t>(from->getStartIndex()),
            static_cast<std::uint32_t>(to->getStopIndex() + 1)};
  }

  // `import "path"` and no word behind it that could have been meant as the name.
  bool lacks_name(MusterParser& parser, std::size_t found) const {
    const antlr4::Token* last = parser.getTokenStream()->LT(-1);
    if (last == nullptr || last->getType() != MusterLexer::STRING) return false;
    const std::size_t end = last->getStopIndex() + 1;
    return found > end && text_.substr(end, found - end).find('\n') != std::string_view::npos;
  }

  static std::string expected(MusterParser& parser, std::size_t rule) {
    const auto* choice = dynamic_cast<MusterParser::ExprContext*>(parser.getContext());
    if (choice == nullptr || choice->start->getType() != MusterLexer::KW_IF) return expected_in(rule);
    return choice->children.size() <= 2 ? "`then` and a value" : "`else` and a value";
  }

  std::uint32_t file_;
  std::string_view text_;
  Diagnostics& diagnostics_;
};

// Walks ANTLR's tree, which is known to be whole, into ours. Nesting is bounded by the prescan.
class Builder {
 public:
  Builder(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics)
      : sources_(sources), file_(file), diagnostics_(diagnostics) {}

  // Adds the declarations of a tree to a file.
  void build(MusterParser::FileContext* tree, ast::File& out) {
    if (!tree->importing().empty() && !(out.blocks.empty() && out.templates.empty()))
      diagnostics_.add(Code::syntax, span(tree->importing(0)->KW_IMPORT()->getSymbol()),
                       "imports must be at the top of the file");
    for (auto* i : tree->importing())
      out.imports.push_back({name(i->STRING()->getSymbol()), name(i->IDENT()->getSymbol()), span(i)});
    for (auto* p : tree->param()) {
      out.parameters.push_back(signature(p->signature()));
      out.parameters.back().span = span(p);
    }
    for (auto* l : tree->binding()) out.bindings.push_back({name(l->IDENT()->getSymbol()), expr(l->expr()), span(l)});
    for (auto* t : tree->blueprint()) out.templates.push_back(blueprint(t));
    for (auto* b : tree->block()) out.blocks.push_back(block(b));
  }

 private:
  Span span(const antlr4::Token* token) const {
    return {file_, static_cast<std::uint32_t>(token->getStartIndex()),
            static_cast<std::uint32_t>(token->getStopIndex() + 1)};
  }
  Span span(const antlr4::ParserRuleContext* context) const {
    return {file_, span(context->start).begin, span(context->stop).end};
  }
  std::string_view text(const antlr4::Token* token) const { return sources_.text(span(token)); }

  ast::Name name(const antlr4::Token* token) {
    if (token->getType() != MusterLexer::STRING) return {std::string(text(token)), span(token), false};
    ast::Expr decoded = decode_text(text(token), span(token), diagnostics_);
    for (const ast::Expr& variable : decoded.operands)
      diagnostics_.add(Code::unknown_variable, variable.span, "a name cannot contain `${…}`");
    return {std::move(decoded.text), span(token), true};
  }

  ast::Block block(MusterParser::BlockContext* context) {
    ast::Block out;
    out.kind = name(context->IDENT()->getSymbol());
    if (auto* label = context->label()) out.label = name(label->start);
    if (context->body() != nullptr) out.items = items(context->body());
    if (context->instance() != nullptr) out.from = instance(context->instance());
    out.span = span(context);
    return out;
  }

  ast::Instance instance(MusterParser::InstanceContext* context) {
    ast::Instance out;
    const auto names = context->IDENT();
    if (names.size() == 2) out.module = name(names[0]->getSymbol());
    out.base = name(names.back()->getSymbol());
    for (auto* a : context->argument()) out.arguments.push_back({name(a->IDENT()->getSymbol()), expr(a->expr())});
    out.span = span(context);
    return out;
  }

  ast::Signature signature(MusterParser::SignatureContext* context) {
    ast::Signature out;
    out.name = name(context->IDENT()->getSymbol());
    const auto type = context->type()->IDENT();
    out.type.name = name(type[0]->getSymbol());
    if (type.size() == 2) out.type.element = text(type[1]->getSymbol());
    out.type.span = span(context->type());
    const auto values = context->expr();
    const bool ranged = context->KW_IN() != nullptr;
    if (ranged) out.range = expr(values[0]);
    if (context->ASSIGN() != nullptr) out.fallback = expr(values[ranged ? 1 : 0]);
    out.span = span(context);
    return out;
  }

  ast::Template blueprint(MusterParser::BlueprintContext* context) {
    ast::Template out;
    out.name = name(context->IDENT()->getSymbol());
    for (auto* s : context->signature()) out.parameters.push_back(signature(s));
    out.body = body(context->body());
    out.span = span(context);
    return out;
  }

  std::vector<ast::Item> items(MusterParser::BodyContext* body) {
    std::vector<ast::Item> out;
    for (auto* item : body->item()) out.push_back(this->item(item));
    return out;
  }

  ast::Item item(MusterParser::ItemContext* item) {
    if (auto* member = item->member()) return this->member(member);
    if (auto* r = item->requirement()) return {ast::Requirement{expr(r->expr()), span(r)}};
    if (auto* p = item->preference()) {
      ast::Preference out{expr(p->expr()), {}, {}, span(p)};
      if (p->IDENT() != nullptr)
        out.weight_word = name(p->IDENT()->getSymbol()), out.weight = text(p->NUMBER()->getSymbol());
      return {std::move(out)};
    }
    if (auto* a = item->assertion()) return {ast::Assertion{expr(a->expr()), single(a->stop), span(a)}};
    auto* c = item->conditional();
    ast::Conditional out{expr(c->expr()), body(c->body(0)), span(c), {}};
    if (c->KW_ELSE() != nullptr) out.otherwise = body(c->body(1));
    return {std::move(out)};
  }

  ast::Block body(MusterParser::BodyContext* context) {
    ast::Block out;
    out.items = items(context);
    out.span = span(context);
    return out;
  }

  ast::Item member(MusterParser::MemberContext* member) {
    ast::Name key = name(member->key()->start);
    if (member->expr() != nullptr)
      return {ast::Setting{std::move(key), expr(member->expr()), member->PLUS_ASSIGN() != nullptr}};
    ast::Block block;
    block.kind = std::move(key);
    if (member->label() != nullptr) block.label = name(member->label()->start);
    block.items = items(member->body());
    block.span = span(member);
    return {std::move(block)};
  }

  static ast::Op op(std::size_t type) {
    switch (type) {
      case MusterLexer::KW_OR: return ast::Op::logical_or;
      case MusterLexer::KW_AND: return ast::Op::logical_and;
      case MusterLexer::EQ: return ast::Op::equal;
      case MusterLexer::NE: return ast::Op::not_equal;
      case MusterLexer::LE: return ast::Op::at_most;
      case MusterLexer::GE: return ast::Op::at_least;
      case MusterLexer::LT: return ast::Op::less;
      case MusterLexer::GT: return ast::Op::greater;
      case MusterLexer::KW_IN: return ast::Op::in;
      case MusterLexer::DOTDOT: return ast::Op::range;
      case MusterLexer::PLUS: return ast::Op::add;
      case MusterLexer::MINUS: return ast::Op::subtract;
      case MusterLexer::STAR: return ast::Op::multiply;
      default: return ast::Op::divide;
    }
  }

  ast::Expr expr(MusterParser::ExprContext* context) {
    if (context->start == context->stop) return single(context->start);
    const std::size_t above = std::exchange(operators_, operators_ + prefixes(context));
    ast::Expr out;
    if (within_budget(context, above)) out = build(context);
    operators_ = above;
    return out;
  }

  static std::size_t prefixes(MusterParser::ExprContext* context) {
    std::size_t out = context->binop().size();
    for (auto* operand : context->operand()) out += operand->children.size() - 1;
    return out;
  }

  // Counted over the brackets: whatever walks the tree recurses no deeper than this.
  bool within_budget(MusterParser::ExprContext* context, std::size_t above) {
    if (operators_ <= max_operators) return true;
    const std::size_t last = max_operators - above;
    const bool joined = last < context->binop().size();
    diagnostics_.add(Code::expression_too_long, span(joined ? context->binop()[last]->start : context->start),
                     "the expression has more than " + std::to_string(max_operators) + " operators");
    return false;
  }

  ast::Expr build(MusterParser::ExprContext* context) {
    if (context->KW_IF() != nullptr) return sequence(ast::Expr::Kind::choice, {}, span(context), context->expr());
    FlatExpression flat;
    for (auto* operand : context->operand()) {
      Operand out;
      for (auto* child : operand->children) {
        auto* sign = dynamic_cast<antlr4::tree::TerminalNode*>(child);
        if (sign == nullptr) break;
        const bool negation = sign->getSymbol()->getType() == MusterLexer::KW_NOT;
        out.prefixes.emplace_back(negation ? ast::Op::logical_not : ast::Op::negate, span(sign->getSymbol()));
      }
      out.primary = primary(operand->primary());
      flat.operands.push_back(std::move(out));
    }
    for (auto* binop : context->binop()) flat.operators.emplace_back(op(binop->start->getType()), span(binop->start));
    return build_expression(std::move(flat), diagnostics_);
  }

  ast::Expr primary(MusterParser::PrimaryContext* context) {
    if (context->LPAREN() != nullptr) {
      ast::Expr inner = expr(context->expr());
      inner.span = span(context);
      inner.grouped = true;
      return inner;
    }
    if (auto* list = context->list()) return sequence(ast::Expr::Kind::list, {}, span(context), list->expr());
    if (context->heredoc() != nullptr) return heredoc(context->heredoc());
    if (!context->IDENT().empty()) return word(context);
    return single(context->start);
  }

  // Most values are one word, and need no look at the tree.
  ast::Expr single(const antlr4::Token* token) {
    if (token->getType() != MusterLexer::IDENT) return literal(token->getType(), text(token), span(token));
    ast::Expr out;
    out.kind = ast::Expr::Kind::path;
    out.text = text(token);
    out.span = span(token);
    return out;
  }

  ast::Expr literal(std::size_t type, std::string_view spelling, Span where) {
    ast::Expr out;
    out.span = where;
    out.text = spelling;
    switch (type) {
      case MusterLexer::STRING: return decode_text(spelling, where, diagnostics_);
      case MusterLexer::RAW:
        out.kind = ast::Expr::Kind::text;
        out.text = spelling.substr(1, spelling.size() - 2);
        break;
      case MusterLexer::NUMBER:
        out.kind = ast::Expr::Kind::number;
        std::erase(out.text, '_');
        break;
      case MusterLexer::QUANTITY: out.kind = ast::Expr::Kind::quantity; break;
      case MusterLexer::VARIABLE:
        out.kind = ast::Expr::Kind::variable;
        out.text = spelling.substr(1);
        break;
      default: out.kind = ast::Expr::Kind::boolean; break;
    }
    return out;
  }

  // `h100`, `gpu.memory`, `H100:8` or `concat(…)`.
  ast::Expr word(MusterParser::PrimaryContext* context) {
    std::string path;
    for (auto* part : context->IDENT()) path += (path.empty() ? "" : ".") + std::string(text(part->getSymbol()));
    if (auto* call = context->call())
      return sequence(ast::Expr::Kind::call, std::move(path), span(context), call->expr());
    ast::Expr out;
    out.kind = context->COLON() != nullptr ? ast::Expr::Kind::ratio : ast::Expr::Kind::path;
    out.text = std::move(path);
    out.span = span(context);
    if (context->COLON() != nullptr) out.tag = text(context->NUMBER()->getSymbol());
    return out;
  }

  ast::Expr sequence(ast::Expr::Kind kind, std::string text, Span where,
                     const std::vector<MusterParser::ExprContext*>& parts) {
    ast::Expr out;
    out.kind = kind;
    out.text = std::move(text);
    out.span = where;
    for (auto* part : parts) out.operands.push_back(expr(part));
    return out;
  }

  ast::Expr heredoc(MusterParser::HeredocContext* context) {
    ast::Expr out;
    out.kind = ast::Expr::Kind::heredoc;
    const Span open = span(context->HEREDOC_OPEN()->getSymbol());
    std::string_view tag = sources_.text(open).substr(3);
    out.tag = tag.substr(0, tag.find_first_of(" \t\r\n"));
    out.span = {file_, open.begin, open.begin + 3 + static_cast<std::uint32_t>(out.tag.size())};
    std::vector<Span> lines;
    for (auto* line : context->HEREDOC_LINE()) lines.push_back(span(line->getSymbol()));
    const std::string_view close = text(context->HEREDOC_CLOSE()->getSymbol());
    out.text = decode_heredoc(lines, close.substr(0, close.find('>')), sources_, diagnostics_);
    return out;
  }

  const Sources& sources_;
  std::uint32_t file_;
  Diagnostics& diagnostics_;
  std::size_t operators_ = 0;  // of the expressions around, and of this one
};

// What is wrong with the bytes before any word is read. True if nothing is.
bool check_bytes(std::string_view text, std::uint32_t file, Diagnostics& diagnostics) {
  if (text.size() > max_file_bytes) {
    diagnostics.add(Code::file_too_large, {file, 0, 0},
                    "the file has " + std::to_string(text.size()) + " bytes, the limit is 1 MiB");
    return false;
  }
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    const auto at = static_cast<std::uint32_t>(nul);
    diagnostics.add(Code::binary_file, {file, at, at + 1}, "the file contains a NUL byte and is not text");
    return false;
  }
  if (const auto bad = first_invalid_utf8(text)) {
    const auto at = static_cast<std::uint32_t>(*bad);
    diagnostics.add(Code::not_utf8, {file, at, at + 1}, "byte " + std::to_string(*bad) + " is not valid UTF-8");
    return false;
  }
  return true;
}

}  // namespace

namespace {

// A reserved word in front of `=` is a name where it can be a key.
void free_keys(std::string_view text, std::vector<Token>& tokens) {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    Token& t = tokens[i];
    if (t.kind != TokenKind::keyword || tokens[i + 1].kind != TokenKind::assign) continue;
    if (is_key(text.substr(t.begin, t.end - t.begin))) t.kind = TokenKind::identifier, t.fixed = 0;
  }
}

}  // namespace

std::optional<ast::File> parse(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics) {
  const std::string_view text = sources.text(file);
  const std::size_t before = diagnostics.size();
  if (!check_bytes(text, file, diagnostics)) return std::nullopt;

  TokenList lexed = tokenize(text);
  free_keys(text, lexed.tokens);
  if (lexed.tokens.size() > max_tokens) {
    const Token& over = lexed.tokens[max_tokens];
    diagnostics.add(Code::file_too_large, {file, over.begin, over.end},
                    "the file has more than " + std::to_string(max_tokens) + " tokens");
    return std::nullopt;
  }
  if (!prescan(sources, file, lexed.tokens, diagnostics)) return std::nullopt;

  TokenStream stream(lexed.tokens, text.size());
  MusterParser parser(&stream);
  FirstError errors(file, text, diagnostics);
  parser.removeErrorListeners();
  parser.addErrorListener(&errors);
  parser.setErrorHandler(std::make_shared<GiveUp>());
  parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(antlr4::atn::PredictionMode::SLL);
  try {
    ast::File out;
    out.file = file;
    for (Builder builder(sources, file, diagnostics); stream.next(); parser.reset()) builder.build(parser.file(), out);
    for (const Token& c : lexed.comments) out.comments.push_back({file, c.begin, c.end});
    if (diagnostics.size() == before) return out;
  } catch (const antlr4::ParseCancellationException&) {  // it was reported
  }
  return std::nullopt;
}

}  // namespace muster::syntax
