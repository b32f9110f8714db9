#include "cli/completion.h"

namespace muster::cli {
namespace {

std::string zsh_quoted(std::string_view text) { return "'" + replaced(std::string(text), "'", "'\\''") + "'"; }

// The help of an option is in brackets, and a colon ends it.
std::string zsh_help(std::string text) {
  for (const char* special : {"\\", "[", "]", ":"}) text = replaced(text, special, std::string("\\") + special);
  return text;
}

// How a value is completed: an action of _arguments.
std::string zsh_action(const OptionEntry& option) {
  const Completed paths = completed_with(option);
  const char* files = paths == Completed::folders ? "_files -/" : "_files";
  if (option.choices.empty()) return paths == Completed::nothing ? "" : files;
  const std::string words = "(" + replaced(spaced(option.choices), ">", "\\>") + ")";  // zsh evaluates the list
  if (paths == Completed::nothing) return words;
  return "_alternative \"words\\:word\\:" + words + "\" \"files\\:file\\:" + files + "\"";
}

std::string zsh_value(const OptionEntry& option) {
  return option.value.empty() ? "" : ":" + option.value + ":" + zsh_action(option);
}

// One line a name. `--x=[help]:FILE:_files` takes `--x FILE` and `--x=FILE`.
std::string zsh_option(const OptionEntry& option) {
  std::string out, others;
  if (!option.repeated && option.names.size() > 1) others = "(" + spaced(option.names) + ")";
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    const char* joined = option.value.empty() ? "" : is_long ? "=" : "+";
    const std::string text =
        (option.repeated ? "*" : others) + name + joined + "[" + zsh_help(option.help) + "]" + zsh_value(option);
    out += "    " + zsh_quoted(text) + " \\\n";
  }
  return out;
}

std::string zsh_argument(const OptionEntry& option) {
  return "    " +
         zsh_quoted((option.repeated   ? "*"
                     : option.required ? ":"
                                       : "::") +
                    zsh_value(option).substr(option.repeated ? 0 : 1)) +
         " \\\n";
}

// `_describe` takes name:description.
std::string zsh_choice_of_verbs(std::span<const VerbEntry> verbs, const std::string& function) {
  std::string out = "  local curcontext=$curcontext state line\n  local -a verbs\n  verbs=(\n";
  for (const VerbEntry& verb : verbs)
    out += "    " + zsh_quoted(verb.name + ":" + replaced(verb.summary, ":", "\\:")) + "\n";
  out +=
      "  )\n  _arguments -C '(- *)'{-h,--help}'[list the options]' '1:verb:->verb' '*::argument:->argument' && return\n"
      "  case $state in\n  verb) _describe -t verbs verb verbs ;;\n"
      "  argument)\n    curcontext=${curcontext%:*:*}:muster-$line[1]:\n"
      "    (( $+functions[" +
      function + "_$line[1]] )) && " + function + "_$line[1] ;;\n  esac\n";
  return out;
}

std::string zsh_function(const VerbEntry& verb, const std::string& function) {
  if (verb.verbs.empty()) {
    std::string out = function + "() {\n  _arguments -s -S \\\n";
    for (const OptionEntry& option : verb.options)
      out += option.names.empty() ? zsh_argument(option) : zsh_option(option);
    return out + "    && return\n}\n\n";
  }
  std::string out;
  for (const VerbEntry& below : verb.verbs) out += zsh_function(below, function + "_" + below.name);
  return out + function + "() {\n" + zsh_choice_of_verbs(verb.verbs, function) + "}\n\n";
}

}  // namespace

std::string zsh_completion(std::span<const VerbEntry> verbs) {
  std::string out = "#compdef muster\n# Completion of muster for zsh, written by `muster completion zsh`.\n\n";
  for (const VerbEntry& verb : verbs) out += zsh_function(verb, "_muster_" + verb.name);
  out += "_muster() {\n" + zsh_choice_of_verbs(verbs, "_muster") + "}\n\n";
  return out + "if [ \"$funcstack[1]\" = _muster ]; then _muster \"$@\"; else compdef _muster muster; fi\n";
}

}  // namespace muster::cli
