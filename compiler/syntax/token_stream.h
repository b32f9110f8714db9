// The words of a file as ANTLR's parser takes them. For parse.cc only.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "MusterLexer.h"
#include "antlr4-runtime.h"
#include "compiler/syntax/token.h"

namespace muster::syntax {

// Keywords and signs have the numbers of fixed_spellings().
static_assert(grammar::MusterLexer::KW_IMPORT == 1 && grammar::MusterLexer::SLASH == 41);

inline std::size_t type_of(const Token& token) {
  if (token.fixed != 0) return token.fixed;
  switch (token.kind) {
    case TokenKind::identifier: return grammar::MusterLexer::IDENT;
    case TokenKind::quantity: return grammar::MusterLexer::QUANTITY;
    case TokenKind::number: return grammar::MusterLexer::NUMBER;
    case TokenKind::variable: return grammar::MusterLexer::VARIABLE;
    case TokenKind::text: return grammar::MusterLexer::STRING;
    case TokenKind::raw: return grammar::MusterLexer::RAW;
    case TokenKind::heredoc_open: return grammar::MusterLexer::HEREDOC_OPEN;
    case TokenKind::heredoc_line: return grammar::MusterLexer::HEREDOC_LINE;
    case TokenKind::heredoc_close: return grammar::MusterLexer::HEREDOC_CLOSE;
    default: return grammar::MusterLexer::BAD_CHAR;
  }
}

// A word as ANTLR sees one; its indices are bytes.
class StreamToken : public antlr4::Token {
 public:
  StreamToken(std::size_t type, std::size_t number, std::uint32_t begin, std::uint32_t end)
      : type_(type), number_(number), begin_(begin), end_(end) {}

  std::string getText() const override { return {}; }  // asked for by messages that are never shown
  std::size_t getType() const override { return type_; }
  std::size_t getLine() const override { return 0; }
  std::size_t getCharPositionInLine() const override { return 0; }
  std::size_t getChannel() const override { return DEFAULT_CHANNEL; }
  std::size_t getTokenIndex() const override { return number_; }
  std::size_t getStartIndex() const override { return begin_; }
  std::size_t getStopIndex() const override { return end_ - 1; }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  antlr4::CharStream* getInputStream() const override { return nullptr; }
  std::string toString() const override { return {}; }

 private:
  std::size_t type_, number_;
  std::uint32_t begin_, end_;
};

// The words of a file, a declaration at a time: up to the `}` that closes it, which nothing of the grammar goes on
// after. So ANTLR's tree, sixty times as large as the text, is that of one declaration and stays in the cache.
class TokenStream : public antlr4::TokenStream {
 public:
  TokenStream(const std::vector<Token>& tokens, std::size_t size)
      : end_of_file_(antlr4::Token::EOF, tokens.size(), static_cast<std::uint32_t>(size),
                     static_cast<std::uint32_t>(size)) {
    tokens_.reserve(tokens.size());
    for (const Token& t : tokens) tokens_.emplace_back(type_of(t), tokens_.size(), t.begin, t.end);
  }

  // Goes to the next declaration; false after the last one.
  bool next() {
    begin_ = at_ = end_;
    for (std::size_t depth = 0; end_ < tokens_.size();) {
      const std::size_t type = tokens_[end_++].getType();
      if (type == grammar::MusterLexer::LBRACE) ++depth;
      if (type == grammar::MusterLexer::RBRACE && --depth == 0) break;
    }
    return begin_ < end_;
  }

  antlr4::Token* LT(ssize_t k) override {
    const auto distance = static_cast<std::size_t>(k < 0 ? -k : k - 1);
    if (k < 0) return at_ < begin_ + distance ? nullptr : &tokens_[at_ - distance];
    return at_ + distance < end_ ? &tokens_[at_ + distance] : &end_of_file_;
  }
  std::size_t LA(ssize_t k) override { return LT(k)->getType(); }
  antlr4::Token* get(std::size_t i) const override { return const_cast<StreamToken*>(&tokens_[begin_ + i]); }
  void consume() override { at_ = std::min(at_ + 1, end_); }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  std::size_t index() override { return at_ - begin_; }
  void seek(std::size_t index) override { at_ = std::min(begin_ + index, end_); }
  std::size_t size() override { return end_ - begin_; }
  std::string getSourceName() const override { return {}; }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  std::string getText(const antlr4::misc::Interval&) override { return {}; }
  std::string getText() override { return {}; }
  std::string getText(antlr4::RuleContext*) override { return {}; }
  std::string getText(antlr4::Token*, antlr4::Token*) override { return {}; }

 private:
  std::vector<StreamToken> tokens_;
  StreamToken end_of_file_;
  std::size_t begin_ = 0, at_ = 0, end_ = 0;  // of the declaration, and where the parser is in it
};

}  // namespace muster::syntax
