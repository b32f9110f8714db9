// SLM038 background-not-awaited, SLM040 wait-for-server: programs that a script starts with `&`.
#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "lint/rules/body/job_text.h"

namespace muster::lint {
namespace {

using shell::Command;
using shell::Subject;

// Nothing of the work: messages, questions, the end of a script, lines that only set something.
bool is_silent(const Command& c) {
  using enum shell::Effect;
  const shell::Doing& what = c.does;
  const bool setting = what.is(Subject::variables) || what.is(Subject::options) || what.is(Subject::folder);
  return c.words.empty() || what.is({prints, reads, tests, leaves}) || setting;
}

// The outermost function, substitution or here-document aside: a command that the shell reaches from top to bottom.
bool is_main(const JobText& job, const Command& c) {
  return c.inside < 0 && !c.after_exit && job.body.inside(c, shell::ScopeKind::function) == nullptr &&
         job.body.inside(c, shell::ScopeKind::substitution) == nullptr;
}

std::int32_t outermost(const JobText& job, const Command& c) {
  std::int32_t at = c.scope;
  while (at >= 0 && job.body.scopes[static_cast<std::size_t>(at)].parent >= 0)
    at = job.body.scopes[static_cast<std::size_t>(at)].parent;
  return at;
}

// It runs beside the rest of the script: `c &`, `( c ) &`, `done &`.
bool runs_beside(const JobText& job, const Command& c) {
  if (c.background) return true;
  for (std::int32_t s = c.scope; s >= 0; s = job.body.scopes[static_cast<std::size_t>(s)].parent)
    if (job.body.scopes[static_cast<std::size_t>(s)].background) return true;
  return false;
}

bool has_word(const JobText& job, std::string_view word) {
  if (!job.triples.may_hold(word)) return false;
  const std::string_view text = job.text;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_name_char(text[at - 1]);
    const std::size_t end = at + word.size();
    if (begins && (end == text.size() || !is_name_char(text[end]))) return true;
  }
  return false;
}

// ---- SLM038 ------------------------------------------------------------------------------------------

// What a job runs beside its work; that it ends with the job is meant.
bool is_monitor(const JobText& job, const Command& c) {
  using enum shell::Effect;
  return shell::started_by(job.body, c).is({monitors, serves, waits, prints});
}

// Where `wait` goes: in front of the command that ends the script, else behind the last line. nullopt: it may end in
// several places.
std::optional<Edit> awaited(const JobText& job, const Command& started) {
  const std::string indent = job.host.indent.value_or("");
  for (const Command& c : job.body.commands) {
    if (c.span.begin < started.span.end || !is_main(job, c) || !c.does.is({shell::Effect::leaves})) continue;
    if (c.scope >= 0 || c.conditional) return std::nullopt;
    return Edit{{c.span.file, c.span.begin, c.span.begin}, "wait\n" + indent};
  }
  const bool begins_line = job.sources().text(job.span).ends_with('\n'),
             ends_line = begins_line || !job.host.is_container();
  const std::uint32_t end = job.span.end;
  return Edit{{job.span.file, end, end}, (begins_line ? "" : "\n") + indent + "wait" + (ends_line ? "\n" : "")};
}

void check_not_awaited(const JobText& job) {
  if (!job.host.submitted || has_word(job, "wait")) return;
  std::vector<const Command*> work;
  for (const Command& c : job.body.commands)
    if (is_main(job, c) && !is_silent(c) && !c.condition) work.push_back(&c);
  std::stable_sort(work.begin(), work.end(),
                   [](const Command* a, const Command* b) { return a->span.begin < b->span.begin; });
  if (work.empty() || !runs_beside(job, *work.back()) || is_monitor(job, *work.back())) return;
  // A loop or branch at the end may hold other commands, which run in the foreground.
  const std::int32_t last = outermost(job, *work.back());
  const bool alone = last < 0 || std::all_of(work.begin(), work.end(), [&](const Command* c) {
                       return outermost(job, *c) != last || runs_beside(job, *c) ||
                              c->does.is({shell::Effect::sets, shell::Effect::writes});
                     });
  if (!alone) return;
  const Command& c = *work.back();
  const std::string what = job.host.is_container() ? "container" : "job";
  const std::string end =
      job.host.is_container() ? "the container ends" : std::string(title(*job.host.system)) + " ends the job";
  Finding& f = job.wrong_at(RuleId::background_not_awaited, c.span, std::string(base_name(c.program())),
                            "the script ends without waiting for `" + printable(base_name(c.program()), 40) + "`, so " +
                                end + " and kills it");
  f.notes.push_back("a " + what + " ends when its script does: write `wait` where the script ends");
  if (auto edit = awaited(job, c)) job.offer(f, Fix{"wait for it", false, {*std::move(edit)}});
  if (job.body.inside(c, shell::ScopeKind::branch) != nullptr || c.conditional) f.severity = Severity::warning;
}

// ---- SLM040 ------------------------------------------------------------------------------------------

// A program that runs until it is ended.
bool is_server(const JobText& job, const Command& c) {
  return shell::started_by(job.body, c).is({shell::Effect::serves, shell::Effect::monitors});
}

bool ends_programs(const JobText& job) {
  return std::any_of(job.body.commands.begin(), job.body.commands.end(), [](const Command& c) {
    return c.does.is({shell::Effect::ends}) || c.program() == "trap" || c.program() == "jobs" ||
           c.program() == "timeout";
  });
}

void check_wait_for_server(const JobText& job) {
  if (!job.host.to_an_end || ends_programs(job)) return;
  const Command* server = nullptr;
  std::vector<bool> starts(job.body.commands.size());
  for (const shell::Launch& l : job.body.launches) starts[l.command] = true;
  bool client = false;  // something that ends, behind the server
  for (const Command& c : job.body.commands) {
    if (!is_main(job, c)) continue;
    const bool whole_wait = c.program() == "wait" && c.words.size() == 1 && c.scope < 0;
    if (whole_wait && server != nullptr && client) {
      Finding& f = job.wrong_at(
          RuleId::wait_for_server, c.span, "wait",
          "`wait` also waits for the server, which never ends, so the " +
              std::string(job.host.is_container() ? "container never ends" : "job runs until its time limit"));
      f.labels.push_back({server->span, "started here"});
      f.notes.push_back(
          "end the server when the work is done: `server=$!` behind it, and `kill \"$server\"` in place of `wait`");
      return;
    }
    if (server == nullptr && runs_beside(job, c) && is_server(job, c)) server = &c;
    else if (server != nullptr && starts[static_cast<std::size_t>(&c - job.body.commands.data())] && !is_server(job, c))
      client = true;
  }
}

}  // namespace

void check_background(const JobText& job) {
  if (!job.body.shell) return;
  check_not_awaited(job);
  check_wait_for_server(job);
}

}  // namespace muster::lint
