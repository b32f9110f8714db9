// One script that submits workloads in the order of their `depends-on`.
#include <unordered_set>
#include <vector>

#include "targets/batch/batch.h"
#include "targets/batch/job.h"
#include "targets/shell.h"
#include "targets/submission.h"

namespace muster::targets::batch {
namespace {

std::string_view dependency_word(const Chain& chain, const model::After& after) {
  if (after.each) return chain.each;
  switch (after.on) {
    case model::AfterOn::success: return chain.success;
    case model::AfterOn::finish: return chain.finish;
    case model::AfterOn::failure: return chain.failure;
    case model::AfterOn::start: return chain.start;
  }
  return chain.success;
}

// The shell variable with the id of a workload's job; of one that is submitted elsewhere the user sets it.
std::string id_of(const Submissions& all, const std::string& workload) {
  const auto found = all.find(workload);
  return found ? "job" + std::to_string(*found + 1) : contract_name("JOB_", workload);
}

// The lines that submit one workload. `asked` are the ids that the environment is already asked for.
std::string submit_lines(const Dialect& dialect, const Submission& submission, const Submissions& all,
                         std::unordered_set<std::string>& asked) {
  const std::string& name = submission.workload->name;
  const std::string own = id_of(all, name);
  std::string out, after;
  for (const model::After& a : submission.workload->depends_on) {
    const std::string id = id_of(all, a.workload);
    if (!all.find(a.workload) && asked.insert(id).second)
      out += ": \"${" + id + ":?the job id of " + a.workload + "}\"\n";
    after += std::string(after.empty() ? "" : dialect.chain.between) + std::string(dependency_word(dialect.chain, a)) +
             std::string(dialect.chain.before) + "$" + id + std::string(dialect.chain.behind);
  }
  out += dialect.submit(own, submission.file, after);
  return out + "echo " + sh_word(name) + " \"$" + own + "\"\n";
}

}  // namespace

std::optional<Document> submit_script(const Dialect& dialect, std::span<const Submission> submissions,
                                      Diagnostics& diagnostics) {
  const Submissions all(submissions);
  if (!all.is_chained()) return std::nullopt;
  all.check_variables(diagnostics);
  std::string out = submit_head("Submits the jobs of this folder, each after the jobs that it depends on.");
  std::unordered_set<std::string> asked;
  for (const std::size_t i : all.in_order()) out += submit_lines(dialect, all[i], all, asked);
  return Document{"submit." + std::string(dialect.target) + ".sh", out};
}

}  // namespace muster::targets::batch
