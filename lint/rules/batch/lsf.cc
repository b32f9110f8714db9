// LSF001 to LSF005: what bsub refuses, and what it understands otherwise than it was meant.
#include <algorithm>
#include <utility>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "lint/rules/batch/job.h"
#include "targets/batch/read/draft.h"
#include "targets/lsf/read/script.h"

namespace muster::lint {
namespace {

using batch::DirectivePart;
using batch::FaultKind;

// ---- LSF001 ------------------------------------------------------------------------------------------

void check_run_limit(const BatchJob& job) {
  const DirectivePart* p = job.last("-W");
  if (p == nullptr || blank_in(p->value, In::directive) || is_to_fill_in(*p) ||
      targets::lsf::run_limit_seconds(p->value))
    return;
  Finding& f = job.wrong(RuleId::lsf_run_limit, p->span, "-W",
                         "`-W " + printable(p->value, 40) + "` is not a run limit that bsub accepts");
  const bool seconds = std::count(p->value.begin(), p->value.end(), ':') == 2;
  f.notes.push_back(seconds ? "a run limit has no seconds: write HOURS:MINUTES"
                            : "a run limit is minutes, or HOURS:MINUTES");
}

// ---- LSF002 ------------------------------------------------------------------------------------------

void check_spread(const BatchJob& job) {
  const DirectivePart* n = job.last("-n");
  const bool gpus = std::any_of(job.read.parts.begin(), job.read.parts.end(), [](const DirectivePart& p) {
    return p.option.starts_with("-gpu") || p.option.starts_with("-R rusage:ngpus");
  });
  if (n == nullptr || !gpus || job.last("-R span") != nullptr || job.last("-R cu") != nullptr) return;
  if (job.last("-nnodes") != nullptr || job.last("-m") != nullptr) return;
  const auto slots = batch::count_of(n->value.substr(0, n->value.find(',')));
  if (!slots || *slots < 2) return;
  job.wrong(RuleId::lsf_spread_gpus, n->span, "-n",
            "LSF may spread the " + std::to_string(*slots) + " slots over several hosts, each with its own GPUs");
}

// ---- LSF003 ------------------------------------------------------------------------------------------

void check_memory_unit(const BatchJob& job) {
  for (const DirectivePart& p : job.read.parts) {
    if (p.option != "-M" && p.option != "-R rusage:mem") continue;
    const auto measure = batch::measure_of(p.value);
    if (!measure || !measure->unit.empty() || blank_in(p.value, In::directive)) continue;
    job.wrong(RuleId::lsf_memory_unit, p.span, p.option,
              "the unit of `" + p.value + "` is set by LSF_UNIT_FOR_LIMITS of the cluster");
    return;
  }
}

// ---- LSF004 ------------------------------------------------------------------------------------------

void check_words(const BatchJob& job) {
  std::uint32_t last = 0;  // a line has one fault, however many words follow it
  for (const batch::Fault& fault : job.read.faults) {
    const std::string words(job.sources().text(fault.span));
    const bool stray = fault.kind == FaultKind::not_an_option || fault.kind == FaultKind::unknown_option ||
                       fault.kind == FaultKind::missing_value;
    if (!stray || is_in_blank(job, fault.span) || is_in_document(job, fault.span)) continue;
    const std::uint32_t line = job.sources().position(fault.span.file, fault.span.begin).line;
    if (std::exchange(last, line) == line) continue;
    Finding& f = job.wrong(RuleId::lsf_directive_words, fault.span, "#BSUB", fault.message);
    if (words.starts_with("\xE2\x80")) f.notes.push_back("the dash is not `-`: a word processor replaced it");
  }
}

// ---- LSF005 ------------------------------------------------------------------------------------------

bool is_balanced(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    if (c == '[') ++depth;
    if (c == ']' && --depth < 0) return false;
  }
  return depth == 0;
}

void check_requirement(const BatchJob& job) {
  const DirectivePart* before = nullptr;
  for (const DirectivePart& p : job.read.parts) {
    if (p.option == "-R select" && !blank_in(p.value, In::directive) && !is_balanced(p.value))
      job.wrong(RuleId::lsf_requirement, p.span, "-R", "the brackets of this resource requirement do not match");
    const bool again =
        before != nullptr && p.option == "-R select" && before->option == p.option &&
        before->span.end <= p.span.begin &&
        job.sources().text({p.span.file, before->span.end, p.span.begin}).find('\n') == std::string_view::npos;
    if (again) job.wrong(RuleId::lsf_requirement, p.span, "-R", "a resource requirement has two `select` sections");
    if (p.option == "-R select") before = &p;
  }
}

}  // namespace

void check_lsf(const BatchJob& job) {
  check_run_limit(job);
  check_spread(job);
  check_memory_unit(job);
  check_words(job);
  check_requirement(job);
}

}  // namespace muster::lint
