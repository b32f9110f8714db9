// SLM043 array-index-without-array, SLM044 unknown-slurm-variable: variables of Slurm that are empty in this job.
#include <algorithm>
#include <set>

#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "lint/rules/slurm/job.h"
#include "targets/slurm/read/body.h"

namespace muster::lint {
namespace {

// `SLURM_X=…` or `read SLURM_X` somewhere: the script sets it itself.
bool sets_itself(const SlurmJob& job, const std::string& name) {
  const auto assigns = [&](const shell::Command& c) {
    return std::any_of(c.assignments.begin(), c.assignments.end(), [&](const auto& a) { return a.name == name; }) ||
           (c.program() == "read" &&
            std::any_of(c.words.begin(), c.words.end(), [&](const auto& w) { return w.text == name; }));
  };
  return std::any_of(job.body.commands.begin(), job.body.commands.end(), assigns) ||
         std::any_of(job.body.exports.begin(), job.body.exports.end(), [&](const auto& e) { return e.name == name; }) ||
         std::any_of(job.body.scopes.begin(), job.body.scopes.end(), [&](const auto& s) { return s.name == name; }) ||
         job.sources().text(job.script.file).find(name + "=") != std::string_view::npos;  // or the script around it
}

// The read is of a value that may be missing: a test, a default, an alternative.
bool expects_absence(const SlurmJob& job, const shell::EnvironmentRead& read) {
  const std::string_view spelling = job.sources().text(read.span);
  return read.has_default || spelling.find(":+") != std::string_view::npos ||
         spelling.find(":?") != std::string_view::npos || spelling.find('+') != std::string_view::npos ||
         spelling.find('?') != std::string_view::npos;
}

// A condition asks whether the variable has a value.
bool tests_for(const SlurmJob& job, std::string_view name) {
  return std::any_of(job.body.commands.begin(), job.body.commands.end(), [&](const shell::Command& c) {
    const bool test = c.own.is({shell::Effect::tests}) || c.program().starts_with("((");
    return (test || c.condition) && std::any_of(c.words.begin(), c.words.end(), [&](const shell::Word& w) {
             return w.text.find(name) != std::string::npos;
           });
  });
}

// ---- SLM043 ------------------------------------------------------------------------------------------

bool is_array_index(std::string_view name) { return name == "SLURM_ARRAY_TASK_ID"; }

// A test of the variable anywhere says that the script also runs without an array; `--array` in a text, how it is
// submitted.
bool knows_about_arrays(const SlurmJob& job) {
  for (const std::string_view word : {"--array", "-a ", "ARRAY_TASK_ID:-", "ARRAY_TASK_ID-", "ARRAY_TASK_ID:+",
                                      "ARRAY_TASK_ID+", "ARRAY_TASK_ID=", "PBS_ARRAY"})
    if (job.mentions(word)) return true;
  return tests_for(job, "SLURM_ARRAY_TASK_ID");
}

void check_index(const SlurmJob& job) {
  if (job.meaning.job().array.given() || !job.script.batch || knows_about_arrays(job)) return;
  const auto read = std::find_if(job.body.reads.begin(), job.body.reads.end(), [&](const shell::EnvironmentRead& r) {
    return is_array_index(r.name) && !expects_absence(job, r);
  });
  if (read == job.body.reads.end()) return;
  job.cannot_tell_at(RuleId::index_without_array, read->span, read->name,
                     "`$" + read->name + "` is empty unless `--array` is on the command line of sbatch");
}

// ---- SLM044 ------------------------------------------------------------------------------------------

bool is_of_slurm(std::string_view name) {
  return name.starts_with("SLURM_") || name.starts_with("SLURMD_") || name.starts_with("SBATCH_") ||
         name.starts_with("SRUN_");
}

// `SLURM_JOB_ID_HET_GROUP_0`, which Slurm makes of other names.
bool is_made_of_others(std::string_view name) {
  return name.find("_HET_GROUP_") != std::string_view::npos || name.find("_PACK_GROUP_") != std::string_view::npos ||
         name.starts_with("SLURM_SPANK_") || name.starts_with("SLURM_PMI") || name.starts_with("SLURM_TRES_PER");
}

constexpr std::size_t most_slips = 2;  // letters

void check_unknown(const SlurmJob& job) {
  const auto known = slurm::slurm_variable_names();
  std::set<std::string> seen;
  for (const shell::EnvironmentRead& read : job.body.reads) {
    if (!is_of_slurm(read.name) || is_made_of_others(read.name) || seen.size() > 50 || !seen.insert(read.name).second)
      continue;
    if (std::binary_search(known.begin(), known.end(), std::string_view(read.name)) || expects_absence(job, read))
      continue;
    const std::string meant = closest(read.name, known, most_slips);
    if (meant.empty() || edit_distance(read.name, meant, most_slips) > most_slips || sets_itself(job, read.name) ||
        tests_for(job, read.name))
      continue;
    Finding& f = job.wrong_at(RuleId::unknown_slurm_variable, read.span, read.name,
                              "Slurm does not set `" + read.name + "`, so it is empty here");
    const bool glued = read.name == meant + "_";  // `$SLURM_JOB_ID_$x`
    f.notes.push_back(glued ? "without braces the `_` is a part of the name: write `${" + meant + "}_`"
                            : "the nearest variable is `" + meant + "`");
    if (glued) continue;
    const std::string spelling(job.sources().text(read.span));
    const std::size_t at = spelling.find(read.name);
    if (at != std::string::npos && (spelling == "$" + read.name || spelling == "${" + read.name + "}")) {
      const auto begin = read.span.begin + static_cast<std::uint32_t>(at);
      f.fix = Fix{"write `" + meant + "`",
                  false,
                  {{{read.span.file, begin, begin + static_cast<std::uint32_t>(read.name.size())}, meant}}};
    }
  }
}

}  // namespace

void check_names(const SlurmJob& job) {
  check_index(job);
  check_unknown(job);
}

}  // namespace muster::lint
