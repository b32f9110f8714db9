// SLM027 wait-without-end, SLM028 probe-through-proxy, SLM029 container-each-probe, SLM030 wait-hides-failure: how a
// script waits for what it has started.
#include <algorithm>

#include "compiler/base/text.h"
#include "lint/rules/slurm/job.h"

namespace muster::lint {
namespace {

using slurm::Command;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The scope of a command, or one around it, is `scope`.
bool is_in(const SlurmJob& job, const Command& command, std::int32_t scope) {
  std::int32_t at = command.scope;
  while (at >= 0 && at != scope) at = job.body.scopes[static_cast<std::size_t>(at)].parent;
  return at == scope;
}

// The innermost loop around a command; -1 without one.
std::int32_t loop_of(const SlurmJob& job, const Command& command) {
  std::int32_t at = command.scope;
  while (at >= 0 && job.body.scopes[static_cast<std::size_t>(at)].kind != slurm::ScopeKind::loop)
    at = job.body.scopes[static_cast<std::size_t>(at)].parent;
  return at;
}

template <class Test>
bool any_in(const SlurmJob& job, std::int32_t loop, const Test& test) {
  return std::any_of(job.body.commands.begin(), job.body.commands.end(),
                     [&](const Command& c) { return is_in(job, c, loop) && test(c); });
}

// A loop that asks again and again, and sleeps in between.
bool sleeps(const SlurmJob& job, std::int32_t loop) {
  return loop >= 0 && any_in(job, loop, [](const Command& c) { return c.program() == "sleep"; });
}

// ---- SLM027 ------------------------------------------------------------------------------------------

// Programs that ask another program whether it is there.
bool asks(const Command& c) {
  return is_one_of(base_name(c.program()), {"curl", "wget", "nc", "ncat", "netcat", "redis-cli", "pg_isready"});
}

bool is_test(const Command& c) { return is_one_of(c.program(), {"[", "[[", "test"}); }

// `[ ! -f head.txt ]`: a file that another program has yet to write.
bool asks_for_file(const Command& c) {
  return is_test(c) && c.words.size() <= 5 && std::any_of(c.words.begin() + 1, c.words.end(), [](const slurm::Word& w) {
           return is_one_of(w.text, {"-f", "-e", "-s"});
         });
}

// What ends a loop other than the answer that it waits for: a way out, a clock, a count, a look at the other process.
bool has_other_end(const Command& c) {
  if (is_one_of(c.program(), {"exit", "break", "return", "kill", "timeout", "scancel", "let"})) return true;
  if ((is_test(c) || c.program().starts_with("((")) && !asks_for_file(c)) return true;
  return std::any_of(c.words.begin(), c.words.end(),
                     [](const slurm::Word& w) { return w.text.find("SECONDS") != std::string::npos; });
}

// Something around the loop ends it: it runs beside the others, or below `timeout`.
bool is_ended_outside(const SlurmJob& job, const Command& c) {
  for (std::int32_t at = c.scope; at >= 0; at = job.body.scopes[static_cast<std::size_t>(at)].parent)
    if (job.body.scopes[static_cast<std::size_t>(at)].background) return true;
  for (std::int32_t at = c.inside; at >= 0; at = job.body.commands[static_cast<std::size_t>(at)].inside)
    if (job.body.commands[static_cast<std::size_t>(at)].program() == "timeout") return true;
  return c.background;
}

void check_end_of_wait(const SlurmJob& job, const Command& c) {
  const std::int32_t loop = c.condition && (asks(c) || asks_for_file(c)) ? c.scope : -1;
  if (loop < 0 || loop_of(job, c) != loop || !sleeps(job, loop) || is_ended_outside(job, c)) return;
  const std::string_view head = job.sources().text(job.body.scopes[static_cast<std::size_t>(loop)].head);
  if (!head.starts_with("until") && !head.starts_with("while")) return;
  if (any_in(job, loop, has_other_end)) return;
  job.wrong_at(RuleId::wait_without_end, c.span, "wait",
               is_test(c) ? "this loop never ends if the file is not written"
                          : "this loop never ends if `" + std::string(base_name(c.program())) + "` does not succeed");
}

// ---- SLM028 ------------------------------------------------------------------------------------------

bool speaks_of(const SlurmJob& job, std::string_view text) {
  return job.sources().text(job.script.span).find(text) != std::string_view::npos;
}

// "http://node1:8000/health" of a host without a domain: a node of the job, or this one.
bool is_of_the_job(std::string_view url) {
  const std::size_t at = url.find("http://");
  if (at == std::string_view::npos) return false;
  const std::string_view rest = url.substr(at + 7);
  const std::string_view host = rest.substr(0, rest.find_first_of(":/"));
  return !host.empty() && (host == "127.0.0.1" || host.find('.') == std::string_view::npos);
}

void check_proxy(const SlurmJob& job, const Command& c) {
  const bool again = c.condition || loop_of(job, c) >= 0;
  if (c.program() != "curl" || !again || speaks_of(job, "no_proxy") || speaks_of(job, "NO_PROXY")) return;
  const auto has = [&](const auto& test) { return std::any_of(c.words.begin(), c.words.end(), test); };
  if (has([](const slurm::Word& w) { return w.text.starts_with("--noproxy"); })) return;
  if (speaks_of(job, "unset http_proxy") || !has([](const slurm::Word& w) { return is_of_the_job(w.text); })) return;
  const bool set = speaks_of(job, "http_proxy=");
  Finding& f = job.wrong_at(RuleId::probe_through_proxy, c.span, "curl",
                            set ? "`curl` asks the proxy that this script sets for a node of the job"
                                : "`curl` asks a proxy for a node of the job where the environment names one");
  if (!set) f.severity = Severity::info, f.since = Profile::strict;
  const Span word = c.words.front().span;
  if (job.sources().text(word) == "curl")
    f.fix = Fix{"ask the node itself", true, {{{word.file, word.end, word.end}, " --noproxy '*'"}}};
}

// ---- SLM029 ------------------------------------------------------------------------------------------

void check_container(const SlurmJob& job, const slurm::Launch& launch) {
  const slurm::LaunchOption* image = launch.option("container-image");
  const Command& c = job.command(launch);
  if (image == nullptr || launch.option("container-name") != nullptr || !sleeps(job, loop_of(job, c))) return;
  job.wrong_at(RuleId::container_each_probe, image->span, "container-image",
               "each round of this loop imports the image and starts a container of it");
}

// ---- SLM030 ------------------------------------------------------------------------------------------

bool only_says(const Command& c) { return is_one_of(c.program(), {"echo", "printf", "date"}); }

// `wait` for all, as the last command but for messages, of a script that starts programs in the background.
void check_status(const SlurmJob& job) {
  const Command* last = nullptr;
  for (const Command& c : job.body.commands) {
    if (c.scope >= 0 || c.inside >= 0 || c.after_exit || only_says(c)) continue;
    if (last == nullptr || c.span.begin > last->span.begin) last = &c;
  }
  if (last == nullptr || last->program() != "wait" || last->words.size() != 1) return;
  const auto& launches = job.body.launches;
  const auto started = std::find_if(launches.begin(), launches.end(), [&](const slurm::Launch& launch) {
    return job.command(launch).background && job.command(launch).inside < 0;
  });
  if (started == launches.end()) return;
  Finding& f = job.wrong_at(RuleId::wait_hides_failure, last->span, "wait",
                            "`wait` returns 0 whatever became of the programs, so the job ends as completed");
  f.labels.push_back({started->span, "started in the background"});
}

}  // namespace

void check_waits(const SlurmJob& job) {
  for (const Command& c : job.body.commands) check_end_of_wait(job, c), check_proxy(job, c);
  for (const slurm::Launch& launch : job.body.launches) check_container(job, launch);
  check_status(job);
}

}  // namespace muster::lint
