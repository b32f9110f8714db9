#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "compiler/base/text.h"
#include "compiler/base/units.h"
#include "compiler/syntax/parse.h"
#include "compiler/syntax/token.h"

namespace muster::syntax {
namespace {

// Walks the words once. The checks are methods because they share the position and the line of the
// last report: one mistake on a line gives one error.
class Prescan {
 public:
  Prescan(const Sources& sources, std::uint32_t file, const std::vector<Token>& tokens, Diagnostics& diagnostics)
      : sources_(sources),
        text_(sources.text(file)),
        lines_(lines_of(text_)),
        file_(file),
        tokens_(tokens),
        diagnostics_(diagnostics) {}

  bool run() {
    if (looks_like_yaml() || looks_like_script()) return false;
    for (at_ = 0; at_ < tokens_.size() && !stopped_; ++at_) {
      lexical();
      brackets();
      if (!stopped_) order();
    }
    if (!stopped_) unclosed();
    return reported_ == 0;
  }

 private:
  struct Opener {
    Token token;
    std::uint32_t indent;  // of its line
    std::size_t at;        // its number
    std::size_t choices;   // `if`s that were open before it
  };

  std::string_view word(const Token& t) const { return text_.substr(t.begin, t.end - t.begin); }
  std::string_view word(std::size_t i) const { return i < tokens_.size() ? word(tokens_[i]) : std::string_view(); }
  bool is(std::size_t i, TokenKind kind) const { return i < tokens_.size() && tokens_[i].kind == kind; }
  Span span(const Token& t) const { return {file_, t.begin, t.end}; }
  bool first_on_line(const Token& t) const {
    std::size_t i = t.begin;
    while (i > 0 && (text_[i - 1] == ' ' || text_[i - 1] == '\t')) --i;
    return i == 0 || text_[i - 1] == '\n';
  }
  // Found by halving: a file may be one line, and every bracket asks.
  std::uint32_t line_begin(std::uint32_t offset) const {
    return *std::prev(std::upper_bound(lines_.begin(), lines_.end(), offset));
  }
  static std::vector<std::uint32_t> lines_of(std::string_view text) {
    std::vector<std::uint32_t> out = {0};
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
      out.push_back(static_cast<std::uint32_t>(at + 1));
    return out;
  }
  std::uint32_t indent(const Token& t) const {
    const std::uint32_t begin = line_begin(t.begin);
    std::uint32_t i = begin;
    while (i < text_.size() && (text_[i] == ' ' || text_[i] == '\t')) ++i;
    return i - begin;
  }
  bool same_line(const Token& a, const Token& b) const {
    return text_.substr(a.end, b.begin - a.end).find('\n') == std::string_view::npos;
  }

  // Reports unless this line has had a report; returns the diagnostic to add to, or nullptr.
  Diagnostic* report(Code code, Span where, std::string message, std::string label = {}) {
    const std::uint32_t line = line_begin(where.begin);
    if (reported_ > 0 && line == last_line_) return nullptr;
    last_line_ = line;
    if (++reported_ >= 50) stopped_ = true;
    return &diagnostics_.add(code, where, std::move(message), std::move(label));
  }

  bool looks_like_yaml() {
    if (tokens_.empty()) return false;
    const bool dashes = text_.substr(tokens_[0].begin).starts_with("---");
    const bool mapping = is(0, TokenKind::identifier) && is(1, TokenKind::colon) && first_on_line(tokens_[0]);
    if (!dashes && !mapping) return false;
    if (Diagnostic* d = report(Code::other_language, span(tokens_[0]), "this looks like YAML, not like a muster file",
                               "a YAML document begins here"))
      d->notes.push_back(
          "write blocks such as `workload NAME { KEY = VALUE }`, or name a muster file in YAML "
          "`*.muster.yaml`");
    return true;
  }

  // To muster a batch script begins with comments: only the words behind them would be reported.
  bool looks_like_script() {
    const std::string_view head = text_.substr(0, tokens_.empty() ? text_.size() : tokens_[0].begin);
    constexpr std::string_view directive = "#SBATCH";
    // Wherever the formatter would put it at the begin of a line: behind blanks, behind a lone return.
    const auto begins_line = [&](std::size_t at) {
      const std::size_t before = head.substr(0, at).find_last_not_of(" \t");
      return before == head.npos || head[before] == '\n' || head[before] == '\r';
    };
    std::size_t at = head.find(directive);
    while (at != head.npos && !begins_line(at)) at = head.find(directive, at + 1);
    if (at == head.npos) return false;
    const auto begin = static_cast<std::uint32_t>(at);
    if (Diagnostic* d = report(Code::other_language, {file_, begin, begin + 7},
                               "this looks like a batch script, not like a muster file", "a directive of Slurm"))
      d->notes.push_back(
          "`muster import` converts it to a muster file; `muster lint` and `muster explain` read it as it is");
    return true;
  }

  void lexical() {
    const Token& t = tokens_[at_];
    if (t.kind == TokenKind::bad_text || t.kind == TokenKind::bad_raw) {
      unclosed_text(t);
    } else if (t.kind == TokenKind::bad_character) {
      bad_character(t);
    } else if (t.kind == TokenKind::heredoc_open) {
      heredoc(t);
    }
  }

  // After three quotes, as Python has them, the lines below are text: nothing of them is reported.
  void unclosed_text(const Token& t) {
    Diagnostic* d = report(Code::unclosed_text, span(t), "the string is not closed on this line", "opened here");
    const bool third = t.begin >= 2 && text_[t.begin - 1] == text_[t.begin] && text_[t.begin - 2] == text_[t.begin];
    if (!third) return;
    if (d != nullptr) d->notes.push_back("write several lines as `<<<`, the lines and a line with only `>>>`");
    stopped_ = true;
  }

  void heredoc(const Token& open) {
    std::size_t i = at_ + 1;
    while (is(i, TokenKind::heredoc_line)) ++i;
    if (is(i, TokenKind::heredoc_close)) return;
    report(Code::unclosed_heredoc, {file_, open.begin, open.begin + 3}, "the heredoc has no closing `>>>` line",
           "opened here");
    stopped_ = true;
  }

  void bad_character(const Token& t) {
    const std::string_view c = word(t);
    const auto fix = [&](Diagnostic* d, Span where, std::string text, std::string why) {
      if (d != nullptr) d->fixes.push_back({where, std::move(text), std::move(why), true});
    };
    if (c == "\u201C" || c == "\u201D" || c == "\u201E" || c == "\u2018" || c == "\u2019") {
      const bool single = c == "\u2018" || c == "\u2019";
      fix(report(Code::typographic_quote, span(t), "typographic quote", "strings use straight quotes"), span(t),
          single ? "'" : "\"", "use the straight quote");
    } else if (c == ";") {
      fix(report(Code::separator, span(t), "no separator is needed between settings"), span(t), "", "delete it");
    } else if (c == "&" || c == "|") {
      const bool twice = word(at_ + 1) == c && tokens_[at_ + 1].begin == t.end;
      const std::string meant = c == "&" ? "and" : "or";
      const Span where = {file_, t.begin, twice ? tokens_[at_ + 1].end : t.end};
      fix(report(Code::c_operator, where,
                 "`" + std::string(sources_.text(where)) + "` must be written `" + meant + "`"),
          where, meant, "write `" + meant + "`");
    } else if (c == "!") {
      fix(report(Code::c_operator, span(t), "`!` must be written `not`"), span(t), "not ", "write `not`");
    } else {
      const bool printable = c.size() > 1 || (c[0] > 0x20 && c[0] < 0x7F);
      report(Code::unexpected_character, span(t),
             printable ? "unexpected character `" + std::string(c) + "`" : "unexpected control character");
    }
  }

  void brackets() {
    const Token& t = tokens_[at_];
    if (first_on_line(t) && t.kind != TokenKind::close && !suspect_ && !open_.empty()) {
      const Opener& top = open_.back();
      if (indent(t) <= top.indent) suspect_ = top.token;
    }
    if (t.kind == TokenKind::open) {
      open_.push_back({t, indent(t), at_, choices_});
      nested(t);
    } else if (t.kind == TokenKind::close) {
      close(t);
    }
  }

  void close(const Token& t) {
    constexpr std::string_view openers = "{[(", closers = "}])";
    const char wanted = openers[closers.find(word(t)[0])];
    if (open_.empty()) {
      report(Code::stray_bracket, span(t), "`" + std::string(word(t)) + "` has no opening bracket");
      stopped_ = true;
    } else if (word(open_.back().token)[0] != wanted) {
      const Token opener = open_.back().token;
      if (Diagnostic* d = report(Code::stray_bracket, span(t),
                                 "`" + std::string(word(t)) + "` does not close `" + std::string(word(opener)) + "`"))
        d->labels.push_back({span(opener), "opened here"});
      stopped_ = true;
    } else {
      choices_ = open_.back().choices;
      open_.pop_back();
    }
  }

  // An `else if` is inside the one before it, so the parser and whatever walks its tree recurse for it, too.
  void nested(const Token& t) {
    if (open_.size() + choices_ <= max_depth) return;
    report(Code::too_deep, span(t), "brackets are nested more than " + std::to_string(max_depth) + " levels deep",
           choices_ > 0 ? "every `if` counts as one level" : "");
    stopped_ = true;
  }

  void choices(const Token& t) {
    static constexpr std::array<std::string_view, 8> starters = {"require", "prefer", "assert",   "when",
                                                                 "param",   "let",    "template", "import"};
    if (word(t) == "if") {
      ++choices_;
      nested(t);
    } else if (t.kind == TokenKind::assign || t.kind == TokenKind::comma ||
               (t.kind == TokenKind::keyword &&
                std::find(starters.begin(), starters.end(), word(t)) != starters.end())) {
      choices_ = open_.empty() ? 0 : open_.back().choices;
    }
  }

  void unclosed() {
    if (open_.empty()) return;
    const Token opener = suspect_.value_or(open_.back().token);
    const std::uint32_t begin = line_begin(opener.begin) + indent(opener);
    report(Code::unclosed_bracket, {file_, begin, opener.end},
           "`" + std::string(text_.substr(begin, opener.end - begin)) + "` is not closed", "opened here");
  }

  // Orders of words that are another language's habit, or a half-written line.
  void order() {
    const Token& t = tokens_[at_];
    switch (t.kind) {
      case TokenKind::keyword: keyword(t); break;
      case TokenKind::comma: comma(t); break;
      case TokenKind::colon: colon(t); break;
      case TokenKind::assign: assign(t); break;
      case TokenKind::number:
        if (!clock(t)) number(t);
        break;
      default: slashes(t); break;
    }
    prefixes(t);
    if (!stopped_) choices(t);
  }

  // 12:00:00, as batch systems write times.
  bool clock(const Token& t) {
    const auto next = [&](std::size_t i) {
      return is(i, TokenKind::colon) && is(i + 1, TokenKind::number) && tokens_[i].begin == tokens_[i - 1].end &&
             tokens_[i + 1].begin == tokens_[i].end;
    };
    if (!next(at_ + 1)) return false;
    const bool whole = next(at_ + 3) && (at_ == 0 || word(at_ - 1) != "-");
    const Span where = {file_, t.begin, tokens_[next(at_ + 3) ? at_ + 4 : at_ + 2].end};
    Diagnostic* d = report(Code::split_quantity, where, "a time must be written with units");
    if (d == nullptr) return true;
    std::string meant;
    for (std::size_t i = 0; whole && i < 3; ++i) {
      std::string_view part = word(at_ + 2 * i);
      part.remove_prefix(std::min(part.find_first_not_of('0'), part.size()));
      if (!part.empty()) meant += std::string(part) + "hms"[i];
    }
    if (meant.empty()) d->notes.push_back("`12h`, `1h30m`, `36h`");
    else d->fixes.push_back({where, meant, "write `" + meant + "`", true});
    return true;
  }

  void slashes(const Token& t) {
    if (word(t) != "/" || word(at_ + 1) != "/" || tokens_[at_ + 1].begin != t.end) return;
    const Span where = {file_, t.begin, t.end + 1};
    if (Diagnostic* d = report(Code::unexpected_character, where, "comments begin with `#`"))
      d->fixes.push_back({where, "#", "write `#`", true});
  }

  void prefixes(const Token& t) {
    prefix_run_ = word(t) == "not" || word(t) == "-" ? prefix_run_ + 1 : 0;
    if (prefix_run_ <= max_depth) return;
    report(Code::too_deep, span(t), "more than " + std::to_string(max_depth) + " operators in a row");
    stopped_ = true;
  }

  void keyword(const Token& t) {
    if (word(t) == "assert") assert_open_ = true;
    const bool as_key = is(at_ + 1, TokenKind::assign) && word(t) != "true" && word(t) != "false";
    if (as_key) {
      if (Diagnostic* d = report(Code::reserved_word, span(t), "`" + std::string(word(t)) + "` is a reserved word"))
        d->fixes.push_back({span(t), "\"" + std::string(word(t)) + "\"", "write a key with this name in quotes", true});
    }
  }

  void comma(const Token& t) {
    const bool inside = !open_.empty() && word(open_.back().token) != "{";
    if (inside) return;
    if (assert_open_ && (is(at_ + 1, TokenKind::text) || is(at_ + 1, TokenKind::raw))) {
      assert_open_ = false;
      return;
    }
    if (Diagnostic* d = report(Code::separator, span(t), "no separator is needed between settings"))
      d->fixes.push_back({span(t), "", "delete it", true});
  }

  // Whether the word before this one is part of a value, though it may begin a line.
  bool inside_value() const {
    if (!open_.empty() && word(open_.back().token) != "{") return true;
    if (at_ < 2) return false;
    const TokenKind before = tokens_[at_ - 2].kind;
    const bool literal = word(at_ - 2) == "true" || word(at_ - 2) == "false";
    return before == TokenKind::assign || before == TokenKind::other_operator ||
           (before == TokenKind::keyword && !literal);
  }

  // Whether the `:` here is after the name of a parameter.
  bool in_signature() const {
    if (at_ >= 2 && word(at_ - 2) == "param") return true;
    if (open_.empty() || word(open_.back().token) != "(" || open_.back().at < 2) return false;
    return word(open_.back().at - 2) == "template" && (word(at_ - 2) == "(" || word(at_ - 2) == ",");
  }

  void colon(const Token& t) {
    const bool after_key = at_ > 0 && (is(at_ - 1, TokenKind::identifier) || is(at_ - 1, TokenKind::text));
    if (after_key && in_signature()) return;
    const bool starts = at_ < 2 || first_on_line(tokens_[at_ - 1]) || word(at_ - 2) == "{" || word(at_ - 2) == "}";
    if (!after_key || ((!starts || inside_value()) && is(at_ + 1, TokenKind::number))) return;
    const std::string key(word(at_ - 1));
    if (word(at_ + 1) == "{") {
      if (Diagnostic* d = report(Code::colon_for_equals, span(t), "a block is written without `:`"))
        d->fixes.push_back({span(t), "", "delete it", true});
    } else if (Diagnostic* d = report(Code::colon_for_equals, span(t), "settings use `=`, not `:`")) {
      d->fixes.push_back({span(t), " =", "write `" + key + " = …`", true});
    }
  }

  void assign(const Token& t) {
    const bool next_setting =
        (is(at_ + 1, TokenKind::identifier) || is(at_ + 1, TokenKind::text)) && is(at_ + 2, TokenKind::assign);
    const bool at_end = at_ + 1 >= tokens_.size() || word(at_ + 1) == "}";
    if (next_setting || at_end) report(Code::missing_value, span(t), "expected a value after `=`");
  }

  void number(const Token& t) {
    if (!is(at_ + 1, TokenKind::identifier) || !same_line(t, tokens_[at_ + 1]) || is(at_ + 2, TokenKind::assign) ||
        is(at_ + 2, TokenKind::open))
      return;
    const std::string joined = std::string(word(t)) + std::string(word(at_ + 1));
    if (!std::holds_alternative<Quantity>(parse_quantity(joined))) return;
    const Span where = {file_, t.begin, tokens_[at_ + 1].end};
    if (Diagnostic* d = report(Code::split_quantity, where, "a quantity cannot contain a space"))
      d->fixes.push_back({where, joined, "write `" + joined + "`", true});
  }

  const Sources& sources_;
  std::string_view text_;
  std::vector<std::uint32_t> lines_;  // where each begins
  std::uint32_t file_;
  const std::vector<Token>& tokens_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  std::vector<Opener> open_;
  std::optional<Token> suspect_;
  bool assert_open_ = false;
  std::size_t prefix_run_ = 0;
  std::size_t choices_ = 0;  // `if`s whose `else` may hold what follows
  std::size_t reported_ = 0;
  std::uint32_t last_line_ = 0;
  bool stopped_ = false;
};

}  // namespace

bool prescan(const Sources& sources, std::uint32_t file, const std::vector<Token>& tokens, Diagnostics& diagnostics) {
  return Prescan(sources, file, tokens, diagnostics).run();
}

}  // namespace muster::syntax
