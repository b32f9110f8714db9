#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "compiler/syntax/token.h"

namespace muster::syntax {
namespace {

constexpr std::array<std::string_view, 41> spellings = {
    "import", "as",    "param",   "let",    "template", "from", "when", "else", "if", "then", "in", "and", "or", "not",
    "true",   "false", "require", "prefer", "assert",   "{",    "}",    "[",    "]",  "(",    ")",  ",",   ":",  "..",
    ".",      "==",    "!=",      "<=",     ">=",       "<",    ">",    "=",    "+=", "+",    "-",  "*",   "/"};
constexpr std::size_t keyword_count = 19;

// The sign of one byte, by that byte; 0: there is none.
constexpr auto single_characters = [] {
  std::array<std::uint8_t, 256> out{};
  for (std::size_t i = keyword_count; i < spellings.size(); ++i)
    if (spellings[i].size() == 1) out[static_cast<unsigned char>(spellings[i][0])] = static_cast<std::uint8_t>(i + 1);
  return out;
}();

bool is_line_end(char c) { return c == '\r' || c == '\n'; }

TokenKind kind_of_operator(std::string_view spelling_at) {
  if (spelling_at == "{" || spelling_at == "[" || spelling_at == "(") return TokenKind::open;
  if (spelling_at == "}" || spelling_at == "]" || spelling_at == ")") return TokenKind::close;
  if (spelling_at == ",") return TokenKind::comma;
  if (spelling_at == ":") return TokenKind::colon;
  return spelling_at == "=" || spelling_at == "+=" ? TokenKind::assign : TokenKind::other_operator;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { out_.tokens.reserve(text.size() / 4); }

  TokenList run() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    while (at_ < text_.size()) in_heredoc_ ? heredoc_line() : word();
    return std::move(out_);
  }

 private:
  // '\0' after the end; it is in no token (a NUL byte in the text is a bad character).
  char peek(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  template <class Belongs>
  std::size_t skip(std::size_t at, Belongs belongs) const {
    while (at < text_.size() && belongs(text_[at])) ++at;
    return at;
  }

  void add(TokenKind kind, std::size_t end, std::size_t fixed = 0) {
    out_.tokens.push_back(
        {kind, static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end), static_cast<std::uint8_t>(fixed)});
    at_ = end;
  }

  void word() {
    const char c = text_[at_];
    if (is_blank(c) || is_line_end(c)) ++at_;
    else if (is_name_start(c)) identifier();
    else if (is_digit(c)) number();
    else if (c == '"') text();
    else if (c == '\'') raw();
    else if (c == '#') comment();
    else if (c == '$') variable();
    else spelling_at(c);
  }

  // ID: words joined by single dashes.
  std::size_t identifier_end(std::size_t at) const {
    at = skip(at, is_name_char);
    while (peek(at) == '-' && is_name_char(peek(at + 1))) at = skip(at + 1, is_name_char);
    return at;
  }

  void identifier() {
    const std::size_t end = identifier_end(at_);
    const std::string_view found = text_.substr(at_, end - at_);
    const auto* keywords = spellings.begin();
    const auto* keyword = std::find(keywords, keywords + keyword_count, found);
    if (keyword == keywords + keyword_count) add(TokenKind::identifier, end);
    else add(TokenKind::keyword, end, static_cast<std::size_t>(keyword - keywords) + 1);
  }

  void variable() {
    const char first = peek(at_ + 1);
    if (is_name_start(first)) add(TokenKind::variable, identifier_end(at_ + 1));
    else add(TokenKind::bad_character, at_ + 1);
  }

  // NUM: digits and `_`, and perhaps a fraction.
  std::size_t number_end(std::size_t at) const {
    at = skip(at, [](char c) { return is_digit(c) || c == '_'; });
    return peek(at) == '.' && is_digit(peek(at + 1)) ? skip(at + 1, is_digit) : at;
  }

  // QUANTITY where that is as long as NUMBER, which may have an exponent.
  void number() {
    const std::size_t digits = number_end(at_);
    std::size_t plain = digits, quantity = 0;
    if (peek(digits) == 'e' || peek(digits) == 'E') {
      const bool has_sign = peek(digits + 1) == '+' || peek(digits + 1) == '-';
      const std::size_t exponent = digits + (has_sign ? 2 : 1);
      if (is_digit(peek(exponent))) plain = skip(exponent, is_digit);
    }
    for (std::size_t at = digits; at < text_.size(); at = number_end(quantity)) {
      if (!is_letter(text_[at]) && text_[at] != '%') break;
      quantity = text_[at] == '%' ? at + 1 : skip(at, is_letter);
      if (!is_digit(peek(quantity))) break;
    }
    add(quantity >= plain ? TokenKind::quantity : TokenKind::number, std::max(quantity, plain));
  }

  void text() {
    std::size_t end = at_ + 1;
    for (; end < text_.size() && text_[end] != '"' && !is_line_end(text_[end]); ++end)
      if (text_[end] == '\\' && end + 1 < text_.size() && !is_line_end(text_[end + 1])) ++end;
    if (peek(end) == '"') add(TokenKind::text, end + 1);
    else add(TokenKind::bad_text, end);
  }

  void raw() {
    const std::size_t end = skip(at_ + 1, [](char c) { return c != '\'' && !is_line_end(c); });
    if (peek(end) == '\'') add(TokenKind::raw, end + 1);
    else add(TokenKind::bad_raw, end);
  }

  void comment() {
    const std::size_t end = skip(at_, [](char c) { return !is_line_end(c); });
    out_.comments.push_back({TokenKind::comment, static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end)});
    at_ = end;
  }

  // After a `\r\n` or `\n` at `at`; `at` itself where there is none.
  std::size_t after_line_end(std::size_t at) const {
    if (peek(at) == '\n') return at + 1;
    return peek(at) == '\r' && peek(at + 1) == '\n' ? at + 2 : at;
  }

  void spelling_at(char c) {
    if (c == '<' && text_.substr(at_, 3) == "<<<") {
      const std::size_t tag = skip(at_ + 3, [](char t) { return is_name_char(t) || t == '-'; });
      const std::size_t line = skip(tag, is_blank);
      if (after_line_end(line) != line)
        return add(TokenKind::heredoc_open, after_line_end(line)), void(in_heredoc_ = true);
    }
    const std::string_view two = text_.substr(at_, 2);
    if (two.size() == 2 && (two[1] == '=' || two[1] == '.')) {
      const auto* found = std::find(spellings.begin() + keyword_count, spellings.end(), two);
      if (found != spellings.end())
        return add(kind_of_operator(two), at_ + 2, static_cast<std::size_t>(found - spellings.begin()) + 1);
    }
    if (const std::uint8_t fixed = single_characters[static_cast<unsigned char>(c)]; fixed != 0)
      return add(kind_of_operator(two.substr(0, 1)), at_ + 1, fixed);
    const auto continues = [](char b) { return (static_cast<unsigned char>(b) & 0xC0) == 0x80; };
    add(TokenKind::bad_character, skip(at_ + 1, continues));
  }

  // A token a line, so that an unclosed heredoc costs no more than its bytes.
  void heredoc_line() {
    const std::size_t fence = skip(at_, is_blank);
    if (text_.substr(fence, 3) == ">>>") {
      const std::size_t line = skip(fence + 3, is_blank), end = after_line_end(line);
      if (end != line || line == text_.size()) return add(TokenKind::heredoc_close, end), void(in_heredoc_ = false);
    }
    const std::size_t line = skip(at_, [](char c) { return !is_line_end(c); });
    const std::size_t end = after_line_end(line);
    add(TokenKind::heredoc_line, std::max(end, at_ + 1));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool in_heredoc_ = false;
  TokenList out_;
};

}  // namespace

std::span<const std::string_view> fixed_spellings() { return spellings; }

TokenList tokenize(std::string_view text) { return Lexer(text).run(); }

}  // namespace muster::syntax
