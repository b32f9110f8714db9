// What is left in a script from other uses of it: SLM050 debug-setting-left, SLM056 job-without-work,
// SLM062 environment-built-in-job.
#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "lint/heuristics.h"
#include "lint/rules/launch/script_job.h"

namespace muster::lint {
namespace {

using shell::Command;

// ---- SLM050 ------------------------------------------------------------------------------------------

constexpr std::int64_t short_minutes = 60;  // of a job that looks for an error

bool is_for_a_test(const ScriptJob& job) {
  const slurm::Component& c = job.meaning.job();
  if (c.time && !c.time->unlimited && c.time->minutes <= short_minutes) return true;
  std::string name =
      lower(c.job_name ? *c.job_name : std::string()) + " " + lower(base_name(job.sources().name(job.script.file)));
  if (c.partitions)
    for (const std::string& partition : *c.partitions) name += " " + lower(partition);
  for (const std::string_view word : {"debug", "dbg", "test", "profil", "bench", "nsys"})
    if (name.find(word) != std::string::npos) return true;
  return false;
}

bool is_exported(const ScriptJob& job, std::string_view variable) {
  return job.mentions("set -a") || job.mentions("allexport") ||
         std::any_of(job.body.exports.begin(), job.body.exports.end(),
                     [&](const shell::Export& e) { return e.name == variable; });
}

// Calls with each value that what the text starts may get for a variable, its command and its place.
template <class F>
void for_each_value(const ScriptJob& job, std::string_view variable, const F& f) {
  for (const shell::Export& e : job.body.exports)
    if (e.value && e.name == variable) f(*e.value, job.body.commands[e.command], e.span);
  const bool exported = is_exported(job, variable);
  for (const Command& c : job.body.commands) {
    for (const shell::Assignment& a : c.assignments)
      if (a.name == variable && (exported || !c.words.empty())) f(a.value, c, c.span);
    for (const shell::Word& word : c.words)  // `env NAME=1 program`, `mpirun -x NAME=1 program`
      if (word.text.starts_with(variable) && word.text.find('=') == variable.size())
        f(word.behind(variable.size() + 1), c, word.span);
  }
}

void check_setting(const ScriptJob& job, std::string_view variable) {
  bool found = false;
  for_each_value(job, variable, [&](const shell::Word& value, const Command& at, Span span) {
    const bool in_branch = job.body.inside(at, shell::ScopeKind::branch) != nullptr || at.conditional || at.after_exit;
    const std::string_view effect = value.literal ? debugging_effect(variable, value.text) : std::string_view();
    if (found || in_branch || effect.empty()) return;
    found = true;
    job.wrong_at(RuleId::debug_setting_left, span, std::string(variable),
                 "`" + printable(std::string(variable) + "=" + value.text, 60) + "` " + std::string(effect) +
                     ", which is for debugging");
  });
}

}  // namespace

void check_debug(const ScriptJob& job) {
  if (!job.requests_gpus() || is_for_a_test(job)) return;
  for (const std::string_view variable : debugging_variables)
    if (job.mentions(variable) && !job.mentions("unset " + std::string(variable))) check_setting(job, variable);
}

namespace {

// ---- SLM056 ------------------------------------------------------------------------------------------

// Reads settings, starts no program: `source env/bin/activate`, `. ~/.bashrc`.
bool sources_settings(const Command& c) {
  if (c.words.size() < 2) return true;
  const std::string low = lower(c.words[1].text);
  for (const std::string_view word : {"activate", "bashrc", "profile", "conda.sh", "modules", "env", "setup", ".rc"})
    if (low.find(word) != std::string::npos) return true;
  return false;
}

bool only_prepares(const Command& c) {
  using enum shell::Effect;
  const shell::Doing& what = c.own;
  if (c.words.empty()) return true;
  if (what.is(shell::reads_text)) return sources_settings(c);
  if (what.is(shell::Subject::anything)) return false;
  return what.is({prints, leaves, sets}) || c.program() == "wait";
}

// `# python train.py`: a command that is switched off.
Span switched_off(const ScriptJob& job) {
  const std::string_view text = job.sources().text(job.script.body);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = trimmed(text.substr(at, end - at));
    if (line.starts_with('#')) {
      line = trimmed(line.substr(std::min(line.find_first_not_of("# \t"), line.size())));
      const std::string_view program = base_name(line.substr(0, line.find(' ')));
      const bool has_words = line.find(' ') != std::string_view::npos && !line.ends_with('.');
      const bool works = shell::has_trait(program, shell::starts_work) || program.starts_with("python");
      if (has_words && works) {
        const auto begin = job.script.body.begin + static_cast<std::uint32_t>(at);
        return {job.script.file, begin, job.script.body.begin + static_cast<std::uint32_t>(end)};
      }
    }
    at = end + 1;
  }
  return {};
}

void check_work(const ScriptJob& job) {
  const slurm::Component& c = job.meaning.job();
  if (!job.host.submitted || !job.requests_gpus() || !job.body.shell || job.body.commands.empty()) return;
  if (!job.body.problems.empty() || !job.script.embedded.empty() || !job.meaning.starts.empty()) return;
  for (const Command& command : job.body.commands)
    if (!only_prepares(command)) return;
  const bool prepares = !job.body.setups.empty();
  const Span off = switched_off(job);
  if (!prepares || !off.known()) return;
  const std::int32_t by = c.gpus_per_node.given()   ? c.gpus_per_node.by
                          : c.gpus_total.given()    ? c.gpus_total.by
                          : c.gpus_per_task.given() ? c.gpus_per_task.by
                                                    : slurm::no_directive;
  Finding& f = job.wrong(RuleId::job_without_work, by, "the job requests GPUs, but the script starts no program");
  f.labels.push_back({off, "this command is a comment"});
}

// ---- SLM062 ------------------------------------------------------------------------------------------

// `conda create`, `conda env create`, `mamba create`.
bool creates_environment(const Command& c) {
  const shell::Doing& what = c.own;
  const auto is_create = [](const shell::Word& w) { return w.text == "create"; };
  return what.is(shell::builds) && what.is({shell::Effect::installs}) &&
         std::any_of(c.words.begin() + 1, c.words.begin() + std::min<std::ptrdiff_t>(std::ssize(c.words), 3),
                     is_create);
}

void check_environment(const ScriptJob& job) {
  if (!job.requests_gpus()) return;
  for (const Command& c : job.body.commands) {
    if (!creates_environment(c) || c.after_exit || c.conditional || c.inside >= 0) continue;
    if (job.body.inside(c, shell::ScopeKind::branch) != nullptr) continue;
    job.wrong_at(RuleId::environment_built, c.span, "conda",
                 "the GPUs wait while each run of the job builds this environment");
    return;
  }
}

}  // namespace

void check_leftovers(const ScriptJob& job) {
  check_debug(job);
  check_work(job);
  check_environment(job);
}

}  // namespace muster::lint
