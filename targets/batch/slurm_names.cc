// The names of Slurm that a program reads, for a system that sets its own: `launch { compat = slurm }`.
#include <algorithm>

#include "compiler/model/runner.h"
#include "targets/batch/sections.h"
#include "targets/contract/given.h"
#include "targets/given_names.h"

namespace muster::targets::batch {
namespace {

bool is_of_task(Given meaning) { return meaning == Given::process_rank || meaning == Given::local_rank; }

// Whether only a shell in front of the program knows it.
bool is_of_node_shell(const Job& job, Given meaning) {
  return starts_in_step(job) && (is_of_task(meaning) || meaning == Given::node_rank || meaning == Given::node_name);
}

// The right side of its assignment; "": nothing here has that meaning.
std::string word_of(Job& job, Given meaning) {
  const JobVariables& known = job.dialect.variables;
  const model::RunnerVariables& launcher = row_of(job.runner()).variables;
  const bool forked = job.dialect.forks_processes && job.tasks() > 1;
  const bool step = starts_in_step(job);
  switch (meaning) {
    case Given::node_name: return std::string(known.node_name);
    case Given::node_rank: return step ? std::string(known.node_rank) : "0";
    case Given::process_rank:
      if (forked) return "$" + std::string(launcher.process_rank);
      return step ? std::string(known.process_rank) : "0";
    case Given::local_rank: return forked ? "$" + std::string(launcher.local_rank) : "0";
    case Given::submit_dir: return std::string(known.submit_dir);
    case Given::submit_host: return std::string(known.submit_host);
    case Given::hosts: return "$(" + std::string(known.hosts) + " | paste -sd,)";
    case Given::cpus_of_task:
      return job.shape.cpus ? std::to_string(std::max<std::int64_t>(1, *job.shape.cpus / job.tasks())) : std::string();
    default: return contract_word(job, contract_name(meaning));
  }
}

bool sets_slurm_names(const Job& job) {
  return !job.dialect.gives_slurm_names && job.role.launch.compat.value == model::Compat::slurm;
}

// A variable of `env` that the script sets has the value in place.
bool is_in_place(Job& job, const contract::SystemRead& read) {
  const auto& env = job.role.env;
  return read.field.field == Field::env && !slurm_word(job, read.name).empty() &&
         std::any_of(env.begin(), env.end(), [&](const model::EnvVar& variable) {
           return variable.name == read.field.detail && !is_late(job, variable.value);
         });
}

}  // namespace

std::string slurm_word(Job& job, std::string_view name) {
  const GivenName* row = sets_slurm_names(job) ? given_name(BatchSystem::slurm, name) : nullptr;
  return row == nullptr || is_of_node_shell(job, row->meaning) ? std::string()
                                                               : inside_quotes(word_of(job, row->meaning));
}

std::vector<std::pair<std::string, std::string>> slurm_names(Job& job, bool late) {
  std::vector<std::pair<std::string, std::string>> out;
  if (!sets_slurm_names(job)) return out;
  for (const contract::SystemRead& read : contract::names_of_systems(job.plan, job.shape)) {
    const GivenName* row = given_name(BatchSystem::slurm, read.name);
    const auto named = [&](const auto& entry) { return entry.first == read.name; };
    if (row == nullptr || read.has_own || is_in_place(job, read) || is_of_node_shell(job, row->meaning) != late ||
        std::any_of(out.begin(), out.end(), named))
      continue;
    if (std::string word = word_of(job, row->meaning); !word.empty()) out.emplace_back(read.name, std::move(word));
  }
  return out;
}

}  // namespace muster::targets::batch
