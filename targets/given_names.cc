#include "targets/given_names.h"

#include <algorithm>

namespace muster::targets {
namespace {

constexpr GivenName given_rows[] = {
#define GIVEN_NAME(system, name, meaning, same_in, condition) \
  {BatchSystem::system, #name, Given::meaning, SameIn::same_in, condition},
#include "targets/given_names.def"
#undef GIVEN_NAME
};

struct MeaningRow {
  Given meaning;
  std::string_view text, contract;
};
constexpr MeaningRow meanings[] = {
    {Given::run_id, "identifier of the job", "MUSTER_ID"},
    {Given::point, "number of the task in its array", "MUSTER_POINT"},
    {Given::points, "number of tasks in the array", "MUSTER_POINTS"},
    {Given::attempt, "how often the job was started again", "MUSTER_ATTEMPT"},
    {Given::job_name, "name of the job", "MUSTER_NAME"},
    {Given::queue, "queue of the job", ""},
    {Given::cluster, "name of the cluster", ""},
    {Given::submit_dir, "folder in which the job was submitted", "PWD"},
    {Given::submit_host, "host on which the job was submitted", ""},
    {Given::nodes, "number of nodes", "MUSTER_NODES"},
    {Given::node_rank, "rank of the node", "MUSTER_NODE_RANK"},
    {Given::node_name, "name of the node", "MUSTER_NODE_ADDR"},
    {Given::topology, "place of the node in the network", ""},
    {Given::hosts, "list of the nodes", ""},
    {Given::host_file, "file with the nodes", "MUSTER_HOSTFILE"},
    {Given::head, "address of the first node", "MUSTER_HEAD_ADDR"},
    {Given::world, "number of processes", "MUSTER_WORLD_SIZE"},
    {Given::per_node, "processes of a node", "MUSTER_PROCS_PER_NODE"},
    {Given::process_rank, "rank of the process", ""},
    {Given::local_rank, "rank of the process on its node", ""},
    {Given::task_ranks, "ranks of the processes of a node", ""},
    {Given::process, "process id", ""},
    {Given::cpus, "CPUs of a node", "MUSTER_CPUS"},
    {Given::cpus_of_task, "CPUs of a task", ""},
    {Given::all_cpus, "CPUs of the job", ""},
    {Given::gpus, "GPUs of a node", "MUSTER_GPUS_PER_NODE"},
    {Given::all_gpus, "GPUs of the job", ""},
    {Given::memory, "memory of a node in MiB", "MUSTER_MEMORY_MB"},
    {Given::tmp, "folder on the disk of the node", "MUSTER_TMP"},
    {Given::user, "name of the user", ""},
    {Given::login, "login name where the job was submitted", ""},
    {Given::home, "home folder where the job was submitted", ""},
    {Given::shell, "shell where the job was submitted", ""},
    {Given::path, "PATH where the job was submitted", ""},
    {Given::batch, "the word of a batch job", ""},
    {Given::zero, "0 in the script", ""},
    {Given::one, "1 in the script", ""},
    {Given::own, "of the system itself", ""},
};

const MeaningRow& row_of(Given meaning) {
  return *std::find_if(std::begin(meanings), std::end(meanings),
                       [&](const MeaningRow& m) { return m.meaning == meaning; });
}

}  // namespace

std::optional<BatchSystem> system_of_plane(model::PlaneKind kind) {
  if (kind == model::PlaneKind::slurm) return BatchSystem::slurm;
  if (kind == model::PlaneKind::pbs) return BatchSystem::pbs;
  if (kind == model::PlaneKind::skypilot) return BatchSystem::skypilot;
  if (kind == model::PlaneKind::lsf) return BatchSystem::lsf;
  if (kind == model::PlaneKind::dstack) return BatchSystem::dstack;
  return std::nullopt;
}

std::span<const std::string_view> prefixes_of(BatchSystem system) {
  static constexpr std::string_view slurm[] = {"SLURM_", "SLURMD_", "SBATCH_", "SRUN_"}, pbs[] = {"PBS_"},
                                    lsf[] = {"LSB_", "LSF_", "LS_", "JSM_"}, skypilot[] = {"SKYPILOT_"},
                                    dstack[] = {"DSTACK_"};
  switch (system) {
    case BatchSystem::slurm: return slurm;
    case BatchSystem::pbs: return pbs;
    case BatchSystem::lsf: return lsf;
    case BatchSystem::skypilot: return skypilot;
    case BatchSystem::dstack: return dstack;
  }
  return {};
}

bool is_of(BatchSystem system, std::string_view name) {
  const std::span<const std::string_view> prefixes = prefixes_of(system);
  return given_name(system, name) != nullptr || std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) {
           return name.starts_with(p) && name.size() > p.size();
         });
}

std::span<const GivenName> given_names(BatchSystem system) {
  const auto first = std::find_if(std::begin(given_rows), std::end(given_rows),
                                  [&](const GivenName& g) { return g.system == system; });
  const auto end = std::find_if(first, std::end(given_rows), [&](const GivenName& g) { return g.system != system; });
  return {first, end};
}

const GivenName* given_name(BatchSystem system, std::string_view name) {
  const std::span<const GivenName> all = given_names(system);
  const auto found = std::find_if(all.begin(), all.end(), [&](const GivenName& g) { return g.name == name; });
  return found == all.end() ? nullptr : &*found;
}

bool tells_apart(const GivenName& name) {
  const bool amount = name.meaning == Given::cpus || name.meaning == Given::gpus || name.meaning == Given::tmp;
  return name.same_in != SameIn::job && !amount;
}

std::string_view meaning_text(Given meaning) { return row_of(meaning).text; }

std::string_view contract_name(Given meaning) { return row_of(meaning).contract; }

}  // namespace muster::targets
