// One script that submits workloads in the order of their `depends-on`.
#include <algorithm>
#include <vector>

#include "targets/shell.h"
#include "targets/slurm/job.h"
#include "targets/slurm/slurm.h"

namespace muster::targets::slurm {
namespace {

std::string_view dependency_word(model::AfterOn on) {
  switch (on) {
    case model::AfterOn::success: return "afterok";
    case model::AfterOn::finish: return "afterany";
    case model::AfterOn::failure: return "afternotok";
    case model::AfterOn::start: return "after";
  }
  return "afterok";
}

bool submitted(std::span<const Submission> all, const std::string& name) {
  return std::any_of(all.begin(), all.end(), [&](const Submission& s) { return s.workload->name == name; });
}

// The shell variable with the id of a workload's job; of one that is submitted elsewhere the user sets it.
std::string id_of(std::span<const Submission> all, const std::string& workload) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].workload->name == workload) return "job" + std::to_string(i + 1);
  return contract_name("JOB_", workload);
}

// Each after those it waits for; the checker has seen that there is no circle.
std::vector<const Submission*> in_order(std::span<const Submission> all) {
  std::vector<const Submission*> out;
  std::vector<bool> done(all.size(), false);
  const auto waits = [&](const Submission& s) {
    return std::any_of(s.workload->depends_on.begin(), s.workload->depends_on.end(), [&](const model::After& after) {
      const bool there =
          std::any_of(out.begin(), out.end(), [&](const Submission* o) { return o->workload->name == after.workload; });
      return submitted(all, after.workload) && !there;
    });
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!done[i] && !waits(all[i])) out.push_back(&all[i]), done[i] = moved = true;
  }
  return out;
}

}  // namespace

std::optional<Document> submit_script(std::span<const Submission> all) {
  const bool chained =
      std::any_of(all.begin(), all.end(), [](const Submission& s) { return !s.workload->depends_on.empty(); });
  if (!chained) return std::nullopt;
  std::string out =
      "#!/bin/sh\n# Submits the jobs of this folder, each after those it waits for.\nset -eu\ncd \"$(dirname "
      "\"$0\")\"\n";
  for (const Submission* s : in_order(all)) {
    const std::string own = id_of(all, s->workload->name);
    std::string after;
    for (const model::After& a : s->workload->depends_on) {
      const std::string id = id_of(all, a.workload);
      if (!submitted(all, a.workload) && out.find(": \"${" + id + ":?") == std::string::npos)
        out += ": \"${" + id + ":?the job id of " + a.workload + "}\"\n";
      after += (after.empty() ? "" : ",") + std::string(dependency_word(a.on)) + ":$" + id;
    }
    const std::string flags = after.empty() ? "" : " --dependency=\"" + after + "\" --kill-on-invalid-dep=yes";
    out += own + "=$(sbatch --parsable" + flags + " " + sh_word(s->file) + ")\n";
    out += own + "=${" + own + "%%;*}\n";
    out += "echo " + sh_word(s->workload->name) + " \"$" + own + "\"\n";
  }
  return Document{"submit.slurm.sh", out};
}

}  // namespace muster::targets::slurm
