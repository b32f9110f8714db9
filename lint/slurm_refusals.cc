// SLM021 sbatch-refuses, SLM022 template.
#include "lint/slurm_job.h"

namespace muster::lint {
namespace {

// An option that no Slurm has may be one of a plugin of the cluster; a name close to a known one is a slip.
bool may_be_a_plugin(const slurm::Refusal& refusal) {
  return refusal.kind == slurm::RefusalKind::unknown_option && refusal.nearest.empty();
}

Finding refusal_finding(const SlurmJob& job, const slurm::Refusal& refusal) {
  Finding f = job.about(finding(RuleId::sbatch_refuses, refusal.span, "sbatch refuses this script: " + refusal.message),
                        std::string(name(refusal.kind)));
  if (may_be_a_plugin(refusal)) {
    f.severity = Severity::warning;
    f.notes.push_back("a plugin of the cluster could add such an option");
  }
  if (!refusal.nearest.empty())
    f.fix = Fix{"write `" + refusal.nearest + "`", false, {{refusal.span, refusal.nearest}}};
  return f;
}

Finding conflict_finding(const SlurmJob& job, const slurm::Conflict& conflict) {
  const std::int32_t by = conflict.by.empty() ? slurm::no_directive : conflict.by.back();
  Finding f = job.at(RuleId::sbatch_refuses, by, "Slurm refuses this: " + conflict.message);
  if (f.path.empty()) f.path = std::string(name(conflict.kind));
  for (std::size_t i = 0; i + 1 < conflict.by.size(); ++i)
    f.labels.push_back({job.directive(conflict.by[i])->whole, "with this"});
  if (conflict.certain) return f;
  f.verdict = Verdict::unclear;
  f.severity = Severity::info;
  f.notes.push_back("Slurm " + std::to_string(conflict.since.major) + "." + (conflict.since.minor < 10 ? "0" : "") +
                    std::to_string(conflict.since.minor) +
                    " and later refuse it; the site's `version` says which runs");
  return f;
}

}  // namespace

void check_refusals(const SlurmJob& job, Findings& out) {
  if (job.script.is_template()) {
    for (const slurm::Template& t : job.script.templates) {
      if (t.kind == slurm::TemplateKind::shell_variable) continue;
      out.push_back(job.about(unclear(RuleId::unfilled_template, t.span,
                                      "something fills this in before Slurm sees it: the script is not judged"),
                              std::string(name(t.kind))));
      return;
    }
    return;
  }
  for (const slurm::Refusal& refusal : job.script.refusals) out.push_back(refusal_finding(job, refusal));
  for (const slurm::Conflict& conflict : job.meaning.conflicts) out.push_back(conflict_finding(job, conflict));
}

}  // namespace muster::lint
