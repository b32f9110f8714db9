#include "targets/slurm/lift/statements.h"

#include <algorithm>
#include <array>

#include "compiler/base/secret_scan.h"
#include "compiler/base/text.h"
#include "compiler/shell/programs.h"

namespace muster::targets::slurm::lifting {
namespace {

using shell::Effect, shell::Subject;

// `cat $0`, `cat /proc/cpuinfo`: not a file of the job.
bool shows_the_machine(const Command& c) {
  if (c.program() != "cat" || c.words.size() != 2) return false;
  const std::string_view file = c.words[1].text;
  return file == "$0" || file.starts_with("/proc/") || file.starts_with("/etc/");
}

bool redirects_more(const Command& c) {
  return std::any_of(c.redirects.begin(), c.redirects.end(), [](const Redirect& r) { return r.op.starts_with('<'); });
}

bool is_noise(const Command& c) {
  if (c.words.empty() || writes_file(c) || c.sets_by_words) return false;
  if (c.own.is(Subject::anything)) return false;  // nothing runs behind `exec hostname`
  const shell::Doing& what = c.does;
  const bool watches = what.is({Effect::monitors}) && what.is(shell::shows_gpus) && c.background;
  return what.is({Effect::prints, Effect::waits}) || watches || shows_the_machine(c) ||
         (c.words[0].text == "set" && c.words.size() == 2 && c.words[1].text.size() == 2 &&
          c.words[1].text.find('x') == 1);
}

bool is_environment(const Command& c) {
  const shell::Doing& what = c.own;
  if (c.program() == "eval") {
    const std::string_view second = c.words.size() > 1 ? std::string_view(c.words[1].text) : std::string_view{};
    return shell::sets_up_tool(second) && second.find("conda") != std::string_view::npos &&
           second.find("hook") != std::string_view::npos;
  }
  return what.is(Subject::environment) || what.is(Subject::limits) || c.program() == "unset";
}

bool is_preparing(const Command& c) {
  const std::string_view program = c.words[0].text;
  const auto has = [&](std::string_view a, std::string_view b) {
    return std::any_of(c.words.begin(), c.words.end(), [&](const Word& w) { return w.text == a || w.text == b; });
  };
  if (program == "mkdir") return has("-p", "--parents") || has("-pv", "-vp");
  return program == "ln" && (has("-sf", "-sfn") || has("-fs", "-snf"));
}

// `set -eu -o pipefail`, not `set -- a b`, which changes the arguments.
bool sets_options(const Command& c) {
  for (std::size_t i = 1; i < c.words.size(); ++i) {
    const std::string_view word = c.words[i].text;
    const bool letters = word.size() > 1 && (word[0] == '-' || word[0] == '+') &&
                         std::all_of(word.begin() + 1, word.end(), [](char x) { return is_letter(x); });
    const bool long_name = i > 1 && c.words[i - 1].text.ends_with('o');
    if (!letters && !long_name) return false;
  }
  return true;
}

// `declare -x NAME=value`.
bool declares_exports(const Body& body, const Command& c) {
  return std::any_of(body.exports.begin(), body.exports.end(),
                     [&](const Export& e) { return &body.commands[e.command] == &c; });
}

// `declare -i NAME`, `-u`, `-n` …: what is assigned to it is not its value.
bool gives_attribute(const Command& c) {
  return std::any_of(c.words.begin() + 1, c.words.end(), [](const Word& word) {
    return word.text.starts_with('-') && word.text.find_first_of("ilucn") != std::string::npos;
  });
}

StatementKind kind_of(const Body& body, const Command& c) {
  using enum StatementKind;
  if (c.words.empty()) return c.sets_by_words ? other : assigns;
  const std::string_view name = c.words[0].text;
  if (is_function(body, name)) return other;
  if (is_noise(c)) return noise;
  if (c.sets_by_words && !starts_program(c)) return other;
  if (redirects_more(c) || (writes_file(c) && !starts_program(c))) return other;
  if (name == "set") return sets_options(c) ? options : other;
  if (name == "export" || declares_exports(body, c)) return exports;
  if (shell::has_trait(name, shell::declares)) return gives_attribute(c) ? other : assigns;
  if (name == "exit" || name == "return") return ends;
  if (name == "cd") return c.redirects.empty() ? directory : other;  // who hides its error goes on where it fails
  if (is_environment(c)) return environment;
  if (is_preparing(c)) return prepares;
  return starts_program(c) ? StatementKind::program : other;
}

// The list after its first command: what may follow without changing what the first one means.
bool follows_quietly(const Command& c) {
  if (c.words.empty()) return false;
  return is_noise(c) || c.words[0].text == "exit" || c.words[0].text == "return";
}

class StatementReader {
 public:
  StatementReader(const Sources& sources, const Body& body) : sources_(sources), body_(body) {}

  std::vector<Statement> run() {
    for (std::uint32_t i = 0; i < body_.commands.size(); ++i) add(i);
    for (const Command& c : body_.commands) {
      const bool own = c.inside < 0 && c.scope >= 0 && !c.words.empty();
      if (own && body_.inside(c, ScopeKind::substitution) != nullptr && !reads_only(c)) unseen_.push_back(c.span);
    }
    std::sort(unseen_.begin(), unseen_.end(), [](Span a, Span b) { return a.begin < b.begin; });
    for (Statement& s : out_) classify(s);
    return std::move(out_);
  }

 private:
  std::int32_t outermost(const Command& c) const {
    std::int32_t scope = c.scope;
    while (scope >= 0 && body_.scopes[static_cast<std::size_t>(scope)].parent >= 0)
      scope = body_.scopes[static_cast<std::size_t>(scope)].parent;
    return scope;
  }

  // The loop, branch, function or group that a command is in; nullptr at the top level.
  const Span* construct_of(const Command& c) {
    while (construct_ < body_.constructs.size() && body_.constructs[construct_].end <= c.span.begin) ++construct_;
    if (construct_ == body_.constructs.size() || body_.constructs[construct_].begin > c.span.begin) return nullptr;
    return &body_.constructs[construct_];
  }

  void add(std::uint32_t index) {
    const Command& c = body_.commands[index];
    if (c.inside >= 0 || c.after_exit) return;
    const std::int32_t scope = outermost(c);
    if (scope >= 0 && body_.scopes[static_cast<std::size_t>(scope)].kind == ScopeKind::substitution) return;
    const Span* construct = construct_of(c);
    const bool same = !out_.empty() && (construct != nullptr ? construct->begin < out_.back().span.end : joins(c));
    if (same || (construct != nullptr && !out_.empty() && c.conditional && scope < 0)) {
      out_.back().commands.push_back(index);
    } else {
      out_.push_back({StatementKind::other, construct != nullptr ? *construct : c.span, {index}});
      if (construct != nullptr) take_function_word(out_.back().span);
    }
    Span& span = out_.back().span;
    span.end = std::max(span.end, construct != nullptr ? construct->end : end_of(c));
    if (construct != nullptr) span.end = past_redirections(span.end);
  }

  // `function name {` begins at its first word.
  void take_function_word(Span& span) const {
    const std::string_view before = trimmed(sources_.text(span.file).substr(0, span.begin));
    if (before.ends_with("function")) span.begin = static_cast<std::uint32_t>(before.size() - 8);
  }

  // With the lines of its here-documents.
  std::uint32_t end_of(const Command& c) const {
    std::uint32_t end = c.span.end;
    for (const Redirect& r : c.redirects) {
      if (!r.text.known()) continue;
      const std::size_t line = sources_.text(r.text.file).find('\n', r.text.end);
      end = std::max(end, line == std::string_view::npos ? r.text.end : static_cast<std::uint32_t>(line));
    }
    return end;
  }

  // `done > log 2>&1 &`: up to the end of the line or the next statement.
  std::uint32_t past_redirections(std::uint32_t end) const {
    const std::string_view text = sources_.text(out_.back().span.file);
    std::size_t at = end;
    while (at < text.size() && is_blank(text[at])) ++at;
    if (at == text.size() || std::string_view("><|&").find(text[at]) == std::string_view::npos) return end;
    return static_cast<std::uint32_t>(std::min(text.find_first_of("\n;", at), text.size()));
  }

  // Right of `&&`, `||` or a pipe.
  bool joins(const Command& c) const {
    if (c.conditional) return true;
    return c.piped && body_.commands[out_.back().commands.back()].pipeline == c.pipeline;
  }

  void classify(Statement& s) {
    const Command& first = body_.commands[s.first()];
    const auto construct = std::find_if(body_.constructs.begin(), body_.constructs.end(),
                                        [&](const Span& c) { return c.begin >= s.span.begin && c.end <= s.span.end; });
    if (construct != body_.constructs.end()) return classify_construct(s);
    const bool on_failure = sources_.text(s.span).find("&&") == std::string_view::npos;
    const auto quiet = [&](std::uint32_t i) {
      const Command& c = body_.commands[i];
      return follows_quietly(c) || (on_failure && is_function(body_, c.program()));
    };
    s.kind = probes(s) ? StatementKind::noise : kind_of(body_, first);
    if (s.kind == StatementKind::noise && runs_unseen(s)) return other(s);
    if (s.kind == StatementKind::noise && s.commands.size() == 1 && !first.background) return;
    s.redirected = s.kind == StatementKind::program && writes_file(first);
    const bool all_noise = std::all_of(s.commands.begin(), s.commands.end(), [&](std::uint32_t i) {
      const Command& c = body_.commands[i];
      return is_noise(c) || (c.piped && c.does.is({Effect::reads, Effect::tests}) && !writes_file(c));
    });
    if (all_noise && s.kind == StatementKind::noise) return;
    if (s.kind == StatementKind::environment && is_list_of_environment(s)) return;
    if (is_ensured_folder(s)) return void(s.kind = StatementKind::prepares);
    if (s.kind == StatementKind::program && logs_only(s)) return;
    const bool rest_quiet = std::all_of(s.commands.begin() + 1, s.commands.end(), quiet);
    const bool unclear = first.piped || first.background || first.condition || !rest_quiet;
    if (unclear || s.kind == StatementKind::other || runs_unseen(s)) other(s);
  }

  void other(Statement& s) const {
    s.kind = StatementKind::other;
    s.why = shown(sources_, s);
  }

  // `srun hostname`: a step that only prints.
  bool probes(const Statement& s) const {
    return s.commands.size() == 1 && std::any_of(body_.launches.begin(), body_.launches.end(), [&](const Launch& l) {
             return l.command == s.first() && l.kind == Launcher::srun && !l.program.empty() && !l.het &&
                    shell::doing(l.program).is({Effect::prints}) && !writes_file(body_.commands[s.first()]);
           });
  }

  // `python a.py 2>&1 | tee log`: the log of the job has the same lines.
  bool logs_only(const Statement& s) const {
    if (s.commands.size() != 2) return false;
    const Command& last = body_.commands[s.commands[1]];
    return last.program() == "tee" && last.piped && !last.background && !last.conditional && last.redirects.empty();
  }

  // `module load a && module load b`.
  bool is_list_of_environment(const Statement& s) const {
    return sources_.text(s.span).find("||") == std::string_view::npos &&
           std::all_of(s.commands.begin(), s.commands.end(), [&](std::uint32_t i) {
             const Command& c = body_.commands[i];
             return !c.piped && !c.background && !c.words.empty() && is_environment(c) && c.redirects.empty();
           });
  }

  // `[ -d logs ] || mkdir logs`, `[ ! -d logs ] && mkdir logs`, and `mkdir logs` alone, which fails and is passed over
  // where the folder is there.
  bool is_ensured_folder(const Statement& s) const {
    const Command& last = body_.commands[s.commands.back()];
    const bool makes =
        last.program() == "mkdir" && last.words.size() == 2 && !last.background && last.redirects.empty();
    if (!makes || s.commands.size() > 2) return false;
    if (s.commands.size() == 1) return true;
    const Command& test = body_.commands[s.first()];
    const bool negated = test.words.size() == 5 && test.words[1].text == "!";
    if (test.program() != "[" || test.words.size() != (negated ? 5U : 4U)) return false;
    const std::size_t at = negated ? 2 : 1;
    return sources_.text(s.span).find(negated ? "&&" : "||") != std::string_view::npos &&
           is_one_of(test.words[at].text, {"-d", "-e"}) && test.words[at + 1].text == last.words[1].text;
  }

  void classify_construct(Statement& s) const {
    const bool noise = std::all_of(s.commands.begin(), s.commands.end(), [&](std::uint32_t i) {
      const Command& c = body_.commands[i];
      return (is_noise(c) || is_test(c)) && !c.background && !c.sets_by_words;
    });
    const std::int32_t outer = outermost(body_.commands[s.first()]);
    const Scope* scope = outer >= 0 ? &body_.scopes[static_cast<std::size_t>(outer)] : nullptr;
    const bool function = scope != nullptr && scope->kind == ScopeKind::function;
    const bool called = function && std::any_of(body_.commands.begin(), body_.commands.end(),
                                                [&](const Command& c) { return c.program() == scope->name; });
    if (function && !called) s.kind = StatementKind::function;
    else if (!function && noise && !writes(s) && !runs_unseen(s)) s.kind = StatementKind::noise;
    else other(s);
  }

  // `done > log`.
  bool writes(const Statement& s) const {
    const std::string_view text = sources_.text(s.span);
    return text.find('>', text.find_last_of(";\n") == std::string_view::npos ? 0 : text.find_last_of(";\n")) !=
           std::string_view::npos;
  }

  // Whether one of its $( ) starts a program.
  bool runs_unseen(const Statement& s) const {
    auto at = std::lower_bound(unseen_.begin(), unseen_.end(), s.span.begin,
                               [](Span span, std::uint32_t begin) { return span.begin < begin; });
    for (; at != unseen_.end() && at->begin < s.span.end; ++at)
      if (at->end <= s.span.end) return true;
    return false;
  }

  bool reads_only(const Command& c) const {
    const std::string_view program = base_name(c.words[0].text);
    if (program == "srun")
      return std::any_of(c.words.begin(), c.words.end(), [](const Word& w) {
        return is_one_of(base_name(w.text), {"hostname", "ip"});
      });
    if (program == "conda")
      return is_one_of(c.words.size() > 1 ? std::string_view(c.words[1].text) : "", {"info", "shell.bash"});
    if (program.starts_with("python"))
      return c.words.size() > 2 && c.words[1].text == "-c" && c.words[2].text.find("socket") != std::string::npos;
    return is_noise(c) || c.does.is({Effect::reads, Effect::tests});
  }

  const Sources& sources_;
  const Body& body_;
  std::vector<Span> unseen_;  // programs that a $( ) starts, in the order of the text
  std::vector<Statement> out_;
  std::size_t construct_ = 0;  // the first that does not end before the present command
};

}  // namespace

bool prints_into_variable(const Command& c) {
  return c.program() == "printf" && c.words.size() > 1 && c.words[1].text == "-v";
}

bool is_function(const Body& body, std::string_view name) {
  return std::any_of(body.scopes.begin(), body.scopes.end(),
                     [&](const Scope& s) { return s.kind == ScopeKind::function && s.name == name; });
}

bool is_test(const Command& c) { return c.own.is({Effect::tests}); }

bool starts_program(const Command& c) {
  const shell::Doing& what = c.own;
  return what.is({Effect::unknown, Effect::works, Effect::serves, Effect::monitors});
}

std::vector<std::string> names_of(const Body& body, const Statement& s) {
  std::vector<std::string> names;
  if (s.kind != StatementKind::assigns && s.kind != StatementKind::exports) return names;
  for (const Assignment& a : body.commands[s.first()].assignments) names.push_back(a.name);
  for (const Export& e : body.exports)
    if (e.command == s.first()) names.push_back(e.name);
  return names;
}

bool is_of_other_system(const Launch& launch) {
  return launch.kind == Launcher::jsrun || launch.kind == Launcher::of_site;
}

std::string starts_elsewhere(const Sources& sources, const Launch& launch) {
  const std::string_view text = sources.text(launch.span);
  const bool named = text.find(launch.tool) != std::string_view::npos;
  const std::string_view word = named ? std::string_view(launch.tool) : text.substr(0, text.find_first_of(" \t\n"));
  return "`" + printable(word, 40) + "` starts processes by options of its own, which are not read";
}

bool program_is_apart(const Body& body, const Launch& launch) {
  if (launch.program.empty() || launch.program.front().index == 0) return false;
  const Word& before = body.commands[launch.command].words[launch.program.front().index - 1];
  return before.span.begin != launch.program.front().span.begin;
}

std::vector<std::string> substituted(const Body& body, Span line) {
  std::vector<std::string> out;
  for (const Command& c : body.commands) {
    const bool within = c.span.begin >= line.begin && c.span.end <= line.end && c.scope >= 0 && !c.words.empty();
    if (within && body.inside(c, ScopeKind::substitution) != nullptr) out.emplace_back(base_name(c.words[0].text));
  }
  return out;
}

std::string not_run(const Body& body, Span line) {
  std::string out;
  const std::vector<std::string> programs = substituted(body, line);
  for (const std::string& program : programs) out += (out.empty() ? "`" : ", `") + printable(program, 30) + "`";
  return out.empty() ? out : out + (programs.size() == 1 ? " is not run" : " are not run");
}

bool stops_at_errors(const Body& body, std::span<const Statement> statements) {
  return std::any_of(statements.begin(), statements.end(), [&](const Statement& s) {
    const std::vector<Word>& words = body.commands[s.first()].words;
    if (s.kind != StatementKind::options) return false;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string_view word = words[i].text;
      if (word.starts_with('-') && word.find('e') != std::string_view::npos) return true;
      if (word == "errexit" && words[i - 1].text.starts_with('-')) return true;
    }
    return false;
  });
}

const Statement* exporting_all(const Body& body, std::span<const Statement> statements) {
  for (const Statement& s : statements) {
    if (s.kind != StatementKind::options) continue;
    for (const Word& word : body.commands[s.first()].words) {
      const bool letters = word.text.starts_with('-') && word.text.find('a') != std::string::npos;
      if (letters || word.text == "allexport") return &s;
    }
  }
  return nullptr;
}

bool is_readonly(const Body& body, std::string_view name) {
  return std::any_of(body.commands.begin(), body.commands.end(), [&](const Command& c) {
    const bool declares = is_one_of(c.program(), {"declare", "typeset"});
    bool fixes = c.program() == "readonly", names = false;
    for (const Word& word : c.words) {
      const std::string_view text = word.text;
      fixes |= declares && text.starts_with('-') && text.find('r') != std::string_view::npos;
      names |= text.starts_with(name) && (text.size() == name.size() || text[name.size()] == '=');
    }
    return fixes && names;
  });
}

bool is_of_shell(StatementKind kind) {
  using enum StatementKind;
  return kind == noise || kind == ends || kind == options || kind == assigns || kind == exports ||
         kind == environment || kind == function || kind == directory;
}

std::string file_of_tee(const Body& body, const Statement& statement) {
  const std::vector<Word>& words = body.commands[statement.commands[1]].words;
  return words.size() > 1 ? printable(base_name(words.back().text), 60) : std::string("a file");
}

bool writes_file(const Redirect& r) {
  const bool descriptor = r.op.ends_with("&") && (all_digits(r.target.text) || r.target.text == "-");
  return r.op.find('>') != std::string::npos && !descriptor &&
         !is_one_of(r.target.text, {"/dev/null", "/dev/stderr", "/dev/stdout"});
}

Span whole_of(const Sources& sources, const Redirect& r) {
  const std::string_view file = sources.text(r.target.span.file);
  const std::size_t op = std::min<std::size_t>(file.rfind(r.op, r.target.span.begin - 1), r.target.span.begin);
  std::size_t begin = op;
  while (begin > 0 && is_digit(file[begin - 1])) --begin;
  if (begin > 0 && !is_space(file[begin - 1])) begin = op;  // the digits end a word
  return {r.target.span.file, static_cast<std::uint32_t>(begin), r.target.span.end};
}

bool writes_file(const Command& c) {
  return std::any_of(c.redirects.begin(), c.redirects.end(), [](const Redirect& r) { return writes_file(r); });
}

std::string shown(const Sources& sources, const Statement& s) {
  const std::string text = mask_part(sources.text(s.span.file), s.span.begin, s.span.end);
  return "`" + printable(text.substr(0, text.find('\n')), 50) + "`";
}

Span with_separator(const Sources& sources, Span span) {
  const std::string_view text = sources.text(span.file);
  std::uint32_t end = span.end;
  while (end < text.size() && is_blank(text[end])) ++end;
  if (end < text.size() && text[end] == ';' && text.substr(end, 2) != ";;") span.end = end + 1;
  return span;
}

std::vector<Statement> statements_of(const Sources& sources, const Body& body) {
  return StatementReader(sources, body).run();
}

}  // namespace muster::targets::slurm::lifting
