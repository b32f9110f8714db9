// The tokens of a bash text.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/shell/parse.h"

namespace muster::shell::raw {

enum class TokenKind : std::uint8_t { word, op, redirect, newline, end };

struct Token {
  TokenKind kind = TokenKind::end;
  RawWord span;
  std::string_view text;  // of the file
};

// A here-document whose lines begin after the next newline.
struct PendingDocument {
  std::size_t redirect = 0;  // index into Text::redirects
  RawWord delimiter;
};

class Tokens {
 public:
  // `depth`: in how many $( ) they are.
  Tokens(std::string_view text, std::uint32_t begin, std::uint32_t end, std::size_t depth, Text& out)
      : text_(text.substr(0, end)), at_(begin), depth_(depth), out_(out) {}

  Token next();
  // In [[ ]], where < ( && and the like are words.
  void set_test(bool test) { test_ = test; }
  void expect_document(std::size_t redirect, RawWord delimiter) { pending_.push_back({redirect, delimiter}); }
  // Where ((…)) that begins at `at` ends; reading goes on behind it.
  RawWord skip_construct(std::uint32_t at);
  // Whether only blanks are between here and `()`.
  bool empty_parentheses_follow();

 private:
  Token word(std::uint32_t begin);
  Token redirect(std::uint32_t begin);
  void skip_blanks();
  void read_documents();
  char peek(std::uint32_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  std::string_view text_;
  std::uint32_t at_;
  std::size_t depth_;
  Text& out_;
  std::vector<PendingDocument> pending_;
  bool test_ = false;
};

// Where the commands that begin at `at` end: one past the `)` that closes what holds them.
std::uint32_t end_of_commands(std::string_view text, std::uint32_t at, std::size_t depth, bool& open);

// Whether `((` is arithmetic, and not a subshell in commands: `((a); b)`. One without an end is.
bool is_arithmetic(std::string_view text, std::uint32_t at);

// Whether a line is the delimiter of a here-document.
bool ends_document(std::string_view line, std::string_view delimiter, bool strip_tabs);

}  // namespace muster::shell::raw
