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
  return is_function(body, c.program()) || is_among(changing, c.program()) ||
         (c.program() == "printf" && c.words.size() > 1 && c.words[1].text == "-v");
}

}  // namespace muster::targets::slurm::lifting
