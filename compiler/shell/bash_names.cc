#include "compiler/shell/bash_names.h"

#include <algorithm>
#include <array>

namespace muster::shell {
namespace {

// Names with a meaning to bash: read-only, computed, or read while the script runs.
constexpr std::array owned_names = std::to_array<std::string_view>(
    {"BASHOPTS",        "BASHPID",     "BASH_ALIASES",  "BASH_ARGC",     "BASH_ARGV",
     "BASH_ARGV0",      "BASH_CMDS",   "BASH_COMMAND",  "BASH_COMPAT",   "BASH_LINENO",
     "BASH_REMATCH",    "BASH_SOURCE", "BASH_SUBSHELL", "BASH_VERSINFO", "BASH_XTRACEFD",
     "COMP_WORDBREAKS", "DIRSTACK",    "EPOCHREALTIME", "EPOCHSECONDS",  "EUID",
     "FUNCNAME",        "GLOBIGNORE",  "GROUPS",        "HISTCMD",       "IFS",
     "LINENO",          "OLDPWD",      "OPTARG",        "OPTIND",        "PIPESTATUS",
     "POSIXLY_CORRECT", "PPID",        "PWD",           "RANDOM",        "SECONDS",
     "SHELLOPTS",       "SHLVL",       "SRANDOM",       "UID",           "_"});

constexpr std::array own_words = std::to_array<std::string_view>(
    {"!",       ".",       ":",      "[",       "[[",      "]]",      "alias",    "bg",        "bind",     "break",
     "builtin", "caller",  "case",   "cd",      "command", "compgen", "complete", "compopt",   "continue", "coproc",
     "declare", "dirs",    "disown", "do",      "done",    "echo",    "elif",     "else",      "enable",   "esac",
     "eval",    "exec",    "exit",   "export",  "false",   "fc",      "fg",       "fi",        "for",      "function",
     "getopts", "hash",    "help",   "history", "if",      "in",      "jobs",     "kill",      "let",      "local",
     "logout",  "mapfile", "popd",   "printf",  "pushd",   "pwd",     "read",     "readarray", "readonly", "return",
     "select",  "set",     "shift",  "shopt",   "source",  "suspend", "test",     "then",      "time",     "times",
     "trap",    "true",    "type",   "typeset", "ulimit",  "umask",   "unalias",  "unset",     "until",    "wait",
     "while",   "{",       "}"});

}  // namespace

bool bash_owns(std::string_view name) {
  return std::find(owned_names.begin(), owned_names.end(), name) != owned_names.end();
}

bool bash_runs(std::string_view word) { return std::find(own_words.begin(), own_words.end(), word) != own_words.end(); }

}  // namespace muster::shell
