#include "cli/completion.h"

namespace muster::cli {
namespace {

constexpr const char* fish_head = R"(# Completion of muster for fish, written by `muster completion fish`.
# Whether the command line has this verb, and this verb below it.
function __muster_verb
    set -l words (commandline -opc)
    set -e words[1]
    for at in (seq (count $argv))
        test "$words[$at]" = "$argv[$at]"; or return 1
    end
end
# Whether the word that is completed is the first after these verbs.
function __muster_next
    set -l words (commandline -opc)
    test (count $words) -eq (math (count $argv) + 1); and __muster_verb $argv
end
complete -c muster -f
)";

std::string fish_quoted(std::string_view text) {
  return "'" + replaced(replaced(std::string(text), "\\", "\\\\"), "'", "\\'") + "'";
}

// " -x -a 'text json'" or " -r -F": what the value is completed with.
std::string fish_value(const OptionEntry& option) {
  // fish evaluates the list as it does a command: a bare `>` would be a redirection.
  const std::string list = replaced(spaced(option.choices), ">", "\\>");
  const std::string words = option.choices.empty() ? "" : " -a " + fish_quoted(list);
  const char* required = option.names.empty() ? "" : " -r";
  switch (completed_with(option)) {
    case Completed::files: return required + words + " -F";
    case Completed::folders: return std::string(required) + " -f -a '(__fish_complete_directories)'";
    case Completed::nothing: break;
  }
  return required + words + " -f";
}

std::string fish_option(const std::string& condition, const OptionEntry& option) {
  std::string out = "complete -c muster -n '" + condition + "'";
  for (const std::string& name : option.names)
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value.empty()) out += fish_value(option);
  return out + " -d " + fish_quoted(option.help) + "\n";
}

std::string fish_verbs(const std::string& above, std::span<const VerbEntry> verbs) {
  std::string out;
  for (const VerbEntry& verb : verbs) {
    const std::string path = above + " " + verb.name;
    out += "complete -c muster -n '__muster_next" + above + "' -a " + verb.name + " -d " + fish_quoted(verb.summary) +
           "\n";
    out += fish_verbs(path, verb.verbs);
    if (!verb.verbs.empty()) continue;
    for (const OptionEntry& option : verb.options) out += fish_option("__muster_verb" + path, option);
  }
  return out;
}

}  // namespace

std::string fish_completion(std::span<const VerbEntry> verbs) { return fish_head + fish_verbs("", verbs); }

}  // namespace muster::cli
