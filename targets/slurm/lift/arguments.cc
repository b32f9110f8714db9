#include "targets/slurm/lift/arguments.h"

#include <algorithm>
#include <set>

#include "compiler/base/text.h"
#include "compiler/model/workload.h"
#include "targets/slurm/lift/lifter.h"
#include "targets/slurm/lift/text.h"

namespace muster::targets::slurm::lifting {
namespace {

constexpr std::string_view all_marks = "@*#!";

// `$1`, `${1}`, `${1:-x}`, `$@`, `${#}` at a dollar sign.
struct ArgumentRead {
  int position = 0;                       // 0: all of them
  bool whole = true;                      // false: `${1%.py}`, `${1:-$X}`, which only a shell works out
  bool optional = false;                  // `${1:-…}`
  std::optional<std::string> fallback{};  // of `${1:-x}`
};

std::optional<ArgumentRead> argument_at(std::string_view text) {
  if (text.size() < 2 || text[0] != '$') return std::nullopt;
  const bool braces = text[1] == '{';
  std::size_t at = braces ? 2 : 1;
  if (at >= text.size()) return std::nullopt;
  if (all_marks.find(text[at]) != std::string_view::npos) {
    // `${#NAME}` is the length of a variable, `${!NAME}` the value of the one that it names, `$!` a process.
    const std::string_view behind = at + 1 < text.size() ? text.substr(at + 1, 1) : " ";
    if (text[at] == '!' && (!braces || (all_marks.find(behind) == std::string_view::npos && !is_digit(behind[0]))))
      return std::nullopt;
    const bool length = braces && text[at] == '#' && behind != "}";
    return length ? std::nullopt : std::optional(ArgumentRead{});
  }
  if (!is_digit(text[at]) || text[at] == '0') return std::nullopt;
  ArgumentRead out{text[at] - '0', true, false, {}};
  if (!braces) return out;
  if (++at < text.size() && is_digit(text[at])) return ArgumentRead{};
  const std::size_t end = std::min(text.find('}', at), text.size());
  const std::string_view rest = text.substr(at, end - at);
  out.optional = rest.starts_with(":-");
  if (out.optional && rest.find_first_of("$`\"'\\") == std::string_view::npos)
    out.fallback = std::string(rest.substr(2));
  out.whole = rest.empty() || out.fallback;
  return out;
}

// Each read in lines of the shell. `quotes`: what is in '…' is none.
std::vector<ArgumentRead> reads_in(std::string_view text, bool quotes) {
  std::vector<ArgumentRead> out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') ++i;
    else if (text[i] == '\'' && quotes) i = std::min(text.find('\'', i + 1), text.size());
    else if (auto read = argument_at(text.substr(i))) out.push_back(std::move(*read));
  }
  return out;
}

model::Text text_of_parameter(const Parameter& p) { return {"", {{model::RefersTo::axis, p.name, 0, {}}}}; }

void add_parameter(Lifter& lifter, Parameter parameter, bool joins) {
  const std::string how = parameter.list ? "'" + parameter.name + R"(=["…"]')" : parameter.name + "=VALUE";
  std::string note = "`--set " + how + "` gives it";
  if (joins) note += ", and a value with blanks or a pattern such as `*` stays one word";
  const Span at = parameter.at.known() ? parameter.at : lifter.script.body;
  lifter.line(at, parameter.of, joins ? Fate::mended : Fate::lifted, "param " + parameter.name, std::move(note));
  lifter.out.parameters.push_back(std::move(parameter));
}

class ArgumentReader {
 public:
  ArgumentReader(const Sources& sources, const Body& body) : sources_(sources), body_(body) {}

  Arguments run() {
    for (const Export& e : body_.exports)
      if (e.value && body_.inside(body_.commands[e.command], ScopeKind::function) == nullptr)
        read_word(*e.value, e.name);
    for (const Command& c : body_.commands) read(c);
    for (const Scope& scope : body_.scopes)
      if ((scope.kind == ScopeKind::loop || scope.kind == ScopeKind::branch) && !in_function(scope)) read_head(scope);
    Arguments out;
    if (rebound_ && !read_before_) return out;
    const bool all = all_ || rebound_;
    if (all) out.all = Parameter{"args", "$@", first_, true, {}};
    out.alone = all && reads_ == 1;
    for (std::size_t i = 1; i <= most_ && !all; ++i) out.named.push_back(parameter(i));
    return out;
  }

 private:
  struct Argument {
    std::string name;
    Span at;
    bool read = false, differs = false;
    bool optional = true;                 // for each read
    std::optional<std::string> fallback;  // of the first
  };

  bool in_function(const Scope& scope) const {
    for (std::int32_t s = scope.parent; s >= 0; s = body_.scopes[static_cast<std::size_t>(s)].parent)
      if (body_.scopes[static_cast<std::size_t>(s)].kind == ScopeKind::function) return true;
    return false;
  }

  // `for x; do` goes over all arguments.
  void read_head(const Scope& scope) {
    read_text(scope.head, true);
    const std::string_view head = sources_.text(scope.head);
    const bool over_names = scope.kind == ScopeKind::loop && !scope.name.empty() && !head.starts_with("for ((");
    if (over_names && trimmed(head).ends_with(scope.name)) add(ArgumentRead{}, scope.head, {});
  }

  void read(const Command& c) {
    if (body_.inside(c, ScopeKind::function) != nullptr) return;
    for (std::size_t i = 0; i < c.words.size(); ++i) {
      const bool option = i > 0 && c.words[i - 1].literal && c.words[i - 1].text.starts_with("--");
      read_word(c.words[i], option ? c.words[i - 1].text.substr(2) : std::string());
    }
    for (const Assignment& a : c.assignments) read_word(a.value, a.name);
    for (const Redirect& r : c.redirects) {
      read_word(r.target, {});
      const bool quoted =
          r.target.span.known() && sources_.text(r.target.span).find_first_of("'\"\\") != std::string_view::npos;
      if (r.text.known() && !quoted) read_text(r.text, false);
    }
    const std::string_view program = c.program();
    if (is_one_of(program, {"shift", "getopts"})) add(ArgumentRead{}, c.span, {});
    if (program != "set" || rebound_ || !sets_arguments(c)) return;
    rebound_ = true;
    read_before_ = reads_ > 0 || reads_argument(sources_.text(c.span));
  }

  // `set -- a b`, not `set -euo pipefail`.
  static bool sets_arguments(const Command& c) {
    for (std::size_t i = 1; i < c.words.size(); ++i) {
      const std::string_view word = c.words[i].text, before = c.words[i - 1].text;
      const bool option = word.starts_with('-') || word.starts_with('+') || (i > 1 && before.ends_with('o'));
      if (word == "--" || !option) return true;
    }
    return false;
  }

  // `hint`: what a person calls it, an option in front of it or the variable that gets it.
  void read_word(const Word& word, std::string hint) {
    if (word.literal) return;
    if (word.parts.empty()) return word.span.known() ? read_text(word.span, true) : void();
    const std::vector<WordPart> parts = parts_of(word);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string_view part = parts[i].text, before = i > 0 ? parts[i - 1].text : std::string_view{};
      // The commands of a $( ) are read by themselves.
      const bool program = (part.starts_with("$(") && !part.starts_with("$((")) || part.starts_with('`');
      if (parts[i].known || program) continue;
      const bool option = before.starts_with("--") && before.ends_with('=');
      const std::string own = option ? std::string(before.substr(2, before.size() - 3)) : parts.size() == 1 ? hint : "";
      read_part(part, word.span, own);
    }
  }

  void read_part(std::string_view part, Span at, const std::string& hint) {
    if (const auto read = argument_at(part)) return add(*read, at, hint);
    for (std::size_t i = 0; (i = part.find('$', i)) != std::string_view::npos; ++i)
      if (const auto read = argument_at(part.substr(i))) add(*read, at, {});
  }

  // A text that the shell works out: a here-document, a word of an array, the head of a loop. `quotes`: as words.
  void read_text(Span span, bool quotes) {
    for (const ArgumentRead& read : reads_in(sources_.text(span), quotes)) add(read, span, {});
  }

  void add(const ArgumentRead& read, Span at, const std::string& hint) {
    ++reads_;
    if (!first_.known() || at.begin < first_.begin) first_ = at;
    if (read.position == 0) return void(all_ = true);
    const auto position = static_cast<std::size_t>(read.position);
    most_ = std::max(most_, position);
    Argument& argument = found_[position];
    const bool first = !argument.read;
    argument.differs |= !first && argument.fallback != read.fallback;
    argument.optional &= read.optional;
    if (first) argument.at = at, argument.fallback = read.fallback, argument.read = true;
    if (argument.name.empty()) argument.name = name_for_value(hint);
  }

  Parameter parameter(std::size_t position) {
    const Argument& argument = found_[position];
    const std::string number = std::to_string(position);
    std::string name = argument.name.empty() ? "arg" + number : argument.name;
    while (!names_.insert(name).second) name += "-" + number;
    Parameter out{std::move(name), "$" + number, argument.at, false, {}};
    // A text has its own default for an empty one; one that is not read is only the place in front of another.
    if (argument.optional) out.fallback = argument.differs ? "" : argument.fallback.value_or("");
    return out;
  }

  const Sources& sources_;
  const Body& body_;
  Argument found_[10];
  std::set<std::string> names_;
  std::size_t most_ = 0, reads_ = 0;
  bool all_ = false, rebound_ = false, read_before_ = false;
  Span first_;
};

}  // namespace

Arguments arguments_of(const Sources& sources, const Body& body) { return ArgumentReader(sources, body).run(); }

const Parameter* argument_in(std::string_view spelling, const std::vector<Parameter>& named) {
  const auto read = argument_at(spelling);
  if (!read || read->position == 0 || !read->whole || static_cast<std::size_t>(read->position) > named.size())
    return nullptr;
  const Parameter& found = named[static_cast<std::size_t>(read->position) - 1];
  return read->fallback == found.fallback ? &found : nullptr;
}

bool reads_argument(std::string_view lines) { return !reads_in(lines, true).empty(); }

bool is_all_arguments(std::string_view word) {
  return is_one_of(word, {"\"$@\"", "\"${@}\"", "$@", "${@}", "$*", "${*}"});
}

void take_arguments_of_words(Lifter& lifter, bool all, const std::vector<std::string>& joined) {
  const auto joins = [&](const Parameter& p) {
    return std::find(joined.begin(), joined.end(), p.name) != joined.end();
  };
  for (const Parameter& p : lifter.arguments.named)
    if (model::refers_to(lifter.role(), model::RefersTo::axis, p.name)) add_parameter(lifter, p, joins(p));
  if (!all) return;
  const Parameter& list = *lifter.arguments.all;
  lifter.role().args = {{text_of_parameter(list), list.at}};
  add_parameter(lifter, list, joins(list));
}

void take_arguments_of_text(Lifter& lifter) {
  const Arguments& arguments = lifter.arguments;
  for (const Parameter& p : arguments.all ? std::vector{*arguments.all} : arguments.named) {
    lifter.role().args.push_back({text_of_parameter(p), p.at});
    add_parameter(lifter, p, false);
  }
}

}  // namespace muster::targets::slurm::lifting
