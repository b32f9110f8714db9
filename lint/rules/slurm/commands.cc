// SLM015 interactive-no-pty, SLM018 spool-script-dir: commands that do something else in a batch job.
#include <algorithm>

#include "compiler/base/text.h"
#include "lint/rules/slurm/job.h"

namespace muster::lint {
namespace {

// ---- SLM015 ------------------------------------------------------------------------------------------

bool is_shell(std::string_view program) {
  static constexpr std::string_view shells[] = {"bash", "sh", "zsh", "csh", "tcsh", "ksh"};
  return std::find(std::begin(shells), std::end(shells), program) != std::end(shells);
}

// A step that is a shell with nothing to read: no script, no standard input.
void check_interactive(const SlurmJob& job) {
  for (const slurm::Launch& launch : job.body.launches) {
    if (launch.kind != slurm::Launcher::srun || launch.option("pty") != nullptr || !is_shell(program_of(launch)))
      continue;
    const slurm::Command& command = job.command(launch);
    const bool fed = command.piped || std::any_of(command.redirects.begin(), command.redirects.end(),
                                                  [](const slurm::Redirect& r) { return r.op.starts_with('<'); });
    const bool words = std::any_of(launch.program.begin() + 1, launch.program.end(), [](const slurm::Word& w) {
      return w.text != "-i" && w.text != "-l" && w.text != "--login";
    });
    if (fed || words) continue;
    Finding& f = job.wrong_at(RuleId::interactive_no_pty, launch.span, "srun",
                              "an interactive shell in a batch job has no terminal and ends at once");
    const Span srun{launch.span.file, launch.span.begin, launch.span.begin + 4};
    if (job.sources().text(srun) == "srun")
      f.fix = Fix{"add `--pty`", false, {{{srun.file, srun.end, srun.end}, " --pty"}}};
  }
}

// ---- SLM018 ------------------------------------------------------------------------------------------

// A word that holds the running script's own path: $0 or BASH_SOURCE.
bool holds_own_path(std::string_view word) {
  if (word.find("${0}") != std::string_view::npos || word.find("BASH_SOURCE") != std::string_view::npos) return true;
  for (std::size_t at = word.find("$0"); at != std::string_view::npos; at = word.find("$0", at + 2))
    if (at + 2 == word.size() || !is_alnum(word[at + 2])) return true;
  return false;
}

// ${0%/*} in a word.
bool holds_own_folder(std::string_view text) {
  for (const std::string_view form : {"${0%/*}", "${BASH_SOURCE%/*}", "${BASH_SOURCE[0]%/*}"})
    if (text.find(form) != std::string_view::npos) return true;
  return false;
}

bool asks_for_own_folder(const slurm::Command& c) {
  if (c.program() == "dirname")
    return std::any_of(c.words.begin() + 1, c.words.end(), [](const slurm::Word& w) { return holds_own_path(w.text); });
  const auto holds = [](const slurm::Word& w) { return holds_own_folder(w.text); };
  return std::any_of(c.words.begin(), c.words.end(), holds) ||
         std::any_of(c.assignments.begin(), c.assignments.end(),
                     [&](const slurm::Assignment& a) { return holds(a.value); });
}

// Goes there, or reads a file of there, at once: what the script finds out elsewhere comes too late.
bool acts_at_once(const SlurmJob& job, const slurm::Command& command) {
  constexpr std::string_view verbs[] = {"cd", "pushd", "source", "."};
  if (std::find(std::begin(verbs), std::end(verbs), command.program()) != std::end(verbs)) return true;  // cd ${0%/*}
  const slurm::Scope* in = job.body.inside(command, slurm::ScopeKind::substitution);
  const std::string_view text = job.sources().text(whole_line(job.sources(), command.span));
  const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  constexpr std::string_view words[] = {"cd ", "pushd ", "source ", ". "};
  return in != nullptr && std::any_of(std::begin(words), std::end(words),
                                      [&](std::string_view word) { return text.substr(first).starts_with(word); });
}

// What the script's text says of its own place: it asks Slurm where it lies, or whether Slurm runs it at all.
struct OwnPlace {
  bool asked = false;   // scontrol's Command=, or the name of slurmd's folder
  bool varies = false;  // a branch may know
};

OwnPlace own_place(const SlurmJob& job) {
  const std::string_view text = job.sources().text(job.script.span);
  const auto says = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  return {says("Command=") || says("slurmd") || says("/spool"), says("SLURM_")};
}

void check_own_folder(const SlurmJob& job) {
  if (!job.script.batch) return;
  const OwnPlace place = own_place(job);
  for (const slurm::Command& c : job.body.commands) {
    if (!asks_for_own_folder(c)) continue;
    const bool sure = job.body.unconditional(c);
    if ((place.asked && !(sure && acts_at_once(job, c))) || (place.varies && !sure)) continue;
    Finding& f = job.wrong_at(RuleId::spool_script_dir, c.span, "$0",
                              "Slurm runs a copy of the script, so this is a folder of slurmd, not the one that the "
                              "script was submitted from");
    f.notes.push_back("`$SLURM_SUBMIT_DIR` is the folder in which `sbatch` was called");
    if (!sure) f.severity = Severity::warning;
    return;
  }
}

}  // namespace

void check_commands(const SlurmJob& job) {
  check_interactive(job);
  check_own_folder(job);
}

}  // namespace muster::lint
