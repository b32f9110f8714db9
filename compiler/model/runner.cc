#include "compiler/model/runner.h"

#include <algorithm>
#include <array>

#include "compiler/base/text.h"

namespace muster::model {
namespace {

using shell::Launcher;

constexpr std::array runners = std::to_array<RunnerRow>({
    {.runner = Runner::none, .started_by = StartedBy::itself},
    {.runner = Runner::torchrun,
     .started_by = StartedBy::launcher,
     .one_a_gpu = true,
     .coupled = true,
     .opens_file = true,
     .takes_args = true,
     .own = {Launcher::torchrun, Launcher::program, Launcher::program},
     .variables = {"PET_NNODES", "PET_NPROC_PER_NODE", "", "PET_NODE_RANK", "", "", "PET_MASTER_ADDR",
                   "PET_MASTER_PORT", "29500"}},
    {.runner = Runner::accelerate,
     .started_by = StartedBy::launcher,
     .one_a_gpu = true,
     .coupled = true,
     .opens_file = true,
     .takes_args = true,
     .own = {Launcher::accelerate, Launcher::program, Launcher::program}},
    {.runner = Runner::mpi,
     .started_by = StartedBy::scheduler,
     .one_a_gpu = true,
     .coupled = true,
     .takes_args = true,
     .takes_args_of_script = true,
     .own = {Launcher::mpirun, Launcher::srun, Launcher::program}},
    {.runner = Runner::ray,
     .started_by = StartedBy::itself,
     .coupled_over_nodes = true,
     .takes_args = true,
     .takes_args_of_script = true,
     .variables = {"", "", "", "", "", "", "RAY_ADDRESS", ""}},
    {.runner = Runner::processes,
     .started_by = StartedBy::scheduler,
     .one_a_gpu = true,
     .coupled_over_nodes = true,
     .own = {Launcher::mpirun, Launcher::srun, Launcher::torchrun},
     .variables = {"", "", "WORLD_SIZE", "", "RANK", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"}},
    {.runner = Runner::batch_script, .started_by = StartedBy::scheduler, .coupled_over_nodes = true},
});

constexpr bool in_order() {
  for (std::size_t i = 0; i < runners.size(); ++i)
    if (static_cast<std::size_t>(runners[i].runner) != i) return false;
  return true;
}
static_assert(in_order());

}  // namespace

bool runs_itself(const RunnerRow& row, std::string_view program) {
  return std::any_of(row.own.begin(), row.own.end(),
                     [&](Launcher launcher) { return lists_name(shell::row_of(launcher).programs, program); });
}

const RunnerRow& row_of(Runner runner) { return runners[static_cast<std::size_t>(runner)]; }
std::span<const RunnerRow> runner_rows() { return runners; }

std::int64_t Role::processes() const {
  if (launch.processes) return launch.processes->value;
  return row_of(launch.runner.value).one_a_gpu ? std::max<std::int64_t>(gpus(), 1) : 1;
}

}  // namespace muster::model
