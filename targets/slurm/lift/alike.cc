#include "targets/slurm/lift/alike.h"

#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "targets/slurm/lift/statements.h"

namespace muster::targets::slurm::lifting {
namespace {

// What has the same result on every node, for every task.
constexpr std::array same_everywhere = std::to_array<std::string_view>(
    {"expr",  "basename", "dirname", "seq",    "wc",     "cat",     "head",    "tail",     "sed",
     "awk",   "grep",     "cut",     "tr",     "echo",   "printf",  "pwd",     "realpath", "readlink",
     "bc",    "nproc",    "sort",    "uniq",   "[",      "[[",      "test",    "((",       "true",
     ":",     "shift",    "exit",    "return", "export", "declare", "local",   "typeset",  "readonly",
     "set",   "cd",       "pushd",   "module", "ml",     "source",  ".",       "ulimit",   "umask",
     "conda", "pyenv",    "unset",   "eval",   "hash",   "let",     "getopts", "which",    "command"});

// Commands that change the shell itself, and those of Slurm that do more than print.
constexpr std::array changing = std::to_array<std::string_view>(
    {"cd",     "pushd",   "popd",    "export",   "source",  ".",         "module", "ml",       "conda",
     "trap",   "exit",    "exec",    "eval",     "sbatch",  "scancel",   "ssh",    "scontrol", "set",
     "ulimit", "umask",   "wait",    "read",     "mapfile", "readarray", "shift",  "shopt",    "alias",
     "unset",  "declare", "typeset", "readonly", "let",     "getopts",   "return"});

// `sed -i`, `sort -o`, `awk -i inplace`: in all tasks at once they would destroy what they write.
bool edits_in_place(const Command& c) {
  const std::string_view tool = c.program();
  return std::any_of(c.words.begin(), c.words.end(), [&](const Word& word) {
    const std::string_view text = word.text;
    const auto has_letter = [&](std::string_view before, char letter) {  // among the joined letters of an option
      const bool joined = text.size() > 1 && text[0] == '-' && text[1] != '-';
      return joined && text.substr(0, text.find_first_of(before)).find(letter) != std::string_view::npos;
    };
    if (tool == "sed") return text.starts_with("--in-place") || has_letter("ef", 'i');
    if (tool == "sort") return text.starts_with("--output") || has_letter("kStT", 'o');
    return tool == "awk" && text == "inplace";
  });
}

template <class Names>
bool is_among(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool is_alike_in_tasks(const Body& body, const Command& c) {
  if (writes_file(c) || c.background || edits_in_place(c)) return false;
  if (c.words.empty()) return true;
  const std::string_view name = c.words[0].text;
  return is_function(body, name) || name.ends_with("/conda") || is_among(same_everywhere, name);
}

bool changes_shell(const Body& body, const Command& c) {
  return is_function(body, c.program()) || is_among(changing, c.program()) || prints_into_variable(c);
}

bool may_be_repeated(const Body& body, const Statement& statement) {
  return std::all_of(statement.commands.begin(), statement.commands.end(), [&](std::uint32_t at) {
    const Command& c = body.commands[at];
    const char letter = c.program() == "mkdir" ? 'p' : c.program() == "ln" ? 'f' : '\0';
    return letter == '\0' || std::any_of(c.words.begin() + 1, c.words.end(), [&](const Word& word) {
             return word.text.starts_with('-') && word.text.find(letter) != std::string::npos;
           });
  });
}

bool defines_function(const Body& body, const Statement& statement) {
  return std::all_of(statement.commands.begin(), statement.commands.end(),
                     [&](std::uint32_t c) { return body.inside(body.commands[c], ScopeKind::function) != nullptr; });
}

bool functions_are_alike(const Sources& sources, const Body& body, std::span<const Statement> statements,
                         std::string_view name) {
  std::vector<std::string> names{std::string(name)};
  for (std::size_t at = 0; at < names.size(); ++at) {
    for (const Statement& s : statements) {
      if (!defines_function(body, s) || body.inside(body.commands[s.first()], ScopeKind::function)->name != names[at])
        continue;
      if (has_value_of_once(sources.text(s.span))) return false;
      for (const Command& c : body.commands) {
        if (c.inside >= 0 || c.span.begin < s.span.begin || c.span.end > s.span.end) continue;
        if (!is_alike_in_tasks(body, c)) return false;
        const std::string called(c.program());
        if (is_function(body, called) && std::find(names.begin(), names.end(), called) == names.end())
          names.push_back(called);
      }
    }
  }
  return true;
}

bool has_value_of_once(std::string_view text, std::size_t ids) {
  constexpr std::string_view random = "$RANDOM";
  constexpr std::string_view others[] = {"$$", "${RANDOM", "$HOSTNAME", "$SECONDS", "$BASHPID", "/dev/urandom"};
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(random, at)) != std::string_view::npos; at += random.size()) ++count;
  return count > ids || std::any_of(std::begin(others), std::end(others),
                                    [&](std::string_view value) { return text.find(value) != std::string_view::npos; });
}

}  // namespace muster::targets::slurm::lifting
