// SLM058 function-in-step, SLM060 resubmits-unchecked: what a job makes of its own text, a function or the file itself.
#include <algorithm>
#include <map>

#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "lint/rules/body/job_text.h"

namespace muster::lint {
namespace {

using shell::Command;

// ---- SLM058 ------------------------------------------------------------------------------------------

// By the text that defines them (Command::inside) and their name: another text of the file does not know them.
using Functions = std::map<std::pair<std::int32_t, std::string_view>, const shell::Scope*>;

Functions functions_of(const JobText& job) {
  Functions out;
  const bool any = std::any_of(job.body.scopes.begin(), job.body.scopes.end(),
                               [](const shell::Scope& s) { return s.kind == shell::ScopeKind::function; });
  if (!any) return out;
  for (const Command& c : job.body.commands)
    if (const shell::Scope* s = job.body.inside(c, shell::ScopeKind::function); s != nullptr && !s->name.empty())
      out.emplace(std::pair(c.inside, std::string_view(s->name)), s);
  return out;
}

// It only prints a command line, for `srun $(NAME)` to run.
bool only_prints(const JobText& job, const shell::Scope& function) {
  for (const Command& c : job.body.commands) {
    if (job.body.inside(c, shell::ScopeKind::function) != &function) continue;
    using enum shell::Effect;
    const shell::Doing& what = c.does;
    if (what.is({works, writes, transfers, submits}) || what.is(shell::Subject::folder) ||
        what.is(shell::Subject::environment))
      return false;
  }
  return true;
}

}  // namespace

void check_functions(const JobText& job) {
  const Functions functions = functions_of(job);
  if (functions.empty()) return;
  std::size_t looked_at = 0;
  for (const shell::Launch& launch : job.body.launches) {
    const shell::Starts starts = row_of(launch.kind).starts;
    if ((starts != shell::Starts::tasks && starts != shell::Starts::ranks) || launch.program.empty()) continue;
    const shell::Word& word = launch.program.front();
    if (!word.span.known()) continue;
    const std::string_view spelling = job.sources().text(word.span);
    const bool printed = spelling.starts_with("$(");
    std::string_view name = spelling;
    if (printed) {
      name = trimmed(spelling.substr(2, spelling.size() - std::min<std::size_t>(spelling.size(), 3)));
      name = name.substr(0, name.find_first_of(" \t"));
    }
    const auto found = functions.find({job.command(launch).inside, name});
    if (found == functions.end()) continue;
    if (++looked_at > most_of_lines) return;
    const shell::Scope* function = found->second;
    if (printed && only_prints(job, *function)) continue;
    const std::string launcher(job.command(launch).program());
    Finding& f = job.wrong_at(
        RuleId::function_in_step, word.span, launcher,
        printed ? "the script's shell runs the function `" + std::string(name) + "`, and `" + launcher +
                      "` gets only the text that it prints"
                : "`" + launcher + "` cannot run `" + std::string(name) + "`, because it is a function of this script");
    f.labels.push_back({function->head, "the function"});
    if (printed) f.severity = Severity::warning;
  }
}

namespace {

// ---- SLM060 ------------------------------------------------------------------------------------------

// What a script does that looks at how its run ended, or counts how often it was submitted.
bool looks_at_the_end(const JobText& job) {
  for (const std::string_view word : {"$?", "set -e", "|| exit", "||exit", "errexit", "afterok", "singleton", "attempt",
                                      "counter", "-le ", "-lt ", "-gt ", "-ge ", "grep ", "break"})
    if (job.mentions(word)) return true;
  return false;
}

// `[ ! -f RESULT ]`
bool asks_for_missing_file(const Command& c) {
  if (!c.own.is({shell::Effect::tests})) return false;
  const auto is = [&](std::initializer_list<std::string_view> texts) {
    return std::any_of(c.words.begin(), c.words.end(), [&](const shell::Word& w) { return is_one_of(w.text, texts); });
  };
  return is({"!"}) && is({"-f", "-e", "-s"});
}

}  // namespace

void check_resubmission(const JobText& job) {
  if (!job.host.submitted || job.host.is_container()) return;
  const Command* test = nullptr;
  std::size_t looked_at = 0;
  for (const Command& c : job.body.commands) {
    if (c.condition) test = &c;
    if (!targets::batch::submits_jobs(c.program()) || test == nullptr || !asks_for_missing_file(*test) || c.conditional)
      continue;
    const shell::Scope* branch = job.body.inside(c, shell::ScopeKind::branch);
    if (branch == nullptr || c.inside >= 0) continue;
    if (++looked_at > most_of_lines) return;
    // Only chores before it: it submits what makes the file.
    const bool worked = std::any_of(job.body.commands.begin(), job.body.commands.end(), [&](const Command& other) {
      return other.span.end <= test->span.begin && !other.condition && is_work(other) &&
             job.body.inside(other, shell::ScopeKind::function) == nullptr;
    });
    if (!worked || looks_at_the_end(job)) continue;
    job.wrong_at(RuleId::resubmits_unchecked, c.span, std::string(c.program()),
                 "a run that fails leaves no file either, so the job is submitted again and again");
    return;
  }
}

}  // namespace muster::lint
