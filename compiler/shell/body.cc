#include "compiler/shell/body.h"

#include <algorithm>
#include <set>

#include "compiler/base/text.h"
#include "compiler/shell/arithmetic.h"
#include "compiler/shell/assigned.h"
#include "compiler/shell/expand.h"
#include "compiler/shell/launches.h"
#include "compiler/shell/parse.h"
#include "compiler/shell/programs.h"

namespace muster::shell {
namespace {

constexpr std::size_t deepest_text = 3;  // bash -c in bash -c

// `declare -u`, `-l`, `-n`: what such a name is given is not what it has. With `-i` it is, if that is a number.
constexpr std::string_view values_changed = "uln";

// Where a text's words stand: in the file, as its spelling says, or all at one word of it.
struct TextPlace {
  std::string_view text;
  std::uint32_t file = 0;
  Span fixed;  // known() for a text of `bash -c`
  std::int32_t inside = -1;
  std::int32_t parent = -1;
  std::size_t depth = 0;
  const Spelling* spelling = nullptr;

  Span span(std::uint32_t begin, std::uint32_t end) const {
    if (fixed.known()) return fixed;
    return spelling != nullptr ? spelling->of(begin, end) : Span{file, begin, end};
  }
  std::string_view of(const raw::RawWord& w) const { return text.substr(w.begin, w.end - w.begin); }
};

class BodyReader {
 public:
  BodyReader(const ShellText& text, Body& body) : text_(text), body_(body) {
    context_.variables = &variables_;
    context_.outer_expanded = text.expanded_first;
    context_.file = text.file;
    context_.reads = &body.reads;
    context_.budget = 4 * (text.end - text.begin) + 65536;
  }

  void run() {
    for (const Given& given : text_.given) variables_.set(given.name, {{given.value}, false, true});
    read({text_.bytes, text_.file, {}, -1, -1, 0, text_.spelling}, text_.begin, text_.end);
    if (text_.spelling != nullptr)
      for (EnvironmentRead& read : body_.reads) read.span = text_.spelling->of(read.span.begin, read.span.end);
    read_nested();
    mark_after_exit();
  }

  void run(std::vector<Word> words) {
    for (const Given& given : text_.given) variables_.set(given.name, {{given.value}, false, true});
    Command command;
    for (std::uint32_t i = 0; i < words.size(); ++i) words[i].index = i;
    if (!words.empty()) command.span = words.front().span;
    command.words = std::move(words);
    keep(std::move(command));
    find_launches(body_, {text_.options, 0, -1, 0}, nested_);
    read_nested();
  }

 private:
  void keep(Command command) {
    command.own = doing_at(command.words, 0), command.does = doing_behind(command.own, command.words);
    body_.commands.push_back(std::move(command));
    find_setups(body_, static_cast<std::uint32_t>(body_.commands.size() - 1));
  }

  void read_nested() {
    for (std::size_t i = 0; i < nested_.size(); ++i) {
      const NestedText next = nested_[i];
      if (next.depth > deepest_text) continue;
      const std::size_t before = body_.reads.size();
      context_.outer_expanded = next.document && next.document->expanded;
      context_.arguments = &next.arguments;
      if (next.document) {
        read({text_.bytes, text_.file, {}, next.command, next.parent, next.depth, text_.spelling}, next.document->begin,
             next.document->end);
      } else {
        read({next.text, text_.file, next.span, next.command, next.parent, next.depth}, 0,
             static_cast<std::uint32_t>(next.text.size()));
      }
      if (next.document) body_.reads.resize(before);  // as of other here-documents, they are not noted
      for (std::size_t r = before; r < body_.reads.size(); ++r) body_.reads[r].span = next.span;
      context_.arguments = nullptr;
    }
  }

  void read(const TextPlace& place, std::uint32_t begin, std::uint32_t end) {
    raw::Text raw = raw::read(place.text, begin, end);
    const auto first_scope = static_cast<std::int32_t>(body_.scopes.size());
    const std::uint32_t first_pipeline = pipelines_;
    for (const raw::RawScope& scope : raw.scopes) add_scope(place, raw, scope, first_scope);
    if (may_set_by_words(place.text.substr(begin, end - begin))) forget_set_by_words(place, raw);
    forget_uncertain(place, raw);
    for (const raw::RawCommand& command : raw.commands) {
      add_command(place, raw, command, first_scope, first_pipeline);
      pipelines_ = std::max(pipelines_, first_pipeline + command.pipeline + 1);
    }
    if (place.inside < 0)
      for (const raw::RawWord& construct : raw.constructs)
        body_.constructs.push_back(place.span(construct.begin, construct.end));
    for (const raw::RawProblem& problem : raw.problems)
      body_.problems.push_back({problem.message, place.span(problem.where.begin, problem.where.end)});
  }

  // --- scopes ---------------------------------------------------------------------------------
  void add_scope(const TextPlace& place, const raw::Text& raw, const raw::RawScope& scope, std::int32_t first) {
    Scope out;
    out.kind = scope.kind;
    out.parent = scope.parent < 0 ? outer_scope(place) : scope.parent + first;
    out.head = place.span(scope.head.begin, scope.head.end);
    out.name = scope.name;
    out.background = scope.background;
    if (scope.is_for && scope.words > 0) {
      out.name = place.of(raw.words[scope.first_word]);
      out.repeats = repeats(place, raw, scope);
      variables_.forget(out.name);
      for (std::uint32_t i = 0; i < scope.words; ++i)  // for ((i = 0; i < 4; ++i))
        for (const std::string_view name : names_assigned(place.of(raw.words[scope.first_word + i])))
          variables_.forget(name);
    }
    body_.scopes.push_back(std::move(out));
  }
  std::int32_t outer_scope(const TextPlace& place) const {
    return place.inside < 0 ? -1 : body_.commands[static_cast<std::size_t>(place.inside)].scope;
  }

  // `for x in a b c`, `for i in {0..3}`.
  static std::optional<std::int64_t> repeats(const TextPlace& place, const raw::Text& raw, const raw::RawScope& scope) {
    if (scope.words < 3 || place.of(raw.words[scope.first_word + 1]) != "in") return std::nullopt;
    for (std::uint32_t i = 2; i < scope.words; ++i) {
      const std::string_view word = place.of(raw.words[scope.first_word + i]);
      if (scope.words == 3 && word.starts_with('{') && word.ends_with('}')) return range_count(word);
      if (word.find_first_of("$`*?[{") != std::string_view::npos) return std::nullopt;
    }
    return scope.words - 2;
  }
  static std::optional<std::int64_t> range_count(std::string_view braces) {
    const Leading low = leading_number(braces.substr(1));
    const std::string_view rest = braces.substr(1 + low.length);
    if (!low.any || !rest.starts_with("..")) return std::nullopt;
    const Leading high = leading_number(rest.substr(2));
    if (!high.any || rest.substr(2 + high.length) != "}" || low.overflow || high.overflow) return std::nullopt;
    if (std::max(std::abs(high.value), std::abs(low.value)) > 1'000'000'000) return std::nullopt;
    return std::abs(high.value - low.value) + 1;
  }

  // --- variables ------------------------------------------------------------------------------
  bool runs_for_sure(const raw::Text& raw, const raw::RawCommand& c) const {
    if (c.conditional || c.condition || c.piped || c.background) return false;
    for (std::int32_t s = c.scope; s >= 0; s = raw.scopes[static_cast<std::size_t>(s)].parent)
      if (raw.scopes[static_cast<std::size_t>(s)].kind != ScopeKind::group) return false;
    return true;
  }

  // A name that is set in a branch, a loop, a function or a subshell anywhere is not known anywhere.
  void forget_uncertain(const TextPlace& place, const raw::Text& raw) {
    for (const raw::RawCommand& c : raw.commands) {
      if (c.words == 0) continue;
      const std::uint32_t first = program_word(place.text, raw, c);
      const std::string_view program = first < c.words ? place.of(raw.words[c.first_word + first]) : std::string_view{};
      const bool sure = place.inside < 0 && runs_for_sure(raw, c);
      for (std::uint32_t i = 0; i < first; ++i) forget_assigned(place.of(raw.words[c.first_word + i]), sure);
      const Program* row = program_named(program);
      if (row == nullptr || !(row->is(declares) || row->is(takes_names))) continue;
      if (row->is(takes_names) && sure && document_for_name(place.text, raw, c) != nullptr) continue;
      for (std::uint32_t i = first + 1; i < c.words; ++i) {
        const std::string_view word = place.of(raw.words[c.first_word + i]);
        if (row->is(takes_names)) variables_.forget(word);
        else forget_assigned(word, sure);
      }
      if (row->is(declares)) note_attributes(place, raw, c, first);
    }
  }

  void forget_assigned(std::string_view word, bool sure) {
    if (const std::size_t n = assigned_name(word); n > 0 && (!sure || word[n] == '['))
      variables_.forget(word.substr(0, n));
  }

  // `declare -u NAME`, `declare -i NAME=8`.
  void note_attributes(const TextPlace& place, const raw::Text& raw, const raw::RawCommand& c, std::uint32_t first) {
    const bool changed = declares_with(place.text, raw, c, values_changed);
    const bool integer = declares_with(place.text, raw, c, "i");
    for (std::uint32_t i = first + 1; (changed || integer) && i < c.words; ++i) {
      const std::string_view word = place.of(raw.words[c.first_word + i]);
      const std::size_t n = assigned_name(word);
      const std::string_view name = word.substr(0, n > 0 ? n : word.size());
      if (changed && !word.starts_with('-')) variables_.forget(name);
      if (integer) integers_.emplace(name);
    }
  }

  void forget_set_by_words(const TextPlace& place, raw::Text& raw) {
    for (raw::RawCommand& c : raw.commands)
      for (const std::string_view name : assigned_by_words(place.text, raw, c)) {
        c.sets_by_words = true;
        if (is_followed(place, raw, c)) continue;
        if (name.empty()) variables_.forget_all();
        else variables_.forget(name);
      }
  }

  // `eval TEXT`, `let N=2`, where they run once and surely: what they set is known, or forgotten, from there on.
  bool is_followed(const TextPlace& place, const raw::Text& raw, const raw::RawCommand& c) const {
    const std::uint32_t program = program_word(place.text, raw, c);
    return program < c.words && is_one_of(place.of(raw.words[c.first_word + program]), {"eval", "let"}) &&
           place.inside < 0 && runs_for_sure(raw, c);
  }

  void follow(std::span<const Word> words) {
    if (words[0].text == "let")
      for (const Word& word : words.subspan(1)) sum_up(word);
    else forget_what_sets(words);
  }

  // `N=4*2` of `let`.
  void sum_up(const Word& word) {
    const std::size_t equals = word.text.find('=');
    const std::string_view name = std::string_view(word.text).substr(0, equals);
    const bool known = word.text.find_first_of("$`") == std::string::npos;  // `*` multiplies
    const bool plain = known && equals != std::string::npos && std::all_of(name.begin(), name.end(), is_name_char);
    const auto value = plain ? evaluate_arithmetic(word.text.substr(equals + 1),
                                                   [this](std::string_view of) { return variables_.number(of); })
                             : std::nullopt;
    const Variable* before = variables_.find(name);
    if (value && (before == nullptr || !before->array))
      return variables_.set(name, {{std::to_string(*value)}, false, false});
    if (!known) return variables_.forget_all();
    for (const std::string_view changed : names_assigned(word.text)) variables_.forget(changed);
  }

  void forget_what_sets(std::span<const Word> words) {
    std::string text;
    bool known = true;
    for (const Word& word : words.subspan(1)) text += word.text + " ", known &= word.literal;
    // One command, of which the names are seen that it gives values: it sets the shell's state in no other way. What is
    // not known of it is taken for its arguments, if its program is known or a file.
    const std::string_view program = std::string_view(text).substr(0, text.find(' '));
    const Program* row = program_named(program);
    const bool prints = text.starts_with("$(");  // what a program prints is not what is in the text
    const bool named =
        known || (!prints && (program.find('/') != program.npos || program.find_first_of("$`\"'") == program.npos));
    const bool one = text.find_first_of(known ? ";&|()`$\n" : ";&|`\n") == std::string::npos;
    const bool starts = named && one && (row == nullptr || row->effect != Effect::sets);
    if (!starts && (known || !sets_up_tool(text))) return variables_.forget_all();
    for (const std::string_view name : names_assigned(text)) variables_.forget(name);
  }

  static bool is_plain_number(std::string_view text) {
    return all_digits(text) && (text == "0" || !text.starts_with('0'));
  }

  // `lasting`: it is alone or is declared; in front of a command it is that command's alone.
  Assignment assign(const TextPlace& place, const raw::RawWord& raw, std::size_t name_length, bool lasting) {
    const std::string_view word = place.of(raw);
    const std::size_t equals = word.find('=', name_length);
    const std::string_view value = word.substr(equals + 1);
    const std::uint32_t at = raw.begin + static_cast<std::uint32_t>(equals) + 1;
    Assignment out{std::string(word.substr(0, name_length)), {}, word[equals - 1] == '+', {}};
    Variable made;
    made.array = value.starts_with('(') && value.ends_with(')') && value.size() > 1;
    if (made.array) made.values = expand_array(value.substr(1, value.size() - 2), at + 1, context_);
    else made.values.push_back(expand_value(value, at, context_));
    const bool integer = !integers_.empty() && integers_.contains(out.name);
    if (integer && (out.append || made.array || !is_plain_number(made.values[0]))) made.values = {unknown_part(value)};
    out.value.span = place.span(at, raw.end);
    out.value.literal = !made.array && is_known(made.values[0]);
    out.value.text = out.value.literal ? made.values[0] : std::string(value);
    if (!out.value.literal && !made.array) out.value.parts = made.values[0];
    if (made.array) out.elements = made.values;
    if (lasting) remember(out, std::move(made));
    return out;
  }

  void remember(const Assignment& a, Variable made) {
    const Variable* before = variables_.find(a.name);
    if (a.append && before == nullptr) return variables_.forget(a.name);
    if (a.append && before->array)
      made.values.insert(made.values.begin(), before->values.begin(), before->values.end());
    else if (a.append && !before->values.empty() && !made.array) made.values[0] = before->values[0] + made.values[0];
    if (a.append) made.array |= before->array;
    std::size_t bytes = 0;
    for (const Partial& value : made.values) bytes += value.size() + 32;
    if (bytes > context_.budget) return variables_.forget(a.name);
    if (a.append) context_.budget -= bytes;
    variables_.set(a.name, std::move(made));
  }

  // --- commands -------------------------------------------------------------------------------
  void add_command(const TextPlace& place, const raw::Text& raw, const raw::RawCommand& c, std::int32_t first_scope,
                   std::uint32_t first_pipeline) {
    Command out;
    out.span = place.span(c.begin, c.end);
    out.scope = c.scope < 0 ? outer_scope(place) : c.scope + first_scope;
    out.pipeline = c.pipeline + first_pipeline;
    out.piped = c.piped, out.background = c.background, out.conditional = c.conditional, out.condition = c.condition;
    out.negated = c.negated;
    out.inside = place.inside;
    out.sets_by_words = c.sets_by_words;
    if (place.inside >= 0) inherit(out, body_.commands[static_cast<std::size_t>(place.inside)]);
    std::uint32_t i = 0;
    std::uint32_t assigned = 0;
    while (assigned < c.words && assigned_name(place.of(raw.words[c.first_word + assigned])) > 0) ++assigned;
    for (; i < assigned; ++i) {
      const raw::RawWord& word = raw.words[c.first_word + i];
      out.assignments.push_back(assign(place, word, assigned_name(place.of(word)), assigned == c.words));
    }
    for (; i < c.words; ++i) add_words(place, raw.words[c.first_word + i], out);
    for (std::uint32_t r = 0; r < c.redirects; ++r) add_redirect(place, raw.redirects[c.first_redirect + r], out);
    keep(std::move(out));
    const auto index = static_cast<std::uint32_t>(body_.commands.size() - 1);
    declare(place, raw, c, index);
    if (const raw::RawRedirect* document = document_for_name(place.text, raw, c);
        document != nullptr && place.inside < 0 && runs_for_sure(raw, c))
      variables_.set(body_.commands[index].words.back().text, {{std::string(place.of(document->text))}, false, false});
    if (is_followed(place, raw, c)) follow(body_.commands[index].words);
    find_launches(body_, {text_.options, index, place.parent, place.depth, document_of(place, raw, c)}, nested_);
  }

  // The here-document that a command of the text itself reads: those of the texts in it have no place of their own.
  static std::optional<Document> document_of(const TextPlace& place, const raw::Text& raw, const raw::RawCommand& c) {
    std::optional<Document> out;
    for (std::uint32_t r = 0; r < c.redirects && !place.fixed.known(); ++r)
      if (const raw::RawRedirect& from = raw.redirects[c.first_redirect + r]; from.text.end > 0)
        out = {from.text.begin, from.text.end, !from.quoted};
    return out;
  }
  static void inherit(Command& inner, const Command& outer) {
    inner.background |= outer.background, inner.conditional |= outer.conditional, inner.condition |= outer.condition;
  }

  void add_words(const TextPlace& place, const raw::RawWord& raw, Command& out) {
    const Span span = place.span(raw.begin, raw.end);
    for (Partial& field : expand_word(place.of(raw), raw.begin, context_)) {
      const bool known = is_known(field);
      const auto index = static_cast<std::uint32_t>(out.words.size());
      if (known) out.words.push_back({std::move(field), true, span, {}, index});
      else out.words.push_back({without_marks(field), false, span, std::move(field), index});
    }
  }

  void add_redirect(const TextPlace& place, const raw::RawRedirect& raw, Command& out) {
    Redirect made;
    made.op = raw.op;
    const std::string_view spelling = place.of(raw.target);
    const Partial value = raw.text.end > 0 ? Partial(spelling) : expand_value(spelling, raw.target.begin, context_);
    made.target = {without_marks(value), is_known(value), place.span(raw.target.begin, raw.target.end)};
    if (raw.text.end > 0) made.text = place.span(raw.text.begin, raw.text.end);
    out.redirects.push_back(std::move(made));
  }

  // `export A=1 B`, `declare -x C=2`.
  void declare(const TextPlace& place, const raw::Text& raw, const raw::RawCommand& c, std::uint32_t index) {
    const Command& command = body_.commands[index];
    if (c.words == command.assignments.size() || !has_trait(command.program(), declares)) return;
    bool exports = command.program() == "export";
    const Span span = command.span;
    const bool sure = body_.unconditional(command), changed = declares_with(place.text, raw, c, values_changed);
    for (std::uint32_t i = static_cast<std::uint32_t>(command.assignments.size()) + 1; i < c.words; ++i) {
      const raw::RawWord& word = raw.words[c.first_word + i];
      const std::string_view text = place.of(word);
      if (text.starts_with('-')) {
        exports |= text.find('x') != std::string_view::npos;
        continue;
      }
      const std::size_t n = assigned_name(text);
      Export made{std::string(n > 0 ? text.substr(0, n) : text), std::nullopt, index, span, sure};
      if (n > 0) made.value = assign(place, word, n, true).value;
      if (made.value && changed) made.value->literal = false, made.value->parts = unknown_part(made.value->text);
      if (!exports) continue;
      variables_.mark_exported(made.name);
      body_.exports.push_back(std::move(made));
    }
  }

  // Nothing at the top level runs below a sure `exit`.
  void mark_after_exit() {
    std::uint32_t end = 0;
    for (const Command& c : body_.commands) {
      const bool leaves = c.program() == "exit" || (c.program() == "exec" && c.words.size() > 1);
      if (!leaves || c.inside >= 0 || c.scope != -1 || !body_.unconditional(c) || c.piped || c.background) continue;
      end = c.span.end;
      break;
    }
    if (end == 0) return;
    for (Command& c : body_.commands)
      if (c.span.begin >= end && body_.inside(c, ScopeKind::function) == nullptr) c.after_exit = true;
  }

  const ShellText& text_;
  Body& body_;
  Variables variables_;
  std::set<std::string, std::less<>> integers_;  // what is declared as a number anywhere
  ExpandContext context_;
  std::vector<NestedText> nested_;
  std::uint32_t pipelines_ = 0;
};

}  // namespace

bool Body::unconditional(const Command& command) const {
  if (command.conditional || command.condition || command.after_exit) return false;
  for (std::int32_t s = command.scope; s >= 0; s = scopes[static_cast<std::size_t>(s)].parent) {
    const ScopeKind kind = scopes[static_cast<std::size_t>(s)].kind;
    if (kind == ScopeKind::loop || kind == ScopeKind::branch || kind == ScopeKind::function) return false;
  }
  return true;
}

const Scope* Body::inside(const Command& command, ScopeKind kind) const {
  for (std::int32_t s = command.scope; s >= 0; s = scopes[static_cast<std::size_t>(s)].parent)
    if (scopes[static_cast<std::size_t>(s)].kind == kind) return &scopes[static_cast<std::size_t>(s)];
  return nullptr;
}

Word Word::behind(std::size_t bytes) const {
  Word out = *this;
  out.text = text.substr(bytes);
  if (parts.find('\0') >= bytes && bytes <= parts.size()) out.parts = parts.substr(bytes);
  if (span.end - span.begin == text.size()) out.span.begin += static_cast<std::uint32_t>(bytes);
  return out;
}

Body read_body(const ShellText& text) {
  Body body;
  BodyReader(text, body).run();
  return body;
}

Body read_command(std::vector<Word> words, const ShellText& text) {
  Body body;
  BodyReader(text, body).run(std::move(words));
  return body;
}

bool is_shell(std::string_view interpreter) {
  if (interpreter.empty()) return true;  // what sbatch refuses for its first line may still be read
  std::string_view program = interpreter.substr(0, interpreter.find_first_of(" \t"));
  if (base_name(program) == "env") {
    std::string_view rest = interpreter.substr(program.size());
    while (rest.starts_with(' ') || rest.starts_with("-S")) rest.remove_prefix(rest[0] == ' ' ? 1 : 2);
    program = rest.substr(0, rest.find_first_of(" \t"));
  }
  return has_trait(program, bourne);
}

std::string_view name(ScopeKind kind) {
  switch (kind) {
    case ScopeKind::loop: return "loop";
    case ScopeKind::branch: return "branch";
    case ScopeKind::function: return "function";
    case ScopeKind::subshell: return "subshell";
    case ScopeKind::group: return "group";
    case ScopeKind::substitution: return "substitution";
  }
  return "";
}

}  // namespace muster::shell
