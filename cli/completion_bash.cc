#include "cli/completion.h"

namespace muster::cli {
namespace {

// Sets `words` and `paths`: the candidates for the word that is completed.
constexpr const char* bash_head = R"(# Completion of muster for bash, written by `muster completion bash`.
_muster() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words='' paths=''
  # bash splits `--option=value` into three words.
  if [[ $current == = ]]; then current=''
  elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    set -- verbs
  else
    set -- "${COMP_WORDS[1]}"
  fi
  case $1 in
)";

constexpr const char* bash_tail = R"(  *) return ;;
  esac
  local IFS=$'\n'
  COMPREPLY=($(IFS=' '; compgen -W "$words" -- "$current"))
  COMPREPLY=("${COMPREPLY[@]//>/\\>}")  # what is put on the line must not be a redirection
  case $paths in
  files) COMPREPLY+=($(compgen -f -- "$current")) ;;
  folders) COMPREPLY+=($(compgen -d -- "$current")) ;;
  esac
  if [[ $paths ]]; then compopt -o filenames 2>/dev/null; fi
}
complete -F _muster muster
)";

const char* paths_word(const OptionEntry& option) {
  switch (completed_with(option)) {
    case Completed::files: return "files";
    case Completed::folders: return "folders";
    case Completed::nothing: break;
  }
  return "";
}

std::string assigned(const OptionEntry& option) {
  return "words='" + spaced(option.choices) + "' paths=" + paths_word(option);
}

// "--a|--b) words='x y' paths= ;;" for each option that takes a value.
std::string values_of(const VerbEntry& verb, const std::string& indent) {
  std::string out;
  for (const OptionEntry& option : verb.options) {
    if (option.names.empty() || option.value.empty()) continue;
    std::string names;
    for (const std::string& name : option.names) names += (names.empty() ? "" : "|") + name;
    out += indent + names + ") " + assigned(option) + " ;;\n";
  }
  return out;
}

std::string option_names(const VerbEntry& verb) {
  std::string out;
  for (const OptionEntry& option : verb.options)
    for (const std::string& name : option.names) out += (out.empty() ? "" : " ") + name;
  return out;
}

std::string verb_names(std::span<const VerbEntry> verbs) {
  std::string out;
  for (const VerbEntry& verb : verbs) out += (out.empty() ? "" : " ") + verb.name;
  return out;
}

// What follows the verb: the value of the option before, an option, or an argument.
std::string verb_body(const VerbEntry& verb, const std::string& indent) {
  std::string out = indent + "case $previous in\n" + values_of(verb, indent) + indent + "*)\n";
  out += indent + "  if [[ $current == -* ]]; then words='" + option_names(verb) + "'\n";
  for (const OptionEntry& option : verb.options)
    if (option.names.empty()) {
      out += indent + "  else " + assigned(option) + "\n";
      break;
    }
  return out + indent + "  fi ;;\n" + indent + "esac ;;\n";
}

std::string verb_case(const VerbEntry& verb) {
  if (verb.verbs.empty()) return "  " + verb.name + ")\n" + verb_body(verb, "    ");
  std::string out = "  " + verb.name + ")\n    if ((COMP_CWORD == 2)); then words='" + verb_names(verb.verbs) +
                    " --help'\n    else\n      case ${COMP_WORDS[2]} in\n";
  for (const VerbEntry& below : verb.verbs) out += "      " + below.name + ")\n" + verb_body(below, "        ");
  return out + "      esac\n    fi ;;\n";
}

}  // namespace

std::string bash_completion(std::span<const VerbEntry> verbs) {
  std::string out = bash_head;
  out += "  verbs) words='" + verb_names(verbs) + " --help --version' ;;\n";
  for (const VerbEntry& verb : verbs) out += verb_case(verb);
  return out + bash_tail;
}

}  // namespace muster::cli
