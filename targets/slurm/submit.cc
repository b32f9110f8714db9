// One script that submits workloads in the order of their `depends-on`.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/base/order.h"
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

using Index = std::unordered_map<std::string_view, std::size_t>;

Index by_name(std::span<const Submission> all) {
  Index out;
  for (std::size_t i = 0; i < all.size(); ++i) out.emplace(all[i].workload->name, i);
  return out;
}

// The shell variable with the id of a workload's job; of one that is submitted elsewhere the user sets it.
std::string id_of(const Index& index, const std::string& workload) {
  const auto found = index.find(workload);
  return found == index.end() ? contract_name("JOB_", workload) : "job" + std::to_string(found->second + 1);
}

std::vector<std::size_t> in_order(std::span<const Submission> all, const Index& index) {
  std::vector<std::vector<std::size_t>> waits_for(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const model::After& after : all[i].workload->depends_on)
      if (const auto other = index.find(after.workload); other != index.end()) waits_for[i].push_back(other->second);
  return order_of(waits_for);
}

// The lines that submit one workload. `asked` are the ids that the environment is already asked for.
std::string submit_lines(const Submission& submission, const Index& index, std::unordered_set<std::string>& asked) {
  const std::string& name = submission.workload->name;
  const std::string own = id_of(index, name);
  std::string out, after;
  for (const model::After& a : submission.workload->depends_on) {
    const std::string id = id_of(index, a.workload);
    if (!index.contains(a.workload) && asked.insert(id).second)
      out += ": \"${" + id + ":?the job id of " + a.workload + "}\"\n";
    after += (after.empty() ? "" : ",") + std::string(dependency_word(a.on)) + ":$" + id;
  }
  const std::string flags = after.empty() ? "" : " --dependency=\"" + after + "\" --kill-on-invalid-dep=yes";
  out += own + "=$(sbatch --parsable" + flags + " " + sh_word(submission.file) + ")\n";
  out += own + "=${" + own + "%%;*}\n";
  return out + "echo " + sh_word(name) + " \"$" + own + "\"\n";
}

}  // namespace

std::optional<Document> submit_script(std::span<const Submission> all) {
  const bool chained =
      std::any_of(all.begin(), all.end(), [](const Submission& s) { return !s.workload->depends_on.empty(); });
  if (!chained) return std::nullopt;
  const Index index = by_name(all);
  std::string out =
      "#!/bin/sh\n# Submits the jobs of this folder, each after those it waits for.\nset -eu\n"
      "cd \"$(dirname \"$0\")\"\n";
  std::unordered_set<std::string> asked;
  for (const std::size_t i : in_order(all, index)) out += submit_lines(all[i], index, asked);
  return Document{"submit.slurm.sh", out};
}

}  // namespace muster::targets::slurm
