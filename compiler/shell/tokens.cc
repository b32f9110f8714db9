#include "compiler/shell/tokens.h"

#include <array>

#include "compiler/base/byte_set.h"
#include "compiler/base/text.h"

namespace muster::shell::raw {
namespace {

bool is_gap(char c) { return is_blank(c) || c == '\r'; }
constexpr ByteSet word_ends(" \t\n;&|()<>");
bool ends_word(char c) { return word_ends.contains(c); }
// What in a word is looked at: its ends, quotes and what may begin a construct.
constexpr ByteSet special_in_word(" \t\n;&|()<>\\\"'`$");
// What between double quotes does not stand for itself.
constexpr ByteSet special_in_quotes("\\$`\"");

constexpr std::array operators =
    std::to_array<std::string_view>({";;&", "&&", "||", ";;", ";&", "|&", ";", "&", "|", "(", ")"});
constexpr std::array redirections =
    std::to_array<std::string_view>({"&>>", "<<<", "<<-", "<<", ">>", ">&", "<&", "&>", ">|", "<>", "<", ">"});

std::string_view first_of(std::string_view text, auto& list) {
  for (const std::string_view op : list)
    if (text.starts_with(op)) return op;
  return {};
}

std::uint32_t find_from(std::string_view text, std::string_view what, std::uint32_t at) {
  const std::size_t found = text.find(what, at);
  return static_cast<std::uint32_t>(found == std::string_view::npos ? text.size() : found);
}

// One past the line's end at or after `at`.
std::uint32_t next_line(std::string_view text, std::uint32_t at) {
  const std::uint32_t end = find_from(text, "\n", at);
  return end < text.size() ? end + 1 : end;
}

std::size_t past_name(std::string_view text, std::size_t at) {
  while (at < text.size() && is_name_char(text[at])) ++at;
  return at;
}

// `$(basename "$0")`: behind its first `)` where nothing in front could hold one; 0 if something could.
std::uint32_t end_of_plain_commands(std::string_view text, std::uint32_t begin) {
  static constexpr ByteSet hard("()\\\"'`#<{"), hard_in_quotes("(\\\"`{");
  std::size_t at = hard.find_in(text, begin);
  while (at < text.size() && text[at] != ')') {
    const char open = text[at], close = open == '{' ? '}' : open;
    if (open == '{') at = past_name(text, at + 1);
    else if (open == '"') at = hard_in_quotes.find_in(text, at + 1);
    else if (open == '\'' && text[at - 1] != '$') at = text.find('\'', at + 1);  // in `$'\''` a quote may be escaped
    else return 0;
    if (at >= text.size() || text[at] != close) return 0;
    at = hard.find_in(text, at + 1);
  }
  const bool whole = at < text.size() && text.substr(begin, at - begin).find("case") == std::string_view::npos;
  return whole ? static_cast<std::uint32_t>(at + 1) : 0;
}

// Walks over quotes, expansions and parentheses in each other, with a stack of its own. Where commands in parentheses
// end only their reader knows.
class Balance {
 public:
  Balance(std::string_view text, std::size_t depth) : text_(text), depth_(depth) {}

  std::uint32_t run(std::uint32_t at, bool& open) {
    at = enter(at);
    while (!stack_.empty() && at < text_.size()) at = step(at);
    open = open_ || !stack_.empty();
    return at;
  }

 private:
  std::uint32_t enter(std::uint32_t at) {
    const char c = text_[at], next = at + 1 < text_.size() ? text_[at + 1] : '\0';
    if (next == '(' && (c == '$' || c == '<' || c == '>')) return commands(at + 2);
    if (next == '{' && c == '$') return push(next, at + 2);
    if (c == '$' && (next == '\'' || next == '"')) return push(next == '"' ? '"' : '$', at + 2);
    return push(c, at + 1);
  }
  std::uint32_t commands(std::uint32_t at) {
    if (depth_ + stack_.size() >= max_depth || is_arithmetic(text_, at - 1)) return push('(', at);
    if (const std::uint32_t end = end_of_plain_commands(text_, at); end > 0) return end;
    return end_of_commands(text_, at, depth_ + 1, open_);
  }
  std::uint32_t push(char kind, std::uint32_t at) {
    if (kind == '"') ++quotes_;
    stack_.push_back(kind);
    return at;
  }
  std::uint32_t pop(std::uint32_t at) {
    if (stack_.back() == '"') --quotes_;
    stack_.pop_back();
    return at + 1;
  }

  std::uint32_t step(std::uint32_t at) {
    const char c = text_[at], kind = stack_.back();
    if (kind == '\'') return c == '\'' ? pop(at) : find_from(text_, "'", at);
    if (kind == '"' && !special_in_quotes.contains(c)) return end_of_plain(at);
    if (c == '\\') return std::min<std::uint32_t>(at + 2, static_cast<std::uint32_t>(text_.size()));
    if (kind == '$') return c == '\'' ? pop(at) : at + 1;
    if (kind == '`') return c == '`' ? pop(at) : at + 1;
    if (c == '$' && at + 1 < text_.size() && (text_[at + 1] == '(' || text_[at + 1] == '{')) return enter(at);
    if (c == '`') return enter(at);
    if (kind == '"') return c == '"' ? pop(at) : at + 1;
    if (c == '"') return enter(at);
    if (kind == '{') {
      if (c == '\'' && quotes_ == 0) return enter(at);
      return c == '}' ? pop(at) : at + 1;
    }
    return in_parentheses(at);
  }

  std::uint32_t end_of_plain(std::uint32_t at) const {
    return static_cast<std::uint32_t>(std::min(special_in_quotes.find_in(text_, at), text_.size()));
  }

  std::uint32_t in_parentheses(std::uint32_t at) {
    const char c = text_[at];
    if (c == '\'' || c == '(') return enter(at);
    if (c == ')') return pop(at);
    if (c == '#' && at > 0 && (is_gap(text_[at - 1]) || text_[at - 1] == '\n')) return find_from(text_, "\n", at);
    return at + 1;
  }

  std::string_view text_;
  std::string stack_;  // of what is open; few are deeper than what a string holds in itself
  std::size_t quotes_ = 0, depth_;
  bool open_ = false;
};

}  // namespace

std::string unquoted(std::string_view spelling) {
  std::string plain;
  for (const char c : spelling)
    if (c != '\'' && c != '"' && c != '\\') plain += c;
  return plain;
}

bool ends_document(std::string_view line, std::string_view delimiter, bool strip_tabs) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  while (strip_tabs && line.starts_with('\t')) line.remove_prefix(1);
  return line == delimiter;
}

bool is_arithmetic(std::string_view text, std::uint32_t at) {
  if (text.substr(at, 2) != "((") return false;
  bool open = false;
  const std::uint32_t end = end_of_construct(text, at + 1, open, max_depth);
  return open || text.substr(end, 1) == ")";
}

std::uint32_t end_of_construct(std::string_view text, std::uint32_t at, bool& open, std::size_t depth) {
  return Balance(text, depth).run(at, open);
}

RawWord Tokens::skip_construct(std::uint32_t at) {
  bool open = false;
  const RawWord span{at, end_of_construct(text_, at, open, depth_)};
  if (open) out_.problems.push_back({"this is not closed", {at, at + 1}});
  at_ = span.end;
  return span;
}

void Tokens::skip_blanks() {
  for (;;) {
    if (is_gap(peek(at_)) && at_ < text_.size()) ++at_;
    else if (peek(at_) == '\\' && peek(at_ + 1) == '\n') at_ += 2;
    else return;
  }
}

bool Tokens::empty_parentheses_follow() {
  skip_blanks();
  if (peek(at_) != '(') return false;
  std::uint32_t at = at_ + 1;
  while (is_gap(peek(at))) ++at;
  if (peek(at) != ')') return false;
  at_ = at + 1;
  return true;
}

Token Tokens::next() {
  skip_blanks();
  if (peek(at_) == '#' && !test_) at_ = find_from(text_, "\n", at_);
  const std::uint32_t begin = at_;
  if (at_ >= text_.size()) return read_documents(), Token{TokenKind::end, {begin, begin}, {}};
  if (text_[at_] == '\n') {
    ++at_;
    read_documents();
    return {TokenKind::newline, {begin, begin + 1}, text_.substr(begin, 1)};
  }
  if (!ends_word(text_[at_])) return word(begin);
  const std::string_view rest = text_.substr(at_, 3);
  if (test_) {
    ++at_;
    return {TokenKind::word, {begin, at_}, text_.substr(begin, 1)};
  }
  if (rest.starts_with("<(") || rest.starts_with(">(")) return word(begin);
  if (!first_of(rest, redirections).empty()) return redirect(begin);
  if (const std::string_view op = first_of(rest, operators); !op.empty()) {
    at_ += static_cast<std::uint32_t>(op.size());
    return {TokenKind::op, {begin, at_}, op};
  }
  return word(begin);
}

Token Tokens::redirect(std::uint32_t begin) {
  const std::string_view op = first_of(text_.substr(at_, 3), redirections);
  at_ += static_cast<std::uint32_t>(op.size());
  return {TokenKind::redirect, {begin, at_}, op};
}

// A word ends at a blank or an operator outside quotes. Digits right before < or > belong to the redirection.
Token Tokens::word(std::uint32_t begin) {
  bool digits = true, open = false;
  while (at_ < text_.size()) {
    const char c = text_[at_], after = peek(at_ + 1);
    const bool array = c == '(' && at_ > begin && text_[at_ - 1] == '=';
    const bool process = (c == '<' || c == '>') && after == '(' && (at_ == begin || text_[at_ - 1] == '=');
    if (c == '\\') {
      at_ = std::min<std::uint32_t>(at_ + 2, static_cast<std::uint32_t>(text_.size()));
    } else if (c == '"' || c == '\'' || c == '`' || array || process ||
               (c == '$' && (after == '(' || after == '{' || after == '\'' || after == '"'))) {
      at_ = end_of_construct(text_, at_, open, depth_);
    } else if (ends_word(c)) {
      break;
    } else {
      const std::uint32_t plain = at_ + 1;  // a `$` may stand for itself
      at_ = static_cast<std::uint32_t>(std::min(special_in_word.find_in(text_, plain), text_.size()));
      digits = digits && is_digit(c) && (at_ == plain || all_digits(text_.substr(plain, at_ - plain)));
      continue;
    }
    digits = false;
  }
  if (open) out_.problems.push_back({"a quote or a bracket in this word is not closed", {begin, begin + 1}});
  if (digits && (peek(at_) == '<' || peek(at_) == '>')) return redirect(begin);
  return {TokenKind::word, {begin, at_}, text_.substr(begin, at_ - begin)};
}

void Tokens::read_documents() {
  for (const PendingDocument& document : pending_) {
    RawRedirect& redirect = out_.redirects[document.redirect];
    const std::string_view spelling =
        text_.substr(document.delimiter.begin, document.delimiter.end - document.delimiter.begin);
    const std::string delimiter = unquoted(spelling);
    redirect.quoted = delimiter.size() != spelling.size();
    redirect.text = {at_, at_};
    bool found = false;
    while (at_ < text_.size() && !found) {
      const std::uint32_t after = next_line(text_, at_);
      found = ends_document(text_.substr(at_, after - at_), delimiter, redirect.strip_tabs);
      if (!found) redirect.text.end = after;
      at_ = after;
    }
    if (!found) out_.problems.push_back({"the here-document `" + delimiter + "` has no end", document.delimiter});
  }
  pending_.clear();
}

}  // namespace muster::shell::raw
