#include "targets/contract/launch.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/shell/programs.h"

namespace muster::targets::contract {
namespace {

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; at += word.size()) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_name_char(text[at - 1])) && (end == text.size() || !is_name_char(text[end]))) return true;
  }
  return false;
}

// `for x; do`, without words behind the name.
bool goes_over_arguments(std::string_view text) {
  constexpr std::string_view loop = "for ";
  for (std::size_t at = 0; (at = text.find(loop, at)) != std::string_view::npos; at += loop.size()) {
    std::string_view rest = text.substr(at + loop.size());
    std::size_t end = 0;
    while (end < rest.size() && is_name_char(rest[end])) ++end;
    if (end == 0 || (at > 0 && is_name_char(text[at - 1]))) continue;
    rest = trimmed(rest.substr(end), " \t");
    if (!rest.empty() && (rest[0] == ';' || rest[0] == '\n' || rest.starts_with("do ") || rest.starts_with("do\n")))
      return true;
  }
  return false;
}

}  // namespace

bool is_torch_launcher(model::Runner runner) {
  return runner == model::Runner::torchrun || runner == model::Runner::accelerate;
}

bool torch_passes(std::string_view signal) {
  return signal == "TERM" || signal == "INT" || signal == "HUP" || signal == "QUIT";
}

std::string torch_note(const model::Workload& workload, model::Runner runner, std::int64_t seconds) {
  if (!workload.stop || !is_torch_launcher(runner) || seconds <= torch_patience) return {};
  if (torch_passes(workload.stop->signal.value))
    return "before PyTorch 2.12 the launcher kills its workers 30 s after the signal";
  return "before PyTorch 2.10 the launcher does not know " + workload.stop->signal.value;
}

std::vector<model::Runner> launchers_of(const plan::Plan& plan,
                                        const std::function<bool(const model::Role&)>& has_launcher) {
  std::vector<model::Runner> out;
  for (const plan::RolePlan& shape : plan.roles) {
    const model::Runner runner = shape.role->launch.runner.value;
    if (has_launcher(*shape.role) && std::find(out.begin(), out.end(), runner) == out.end()) out.push_back(runner);
  }
  return out;
}

void report_launch(Account& account, const model::TargetOptions& block, std::span<const model::Runner> launchers,
                   std::string_view help) {
  if (block.launch.empty()) return;
  const FieldRef field{Field::target_launch, block.target};
  const Span where = block.launch.front().span;
  if (launchers.size() == 1) account.exact(field, "options of the launcher");
  else if (launchers.empty()) account.refuse_at(where, field, "there is no launcher that takes these options", help);
  else
    account.refuse_at(where, field,
                      "the roles have different launchers, `" + std::string(name(launchers[0])) + "` and `" +
                          std::string(name(launchers[1])) + "`, which take different options",
                      "write `launch { args = […] }` in each role");
}

void report_elsewhere(Account& account, const model::TargetOptions& block) {
  const std::string why = "options of target " + block.target + " only";
  for (const Field key : {Field::target_srun, Field::target_launch})
    account.approximated({key, block.target}, "nothing", why);
  for (const model::RawOption& option : block.options) {
    const FieldRef field{Field::target, block.target + "." + option.name};
    if (!account.loss.covers(field)) account.approximated(field, "nothing", why);
  }
}

bool reads_arguments(const model::Script& script) {
  const std::string_view text = script.bytes;
  if (script.interpreter == "python") return text.find("argv") != std::string_view::npos;
  if (!shell::has_trait(script.interpreter, shell::bourne)) return false;
  if (has_word(text, "shift") || has_word(text, "getopts") || goes_over_arguments(text)) return true;
  for (std::size_t at = 0; (at = text.find('$', at)) != std::string_view::npos; ++at) {
    std::string_view rest = text.substr(at + 1);
    const bool braces = rest.starts_with('{');
    if (braces) rest.remove_prefix(1);
    if (rest.empty()) continue;
    const std::string_view behind = rest.substr(1, 1);
    if ((rest[0] >= '1' && rest[0] <= '9') || rest[0] == '@' || rest[0] == '*') return true;
    if (rest[0] == '#' && (!braces || is_one_of(behind, {"}", "@", "*"}))) return true;
    const bool number = !behind.empty() && is_digit(behind[0]);
    if (rest[0] == '!' && braces && (number || is_one_of(behind, {"#", "@", "*"}))) return true;
  }
  return false;
}

bool reads_own_name(const model::Script& script) {
  const std::string_view text = script.bytes;
  for (const std::string_view name : {"$0", "${0", "BASH_SOURCE"})
    if (text.find(name) != std::string_view::npos) return true;
  return false;
}

}  // namespace muster::targets::contract
