// Lines that the shell reads otherwise than they look: SLM051 module-after-environment, SLM053 redirect-order, SLM054
// unknown-library-variable, SLM059 tests-in-pipe.
#include <algorithm>
#include <array>
#include <set>

#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "lint/rules/body/job_text.h"

namespace muster::lint {
namespace {

using shell::Command;

// ---- SLM051 ------------------------------------------------------------------------------------------

bool is_python_module(std::string_view name) {
  const std::string low = lower(name.substr(0, name.find('/')));
  std::string_view stem = low;
  while (!stem.empty() && (is_digit(stem.back()) || stem.back() == '.' || stem.back() == '-' || stem.back() == '_'))
    stem.remove_suffix(1);
  return stem == "python" || stem.find("conda") != stem.npos || is_one_of(stem, {"miniforge", "mambaforge"});
}

// `python` by its bare name, itself or behind `srun`.
bool runs_bare_python(const Command& c) {
  if (c.words.empty()) return false;
  const auto bare = [](const shell::Word& w) {
    return is_one_of(w.text, {"python", "python3"}) || w.text == "torchrun";
  };
  const shell::Doing& what = c.does;
  return bare(c.words[what.at]) || (what.is(shell::starts_work) && std::any_of(c.words.begin(), c.words.end(), bare));
}

void check_module_after(const JobText& job) {
  const shell::Setup* active = nullptr;
  const shell::Setup* loaded = nullptr;
  for (const shell::Setup& s : job.body.setups) {
    const bool on = s.unconditional;
    const bool environment = s.kind == shell::SetupKind::venv || s.kind == shell::SetupKind::conda;
    if (s.kind == shell::SetupKind::venv && on) active = &s, loaded = nullptr;
    else if (environment || s.kind == shell::SetupKind::source) active = loaded = nullptr;
    else if (s.kind == shell::SetupKind::module_purge) loaded = nullptr;
    if (s.kind != shell::SetupKind::module_load || active == nullptr || !on || loaded != nullptr) continue;
    if (std::any_of(s.arguments.begin(), s.arguments.end(),
                    [](const shell::Word& w) { return w.literal && is_python_module(w.text); }))
      loaded = &s;
  }
  if (active == nullptr || loaded == nullptr) return;
  for (const Command& c : job.body.commands) {
    if (c.span.begin < loaded->span.end || !runs_bare_python(c)) continue;
    Finding& f = job.wrong_at(RuleId::module_after_environment, loaded->span, "module",
                              "this module may put its own Python before the one of the environment that is active");
    f.labels.push_back({active->span, "activated here"});
    f.labels.push_back({c.span, "runs the Python of the module"});
    return;
  }
}

// ---- SLM053 ------------------------------------------------------------------------------------------

// All of a redirection, with the descriptor in front of it: `2>&1`, `>> out.log`.
Span whole_redirect(const JobText& job, const shell::Redirect& redirect) {
  const std::string_view text = job.sources().text(redirect.target.span.file);
  std::uint32_t at = redirect.target.span.begin;
  while (at > 0 && is_blank(text[at - 1])) --at;
  at -= std::min<std::uint32_t>(at, static_cast<std::uint32_t>(redirect.op.size()));
  while (at > 0 && is_digit(text[at - 1])) --at;
  return {redirect.target.span.file, at, redirect.target.span.end};
}

// `2>&1 > FILE`: its two last redirections.
bool is_early(const JobText& job, const shell::Redirect& errors, const shell::Redirect& output) {
  const std::string_view to = output.target.text;
  return job.sources().text(whole_redirect(job, errors)) == "2>&1" && is_one_of(output.op, {">", ">>"}) &&
         job.sources().text(whole_redirect(job, output)).starts_with(output.op) && !to.starts_with("/dev/");
}

// Commands that say something of the node or of a process: their errors matter little.
bool only_shows(const Command& c) {
  const shell::Doing& what = c.own;
  return what.is({shell::Effect::prints, shell::Effect::monitors}) || what.is(shell::Subject::limits) ||
         is_one_of(c.program(), {"module", "cat"});
}

void check_redirects(const JobText& job) {
  if (!job.mentions("2>&1")) return;
  std::size_t reported = 0;
  for (const Command& c : job.body.commands) {
    if (c.redirects.size() < 2 || c.piped || c.inside >= 0 || only_shows(c)) continue;
    if (job.body.inside(c, shell::ScopeKind::substitution) != nullptr) continue;
    const shell::Redirect &errors = c.redirects[c.redirects.size() - 2], &output = c.redirects.back();
    if (output.target.span.file != job.span.file || !is_early(job, errors, output)) continue;
    const Span early = whole_redirect(job, errors), target = output.target.span;
    const std::string_view behind = job.sources().text({early.file, early.end, target.end});
    const auto blanks = static_cast<std::uint32_t>(std::min(behind.find_first_not_of(" \t"), behind.size()));
    job.offer(
        job.wrong_at(RuleId::redirect_order, early, "2>&1",
                     "errors do not go to `" + printable(job.sources().text(target), 60) +
                         "`, because `2>&1` comes before `" + output.op + "`"),
        Fix{"write it behind",
            false,
            {{{early.file, early.begin, early.end + blanks}, ""}, {{target.file, target.end, target.end}, " 2>&1"}}});
    if (++reported >= most_of_lines) return;
  }
}

// ---- SLM054 ------------------------------------------------------------------------------------------

// Prefixes of variables, and others that are near and belong to something else.
constexpr auto library_prefixes = std::to_array<std::string_view>({"OMPI_MCA_", "NCCL_"});
constexpr auto other_prefixes = std::to_array<std::string_view>({"NCL_", "RCCL_", "ACCL_", "HCCL_", "OCCL_", "NCCLX_"});

// The known prefix that was meant; "" if the name has it, or none is near.
std::string_view meant_prefix(std::string_view name) {
  for (const std::string_view other : other_prefixes)
    if (name.starts_with(other)) return {};
  for (const std::string_view prefix : library_prefixes)
    if (name.starts_with(prefix)) return {};
  for (const std::string_view prefix : library_prefixes) {
    const std::size_t parts = static_cast<std::size_t>(std::count(prefix.begin(), prefix.end(), '_'));
    std::size_t end = 0;
    for (std::size_t i = 0; i < parts && end != std::string_view::npos; ++i)
      end = name.find('_', end == 0 ? 0 : end + 1);
    if (end == std::string_view::npos || end + 1 >= name.size()) continue;
    const std::string_view own = name.substr(0, end + 1);
    if (own.front() == prefix.front() && edit_distance(own, prefix, 1) == 1) return prefix;
  }
  return {};
}

void check_prefix(const JobText& job) {
  std::set<std::string_view> seen;
  const auto check = [&](const std::string& name, Span where, bool beside = false) {
    const std::string_view meant = meant_prefix(name);
    if (meant.empty() || seen.size() >= most_of_lines || !seen.insert(name).second) return;
    if (job.mentions("$" + name) || job.mentions("${" + name)) return;
    Finding& f =
        job.wrong_at(RuleId::unknown_library_variable, where, name,
                     "`" + name + "` does not begin with `" + std::string(meant) + "`, so no library reads it");
    const std::string_view text = job.sources().text(where);
    const std::size_t at = text.find(name);
    if (at == std::string_view::npos || where.file != job.span.file) return;
    // With its right name this would leave out the process itself and shared memory.
    if (name.ends_with("_btl") && text.find("self") == std::string_view::npos) return;
    const auto parts = static_cast<std::size_t>(std::count(meant.begin(), meant.end(), '_'));
    std::size_t length = 0;
    for (std::size_t i = 0; i < parts; ++i) length = name.find('_', length) + 1;
    const auto begin = where.begin + static_cast<std::uint32_t>(at);
    Fix fix{"write `" + std::string(meant) + name.substr(length) + "`",
            false,
            {{{where.file, begin, begin + static_cast<std::uint32_t>(length)}, std::string(meant)}}};
    if (beside) f.fix = std::move(fix);
    else job.offer(f, std::move(fix));
  };
  for (const SetBeside& variable : job.beside) check(std::string(variable.name), variable.span, true);
  for (const shell::Export& e : job.body.exports) check(e.name, e.span);
  for (const Command& c : job.body.commands)
    for (const shell::Assignment& a : c.assignments)
      if (!c.words.empty()) check(a.name, c.span);
}

// ---- SLM059 ------------------------------------------------------------------------------------------

bool is_test_command(const Command& c) { return c.own.is({shell::Effect::tests}); }

void check_tests(const JobText& job) {
  const Command* before = nullptr;
  for (const Command& c : job.body.commands) {
    if (before != nullptr && c.piped && before->piped && before->pipeline == c.pipeline && is_test_command(*before) &&
        is_test_command(c))
      job.offer(
          job.wrong_at(RuleId::tests_in_pipe, {c.span.file, before->span.begin, std::max(before->span.end, c.span.end)},
                       "|", "`|` between two tests is a pipe and not `or`, so only the last test counts"),
          Fix{"write `||`", false, {{{c.span.file, before->span.end, c.span.begin}, " || "}}});
    before = &c;
  }
}

}  // namespace

void check_shell_slips(const JobText& job) {
  check_module_after(job);
  check_redirects(job);
  check_prefix(job);
  check_tests(job);
}

}  // namespace muster::lint
