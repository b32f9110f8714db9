// The words of a file, free of ANTLR, for the checks that come before the parser.
#pragma once

#include <cstdint>
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
};

struct Token {
  TokenKind kind;
  std::uint32_t begin;  // bytes
  std::uint32_t end;
};

// All that can be said of a file's words before their order is looked at: unclosed texts, heredocs
// and brackets, signs of other languages, reserved words, nesting. One mistake gives one error.
// True if nothing was reported.
bool prescan(const Sources& sources, std::uint32_t file, const std::vector<Token>& tokens, Diagnostics& diagnostics);

}  // namespace muster::syntax
