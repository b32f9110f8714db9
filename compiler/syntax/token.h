// The words of a file, free of ANTLR, for the parser and the checks that come before it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"

namespace muster::syntax {

enum class TokenKind : std::uint8_t {
  keyword,
  identifier,
  quantity,
  number,
  variable,
  text,
  raw,
  open,
  close,  // { [ ( and their partners
  comma,
  colon,
  assign,
  other_operator,
  heredoc_open,
  heredoc_line,
  heredoc_close,
  bad_text,
  bad_raw,
  bad_character,
  comment,
};

struct Token {
  TokenKind kind;
  std::uint32_t begin;  // bytes
  std::uint32_t end;
  std::uint8_t fixed = 0;  // of a keyword or sign: its place in fixed_spellings(), from 1
};

// What is always spelt the same, in the order of grammar/MusterLexer.g4: keywords, then signs.
std::span<const std::string_view> fixed_spellings();

struct TokenList {
  std::vector<Token> tokens;
  std::vector<Token> comments;  // from `#` to the end of the line
};

// Reads UTF-8 text into words, as grammar/MusterLexer.g4 says: the longest match, and of equals the first
// rule. By hand, because the generated lexer takes ten times as long, a third of all parsing; a test holds
// the two beside each other. A byte order mark at the beginning is white space. It never reports: what
// cannot be read becomes a bad_ token.
TokenList tokenize(std::string_view text);

// All that can be said of a file's words before their order is looked at: unclosed texts, heredocs
// and brackets, signs of other languages, reserved words, nesting. One mistake gives one error.
// True if nothing was reported.
bool prescan(const Sources& sources, std::uint32_t file, const std::vector<Token>& tokens, Diagnostics& diagnostics);

}  // namespace muster::syntax
