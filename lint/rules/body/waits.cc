// SLM027 wait-without-end, SLM028 probe-through-proxy, SLM029 container-each-probe: how a script
// waits for what it has started.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "lint/rules/body/job_text.h"

namespace muster::lint {
namespace {

using shell::Command;

bool is_test(const Command& c) { return c.own.is({shell::Effect::tests}); }

// `[ ! -f head.txt ]`: a file that another program has yet to write.
bool asks_for_file(const Command& c) {
  return is_test(c) && c.words.size() <= 5 && std::any_of(c.words.begin() + 1, c.words.end(), [](const shell::Word& w) {
           return is_one_of(w.text, {"-f", "-e", "-s"});
         });
}

// What ends a loop other than the answer that it waits for: a way out, a clock, a count, a check of the other process.
bool has_other_end(const Command& c) {
  using enum shell::Effect;
  if (c.own.is({leaves, ends}) || is_one_of(c.program(), {"timeout", "let"})) return true;
  if ((is_test(c) || c.program().starts_with("((")) && !asks_for_file(c)) return true;
  return std::any_of(c.words.begin(), c.words.end(),
                     [](const shell::Word& w) { return w.text.find("SECONDS") != std::string::npos; });
}

// What the commands within a scope do, the inner scopes included.
struct Within {
  bool sleeps = false;  // a loop that does asks again and again
  bool has_other_end = false;
};

// All that the checks ask of a script more than once: in a text of many loops each question is cheap.
struct Waits {
  const JobText& job;
  std::vector<Within> within;  // by scope
  bool knows_proxies = false;  // it says for which hosts there is none
  bool sets_proxy = false;

  explicit Waits(const JobText& of) : job(of), within(of.body.scopes.size()) {
    for (const Command& c : job.body.commands)
      for (std::int32_t at = c.scope; at >= 0; at = scope(at).parent) {
        Within& facts = within[static_cast<std::size_t>(at)];
        facts.sleeps |= c.program() == "sleep";
        facts.has_other_end |= has_other_end(c);
      }
    knows_proxies = job.mentions("no_proxy") || job.mentions("NO_PROXY") || job.mentions("unset http_proxy");
    sets_proxy = job.mentions("http_proxy=");
    for (const SetBeside& variable : job.beside) {
      const std::string name = lower(variable.name);
      knows_proxies |= name == "no_proxy", sets_proxy |= name == "http_proxy";
    }
  }

  const shell::Scope& scope(std::int32_t index) const { return job.body.scopes[static_cast<std::size_t>(index)]; }
  const Within& in(std::int32_t index) const { return within[static_cast<std::size_t>(index)]; }
  // The innermost loop around a command; -1 without one.
  std::int32_t loop_of(const Command& command) const {
    std::int32_t at = command.scope;
    while (at >= 0 && scope(at).kind != shell::ScopeKind::loop) at = scope(at).parent;
    return at;
  }
};

// ---- SLM027 ------------------------------------------------------------------------------------------

// Programs that ask another program whether it is there.
bool asks(const Command& c) { return c.own.is({shell::Effect::asks}); }

// Something around the loop ends it: it runs beside the others, or below `timeout`.
bool is_ended_outside(const Waits& waits, const Command& c) {
  for (std::int32_t at = c.scope; at >= 0; at = waits.scope(at).parent)
    if (waits.scope(at).background) return true;
  const auto& commands = waits.job.body.commands;
  for (std::int32_t at = c.inside; at >= 0; at = commands[static_cast<std::size_t>(at)].inside)
    if (commands[static_cast<std::size_t>(at)].program() == "timeout") return true;
  return c.background;
}

void check_end_of_wait(const Waits& waits, const Command& c) {
  const std::int32_t loop = c.condition && (asks(c) || asks_for_file(c)) ? c.scope : -1;
  if (loop < 0 || waits.scope(loop).kind != shell::ScopeKind::loop || !waits.in(loop).sleeps ||
      waits.in(loop).has_other_end || is_ended_outside(waits, c))
    return;
  const std::string_view head = waits.job.sources().text(waits.scope(loop).head);
  if (!head.starts_with("until") && !head.starts_with("while")) return;
  // `while ! [ ! -f FILE ]` goes on while the file is there.
  const bool inner = std::any_of(c.words.begin(), c.words.end(), [](const shell::Word& w) { return w.text == "!"; });
  const bool until_it_holds = head.starts_with("while") == c.negated;
  waits.job.wrong_at(RuleId::wait_without_end, c.span, "wait",
                     is_test(c) ? "this loop never ends if the file is not " +
                                      std::string(until_it_holds != inner ? "written" : "deleted")
                                : "this loop never ends if `" + std::string(base_name(c.program())) + "` does not " +
                                      (until_it_holds ? "succeed" : "fail"));
}

// ---- SLM028 ------------------------------------------------------------------------------------------

// "http://node1:8000/health" of a host without a domain: a node of the job, or this one. Of a variable its name tells.
bool is_of_the_job(std::string_view url) {
  if (url.starts_with("localhost:")) return true;
  const std::size_t at = url.find("http://");
  if (at == std::string_view::npos) return false;
  const std::string_view rest = url.substr(at + 7);
  const std::string host = lower(rest.substr(0, rest.find_first_of(":/")));
  const auto names = [&](std::string_view part) { return host.find(part) != std::string::npos; };
  if (names("$")) return names("host") || names("node") || names("head") || names("master");
  return !host.empty() && (host == "127.0.0.1" || !names("."));
}

void check_proxy(const Waits& waits, const Command& c) {
  if (c.program() != "curl" || waits.knows_proxies || (!c.condition && waits.loop_of(c) < 0)) return;
  const auto find = [&](const auto& test) { return std::find_if(c.words.begin(), c.words.end(), test); };
  if (find([](const shell::Word& w) { return w.text.starts_with("--noproxy"); }) != c.words.end()) return;
  const auto url = find([](const shell::Word& w) { return is_of_the_job(w.text); });
  if (url == c.words.end()) return;
  Finding& f = waits.job.wrong_at(RuleId::probe_through_proxy, c.span, "curl",
                                  "`curl` sends this request for a node of the job to " +
                                      std::string(!waits.sets_proxy               ? "a proxy if the environment has one"
                                                  : waits.job.host.is_container() ? "the proxy that is set here"
                                                                                  : "the proxy that the script sets"));
  if (!waits.sets_proxy) f.severity = Severity::info, f.since = Profile::strict;
  const Span word = c.words.front().span;
  if (waits.job.sources().text(word) == "curl")
    waits.job.offer(f, Fix{"connect to the node directly",
                           waits.sets_proxy && url->literal,
                           {{{word.file, word.end, word.end}, " --noproxy '*'"}}});
}

// ---- SLM029 ------------------------------------------------------------------------------------------

void check_container(const Waits& waits, const shell::Launch& launch) {
  const shell::LaunchOption* image = launch.option("container-image");
  if (image == nullptr || launch.option("container-name") != nullptr) return;
  const std::int32_t loop = waits.loop_of(waits.job.command(launch));
  if (loop < 0 || !waits.in(loop).sleeps) return;
  waits.job.wrong_at(RuleId::container_each_probe, image->span, "container-image",
                     "each round of this loop imports the image and starts a container of it");
}

}  // namespace

void check_waits(const JobText& job) {
  const Waits waits(job);
  for (const Command& c : job.body.commands) check_proxy(waits, c);
  if (job.host.is_container()) return;  // its pod waits for others until they are there, and has no steps of Slurm
  for (const Command& c : job.body.commands) check_end_of_wait(waits, c);
  for (const shell::Launch& launch : job.body.launches) check_container(waits, launch);
}

}  // namespace muster::lint
