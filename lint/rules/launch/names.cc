// SLM043 index-without-array, SLM044 unknown-slurm-variable: variables of the batch system that are empty in this job.
#include <algorithm>
#include <set>

#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "lint/rules/launch/script_job.h"
#include "targets/given_names.h"
#include "targets/slurm/read/body.h"

namespace muster::lint {
namespace {

using targets::BatchSystem;
using targets::Given;
using targets::GivenName;

// What sets the variables of the job; nullopt: a system without a table of them.
std::optional<BatchSystem> giver_of(const ScriptJob& job) {
  if (job.is_of_slurm()) return BatchSystem::slurm;
  if (job.host.system == targets::batch::System::pbs) return BatchSystem::pbs;
  return job.host.system == targets::batch::System::lsf ? std::optional(BatchSystem::lsf) : std::nullopt;
}

// `SLURM_X=…` or `read SLURM_X` somewhere: the script sets it itself.
bool sets_itself(const ScriptJob& job, const std::string& name) {
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
bool expects_absence(const ScriptJob& job, const shell::EnvironmentRead& read) {
  const std::string_view spelling = job.sources().text(read.span);
  return read.has_default || spelling.find(":+") != std::string_view::npos ||
         spelling.find(":?") != std::string_view::npos || spelling.find('+') != std::string_view::npos ||
         spelling.find('?') != std::string_view::npos;
}

// A condition asks whether the variable has a value.
bool tests_for(const ScriptJob& job, std::string_view name) {
  return std::any_of(job.body.commands.begin(), job.body.commands.end(), [&](const shell::Command& c) {
    const bool test = c.own.is({shell::Effect::tests}) || c.program().starts_with("((");
    return (test || c.condition) && std::any_of(c.words.begin(), c.words.end(), [&](const shell::Word& w) {
             return w.text.find(name) != std::string::npos;
           });
  });
}

// ---- SLM043 ------------------------------------------------------------------------------------------

bool is_index(const GivenName& row) { return row.meaning == Given::point && row.condition.starts_with("in arrays"); }

// The options that make an array.
std::vector<std::string_view> array_options(BatchSystem system) {
  switch (system) {
    case BatchSystem::slurm: return {"--array", "-a "};
    case BatchSystem::pbs: return {"-J ", "-t "};
    case BatchSystem::lsf: return {"-J "};
    case BatchSystem::skypilot:
    case BatchSystem::dstack: break;  // have none
  }
  return {};
}

// A test of the variable anywhere says that the script also runs without an array; the option in a text, how it is
// submitted; the index of another system, that the script is written for several.
bool knows_about_arrays(const ScriptJob& job, BatchSystem own) {
  for (const std::string_view option : array_options(own))
    if (job.mentions(option)) return true;
  for (const BatchSystem system : {BatchSystem::slurm, BatchSystem::pbs, BatchSystem::lsf})
    for (const GivenName& row : given_names(system)) {
      if (row.meaning != Given::point || !job.mentions(row.name)) continue;
      if (system != own || tests_for(job, row.name)) return true;
      for (const std::string_view form : {":-", "-", ":+", "+", "="})
        if (job.mentions(std::string(row.name) + std::string(form))) return true;
    }
  return false;
}

void check_index(const ScriptJob& job, BatchSystem system) {
  if (job.meaning.job().array.given() || !job.host.submitted) return;
  const auto read = std::find_if(job.body.reads.begin(), job.body.reads.end(), [&](const shell::EnvironmentRead& r) {
    const GivenName* row = given_name(system, r.name);
    return row != nullptr && is_index(*row) && !expects_absence(job, r);
  });
  if (read == job.body.reads.end() || knows_about_arrays(job, system)) return;
  job.cannot_tell_at(RuleId::index_without_array, read->span, read->name,
                     "`$" + read->name + "` is empty unless `" + std::string(trimmed(array_options(system).front())) +
                         "` is on the command line of " + std::string(submit_command(*job.host.system)));
}

// ---- SLM044 ------------------------------------------------------------------------------------------

// All names that the system sets, in order.
std::vector<std::string_view> known_names(BatchSystem system) {
  const auto own = slurm::slurm_variable_names();
  if (system == BatchSystem::slurm) return {own.begin(), own.end()};
  std::vector<std::string_view> out;
  for (const GivenName& row : given_names(system)) out.push_back(row.name);
  std::sort(out.begin(), out.end());
  return out;
}

// `SLURM_JOB_ID_HET_GROUP_0`, which Slurm makes of other names.
bool is_made_of_others(std::string_view name) {
  return name.find("_HET_GROUP_") != std::string_view::npos || name.find("_PACK_GROUP_") != std::string_view::npos ||
         name.starts_with("SLURM_SPANK_") || name.starts_with("SLURM_PMI") || name.starts_with("SLURM_TRES_PER");
}

constexpr std::size_t most_slips = 2;  // letters

void check_unknown(const ScriptJob& job, BatchSystem system) {
  const std::vector<std::string_view> known = known_names(system);
  std::set<std::string> seen;
  for (const shell::EnvironmentRead& read : job.body.reads) {
    if (!is_of(system, read.name) || is_made_of_others(read.name) || seen.size() > 50 || !seen.insert(read.name).second)
      continue;
    if (std::binary_search(known.begin(), known.end(), std::string_view(read.name)) || expects_absence(job, read))
      continue;
    const std::string meant = closest(read.name, known, most_slips);
    if (meant.empty() || edit_distance(read.name, meant, most_slips) > most_slips || sets_itself(job, read.name) ||
        tests_for(job, read.name))
      continue;
    Finding& f =
        job.wrong_at(RuleId::unknown_slurm_variable, read.span, read.name,
                     std::string(title(*job.host.system)) + " does not set `" + read.name + "`, so it is empty here");
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

void check_names(const ScriptJob& job) {
  const auto system = giver_of(job);
  if (!system) return;
  check_index(job, *system);
  check_unknown(job, *system);
}

}  // namespace muster::lint
