// Lines that prepare the environment: modules, conda, virtual environments, exports, cd.
#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "compiler/shell/launches.h"

namespace muster::shell {
namespace {

std::vector<Word> from(const std::vector<Word>& words, std::size_t at) {
  std::vector<Word> out;
  for (std::size_t i = at; i < words.size(); ++i)
    if (!words[i].text.starts_with('-')) out.push_back(words[i]);
  return out;
}

struct Subcommand {
  std::string_view program, word;
  SetupKind kind;
};
constexpr std::array subcommands = std::to_array<Subcommand>({
    {"module", "load", SetupKind::module_load},
    {"module", "add", SetupKind::module_load},
    {"module", "purge", SetupKind::module_purge},
    {"module", "use", SetupKind::module_use},
    {"ml", "load", SetupKind::module_load},
    {"ml", "purge", SetupKind::module_purge},
    {"ml", "use", SetupKind::module_use},
    {"conda", "activate", SetupKind::conda},
    {"mamba", "activate", SetupKind::conda},
    {"micromamba", "activate", SetupKind::conda},
    {"spack", "load", SetupKind::spack},
    {"spack", "env", SetupKind::spack},
});

// What `source FILE` prepares, by the file's name.
SetupKind kind_of_file(const std::vector<Word>& arguments) {
  if (arguments.empty()) return SetupKind::source;
  const std::string_view file = arguments[0].text;
  if (base_name(file) != "activate") return SetupKind::source;
  return file == "activate" || file.find("conda") != std::string_view::npos ? SetupKind::conda : SetupKind::venv;
}

std::optional<Setup> setup_of(const Command& command) {
  const std::vector<Word>& words = command.words;
  const std::string_view program = base_name(words[0].text);
  const std::string_view second = words.size() > 1 ? std::string_view(words[1].text) : std::string_view{};
  Setup setup;
  for (const Subcommand& s : subcommands)
    if (s.program == program && s.word == second) return setup.kind = s.kind, setup.arguments = from(words, 2), setup;
  if (program == "module") return setup.kind = SetupKind::module_other, setup.arguments = from(words, 1), setup;
  if (program == "ml" && words.size() > 1)
    return setup.kind = SetupKind::module_load, setup.arguments = from(words, 1), setup;
  if ((program == "source" || program == ".") && words.size() > 1) {
    setup.arguments = from(words, 1);
    setup.kind = kind_of_file(setup.arguments);
    if (setup.kind == SetupKind::conda && setup.arguments.size() > 1) setup.arguments.erase(setup.arguments.begin());
    return setup;
  }
  return std::nullopt;
}

}  // namespace

void find_setups(Body& body, std::uint32_t index) {
  const Command& command = body.commands[index];
  if (command.own.row == nullptr || command.inside >= 0) return;  // what sets something has a row
  const bool sure = body.unconditional(command);
  if (auto setup = setup_of(command)) {
    setup->command = index, setup->span = command.span, setup->unconditional = sure;
    body.setups.push_back(std::move(*setup));
  }
  if (command.words[0].text == "cd" || command.words[0].text == "pushd") {
    const std::vector<Word> target = from(command.words, 1);
    body.directories.push_back({target.empty() ? Word{} : target[0], index, command.span, sure});
  }
}

std::string_view name(SetupKind kind) {
  switch (kind) {
    case SetupKind::module_load: return "module-load";
    case SetupKind::module_purge: return "module-purge";
    case SetupKind::module_use: return "module-use";
    case SetupKind::module_other: return "module-other";
    case SetupKind::conda: return "conda";
    case SetupKind::venv: return "venv";
    case SetupKind::source: return "source";
    case SetupKind::spack: return "spack";
  }
  return "";
}

}  // namespace muster::shell
