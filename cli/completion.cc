// muster completion SHELL: verbs, options, their values and files, completed by bash, zsh or fish.
#include "cli/completion.h"

#include <cstdio>

#include "cli/command.h"

namespace muster::cli {

Completed completed_with(const OptionEntry& option) {
  if (option.value.find("[=") != std::string::npos) return Completed::nothing;  // FORMAT[=FILE]: the format comes first
  if (option.value.find("FILE") != std::string::npos) return Completed::files;
  if (option.value == "DIR") return Completed::folders;
  return option.names.empty() && option.choices.empty() ? Completed::files : Completed::nothing;
}

std::string spaced(std::span<const std::string> words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

int run_completion(const CommandLine& line) {
  std::string shell;
  Arguments app("Prints the completion script of a shell.", "muster completion");
  app.add_option("SHELL", shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
  if (const auto exit = app.parse(line)) return *exit;
  const std::vector<VerbEntry> verbs = describe_commands();
  const std::string text = shell == "bash"  ? bash_completion(verbs)
                           : shell == "zsh" ? zsh_completion(verbs)
                                            : fish_completion(verbs);
  return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 2 : 0;
}

}  // namespace muster::cli
