// SLM030 wait-hides-failure, SLM063 exit-hides-failure: whether the exit code of a text tells that its work failed.
#include <algorithm>

#include "compiler/base/text.h"
#include "lint/rules/body/job_text.h"

namespace muster::lint {
namespace {

using shell::Command;
using shell::Effect;

std::string ends_as_completed(const JobText& job) {
  return std::string(job.host.is_container() ? "container" : "job") + " ends as completed";
}

// ---- SLM030 ------------------------------------------------------------------------------------------

bool only_says(const Command& c) { return c.does.is({Effect::prints}); }

// `wait` for all, as the last command but for messages, of a script that starts programs in the background.
bool check_wait(const JobText& job) {
  const Command* last = nullptr;
  for (const Command& c : job.body.commands) {
    if (c.scope >= 0 || c.inside >= 0 || c.after_exit || only_says(c)) continue;
    if (last == nullptr || c.span.begin > last->span.begin) last = &c;
  }
  if (last == nullptr || last->program() != "wait" || last->words.size() != 1) return false;
  const auto& launches = job.body.launches;
  const auto started = std::find_if(launches.begin(), launches.end(), [&](const shell::Launch& launch) {
    return job.command(launch).background && job.command(launch).inside < 0;
  });
  if (started == launches.end()) return false;
  Finding& f = job.wrong_at(RuleId::wait_hides_failure, last->span, "wait",
                            "`wait` returns 0 even if the programs failed, so the " + ends_as_completed(job));
  f.labels.push_back({started->span, "started in the background"});
  return true;
}

// ---- SLM063 ------------------------------------------------------------------------------------------

// Commands that the shell reaches from top to bottom, tests aside.
std::vector<const Command*> main_commands(const JobText& job) {
  std::vector<const Command*> out;
  for (const Command& c : job.body.commands)
    if (c.inside < 0 && !c.after_exit && !c.condition && !c.words.empty() &&
        job.body.inside(c, shell::ScopeKind::function) == nullptr &&
        job.body.inside(c, shell::ScopeKind::substitution) == nullptr)
      out.push_back(&c);
  std::stable_sort(out.begin(), out.end(),
                   [](const Command* a, const Command* b) { return a->span.begin < b->span.begin; });
  return out;
}

// Whether words such as `-eux` or `-o errexit` have an option of the shell.
bool has_option(std::string_view words, char letter, std::string_view name) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find_first_of(" \t\r\n"), words.size());
    const std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    if (word == name) return true;
    if (word.size() > 1 && word[0] == '-' && word[1] != '-' && word.find(letter) != std::string_view::npos) return true;
  }
  return false;
}

// Whether the shell has an option at a command: by its own words, its first line, or a `set` before.
bool is_set(const JobText& job, const std::vector<const Command*>& commands, const Command& at, char letter,
            std::string_view name) {
  const std::string_view first = job.text.starts_with("#!") ? job.text.substr(0, job.text.find('\n')) : "";
  const std::size_t options = first.find(" -");
  if (has_option(job.host.options, letter, name)) return true;
  if (options != std::string_view::npos && has_option(first.substr(options), letter, name)) return true;
  return std::any_of(commands.begin(), commands.end(), [&](const Command* c) {
    return c->span.begin < at.span.begin && c->program() == "set" &&
           has_option(job.sources().text(c->span), letter, name);
  });
}

// The command whose exit code a pipe has, where `work` is in it and is not that one; nullptr otherwise.
const Command* end_of_pipe(const std::vector<const Command*>& commands, const Command& work) {
  const Command* last = &work;
  for (const Command* c : commands)
    if (c->piped && work.piped && c->pipeline == work.pipeline && c->span.begin > last->span.begin) last = c;
  return last == &work ? nullptr : last;
}

Finding& add_hidden(const JobText& job, const Command& work, const Command& hides, const std::string& whose) {
  Finding& f = job.wrong_at(
      RuleId::exit_hides_failure, hides.span, std::string(hides.program()),
      whose + ", so the " + ends_as_completed(job) + " even if `" + printable(work.program(), 40) + "` fails");
  f.labels.push_back({work.span, "its failure is not seen"});
  return f;
}

// Whether it ends with 0 whatever the work did: `mv results /shared` may fail for want of results.
bool always_succeeds(const Command& c) {
  if (c.does.is({Effect::prints, Effect::waits, Effect::sets, Effect::submits, Effect::ends})) return true;
  return c.does.is({Effect::removes}) && std::any_of(c.words.begin(), c.words.end(), [](const shell::Word& word) {
           return word.text.size() > 1 && word.text[0] == '-' && word.text.find('f') != std::string::npos;
         });
}

// Behind the work: the command that gives the text its exit code; nullptr where that is the work's, or not certain.
const Command* hides_behind(const std::vector<const Command*>& commands, std::size_t work) {
  const Command* last = nullptr;
  for (std::size_t i = work + 1; i < commands.size(); ++i) {
    const Command& c = *commands[i];
    if (c.piped && c.pipeline == commands[work]->pipeline) continue;
    if (c.conditional && last == nullptr) return nullptr;  // `work || exit 1`, `work && …`: it is looked at
    if (c.does.is({Effect::leaves})) {
      if (c.program() != "exit" || c.conditional) return nullptr;
      if (c.words.size() == 1) break;  // the code of what is before
      return c.words[1].literal && c.words[1].text == "0" ? &c : nullptr;
    }
    last = &c;
  }
  return last != nullptr && last->scope < 0 && !last->conditional && !last->background && always_succeeds(*last)
             ? last
             : nullptr;
}

void check_exit(const JobText& job) {
  for (const std::string_view looks : {"$?", "PIPESTATUS", "trap "})
    if (job.mentions(looks)) return;
  const std::vector<const Command*> commands = main_commands(job);
  const auto last = std::find_if(commands.rbegin(), commands.rend(), [](const Command* c) { return is_work(*c); });
  if (last == commands.rend() || (*last)->background || (*last)->negated) return;
  const Command& work = **last;
  if (const Command* end = end_of_pipe(commands, work); end != nullptr) {
    if (is_set(job, commands, work, '\0', "pipefail")) return;
    add_hidden(job, work, *end, "the pipe has the exit code of `" + printable(end->program(), 40) + "`")
        .notes.push_back("write `set -o pipefail` in a line above");
    return;
  }
  if (is_set(job, commands, work, 'e', "errexit")) return;
  const Command* hides =
      hides_behind(commands, commands.size() - 1 - static_cast<std::size_t>(last - commands.rbegin()));
  if (hides == nullptr) return;
  add_hidden(job, work, *hides, "the exit code is that of `" + printable(job.sources().text(hides->span), 40) + "`")
      .notes.push_back("write `set -e` in a line above, or `|| exit` behind the program");
}

}  // namespace

void check_exit_code(const JobText& job) {
  if (!job.host.to_an_end || !job.body.shell || check_wait(job)) return;
  check_exit(job);
}

}  // namespace muster::lint
