// Directives that sbatch accepts, and that do not do what they seem to say: SLM048
// mail-event-unknown, SLM052 logs-swapped, SLM057 windows-path, SLM061 comment-disagrees.
#include <algorithm>
#include <array>
#include <cmath>

#include "compiler/base/in_one_unit.h"
#include "compiler/base/text.h"
#include "lint/rules/slurm/job.h"

namespace muster::lint {
namespace {

constexpr std::size_t most_of_slips = 100;  // findings of one rule: more would not help

bool is_of_file(const SlurmJob& job, const slurm::Directive& d) { return d.whole.file == job.script.file; }

// ---- SLM048 ------------------------------------------------------------------------------------------

constexpr auto mail_events =
    std::to_array<std::string_view>({"NONE", "BEGIN", "END", "FAIL", "REQUEUE", "ALL", "INVALID_DEPEND", "STAGE_OUT",
                                     "TIME_LIMIT", "TIME_LIMIT_90", "TIME_LIMIT_80", "TIME_LIMIT_50", "ARRAY_TASKS"});

bool is_mail_event(std::string_view word) {
  return std::any_of(mail_events.begin(), mail_events.end(),
                     [&](std::string_view event) { return equal_ignoring_case(event, word); });
}

// The name of Slurm for what other systems and people call it; "" if none is known.
std::string_view meant_event(std::string_view word) {
  struct Name {
    std::string_view other, slurm;
  };
  constexpr auto names = std::to_array<Name>({{"START", "BEGIN"},
                                              {"STARTED", "BEGIN"},
                                              {"BEGINNING", "BEGIN"},
                                              {"FINISH", "END"},
                                              {"DONE", "END"},
                                              {"COMPLETE", "END"},
                                              {"COMPLETED", "END"},
                                              {"STOP", "END"},
                                              {"ABORT", "FAIL"},
                                              {"ERROR", "FAIL"},
                                              {"FAILURE", "FAIL"},
                                              {"TIMEOUT", "TIME_LIMIT"}});
  for (const Name& name : names)
    if (equal_ignoring_case(name.other, word)) return name.slurm;
  for (const std::string_view event : mail_events)
    if (edit_distance(upper(word), event, 2) <= 1) return event;
  return {};
}

// `ABORT` beside `FAIL`: of such an end there is a mail.
bool is_failure(std::string_view event) {
  constexpr auto names = std::to_array<std::string_view>(
      {"ABORT", "ABORTED", "ERROR", "FAILURE", "FAILED", "TIMEOUT", "CANCEL", "CANCELLED", "KILL"});
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return equal_ignoring_case(name, event); });
}

bool has_failures(const std::vector<std::string_view>& events) {
  return std::any_of(events.begin(), events.end(), [](std::string_view e) { return equal_ignoring_case(e, "FAIL"); });
}

void check_mail(const SlurmJob& job) {
  for (const slurm::Directive& d : job.script.directives) {
    if (d.name != "mail-type" || !d.value || !is_of_file(job, d) || d.certainty != slurm::Certainty::literal) continue;
    const std::vector<std::string_view> events = split(*d.value, ',');
    if (std::none_of(events.begin(), events.end(), is_mail_event)) continue;  // sbatch rejects it
    for (const std::string_view event : events) {
      if (event.empty() || is_mail_event(event)) continue;
      const bool all =
          std::any_of(events.begin(), events.end(), [](std::string_view e) { return equal_ignoring_case(e, "ALL"); });
      if (all || (is_failure(event) && has_failures(events))) continue;
      Finding& f = job.wrong_at(
          RuleId::mail_event_unknown, d.whole, "--mail-type",
          "Slurm does not know the event `" + printable(event, 40) + "` of `--mail-type` and sends no mail for it");
      const std::string meant(meant_event(event));
      if (!meant.empty() && job.sources().text(d.value_span) == *d.value) {
        const auto begin = d.value_span.begin + static_cast<std::uint32_t>(event.data() - d.value->data());
        const Span where{d.value_span.file, begin, begin + static_cast<std::uint32_t>(event.size())};
        f.fix = Fix{"write `" + meant + "`", true, {{where, meant}}};
      }
      break;
    }
  }
}

// ---- SLM052 ------------------------------------------------------------------------------------------

bool ends_in(const std::string& name, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view e) { return name.ends_with(e); });
}

void check_swapped(const SlurmJob& job) {
  const slurm::Component& c = job.meaning.job();
  if (!c.output || !c.error || !ends_in(*c.output, {".err", ".error", ".stderr"}) ||
      !ends_in(*c.error, {".out", ".log", ".output", ".stdout"}))
    return;
  const auto folder = [](const std::string& path) { return path.substr(0, path.rfind('/') + 1); };
  Finding& f =
      job.wrong(RuleId::logs_swapped, c.output.by,
                "`--output` writes to `" + printable(*c.output, 60) + "` and `--error` to `" + printable(*c.error, 60) +
                    "`: the " + (folder(*c.output) == folder(*c.error) ? "names" : "endings") + " are exchanged");
  const slurm::Directive *out = job.directive(c.output.by), *err = job.directive(c.error.by);
  if (err != nullptr) f.labels.push_back({err->whole, "the errors"});
  if (err == nullptr || out == nullptr || !is_of_file(job, *err) || !is_of_file(job, *out)) return;
  const auto written = [&](const slurm::Directive& d) { return std::string(job.sources().text(d.value_span)); };
  f.fix = Fix{"exchange them", false, {{out->value_span, written(*err)}, {err->value_span, written(*out)}}};
}

// ---- SLM057 ------------------------------------------------------------------------------------------

bool is_windows_path(std::string_view path) {
  return path.size() > 2 && is_letter(path[0]) && path[1] == ':' && (path[2] == '/' || path[2] == '\\');
}

void check_windows(const SlurmJob& job) {
  const slurm::Component& c = job.meaning.job();
  for (const auto* path : {&c.chdir, &c.output, &c.error, &c.input}) {
    if (!*path || !is_windows_path(**path)) continue;
    job.wrong(RuleId::windows_path, path->by,
              "`" + printable(**path, 60) + "` is a path of Windows, which does not exist on a node of the cluster");
  }
}

// ---- SLM061 ------------------------------------------------------------------------------------------

// The one amount of memory that a text names, in mebibytes; nullopt where it names none or several.
std::optional<double> amount_in(std::string_view text) {
  std::optional<double> out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i]) || (i > 0 && (is_name_char(text[i - 1]) || text[i - 1] == '.'))) continue;
    std::size_t end = i;
    double number = 0;
    while (end < text.size() && is_digit(text[end]) && end - i < 9) number = number * 10 + (text[end++] - '0');
    if (end < text.size() && text[end] == '.') return std::nullopt;
    while (end < text.size() && text[end] == ' ') ++end;
    const std::string rest = lower(text.substr(end, 3));
    const bool giga = rest.starts_with("gb") || rest.starts_with("gib"), mega = rest.starts_with("mb");
    i = end;
    if (!giga && !mega) continue;
    const std::size_t after = end + (rest.starts_with("gib") ? 3 : 2);
    if (after < text.size() && is_name_char(text[after])) continue;
    if (out) return std::nullopt;
    out = giga ? number * 1024 : number;
  }
  return out;
}

// Whether a comment says an amount and nothing else of it: no limit, no default, no other way to count.
bool says_only_amount(std::string_view comment) {
  constexpr auto words = std::to_array<std::string_view>(
      {"of", "memory", "mem", "ram", "ask", "for", "request", "per", "cpu", "core", "mb", "gb", "gib"});
  const std::string low = lower(comment);
  for (std::size_t at = 0; at < low.size(); ++at) {
    if (std::string_view("<>*=~").find(low[at]) != std::string_view::npos) return false;
    if (!is_letter(low[at])) continue;
    const std::size_t end = std::min(low.find_first_not_of("abcdefghijklmnopqrstuvwxyz", at), low.size());
    if (std::find(words.begin(), words.end(), std::string_view(low).substr(at, end - at)) == words.end()) return false;
    at = end - 1;
  }
  return true;
}

bool is_near(double a, double b) { return std::abs(a - b) <= 0.15 * std::max(a, b); }

// A count of mebibytes, and what the comment says.
InOneUnit beside_comment(std::int64_t mebibytes, double says) {
  return in_one_unit(Size::of_mebibytes(mebibytes), Size::of_mebibytes(static_cast<std::int64_t>(says)));
}

void check_comment(const SlurmJob& job) {
  const slurm::Component& c = job.meaning.job();
  const slurm::Directive* d = job.directive(c.memory.by);
  if (!c.memory || c.memory->all || d == nullptr || !is_of_file(job, *d)) return;
  const Span line = whole_line(job.sources(), d->whole);
  const std::string_view rest = job.sources().text({line.file, d->whole.end, line.end});
  const std::size_t hash = rest.find('#');
  if (hash == std::string_view::npos) return;
  const std::string_view comment = trimmed(rest.substr(hash + 1), " \t\r\n");
  const auto amount = amount_in(comment);
  if (!amount || *amount <= 0 || !says_only_amount(comment)) return;
  const auto value = static_cast<double>(c.memory->mebibytes);
  if (!is_near(value, *amount) && value < *amount) {
    const auto [is, says] = beside_comment(c.memory->mebibytes, *amount);
    job.wrong(RuleId::comment_disagrees, c.memory.by,
              "`--" + std::string(d->name) + "` is " + is + ", but the comment says " + says);
    return;
  }
  if (!is_near(value, *amount)) return;
  const std::string low = lower(comment);
  const bool per = low.find("per") != std::string::npos || low.find("cpu") != std::string::npos ||
                   low.find("core") != std::string::npos || low.find('/') != std::string::npos;
  if (c.memory->per != slurm::MemoryPer::cpu || per || !c.cpus_per_task || *c.cpus_per_task < 2) return;
  if (*c.cpus_per_task > 100'000 || c.memory->mebibytes > 1'000'000'000) return;
  const auto [is, says] = beside_comment(c.memory->mebibytes * *c.cpus_per_task, *amount);
  job.wrong(RuleId::comment_disagrees, c.memory.by,
            "`--mem-per-cpu` with " + std::to_string(*c.cpus_per_task) + " CPUs is " + is +
                " per task, but the comment says " + says);
}

}  // namespace

void check_slips(const SlurmJob& job) {
  check_mail(job);
  check_swapped(job);
  check_windows(job);
  check_comment(job);
}

}  // namespace muster::lint
