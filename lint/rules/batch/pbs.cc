// PBS001 to PBS008: what qsub of OpenPBS or Torque refuses or passes over.
#include <algorithm>
#include <set>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "lint/rules/batch/job.h"
#include "targets/batch/read/draft.h"

namespace muster::lint {
namespace {

using batch::DirectivePart;
using batch::FaultKind;
using pbs::Dialect;

// ---- PBS001, PBS002: lines ----------------------------------------------------------------

void check_late_lines(const BatchJob& job) {
  for (const batch::LateLine& late : job.read.late) {
    if (late.kind != batch::LateKind::after_command || is_in_document(job, late.span)) continue;
    job.wrong(RuleId::pbs_late_directive, late.span, "#PBS", "qsub ignores this line, because a command is above it");
  }
}

void check_lines(const BatchJob& job, Dialect dialect) {
  for (const batch::Fault& fault : job.read.faults) {
    const std::string words(job.sources().text(fault.span));
    switch (fault.kind) {
      case FaultKind::dos_line_ends:
        job.wrong(RuleId::pbs_directive_words, fault.span, "", "the lines end in CR LF, as on Windows")
            .notes.push_back("convert the file with `dos2unix`");
        break;
      case FaultKind::comment: {
        if (dialect != Dialect::openpbs) break;
        Finding& f = job.wrong(RuleId::pbs_directive_words, fault.span, "#PBS",
                               "a comment behind the options of a `#PBS` line, which qsub of OpenPBS rejects");
        f.fix = without(job, fault.span, "remove the comment");
        break;
      }
      case FaultKind::not_an_option:
      case FaultKind::unknown_option:
      case FaultKind::missing_value: {
        if (is_in_blank(job, fault.span)) break;
        Finding& f = job.wrong(RuleId::pbs_directive_words, fault.span, "#PBS", fault.message);
        if (words.starts_with("\xE2\x80")) f.notes.push_back("the dash is not `-`: a word processor replaced it");
        break;
      }
      default: break;
    }
  }
}

// ---- PBS003 ----------------------------------------------------------------------------------------

void check_walltime(const BatchJob& job, Dialect dialect) {
  const DirectivePart* p = batch::first_part(job.read, "-l walltime");
  if (p == nullptr || p->flag || blank_in(p->value, In::directive) || is_to_fill_in(*p)) return;
  const std::string_view value = trimmed(p->value, " \t\"'");
  if (pbs::walltime_seconds(value, false)) return;
  const bool days = pbs::walltime_seconds(value, true).has_value();
  if (days && dialect == Dialect::torque) return;
  const std::string message = "`walltime=" + printable(value, 40) + "` is not a time that OpenPBS accepts";
  Finding& f = days && dialect == Dialect::unknown ? job.cannot_tell(RuleId::pbs_walltime, p->span, p->option, message)
                                                   : job.wrong(RuleId::pbs_walltime, p->span, p->option, message);
  f.notes.push_back("a time is seconds, MM:SS or HH:MM:SS; 2 days are 48:00:00");
}

// ---- PBS004, PBS005: resources -----------------------------------------------------------------------

bool is_size_of_pbs(std::string_view value) {
  const auto measure = batch::measure_of(trimmed(value, " \t\"'"));
  if (!measure) return false;
  return is_one_of(measure->unit,
                   {"", "b", "w", "k", "kb", "kw", "m", "mb", "mw", "g", "gb", "gw", "t", "tb", "tw", "p", "pb", "pw"});
}

void check_resources(const BatchJob& job) {
  for (const batch::Fault& fault : job.read.faults)
    if (fault.kind == FaultKind::bad_value && !is_in_blank(job, fault.span))
      job.wrong(RuleId::pbs_resource_list, fault.span, "-l", fault.message);
  for (const DirectivePart& p : job.read.parts) {
    const std::string_view resource = pbs::resource_of(p.option);
    if (resource.empty() || blank_in(p.value, In::directive) || is_to_fill_in(p)) continue;
    if (p.flag && is_one_of(resource, {"walltime", "mem", "select", "nodes", "ncpus", "place"})) {
      job.wrong(RuleId::pbs_resource_list, p.span, p.option, "`" + std::string(resource) + "` has no value");
    } else if (pbs::takes(p.option) == pbs::Takes::count && !batch::count_of(trimmed(p.value, " \t\"'"))) {
      job.wrong(RuleId::pbs_resource_list, p.span, p.option,
                "`" + std::string(resource) + "` takes a whole number, found `" + printable(p.value, 40) + "`");
    } else if (pbs::takes(p.option) == pbs::Takes::size && !p.flag && !is_size_of_pbs(p.value)) {
      job.wrong(RuleId::pbs_resource_list, p.span, p.option,
                "`" + printable(p.value, 40) + "` is not a size that qsub accepts")
          .notes.push_back("a size is a whole number with kb, mb, gb or tb");
    }
  }
}

void check_repeated(const BatchJob& job, Dialect dialect) {
  std::set<std::string> seen;
  for (const DirectivePart& p : job.read.parts) {
    const bool head = p.option.starts_with("-l ") && p.option.find(':') == std::string::npos && !p.more;
    if (!head || p.flag) continue;
    const bool size = p.option == "-l select" || p.option == "-l nodes";
    if (seen.insert(p.option).second) {
      if (size && seen.contains("-l select") && seen.contains("-l nodes"))
        job.wrong(RuleId::pbs_resource_twice, p.span, p.option,
                  "`select` and `nodes` together, which the server rejects")
            .severity = Severity::error;
      continue;
    }
    const DirectivePart* first = batch::first_part(job.read, p.option);
    if (dialect != Dialect::openpbs || (first->value == p.value && !size)) continue;
    Finding& f = job.wrong(RuleId::pbs_resource_twice, p.span, p.option,
                           "`" + p.option.substr(3) + "` is given twice, and OpenPBS keeps the first value");
    f.labels.push_back({first->span, "this value counts"});
  }
}

// ---- PBS006, PBS007: dialects -------------------------------------------------------------------------

bool is_of_openpbs(const BatchJob& job) {
  return batch::first_part(job.read, "-l select") != nullptr || batch::first_part(job.read, "-l place") != nullptr;
}

void check_dialect(const BatchJob& job) {
  if (!is_of_openpbs(job)) return;
  for (const DirectivePart& p : job.read.parts) {
    if (!is_one_of(p.option, {"-t", "-d", "-D", "-w", "-n", "-b", "-L"})) continue;
    const bool array = p.option == "-t";
    Finding& f = job.wrong(RuleId::pbs_other_dialect, p.span, p.option,
                           "`" + p.option + "` is an option of Torque, but `select` and `place` are for OpenPBS");
    if (array) f.notes.push_back("an array of OpenPBS is `-J 0-9`, and its index is `PBS_ARRAY_INDEX`");
    if (p.option == "-d" || p.option == "-w") f.notes.push_back("write `cd \"$PBS_O_WORKDIR\"` into the script");
  }
}

void check_index(const BatchJob& job) {
  const bool openpbs = job.last("-J") != nullptr, torque = job.last("-t") != nullptr;
  if (openpbs == torque) return;
  const std::string_view wrong = openpbs ? "PBS_ARRAYID" : "PBS_ARRAY_INDEX";
  const std::string_view right = openpbs ? "PBS_ARRAY_INDEX" : "PBS_ARRAYID";
  if (job.text.find(right) != std::string_view::npos ||
      job.text.find(std::string(wrong) + "=") != std::string_view::npos)
    return;
  for (const shell::EnvironmentRead& read : job.body.reads) {
    if (read.name != wrong || read.has_default) continue;
    job.wrong(RuleId::pbs_array_index, read.span, read.name,
              "`" + std::string(wrong) + "` is empty in an array of `" + (openpbs ? "-J" : "-t") + "`")
        .notes.push_back("the index of this array is `" + std::string(right) + "`");
    return;
  }
}

// ---- PBS008 -------------------------------------------------------------------------------------------

bool is_relative_file(std::string_view word) {
  return word.starts_with("./") || word.starts_with("../") ||
         is_one_of(word.substr(std::min(word.rfind('.'), word.size())), {".py", ".sh", ".R", ".jl", ".in", ".inp"});
}

void check_folder(const BatchJob& job) {
  for (const std::string_view word : {"PBS_O_WORKDIR", "PBS_JOBDIR", "cd ", "pushd "})
    if (job.text.find(word) != std::string_view::npos) return;
  for (const std::string_view option : {"-d", "-w", "-l wd", "-W sandbox"})
    if (batch::first_part(job.read, option) != nullptr) return;
  for (const shell::Command& command : job.body.commands) {
    for (const shell::Word& word : command.words) {
      if (!word.literal || !word.span.known() || word.text.starts_with('/') || !is_relative_file(word.text)) continue;
      job.wrong(RuleId::pbs_start_folder, word.span, "",
                "PBS starts the job in the home folder, so `" + printable(word.text, 40) + "` is looked for there");
      return;
    }
  }
}

}  // namespace

void check_pbs(const BatchJob& job, Dialect dialect) {
  check_late_lines(job);
  check_lines(job, dialect);
  check_walltime(job, dialect);
  check_resources(job);
  check_repeated(job, dialect);
  check_dialect(job);
  check_index(job);
  check_folder(job);
}

}  // namespace muster::lint
