#include "compiler/shell/parse.h"

#include <array>

#include "compiler/base/byte_set.h"
#include "compiler/shell/tokens.h"

namespace muster::shell::raw {
namespace {

// What is open: an if, a loop, a case, a group, a subshell.
enum class Open : std::uint8_t { if_, loop, case_, group, subshell };

struct Frame {
  Open kind{};
  std::int32_t scope = -1;       // of the construct, or -1 where it has none of its own (if, case)
  std::int32_t outer = -1;       // to go back to
  bool outer_condition = false;  // was the construct itself tested
  bool outer_conditional = false;
  bool conditional = false;      // is right of && or ||
  bool patterns = false;         // case: before the `)` of an arm
  std::uint32_t list_first = 0;  // first command of the list that the construct is in
  std::size_t list_scopes = 0;
};

constexpr std::array reserved = std::to_array<std::string_view>(
    {"if",   "then", "elif", "else", "fi", "for",      "select", "while", "until", "do",    "done",
     "case", "esac", "{",    "}",    "!",  "function", "[[",     "((",    "time",  "coproc"});

bool is_reserved(std::string_view word) {
  if (word.empty() || word.size() > 8) return false;
  for (const std::string_view r : reserved)
    if (r == word) return true;
  return false;
}

// Substitutions of a word that are to be read as text of their own.
struct Inner {
  std::uint32_t begin, end;
  std::int32_t scope;
  std::size_t depth;
};

class Parser {
 public:
  Parser(std::string_view text, Text& out, std::vector<Inner>& inner, std::uint32_t& pipelines)
      : text_(text), out_(out), inner_(inner), pipelines_(pipelines) {}

  void run(const Inner& part) {
    depth_ = part.depth, scope_ = part.scope;
    Tokens tokens(text_, part.begin, part.end, depth_, out_);
    take_all(tokens);
    if (!frames_.empty() || case_head_ || expect_more_)
      out_.problems.push_back({"a shell construct is not closed", {part.begin, part.begin}});
  }

  // One past the `)` that closes what the commands from `at` on are in; the end of the text where there is none.
  std::uint32_t find_end(std::uint32_t at, std::size_t depth, bool& open) {
    Tokens tokens(text_, at, static_cast<std::uint32_t>(text_.size()), depth, out_);
    only_end_ = true;
    take_all(tokens);
    open = open || !ended_;
    return ended_ ? token_end_ : static_cast<std::uint32_t>(text_.size());
  }

 private:
  void take_all(Tokens& tokens) {
    tokens_ = &tokens;
    new_list();
    for (Token token = tokens.next(); token.kind != TokenKind::end && !ended_; token = tokens.next()) take(token);
    finish_command();
  }

  void take(const Token& token) {
    token_end_ = token.span.end;
    switch (token.kind) {
      case TokenKind::word: return word(token);
      case TokenKind::redirect: return redirect(token);
      case TokenKind::newline: return separator(false);
      case TokenKind::op: return op(token);
      case TokenKind::end: return;
    }
  }

  // --- commands -------------------------------------------------------------------------------
  bool at_start() const { return !open_ || prefix_; }

  // `time`, `time -p`, `coproc` and `coproc NAME` may be in front of a construct, and are then no command.
  bool may_be_prefix(std::string_view word) const {
    if (current_.words == 1) return word == "time" || word == "coproc";
    const RawWord first = out_.words[current_.first_word];
    return prefix_ && current_.words == 2 && (word == "-p" || text_.substr(first.begin, 6) == "coproc");
  }
  void drop_prefix() {
    if (!prefix_) return;
    coprocess_ = text_.substr(current_.begin, 6) == "coproc";
    out_.words.resize(current_.first_word);
    open_ = prefix_ = false;
  }

  RawCommand& command(std::uint32_t begin) {
    if (!open_) {
      open_ = true;
      RawCommand fresh;
      fresh.first_word = static_cast<std::uint32_t>(out_.words.size());
      fresh.first_redirect = static_cast<std::uint32_t>(out_.redirects.size());
      fresh.begin = fresh.end = begin;
      current_ = fresh;
    }
    return current_;
  }

  void add_word(const RawWord& span) {
    RawCommand& c = command(span.begin);
    out_.words.push_back(span);
    ++c.words, c.end = span.end;
    if (!only_end_) find_inner(span);
  }

  void finish_command() {
    tokens_->set_test(in_test_ = false);
    if (!open_) return;
    open_ = prefix_ = false;
    if (for_head_) return open_for();
    current_.redirects = static_cast<std::uint32_t>(out_.redirects.size()) - current_.first_redirect;
    current_.scope = scope_, current_.pipeline = pipeline_, current_.piped = piped_;
    current_.conditional = conditional_, current_.condition = condition_ || negated_;
    current_.negated = negated_;
    out_.commands.push_back(current_);
    negated_ = false;
  }

  void new_pipeline() { pipeline_ = pipelines_++, piped_ = false; }
  void new_list() {
    conditional_ = false, negated_ = false;
    list_first_ = static_cast<std::uint32_t>(out_.commands.size());
    list_scopes_ = out_.scopes.size();
    new_pipeline();
  }

  // ; & or a newline after a command. A newline right after && or | goes on with the list.
  void separator(bool background) {
    if (expect_more_ && at_start()) return;
    finish_command();
    if (background && frames_.size() < max_scopes) {
      for (std::size_t i = list_first_; i < out_.commands.size(); ++i) out_.commands[i].background = true;
      for (std::size_t i = list_scopes_; i < out_.scopes.size(); ++i)
        if (out_.scopes[i].parent == scope_) out_.scopes[i].background = true;
    }
    new_list();
  }

  void op(const Token& token) {
    const std::string_view t = token.text;
    if (!frames_.empty() && frames_.back().kind == Open::case_ && frames_.back().patterns) return in_patterns(token);
    if (t == "(") return open_parenthesis(token);
    if (t == ")") return close_parenthesis();
    if (t == ";" || t == "&") {
      expect_more_ = false;
      return separator(t == "&");
    }
    if (t == ";;" || t == ";&" || t == ";;&") return end_arm();
    finish_command();
    if (t == "|" || t == "|&") {
      piped_ = true;
      if (!out_.commands.empty() && out_.commands.back().pipeline == pipeline_) out_.commands.back().piped = true;
    } else {
      new_pipeline();
      conditional_ = true;
    }
    expect_more_ = true;
  }

  void redirect(const Token& token) {
    RawCommand& c = command(token.span.begin);
    RawRedirect made{token.text, {}, {}, false, token.text == "<<-"};
    const Token target = tokens_->next();
    if (target.kind != TokenKind::word) {
      out_.problems.push_back({"a redirection without a target", token.span});
      if (target.kind != TokenKind::end) take(target);
      return;
    }
    made.target = target.span;
    c.end = target.span.end;
    out_.redirects.push_back(made);
    if (made.op == "<<" || made.op == "<<-") tokens_->expect_document(out_.redirects.size() - 1, target.span);
    else find_inner(target.span);
  }

  // --- words ----------------------------------------------------------------------------------
  void word(const Token& token) {
    if (!frames_.empty() && frames_.back().kind == Open::case_ && frames_.back().patterns) {
      if (token.text == "esac") close(Open::case_);
      return;
    }
    if (in_test_) {
      add_word(token.span);
      if (token.text == "]]") tokens_->set_test(in_test_ = false);
      return;
    }
    expect_more_ = false;
    if (at_start() && is_reserved(token.text)) {
      drop_prefix();
      if (keyword(token)) return;
    }
    if (case_head_ && token.text == "in") {
      open_ = false, case_head_ = false;
      return open_frame(Open::case_, -1, true);
    }
    if (at_start() && function_next_) return name_function(token);
    add_word(token.span);
    prefix_ = may_be_prefix(token.text);
    // A name and `()`: a function.
    if (current_.words == 1 && !case_head_ && !for_head_ && tokens_->empty_parentheses_follow()) {
      out_.words.pop_back(), open_ = false;
      function_ = token.text, function_span_ = token.span;
    }
  }

  void name_function(const Token& token) {
    function_next_ = false;
    function_ = token.text, function_span_ = token.span;
    tokens_->empty_parentheses_follow();
  }

  // True where the word was one of the grammar and is used up.
  bool keyword(const Token& token) {
    const std::string_view w = token.text;
    head_ = token.span;
    if (w == "if") return open_frame(Open::if_, -1), condition_ = true;
    if (w == "then" || w == "else") return branch(), true;
    if (w == "elif") return leave_branch(), condition_ = true;
    if (w == "fi") return close(Open::if_), true;
    if (w == "while" || w == "until") return open_loop(), condition_ = true;
    if (w == "do") return condition_ = false, true;
    if (w == "done") return close(Open::loop), true;
    if (w == "esac") return close(Open::case_), true;
    if (w == "{") return open_frame(Open::group, new_scope(group_kind(ScopeKind::group))), true;
    if (w == "}") return close(Open::group), true;
    if (w == "!") return negated_ = true;
    if (w == "function") return function_next_ = true;
    if (w == "[[") return tokens_->set_test(in_test_ = true), add_word(token.span), true;
    if (w == "for" || w == "select") for_head_ = true;
    if (w == "case") case_head_ = true;
    if (for_head_ || case_head_) {
      command(token.span.begin);  // the keyword itself is not a word of it
      return true;
    }
    return false;
  }

  // --- constructs -----------------------------------------------------------------------------
  ScopeKind group_kind(ScopeKind plain) {
    if (!function_.empty()) return ScopeKind::function;
    return conditional_ && plain == ScopeKind::group ? ScopeKind::branch : plain;
  }

  std::int32_t new_scope(ScopeKind kind) {
    if (out_scopes_deep() >= max_scopes) return scope_;
    RawScope scope;
    scope.kind = kind, scope.parent = scope_, scope.head = head_;
    scope.background = coprocess_;
    if (!function_.empty()) scope.kind = ScopeKind::function, scope.name = function_, scope.head = function_span_;
    function_ = {};
    out_.scopes.push_back(scope);
    return static_cast<std::int32_t>(out_.scopes.size()) - 1;
  }
  std::size_t out_scopes_deep() const { return frames_.size(); }

  void open_frame(Open kind, std::int32_t scope, bool patterns = false) {
    Frame frame;
    frame.kind = kind, frame.scope = scope, frame.outer = scope_, frame.outer_condition = condition_;
    frame.conditional = conditional_, frame.patterns = patterns;
    frame.list_first = list_first_, frame.list_scopes = list_scopes_;
    if (!function_.empty() && scope == -1) frame.scope = new_scope(ScopeKind::function);
    if (frames_.empty()) {
      construct_ = frame.scope < 0
                       ? head_.begin
                       : std::min(head_.begin, out_.scopes[static_cast<std::size_t>(frame.scope)].head.begin);
    }
    frames_.push_back(frame);
    if (frame.scope != -1) scope_ = frame.scope;
    condition_ = kind == Open::case_ ? condition_ : false;
    coprocess_ = false;
    if (!patterns) new_list();
  }

  void open_loop() { open_frame(Open::loop, new_scope(ScopeKind::loop)); }

  void open_for() {
    for_head_ = false;
    const std::int32_t scope = new_scope(ScopeKind::loop);
    if (scope != scope_) {
      RawScope& made = out_.scopes[static_cast<std::size_t>(scope)];
      made.first_word = current_.first_word, made.words = current_.words, made.is_for = true;
      made.head = {current_.begin, current_.end};
    }
    open_frame(Open::loop, scope);
  }

  // Of an if: what its condition led to. The innermost construct must be one.
  void branch() {
    leave_branch();
    condition_ = false;
    if (!frames_.empty() && frames_.back().kind == Open::if_) scope_ = new_scope(ScopeKind::branch);
    new_list();
  }
  void leave_branch() {
    if (!frames_.empty() && frames_.back().kind == Open::if_)
      scope_ = frames_.back().scope != -1 ? frames_.back().scope : frames_.back().outer;
    new_list();
  }

  void close(Open kind) {
    finish_command();
    if (frames_.empty() || frames_.back().kind != kind) {
      out_.problems.push_back(
          {"`" + std::string(text_.substr(head_.begin, head_.end - head_.begin)) + "` has no matching beginning",
           head_});
      return;
    }
    const Frame& frame = frames_.back();
    scope_ = frame.outer, condition_ = frame.outer_condition, conditional_ = frame.conditional;
    list_first_ = frame.list_first, list_scopes_ = frame.list_scopes;
    frames_.pop_back();
    if (frames_.empty()) out_.constructs.push_back({construct_, token_end_});
    new_pipeline();
  }

  void in_patterns(const Token& token) {
    const std::uint32_t at = token.span.begin;
    if (token.text == "(" && std::string_view("?*+@!").find(text_[at - 1]) != std::string_view::npos)
      return void(tokens_->skip_construct(at));  // `@(a|b)`
    if (token.text != ")") return;
    frames_.back().patterns = false;
    scope_ = new_scope(ScopeKind::branch);
    new_list();
  }
  void end_arm() {
    finish_command();
    if (frames_.empty() || frames_.back().kind != Open::case_) return;
    frames_.back().patterns = true;
    scope_ = frames_.back().scope != -1 ? frames_.back().scope : frames_.back().outer;
  }

  void open_parenthesis(const Token& token) {
    const bool doubled = text_.substr(token.span.begin, 2) == "((";
    const bool arithmetic = doubled && (frames_.size() >= max_scopes || is_arithmetic(text_, token.span.begin));
    if (arithmetic && for_head_ && current_.words == 0) return add_word(tokens_->skip_construct(token.span.begin));
    if (!at_start()) {  // a(b: no command of bash; kept as a word
      add_word(token.span);
      return;
    }
    drop_prefix();
    expect_more_ = false;
    if (arithmetic) return add_word(tokens_->skip_construct(token.span.begin));
    head_ = token.span;
    open_frame(Open::subshell, new_scope(group_kind(conditional_ ? ScopeKind::branch : ScopeKind::subshell)));
  }
  void close_parenthesis() {
    finish_command();
    if (!frames_.empty() && frames_.back().kind == Open::subshell) return close(Open::subshell);
    if (only_end_) return void(ended_ = true);
    out_.problems.push_back({"a `)` has no matching `(`", head_});
  }

  // --- substitutions --------------------------------------------------------------------------
  void find_inner(const RawWord& span) {
    const std::string_view word = text_.substr(span.begin, span.end - span.begin);
    constexpr ByteSet matters("$`<>'\\");
    if (matters.find_in(word) == std::string_view::npos) return;
    bool quotes = false;
    for (std::size_t i = 0; i < word.size();) {
      const char c = word[i], after = i + 1 < word.size() ? word[i + 1] : '\0';
      if (c == '\\') {
        i += 2;
        continue;
      }
      if (c == '"') {
        quotes = !quotes, ++i;
        continue;
      }
      const bool single = c == '\'' && !quotes;
      const bool arithmetic = c == '$' && is_arithmetic(word, static_cast<std::uint32_t>(i) + 1);
      const bool substitution = !arithmetic && ((c == '$' || c == '<' || c == '>') && after == '(');
      if (!single && !substitution && !arithmetic && c != '`') {
        ++i;
        continue;
      }
      bool open = false;
      const std::uint32_t end = end_of_construct(word, static_cast<std::uint32_t>(i), open);
      const std::size_t head = c == '`' ? 1 : 2;
      if ((substitution || c == '`') && !open && end > i + head + 1) queue(span.begin + i + head, span.begin + end - 1);
      i = end;
    }
  }
  void queue(std::size_t begin, std::size_t end) {
    if (depth_ >= max_depth) return;
    head_ = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
    RawScope scope;
    scope.kind = ScopeKind::substitution, scope.parent = scope_, scope.head = head_;
    out_.scopes.push_back(scope);
    inner_.push_back({head_.begin, head_.end, static_cast<std::int32_t>(out_.scopes.size()) - 1, depth_ + 1});
  }

  std::string_view text_;
  Text& out_;
  std::vector<Inner>& inner_;
  std::uint32_t& pipelines_;
  Tokens* tokens_ = nullptr;
  std::size_t depth_ = 0;
  std::vector<Frame> frames_;
  RawCommand current_;
  RawWord head_, function_span_;
  std::uint32_t construct_ = 0;  // where the outermost open one begins
  std::uint32_t token_end_ = 0;
  std::string_view function_;
  std::int32_t scope_ = -1;
  std::uint32_t pipeline_ = 0, list_first_ = 0;
  std::size_t list_scopes_ = 0;
  bool open_ = false, piped_ = false, conditional_ = false, condition_ = false, negated_ = false;
  bool in_test_ = false, for_head_ = false, case_head_ = false, function_next_ = false, expect_more_ = false;
  bool prefix_ = false, coprocess_ = false, only_end_ = false, ended_ = false;
};

}  // namespace

std::uint32_t end_of_commands(std::string_view text, std::uint32_t at, std::size_t depth, bool& open) {
  Text out;
  std::vector<Inner> inner;
  std::uint32_t pipelines = 0;
  return Parser(text, out, inner, pipelines).find_end(at, depth, open);
}

Text read(std::string_view text, std::uint32_t begin, std::uint32_t end) {
  Text out;
  std::vector<Inner> inner{{begin, end, -1, 0}};
  std::uint32_t pipelines = 0;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const Inner part = inner[i];
    Parser(text, out, inner, pipelines).run(part);
  }
  return out;
}

}  // namespace muster::shell::raw
