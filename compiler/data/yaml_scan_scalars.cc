// Scalars of YAML: plain, quoted, and behind `|` and `>`.
#include <algorithm>
#include <string>
#include <utility>

#include "compiler/data/utf8.h"
#include "compiler/data/yaml_scanner.h"

namespace muster::data {

// One line end becomes a blank, more become one fewer.
void YamlScanner::Folding::into(std::string& out) {
  if (!line_ended) {
    out += blanks;
  } else {
    if (first.empty() || first[0] != '\n') out += first + more;
    else out += more.empty() ? " " : more;
  }
  first.clear(), more.clear(), blanks.clear();
  line_ended = false;
}

// Blanks and line ends within a scalar. Before the column a tab is no indentation.
void YamlScanner::spaces_between(Folding& folding, int least_column) {
  while (blank() || line_end() > 0) {
    if (blank()) {
      if (folding.line_ended && mark_.column < least_column && ahead() == '\t')
        fail("found a tab character that violates indentation");
      if (folding.line_ended) skip();
      else read(folding.blanks);
    } else if (!folding.line_ended) {
      folding.blanks.clear();
      read_line(folding.first);
      folding.line_ended = true;
    } else {
      read_line(folding.more);
    }
  }
}

void YamlScanner::plain_scalar() {
  save_simple_key();
  key_allowed_ = false;
  Token token{Token::Kind::scalar, mark_, mark_};
  token.plain = true;
  Folding folding;
  const int least = indent_ + 1;
  const auto ended = [&] {
    if (ahead() == ':' && blank_or_end(1)) return true;
    return flow_ > 0 && std::string_view(",?[]{}").find(ahead()) != std::string_view::npos;
  };
  while (!at_document_mark() && ahead() != '#') {
    for (; !blank_or_end() && !ended(); token.end = mark_) {
      folding.into(token.text);
      read(token.text);
    }
    if (!blank() && line_end() == 0) break;
    spaces_between(folding, least);
    if (flow_ == 0 && mark_.column < least) break;
  }
  if (folding.line_ended) key_allowed_ = true;
  add(std::move(token));
}

void YamlScanner::escape(std::string& out) {
  static constexpr std::string_view names = "0abt\tnvfre \"'\\";
  static constexpr std::string_view bytes{"\0\x07\x08\x09\x09\x0A\x0B\x0C\x0D\x1B \"'\\", 14};
  const char c = ahead(1);
  int digits = 0;
  if (const std::size_t i = names.find(c); i != std::string_view::npos && !ends(1)) out += bytes[i];
  else if (c == 'N') out += "\xC2\x85";
  else if (c == '_') out += "\xC2\xA0";
  else if (c == 'L') out += "\xE2\x80\xA8";
  else if (c == 'P') out += "\xE2\x80\xA9";
  else if (c == 'x') digits = 2;
  else if (c == 'u') digits = 4;
  else if (c == 'U') digits = 8;
  else fail("found unknown escape character");
  skip(), skip();
  if (digits == 0) return;
  std::uint32_t code = 0;
  for (int k = 0; k < digits; ++k, skip()) {
    if (!is_hex_digit(ahead())) fail("did not find expected hexdecimal number");
    code = code << 4 | hex_value(ahead());
  }
  if ((code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) fail("found invalid Unicode character escape code");
  append_utf8(out, code);
}

void YamlScanner::quoted_scalar(char quote) {
  save_simple_key();
  key_allowed_ = false;
  Token token{Token::Kind::scalar, mark_, mark_};
  skip();
  for (;;) {
    if (at_document_mark()) fail("found unexpected document indicator");
    if (ends()) throw YamlFault{token.begin.at, "the string is not closed"};
    Folding folding;
    while (!blank_or_end() && ahead() != quote) {
      if (quote == '"' && ahead() == '\\' && line_end(1) > 0) {
        skip();
        skip_line();
        folding.line_ended = true;
        break;
      }
      if (quote == '"' && ahead() == '\\') escape(token.text);
      else read(token.text);
    }
    if (!folding.line_ended && ahead() == quote) {
      if (quote == '"' || ahead(1) != '\'') break;
      token.text += '\'';
      skip(), skip();
      continue;
    }
    spaces_between(folding, 0);
    folding.into(token.text);
  }
  skip();
  token.end = mark_;
  add(std::move(token));
}

void YamlScanner::block_scalar(bool literal) {
  remove_simple_key();
  key_allowed_ = true;
  Token token{Token::Kind::scalar, mark_, mark_};
  skip();
  char chomping = ' ';
  int increment = 0;
  for (int i = 0; i < 2; ++i) {
    const char c = ahead();
    if ((c == '+' || c == '-') && chomping == ' ') {
      chomping = c;
    } else if (c >= '0' && c <= '9' && increment == 0) {
      if (c == '0') fail("found an indentation indicator equal to 0");
      increment = c - '0';
    } else {
      break;
    }
    skip();
  }
  skip_blanks();
  skip_comment();
  if (!break_or_end()) fail("did not find expected comment or line break");
  token.end = mark_;
  skip_line();
  int indent = increment > 0 ? std::max(indent_, 0) + increment : 0;
  std::string leading, trailing;
  block_breaks(indent, trailing);
  bool leading_blank = false;
  while (mark_.column == indent && !ends()) {
    const bool folds = !literal && !leading_blank && !blank() && leading.starts_with('\n');
    if (!folds) token.text += leading;
    else if (trailing.empty()) token.text += ' ';
    token.text += trailing;
    leading.clear(), trailing.clear();
    leading_blank = blank();
    while (!break_or_end()) read(token.text);
    token.end = mark_;
    read_line(leading);
    block_breaks(indent, trailing);
  }
  if (chomping != '-') token.text += leading;
  if (chomping == '+') token.text += trailing;
  add(std::move(token));
}

// Empty lines of a block scalar. The first line that is not empty tells the indentation, where the header does not.
void YamlScanner::block_breaks(int& indent, std::string& breaks) {
  int most = 0;
  for (;;) {
    const auto within = [&] { return indent == 0 || mark_.column < indent; };
    while (within() && ahead() == ' ') skip();
    most = std::max(most, mark_.column);
    if (within() && ahead() == '\t') fail("found a tab character where an indentation space is expected");
    if (line_end() == 0) break;
    read_line(breaks);
  }
  if (indent == 0) indent = std::max({most, indent_ + 1, 1});
}

}  // namespace muster::data
