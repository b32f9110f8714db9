// SLM015 interactive-no-pty, SLM018 spool-script-dir: commands that do something else in a batch job.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "lint/rules/slurm/job.h"

namespace muster::lint {
namespace {

// ---- SLM015 ------------------------------------------------------------------------------------------

// A step that is a shell with nothing to read: no script, no standard input.
void check_interactive(const SlurmJob& job) {
  for (const shell::Launch& launch : job.body.launches) {
    if (launch.kind != shell::Launcher::srun || launch.option("pty") != nullptr ||
        !shell::has_trait(program_of(launch), shell::any_shell))
      continue;
    const shell::Command& command = job.command(launch);
    const bool fed = command.piped || std::any_of(command.redirects.begin(), command.redirects.end(),
                                                  [](const shell::Redirect& r) { return r.op.starts_with('<'); });
    const bool words = std::any_of(launch.program.begin() + 1, launch.program.end(), [](const shell::Word& w) {
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
  if (text.find('%') == std::string_view::npos) return false;  // as most words
  for (const std::string_view form : {"${0%/*}", "${BASH_SOURCE%/*}", "${BASH_SOURCE[0]%/*}"})
    if (text.find(form) != std::string_view::npos) return true;
  return false;
}

bool asks_for_own_folder(const shell::Command& c) {
  if (c.program() == "dirname")
    return std::any_of(c.words.begin() + 1, c.words.end(), [](const shell::Word& w) { return holds_own_path(w.text); });
  const auto holds = [](const shell::Word& w) { return holds_own_folder(w.text); };
  return std::any_of(c.words.begin(), c.words.end(), holds) ||
         std::any_of(c.assignments.begin(), c.assignments.end(),
                     [&](const shell::Assignment& a) { return holds(a.value); });
}

// Goes there, or reads a file of there, at once: what the script finds out elsewhere comes too late.
bool acts_at_once(const SlurmJob& job, const shell::Command& command) {
  const auto goes = [](std::string_view program) {
    const shell::Program* row = shell::program_named(program);
    return row != nullptr && (row->subject == shell::Subject::folder || row->is(shell::reads_text));
  };
  if (goes(command.program())) return true;  // cd ${0%/*}
  const shell::Scope* in = job.body.inside(command, shell::ScopeKind::substitution);
  const std::string_view text = job.sources().text(whole_line(job.sources(), command.span));
  const std::string_view line = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
  return in != nullptr && goes(line.substr(0, line.find(' ')));
}

// What the script's text says of its own place: it asks Slurm where it lies, or whether Slurm runs it at all.
struct OwnPlace {
  bool asked = false;   // scontrol's Command=, or the name of slurmd's folder
  bool varies = false;  // a branch may know
};

OwnPlace own_place(const SlurmJob& job) {
  return {job.mentions("Command=") || job.mentions("slurmd") || job.mentions("/spool"), job.mentions("SLURM_")};
}

// `$NAME` or `${NAME…}` in a text; not where it is what is used in case of need, as in `${OTHER:-$NAME}`.
bool reads(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + name.size())) {
    const std::size_t end = at + name.size();
    const bool whole = end == text.size() || !is_name_char(text[end]);
    const std::size_t dollar = at > 0 && text[at - 1] == '{' ? at - 1 : at;
    if (!whole || dollar == 0 || text[dollar - 1] != '$') continue;
    const std::string_view before = text.substr(0, dollar - 1);
    if (!before.ends_with(":-") && !before.ends_with(":=")) return true;
  }
  return false;
}

bool shows_only(const shell::Command& c) {
  using enum shell::Effect;
  const shell::Doing& what = c.own;
  return what.is({prints, tests}) || what.is(shell::declares) || what.is(shell::on_names);
}

// Where Python and the linker look besides: a folder that is not there is no fault by itself.
bool is_search_path(std::string_view name) { return name.ends_with("PATH"); }

struct Named {
  std::string_view name;
  const shell::Word* value;
};

// All names that get a value, once.
std::vector<Named> values_of(const SlurmJob& job) {
  std::vector<Named> out;
  for (const shell::Export& e : job.body.exports)
    if (e.value) out.push_back({e.name, &*e.value});
  for (const shell::Command& c : job.body.commands)
    for (const shell::Assignment& a : c.assignments) out.push_back({a.name, &a.value});
  return out;
}

// The names whose values come from what a command finds out, directly or through other names.
std::vector<std::string_view> names_from(const SlurmJob& job, const shell::Command& asks) {
  constexpr std::size_t most = 50;
  const std::vector<Named> values = values_of(job);
  const Span place = asks.span;
  std::vector<std::string_view> out;
  for (const shell::Assignment& a : asks.assignments)
    if (holds_own_folder(a.value.text)) out.push_back(a.name);
  for (const Named& v : values)
    if (v.value->span.begin <= place.begin && place.end <= v.value->span.end) out.push_back(v.name);
  for (std::size_t i = 0; i < out.size() && out.size() < most; ++i)
    for (const Named& v : values)
      if (reads(job.sources().text(v.value->span), out[i]) && std::find(out.begin(), out.end(), v.name) == out.end())
        out.push_back(v.name);
  return out;
}

// `ROOT=$(cd "$DIR/.." && pwd)`: it only finds the name of another folder.
bool is_in_value(const SlurmJob& job, const shell::Command& cd, const std::vector<std::string_view>& names) {
  const std::vector<Named> values = values_of(job);
  return std::any_of(values.begin(), values.end(), [&](const Named& v) {
    return v.value->span.begin <= cd.span.begin && cd.span.end <= v.value->span.end &&
           std::find(names.begin(), names.end(), v.name) != names.end();
  });
}

// The command that goes to the folder, or runs or reads something there; nullptr: none does, as far as is seen.
const shell::Command* user_of_folder(const SlurmJob& job, const shell::Command& asks) {
  const std::vector<std::string_view> names = names_from(job, asks);
  for (const shell::Command& c : job.body.commands) {
    if ((&c == &asks && names.empty()) || shows_only(c)) continue;
    if (c.program() == "cd" && is_in_value(job, c, names)) continue;
    for (const shell::Word& word : c.words) {
      const bool direct = names.empty() && word.span.begin <= asks.span.begin && asks.span.end <= word.span.end;
      const std::string_view text = job.sources().text(word.span);
      if (direct || std::any_of(names.begin(), names.end(),
                                [&](std::string_view name) { return !is_search_path(name) && reads(text, name); }))
        return &c;
    }
    for (const shell::Redirect& r : c.redirects)
      if (std::any_of(names.begin(), names.end(),
                      [&](std::string_view name) { return reads(job.sources().text(r.target.span), name); }))
        return &c;
  }
  return names.empty() && asks.program() != "dirname" && !shows_only(asks) ? &asks : nullptr;
}

// `cd "${SLURM_SUBMIT_DIR:-$(dirname "$0")}"`: the own folder is for runs without Slurm.
bool is_default_of_slurm(const SlurmJob& job, const shell::Command& asks) {
  const std::string_view text = job.sources().text(asks.span);
  const std::size_t own = std::min({text.find("$0"), text.find("${0"), text.find("BASH_SOURCE"), text.size()});
  const std::uint32_t line = whole_line(job.sources(), asks.span).begin;
  const auto place = asks.span.begin + static_cast<std::uint32_t>(own);
  const std::string_view before = job.sources().text({asks.span.file, line, place});
  const std::size_t open = before.rfind("${SLURM_");
  if (open == std::string_view::npos) return false;
  const std::size_t dash = before.find('-', open);
  return dash != std::string_view::npos && before.substr(open, dash - open).find('}') == std::string_view::npos;
}

// `[ -n "$SLURM_SUBMIT_DIR" ]`: the script takes that folder where there is one.
bool tests_submit_folder(const SlurmJob& job) {
  return std::any_of(job.body.commands.begin(), job.body.commands.end(), [](const shell::Command& c) {
    return c.own.is({shell::Effect::tests}) && std::any_of(c.words.begin(), c.words.end(), [](const shell::Word& w) {
             return w.text.find("SLURM_SUBMIT_DIR") != std::string::npos;
           });
  });
}

void check_own_folder(const SlurmJob& job) {
  if (!job.script.batch || tests_submit_folder(job)) return;
  constexpr int most = 5;  // commands that ask: each is followed through the whole text
  const OwnPlace place = own_place(job);
  int asked = 0;
  for (const shell::Command& c : job.body.commands) {
    if (!asks_for_own_folder(c)) continue;
    if (++asked > most) return;
    if (is_default_of_slurm(job, c)) continue;
    const bool sure = job.body.unconditional(c);
    if ((place.asked && !(sure && acts_at_once(job, c))) || (place.varies && !sure)) continue;
    const shell::Command* user = user_of_folder(job, c);
    if (user == nullptr) continue;
    Finding& f = job.wrong_at(RuleId::spool_script_dir, c.span, "$0",
                              "Slurm runs a copy of the script, so this is a folder of slurmd, not the one that the "
                              "script was submitted from");
    if (user->span.begin > c.span.end) f.labels.push_back({user->span, "used here"});
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
