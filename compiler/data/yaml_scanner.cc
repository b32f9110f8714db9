#include "compiler/data/yaml_scanner.h"

#include <algorithm>
#include <utility>

#include "compiler/data/utf8.h"

namespace muster::data {
namespace {

constexpr std::size_t longest_simple_key = 1024;  // characters of a key that is not after a `?`
constexpr int deepest = 10000;

constexpr std::size_t no_token = static_cast<std::size_t>(-1);

bool is_name(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
}

}  // namespace

void YamlScanner::fail(std::string message) const { throw YamlFault{mark_.at, std::move(message)}; }

// Line feed, return, both, NEL, LS and PS: the line ends of YAML 1.1.
std::size_t YamlScanner::line_end(std::size_t by) const {
  const char c = ahead(by);
  if (c == '\n') return 1;
  if (c == '\r') return ahead(by + 1) == '\n' ? 2 : 1;
  if (c == '\xC2') return ahead(by + 1) == '\x85' ? 2 : 0;
  if (c != '\xE2' || ahead(by + 1) != '\x80') return 0;
  return ahead(by + 2) == '\xA8' || ahead(by + 2) == '\xA9' ? 3 : 0;
}

bool YamlScanner::at_document_mark() const {
  const std::string_view rest = text_.substr(std::min(mark_.at, text_.size()), 3);
  return mark_.column == 0 && (rest == "---" || rest == "...") && blank_or_end(3);
}

void YamlScanner::skip() {
  mark_.at += std::max<std::size_t>(utf8_width(ahead()), 1);
  ++mark_.character;
  ++mark_.column;
}

void YamlScanner::skip_line() {
  const std::size_t length = line_end();
  if (length == 0) return;
  mark_.character += ahead() == '\r' && length == 2 ? 2 : 1;
  mark_.at += length;
  mark_.column = 0;
  ++mark_.line;
}

void YamlScanner::read(std::string& out) {
  out += text_.substr(mark_.at, std::max<std::size_t>(utf8_width(ahead()), 1));
  skip();
}

void YamlScanner::read_line(std::string& out) {
  if (ahead() == '\xE2') out += text_.substr(mark_.at, 3);  // LS and PS stay what they are
  else if (line_end() > 0) out += '\n';
  skip_line();
}

void YamlScanner::skip_comment() {
  if (ahead() != '#') return;
  while (!break_or_end()) skip();
}

void YamlScanner::skip_blanks() {
  while (blank()) skip();
}

const Token& YamlScanner::peek() {
  while (needs_more()) fetch();
  return queue_.front();
}

Token YamlScanner::take() {
  if (peek().kind == Token::Kind::end) return queue_.front();
  Token out = std::move(queue_.front());
  queue_.pop_front();
  ++taken_;
  return out;
}

// Whether the first token is not known yet: none was read, or it may become a key.
bool YamlScanner::needs_more() {
  if (ended_ && !queue_.empty()) return false;
  if (queue_.empty()) return true;
  const auto found = std::lower_bound(keys_.begin(), keys_.end(), taken_,
                                      [](const SimpleKey& k, std::size_t t) { return k.token < t; });
  for (auto key = found; key != keys_.end() && key->token == taken_; ++key)
    if (is_valid(*key)) return true;
  return false;
}

void YamlScanner::fetch() {
  using K = Token::Kind;
  to_next_token();
  unroll_indent(mark_.column);
  if (ends()) {
    unroll_indent(-1);
    remove_simple_key();
    key_allowed_ = false;
    ended_ = true;
    return add({K::end, mark_, mark_});
  }
  const char c = ahead();
  if (mark_.column == 0 && c == '%') return directive();
  if (at_document_mark()) return document_mark(c == '-' ? K::document_start : K::document_end);
  if (c == '[') return flow_begin(K::flow_list);
  if (c == '{') return flow_begin(K::flow_map);
  if (c == ']') return flow_end(K::flow_list_end);
  if (c == '}') return flow_end(K::flow_map_end);
  if (c == ',') return remove_simple_key(), key_allowed_ = true, mark_of(K::flow_entry, 1);
  if (c == '-' && blank_or_end(1)) return block_entry();
  if (c == '?' && (flow_ > 0 || blank_or_end(1))) return key();
  if (c == ':' && (flow_ > 0 || blank_or_end(1))) return value();
  if (c == '*') return name(K::alias);
  if (c == '&') return name(K::anchor);
  if (c == '!') return tag();
  if ((c == '|' || c == '>') && flow_ == 0) return block_scalar(c == '|');
  if (c == '\'' || c == '"') return quoted_scalar(c);
  if (starts_plain()) return plain_scalar();
  fail("found character that cannot start any token");
}

bool YamlScanner::starts_plain() const {
  const char c = ahead();
  if (c == '-') return !blank(1);
  if (c == '?' || c == ':') return flow_ == 0 && !blank_or_end(1);
  return !blank_or_end() && std::string_view(",[]{}#&*!|>'\"%@`").find(c) == std::string_view::npos;
}

void YamlScanner::to_next_token() {
  // Behind two, kubectl's reader loses the first letter of each line.
  constexpr std::string_view two_marks = "\xEF\xBB\xBF\xEF\xBB\xBF";
  if (mark_.at == two_marks.size() / 2 && text_.starts_with(two_marks)) fail("two byte order marks begin the text");
  for (;;) {
    while (ahead() == ' ' || (ahead() == '\t' && (flow_ > 0 || !key_allowed_))) skip();
    skip_comment();
    if (line_end() == 0) return;
    skip_line();
    if (flow_ == 0) key_allowed_ = true;
  }
}

bool YamlScanner::is_valid(SimpleKey& key) {
  if (!key.possible) return false;
  if (key.mark.line >= mark_.line && key.mark.character + longest_simple_key >= mark_.character) return true;
  if (key.required) throw YamlFault{key.mark.at, "could not find expected ':'"};
  return key.possible = false;
}

void YamlScanner::save_simple_key() {
  if (!key_allowed_) return;
  const bool required = flow_ == 0 && indent_ == mark_.column;
  remove_simple_key();
  keys_.back() = {true, required, taken_ + queue_.size(), mark_};
}

void YamlScanner::remove_simple_key() {
  if (keys_.back().possible && keys_.back().required)
    throw YamlFault{keys_.back().mark.at, "could not find expected ':'"};
  keys_.back().possible = false;
}

void YamlScanner::roll_indent(int column, Token::Kind kind, const Mark& mark, std::size_t before) {
  if (flow_ > 0 || indent_ >= column) return;
  indents_.push_back(indent_);
  indent_ = column;
  if (indents_.size() > deepest) fail("values are nested too deep");
  const auto place = before == no_token ? queue_.end() : queue_.begin() + static_cast<std::ptrdiff_t>(before - taken_);
  queue_.insert(place, {kind, mark, mark});
}

void YamlScanner::unroll_indent(int column) {
  if (flow_ > 0) return;
  for (; indent_ > column; indent_ = indents_.back(), indents_.pop_back()) add({Token::Kind::block_end, mark_, mark_});
}

void YamlScanner::mark_of(Token::Kind kind, std::size_t length) {
  const Mark begin = mark_;
  for (std::size_t i = 0; i < length; ++i) skip();
  add({kind, begin, mark_});
}

void YamlScanner::document_mark(Token::Kind kind) {
  unroll_indent(-1);
  remove_simple_key();
  key_allowed_ = false;
  mark_of(kind, 3);
}

void YamlScanner::flow_begin(Token::Kind kind) {
  save_simple_key();
  keys_.push_back({false, false, taken_ + queue_.size(), mark_});
  if (++flow_ > deepest) fail("values are nested too deep");
  key_allowed_ = true;
  mark_of(kind, 1);
}

void YamlScanner::flow_end(Token::Kind kind) {
  remove_simple_key();
  if (flow_ > 0) --flow_, keys_.pop_back();
  key_allowed_ = false;
  mark_of(kind, 1);
}

void YamlScanner::block_entry() {
  if (flow_ == 0) {
    if (!key_allowed_) fail("block sequence entries are not allowed in this context");
    roll_indent(mark_.column, Token::Kind::block_list, mark_, no_token);
  }
  remove_simple_key();
  key_allowed_ = true;
  mark_of(Token::Kind::block_entry, 1);
}

void YamlScanner::key() {
  if (flow_ == 0) {
    if (!key_allowed_) fail("mapping keys are not allowed in this context");
    roll_indent(mark_.column, Token::Kind::block_map, mark_, no_token);
  }
  remove_simple_key();
  key_allowed_ = flow_ == 0;
  mark_of(Token::Kind::key, 1);
}

void YamlScanner::value() {
  SimpleKey& key = keys_.back();
  if (is_valid(key)) {
    queue_.insert(queue_.begin() + static_cast<std::ptrdiff_t>(key.token - taken_),
                  {Token::Kind::key, key.mark, key.mark});
    roll_indent(key.mark.column, Token::Kind::block_map, key.mark, key.token);
    key.possible = false;
    key_allowed_ = false;
  } else {
    if (flow_ == 0) {
      if (!key_allowed_) fail("mapping values are not allowed in this context");
      roll_indent(mark_.column, Token::Kind::block_map, mark_, no_token);
    }
    key_allowed_ = flow_ == 0;
  }
  mark_of(Token::Kind::value, 1);
}

// `%YAML 1.1` and `%TAG !e! prefix`.
void YamlScanner::directive() {
  unroll_indent(-1);
  remove_simple_key();
  key_allowed_ = false;
  Token token{Token::Kind::version, mark_, mark_};
  skip();
  std::string kind;
  while (is_name(ahead())) read(kind);
  if (kind.empty()) fail("could not find expected directive name");
  if (!blank_or_end()) fail("found unexpected non-alphabetical character");
  skip_blanks();
  if (kind == "YAML") {
    while ((ahead() >= '0' && ahead() <= '9') || ahead() == '.') read(token.text);
    if (token.text.empty()) fail("did not find expected version number");
  } else if (kind == "TAG") {
    token.kind = Token::Kind::tag_directive;
    token.text = tag_handle(true);
    if (!blank()) fail("did not find expected whitespace");
    skip_blanks();
    token.suffix = tag_uri({});
    if (!blank_or_end()) fail("did not find expected whitespace or line break");
  } else {
    fail("found unknown directive name");
  }
  token.end = mark_;
  skip_blanks();
  skip_comment();
  if (!break_or_end()) fail("did not find expected comment or line break");
  skip_line();
  add(std::move(token));
}

// An anchor or an alias.
void YamlScanner::name(Token::Kind kind) {
  save_simple_key();
  key_allowed_ = false;
  Token token{kind, mark_, mark_};
  skip();
  while (is_name(ahead())) read(token.text);
  token.end = mark_;
  const bool ended = blank_or_end() || std::string_view("?:,]}%@`").find(ahead()) != std::string_view::npos;
  if (token.text.empty() || !ended) fail("did not find expected alphabetic or numeric character");
  add(std::move(token));
}

void YamlScanner::tag() {
  save_simple_key();
  key_allowed_ = false;
  Token token{Token::Kind::tag, mark_, mark_};
  if (ahead(1) == '<') {
    skip(), skip();
    token.suffix = tag_uri({});
    if (ahead() != '>') fail("did not find the expected '>'");
    skip();
  } else {
    token.text = tag_handle(false);
    if (token.text.size() > 1 && token.text.back() == '!') {
      token.suffix = tag_uri({});
    } else {
      token.suffix = tag_uri(token.text);
      token.text = "!";
      if (token.suffix.empty()) std::swap(token.text, token.suffix);  // `!` alone
    }
  }
  if (!blank_or_end()) fail("did not find expected whitespace or line break");
  token.end = mark_;
  add(std::move(token));
}

std::string YamlScanner::tag_handle(bool directive) {
  if (ahead() != '!') fail("did not find expected '!'");
  std::string out;
  read(out);
  while (is_name(ahead())) read(out);
  if (ahead() == '!') read(out);
  else if (directive && out != "!") fail("did not find expected '!'");
  return out;
}

std::string YamlScanner::tag_uri(std::string_view head) {
  std::string out(head.substr(std::min<std::size_t>(head.size(), 1)));
  bool found = !head.empty();
  const auto is_uri = [](char c) {
    return is_name(c) || (c != '\0' && std::string_view(";/?:@&=+$,.!~*'()[]%").find(c) != std::string_view::npos);
  };
  for (; !ends() && is_uri(ahead()); found = true) {
    if (ahead() == '%') uri_escape(out);
    else read(out);
  }
  if (!found) fail("did not find expected tag URI");
  return out;
}

// `%C3%A4`: the bytes of one character.
void YamlScanner::uri_escape(std::string& out) {
  for (std::size_t left = 0, first = 1; first == 1 || left > 0; first = 0) {
    if (ahead() != '%' || !is_hex_digit(ahead(1)) || !is_hex_digit(ahead(2))) fail("did not find URI escaped octet");
    const char octet = static_cast<char>(hex_value(ahead(1)) << 4 | hex_value(ahead(2)));
    if (first == 1) left = utf8_width(octet);
    else if ((octet & 0xC0) != 0x80) left = 0;
    if (left == 0) fail("found an incorrect UTF-8 octet");
    out += octet;
    skip(), skip(), skip();
    --left;
  }
}

}  // namespace muster::data
