#include "targets/pbs/read/import.h"

#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "targets/batch/read/names.h"
#include "targets/pbs/read/importer.h"
#include "targets/slurm/lift/lift.h"

namespace muster::targets::pbs {
namespace {

using batch::DirectivePart;
using batch::Draft;

constexpr std::array prefixes = std::to_array<std::string_view>({"PBS_"});
constexpr std::array others = std::to_array<std::string_view>({"NCPUS"});
constexpr std::array node_files = std::to_array<std::string_view>({"PBS_NODEFILE"});
constexpr batch::NamesOfSystem names = {.title = "PBS",
                                        .prefixes = prefixes,
                                        .others = others,
                                        .node_files = node_files,
                                        .submission = "PBS_O_WORKDIR",
                                        .starts_at_home = true};

// The variables of PBS that the language has an equal for.
void add_own_names(Draft& draft) {
  auto& own = draft.script.text.own_names;
  const batch::NodeShape& shape = draft.shape;
  own.push_back({"PBS_O_WORKDIR", batch::env_text("SLURM_SUBMIT_DIR")});
  own.push_back({"PBS_JOBID", batch::run_text("id")});
  own.push_back({"PBS_ARRAY_ID", batch::run_text("id")});
  if (draft.workload().sweep)
    for (const std::string_view name : {"PBS_ARRAY_INDEX", "PBS_ARRAYID"})
      own.push_back({std::string(name), batch::axis_text("task")});
  for (const std::string_view name : {"HOME", "LOGNAME", "PATH", "SHELL"})
    own.push_back({"PBS_O_" + std::string(name), batch::env_text(name)});
  own.push_back({"PBS_JOBFS", batch::run_text("tmp")});
  own.push_back({"PBS_ENVIRONMENT", model::Text("PBS_BATCH")});
  own.push_back({"PBS_NODENUM", model::Text("0")});
  own.push_back({"PBS_TASKNUM", model::Text("1")});
  const DirectivePart* title = batch::last_part(draft.script, "-N");
  own.push_back({"PBS_JOBNAME", model::Text(title != nullptr ? title->value : draft.workload().name)});
  for (const std::string_view name : {"PBS_QUEUE", "PBS_O_QUEUE"})
    if (!draft.queue.plane_name.empty()) own.push_back({std::string(name), model::Text(draft.queue.plane_name)});
  if (shape.spread) return;
  const auto add_count = [&](std::string_view name, std::int64_t count) {
    own.push_back({std::string(name), model::Text(std::to_string(count))});
  };
  add_count("PBS_NUM_NODES", shape.nodes);
  add_count("PBS_NUM_PPN", shape.tasks);
  add_count("PBS_NP", shape.nodes * shape.tasks);
  if (shape.cpus)
    for (const std::string_view name : {"NCPUS", "PBS_NCPUS"}) add_count(name, *shape.cpus * shape.nodes);
  if (shape.gpus) add_count("PBS_NGPUS", *shape.gpus * shape.nodes);
}

void set_log_defaults(Draft& draft) {
  auto& logs = draft.workload().logs;
  if (!logs) logs.emplace(), logs->span = draft.script.text.span;
  const DirectivePart* join = batch::last_part(draft.script, "-j");
  const bool two = join == nullptr || join->value == "n";
  if (!logs->output) logs->output = model::Located<std::string>{"{name}.o{id}", {}};
  if (!logs->error && two) logs->error = model::Located<std::string>{"{name}.e{id}", {}};
  if (draft.workload().sweep && logs->output->value == "{name}.o{id}") {
    logs->output->value = "{name}.o{array}.{point}";
    if (logs->error && logs->error->value == "{name}.e{id}") logs->error->value = "{name}.e{array}.{point}";
  }
}

}  // namespace

batch::Asked asked_by(const Sources& sources, Script& script) {
  Diagnostics unused;
  Draft draft = batch::draft_of(sources, script.job, "job", unused);
  import_layout(draft, script);
  import_options(draft, script);
  return batch::asked_by(draft);
}

Imported import_script(const Sources& sources, Script& script, const std::string& name,
                       const std::optional<PlaneWords>& plane, Diagnostics& diagnostics) {
  Draft draft = batch::draft_of(sources, script.job, name, diagnostics);
  if (!batch::importable(script.job, diagnostics)) return std::move(draft.out);
  import_layout(draft, script);
  import_options(draft, script);
  batch::account_for_the_rest(draft);
  set_log_defaults(draft);
  add_own_names(draft);
  return batch::finish(draft, names, plane);
}

}  // namespace muster::targets::pbs
