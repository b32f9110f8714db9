// SLM014 gang-term, SLM016 output-dir, SLM019 directive-ignored, SLM020 variable-in-directive.
#include <algorithm>
#include <optional>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "lint/rules/slurm/job.h"

namespace muster::lint {
namespace {

constexpr std::size_t most_of_a_kind = 100;  // findings of one rule: more would not help

// ---- SLM019 ------------------------------------------------------------------------------------------

// Where a directive that is moved up goes: below the last one that is obeyed, else below the first line.
Span insertion_point(const SlurmJob& job) {
  Span last = job.script.shebang.known() ? job.script.shebang : job.head();
  for (const slurm::Directive& d : job.script.directives)
    if (d.origin == slurm::Origin::sbatch && d.whole.file == job.script.file && d.whole.begin > last.begin)
      last = d.whole;
  const std::uint32_t end = whole_line(job.sources(), last).end;
  return {job.script.file, end, end};
}

// Inside of a branch, a loop or a function: whoever wrote it there wants it in that case only.
bool is_in_block(const SlurmJob& job, Span line) {
  const shell::Command* next = nullptr;  // the first command below it
  for (const shell::Command& c : job.body.commands)
    if (c.span.file == line.file && c.span.begin > line.begin && (next == nullptr || c.span.begin < next->span.begin))
      next = &c;
  for (std::int32_t at = next == nullptr ? -1 : next->scope; at >= 0;) {
    const shell::Scope& scope = job.body.scopes[static_cast<std::size_t>(at)];
    if (scope.head.begin < line.begin) return true;
    at = scope.parent;
  }
  return false;
}

// Moving it up says nothing that another directive says otherwise.
bool is_movable(const SlurmJob& job, const slurm::Ignored& ignored) {
  const std::string_view line = job.sources().text(ignored.span);
  if (ignored.directives.empty() || !line.starts_with("#SBATCH") || is_in_block(job, ignored.span) ||
      !job.sources().text(whole_line(job.sources(), ignored.span)).ends_with('\n'))
    return false;
  return std::none_of(ignored.directives.begin(), ignored.directives.end(), [&](const slurm::Directive& d) {
    return effective(job.script, d.name) != nullptr || d.certainty != slurm::Certainty::literal ||
           d.value.value_or("").find('$') != std::string::npos;
  });
}

// Two ignored lines that set one option cannot both be moved.
bool says_again(const slurm::Ignored& ignored, const std::vector<std::string_view>& stated) {
  return std::any_of(ignored.directives.begin(), ignored.directives.end(), [&](const slurm::Directive& d) {
    return std::find(stated.begin(), stated.end(), d.name) != stated.end();
  });
}

// One fix for all lines, where all can be moved: late directives that repeat others are a second script.
Fix move_up(const SlurmJob& job, const std::vector<const slurm::Ignored*>& late) {
  Fix fix{"move the ignored directives up", true, {{insertion_point(job), ""}}};
  std::vector<std::string_view> stated;
  for (const slurm::Ignored* ignored : late) {
    if (!is_movable(job, *ignored) || says_again(*ignored, stated)) return {};
    for (const slurm::Directive& d : ignored->directives) stated.push_back(d.name);
    const Span line = whole_line(job.sources(), ignored->span);
    fix.edits.front().text += job.sources().text(line);
    fix.edits.push_back({line, ""});
  }
  return fix;
}

// `#SBTACH`: its first word as it is meant.
Fix correct_spelling(const slurm::Ignored& ignored) {
  const std::uint32_t begin = ignored.span.begin;
  return {"write `#SBATCH`", false, {{{ignored.span.file, begin, ignored.directives.front().whole.begin}, "#SBATCH "}}};
}

// "#sbatch -p gpu job.sh": a command that was switched off, not a slip.
bool is_command(const SlurmJob& job, const slurm::Ignored& ignored) {
  const std::string_view line = job.sources().text(ignored.span);
  if (line.find("#sbatch") == std::string_view::npos) return false;
  const std::size_t end = ignored.directives.back().whole.end - ignored.span.begin;
  return line.find_first_not_of(" \t\r'\"", std::min(end, line.size())) != std::string_view::npos;
}

// The job is the same with this option: its value is the default, it only names the job, or it only adds messages.
bool changes_nothing(const SlurmJob& job, const slurm::Directive& d) {
  const auto value = [&](std::string_view name) {
    const slurm::Directive* other = effective(job.script, name);
    return other != nullptr && other->value ? *other->value : std::string();
  };
  const slurm::Directive* above = effective(job.script, d.name);
  if (above != nullptr && (above->value == d.value || d.name == "job-name" || d.name == "comment")) return true;
  if (d.name == "ntasks") return d.value == "1" && (value("nodes").empty() || value("nodes") == "1");
  if (d.name == "nodes") return d.value == "1" && (value("ntasks").empty() || value("ntasks") == "1");
  return d.name == "verbose" || d.name == "quiet" || (d.name == "error" && d.value && *d.value == value("output"));
}

bool all_change_nothing(const SlurmJob& job, const slurm::Ignored& ignored) {
  return std::all_of(ignored.directives.begin(), ignored.directives.end(),
                     [&](const slurm::Directive& d) { return changes_nothing(job, d); });
}

// Where the commands of a script end, if it has directives where they are read; else nowhere.
std::optional<std::uint32_t> end_of_commands(const SlurmJob& job) {
  const auto read = [&](const slurm::Directive& d) { return d.whole.file == job.script.file; };
  if (std::none_of(job.script.directives.begin(), job.script.directives.end(), read)) return std::nullopt;
  std::uint32_t last = job.script.body.begin;
  for (const shell::Command& c : job.body.commands)
    if (c.span.file == job.script.file) last = std::max(last, c.span.end);
  return last;
}

bool has_comments_below(const SlurmJob& job, std::uint32_t place) {
  const std::string_view rest = job.sources().text({job.script.file, place, job.script.span.end});
  for (std::size_t at = rest.find("\n#"); at != std::string_view::npos; at = rest.find("\n#", at + 1))
    if (!rest.substr(at + 1).starts_with("#SBATCH") && rest.size() > at + 2 && rest[at + 2] != '\n') return true;
  return false;
}

std::string option_of(const slurm::Ignored& ignored) {
  return ignored.directives.empty() ? "" : "--" + std::string(ignored.directives.front().name);
}

void check_ignored(const SlurmJob& job) {
  std::vector<const slurm::Ignored*> late;
  const std::vector<Span> texts = slurm::texts_of_commands(job.body);
  const auto commands_end = end_of_commands(job);
  const std::vector<Finding>& all = job.report.findings;
  const std::size_t before = all.size();
  for (const slurm::Ignored& ignored : job.script.ignored) {
    if (all.size() - before >= most_of_a_kind || !job.body.shell) break;
    const bool after = ignored.kind == slurm::IgnoredKind::after_command;
    const bool slip = ignored.kind == slurm::IgnoredKind::indented || ignored.kind == slurm::IgnoredKind::wrong_case ||
                      ignored.kind == slurm::IgnoredKind::misspelt || ignored.kind == slurm::IgnoredKind::rest_of_line;
    if ((!after && !slip) || ignored.directives.empty() || slurm::lies_in(texts, ignored.span)) continue;
    if (slip && (ignored.span.begin >= job.script.body.begin || is_command(job, ignored))) continue;
    Finding& f =
        job.wrong_at(RuleId::directive_ignored, ignored.span, option_of(ignored),
                     after ? "sbatch ignores this directive, because it follows the first command"
                     : ignored.kind == slurm::IgnoredKind::misspelt
                         ? "sbatch ignores this line, because `#SBATCH` is misspelt"
                         : "sbatch ignores this line, because a directive must begin with `#SBATCH` in column 1");
    if (slip) f.severity = Severity::warning;
    if (slip && ignored.kind == slurm::IgnoredKind::misspelt) f.fix = correct_spelling(ignored);
    const bool kept = after && commands_end && ignored.span.begin >= *commands_end;  // for later, perhaps
    if (kept) f.severity = has_comments_below(job, *commands_end) ? Severity::info : Severity::warning;
    if (all_change_nothing(job, ignored)) f.severity = Severity::info;
    if (after && ignored.because.known()) f.labels.push_back({ignored.because, "the first command"});
    if (after && !kept) late.push_back(&ignored);
  }
  if (late.empty()) return;
  Fix fix = move_up(job, late);
  if (fix.edits.empty()) return;
  const auto first = std::find_if(job.report.findings.begin(), job.report.findings.end(), [&](const Finding& f) {
    return f.rule == RuleId::directive_ignored && f.primary == late.front()->span;
  });
  first->fix = std::move(fix);
}

// ---- SLM020 ------------------------------------------------------------------------------------------

// What Slurm itself puts in the place of a variable in the name of a log.
std::string_view pattern_of(std::string_view variable) {
  constexpr std::pair<std::string_view, std::string_view> patterns[] = {
      {"SLURM_JOB_ID", "%j"},       {"SLURM_JOBID", "%j"},         {"SLURM_JOB_NAME", "%x"}, {"USER", "%u"},
      {"SLURM_ARRAY_JOB_ID", "%A"}, {"SLURM_ARRAY_TASK_ID", "%a"}, {"LOGNAME", "%u"},        {"SLURMD_NODENAME", "%N"}};
  const auto* found = std::find_if(std::begin(patterns), std::end(patterns),
                                   [&](const auto& pattern) { return pattern.first == variable; });
  return found == std::end(patterns) ? std::string_view() : found->second;
}

void check_variables(const SlurmJob& job) {
  const std::size_t before = job.report.findings.size();
  for (const slurm::Template& t : job.script.templates) {
    if (job.report.findings.size() - before >= most_of_a_kind) break;
    if (t.by != FilledBy::variable || !t.in_directive || job.script.expanded) continue;
    const auto on =
        std::find_if(job.script.directives.begin(), job.script.directives.end(), [&](const slurm::Directive& d) {
          return d.whole.file == t.span.file && d.whole.begin <= t.span.begin && t.span.begin < d.whole.end;
        });
    if (on == job.script.directives.end()) continue;
    const std::string word(job.sources().text(t.span));
    Finding& f = job.wrong_at(RuleId::variable_in_directive, t.span, "--" + std::string(on->name),
                              "sbatch does not expand `" + word + "` and uses it literally");
    f.notes.push_back(
        "pass the option on the command line, where the shell expands it, or use a pattern such as `%j` or `%x`");
    const std::string_view pattern = pattern_of(trimmed(word, "${}"));
    if (is_one_of(on->name, {"output", "error"}) && !pattern.empty())
      f.fix = Fix{"write `" + std::string(pattern) + "`", true, {{t.span, std::string(pattern)}}};
  }
}

// ---- SLM016 ------------------------------------------------------------------------------------------

// The folder part of a path, without a `./` before it.
std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return {};
  std::string_view folder = path.substr(0, slash);
  while (folder.starts_with("./")) folder.remove_prefix(2);
  return folder == "." || folder == ".." ? std::string() : std::string(folder);
}

// `$PWD`, `${SLURM_SUBMIT_DIR}`, `$ROOT`: names of the folder that a person submits from.
bool is_here(std::string_view variable) {
  if (!variable.starts_with('$')) return false;
  const std::string_view name = trimmed(variable, "${}");
  return is_one_of(name, {"PWD", "SLURM_SUBMIT_DIR", "ROOT", "PROJECT_ROOT", "ROOT_DIR", "SCRIPT_DIR", "SCRIPTDIR",
                          "BASE_DIR", "BASEDIR"});
}

// The command of the job that makes a folder, where Slurm would look for it; nullptr if none does. A script that
// submits itself may make it before, and Nextflow has a function for another machine.
const shell::Command* maker_of(const SlurmJob& job, const std::string& folder) {
  const auto submits = [](const shell::Command& c) { return c.program() == "sbatch"; };
  if (std::any_of(job.body.commands.begin(), job.body.commands.end(), submits)) return nullptr;
  for (const shell::Command& c : job.body.commands) {
    if (c.program() == "cd" && !folder.starts_with('/')) return nullptr;
    if (c.program() != "mkdir" || job.body.inside(c, shell::ScopeKind::function) != nullptr) continue;
    for (const shell::Word& word : c.words) {
      std::string_view text = word.text;
      while (text.starts_with("./")) text.remove_prefix(2);
      while (text.size() > 1 && text.ends_with('/')) text.remove_suffix(1);
      if (text == folder) return &c;
      const bool relative = !folder.starts_with('/') && folder.find('/') == std::string::npos;
      const std::string_view spelled = trimmed(job.sources().text(word.span), "\"'");
      const std::size_t slash = spelled.rfind('/');
      if (relative && slash != std::string_view::npos && spelled.substr(slash + 1) == folder &&
          is_here(spelled.substr(0, slash)))
        return &c;
    }
  }
  return nullptr;
}

// A form that others fill in: it has other placeholders than those of the logs.
bool is_a_form(const SlurmJob& job) {
  const auto blank = [](const Finding& f) { return f.rule == RuleId::unfilled_template; };
  return std::any_of(job.report.findings.begin(), job.report.findings.end(), blank);
}

// `log/%j`: Slurm replaces the pattern with a number that is not known before the job is submitted.
bool holds_job_id(std::string_view folder) {
  for (std::size_t i = 0; i + 1 < folder.size(); ++i) {
    if (folder[i] != '%') continue;
    std::size_t at = i + 1;
    while (at < folder.size() && is_digit(folder[at])) ++at;
    if (at < folder.size() && is_one_of(folder.substr(at, 1), {"j", "J", "A"})) return true;
    i = at;
  }
  return false;
}

// Whether Slurm creates the folders of logs, as it does since 23.02; nullopt: the version is not known.
std::optional<bool> makes_folders(const SlurmJob& job) {
  const model::Plane* plane = job.meaning.plane;
  if (plane == nullptr || !plane->version.span.known()) return std::nullopt;
  return plane->version.value >= model::Version{23, 2};
}

// A folder that is not there when Slurm before 23.02 opens the file.
void report_missing(const SlurmJob& job, const slurm::Known<std::string>& path, const std::string& message,
                    const shell::Command* maker) {
  const bool known = makes_folders(job).has_value();
  Finding& f = job.wrong(RuleId::output_dir, path.by, (known ? "" : "before 23.02, ") + message);
  f.severity = known ? Severity::warning : Severity::info;
  if (maker != nullptr) f.labels.push_back({maker->span, "created here"});
  f.notes.push_back(maker != nullptr ? "create it before `sbatch`"
                                     : "write the log to a directory that exists, with the pattern in the file's name");
}

void check_output(const SlurmJob& job, const slurm::Known<std::string>& path) {
  if (!path) return;
  const std::string folder = folder_of(*path);
  if (blank_in(folder, In::directive).by == FilledBy::person)  // `/path/to/logs`
    return void(job.wrong(RuleId::output_dir, path.by,
                          "`" + printable(*path, 80) + "` is a placeholder; the job fails without a log")
                    .severity = is_a_form(job) ? Severity::info : Severity::warning);
  if (folder.empty() || makes_folders(job) == true || folder.find('$') != std::string::npos) return;
  if (holds_job_id(folder) && path->front() != '/')  // a prolog may create it elsewhere
    return report_missing(job, path,
                          "the job fails without a log, because the folder of `" + printable(*path, 80) +
                              "` has the id of the job in its name and cannot exist",
                          nullptr);
  if (folder.find('%') != std::string::npos) return;
  if (const shell::Command* maker = maker_of(job, folder))
    return report_missing(
        job, path, "Slurm opens this file before the script runs, so `" + folder + "` is created too late", maker);
  if (path->front() == '/') return;  // most absolute ones are there
  Finding& f = job.wrong(RuleId::output_dir, path.by,
                         "Slurm before 23.02 does not create the folder `" + folder +
                             "`; if it does not exist, the job fails without a log");
  f.severity = Severity::info, f.since = Profile::strict;  // what is outside the file is not known
  f.notes.push_back("create it before `sbatch`");
}

// ---- SLM014 ------------------------------------------------------------------------------------------

// "gang scheduling" in a comment, where co-allocation is meant: in Slurm the words mean time slicing.
void check_gang_term(const SlurmJob& job) {
  if (!job.triples.may_hold("gang")) return;
  const std::string_view text = job.sources().text(job.script.span);
  for (const std::string_view spelling : {"gang", "Gang", "GANG"}) {
    for (std::size_t at = text.find(spelling); at != std::string_view::npos; at = text.find(spelling, at + 4)) {
      const bool word = at > 0 && !is_alnum(text[at - 1]);
      const std::string rest = lower(text.substr(at + 4, 7));
      if (!word || !(rest.starts_with(" sched") || rest.starts_with("-sched"))) continue;
      const auto begin = job.script.span.begin + static_cast<std::uint32_t>(at);
      job.wrong_at(RuleId::gang_term, {job.script.file, begin, begin + 4}, "comment",
                   "gang scheduling in Slurm means time slicing; a job always starts with all of its nodes");
      return;
    }
  }
}

}  // namespace

void check_directives(const SlurmJob& job) {
  check_ignored(job);
  check_variables(job);
  for (const slurm::Component& c : job.meaning.components) {
    check_output(job, c.output);
    check_output(job, c.error);
  }
  check_gang_term(job);
}

}  // namespace muster::lint
