#include "targets/lsf/read/import.h"

#include <array>

#include "compiler/base/text.h"
#include "targets/batch/read/names.h"
#include "targets/lsf/read/importer.h"

namespace muster::targets::lsf {
namespace {

using batch::DirectivePart;
using batch::Draft;

constexpr std::array prefixes = std::to_array<std::string_view>({"LSB_", "LSF_", "LS_", "JSM_"});
constexpr std::array others = std::to_array<std::string_view>({"LSFUSER"});
constexpr std::array node_files = std::to_array<std::string_view>({"LSB_DJOB_HOSTFILE", "LSB_HOSTS", "LSB_MCPU_HOSTS"});
constexpr batch::NamesOfSystem names = {
    .title = "LSF", .prefixes = prefixes, .others = others, .node_files = node_files, .submission = "LS_SUBCWD"};

// The variables of LSF that the language has an equal for.
void add_own_names(Draft& draft) {
  auto& own = draft.script.text.own_names;
  const batch::NodeShape& shape = draft.shape;
  own.push_back({"LS_SUBCWD", batch::env_text("SLURM_SUBMIT_DIR")});
  own.push_back({"LSB_JOBID", batch::run_text("id")});
  own.push_back({"LSB_BATCH_JID", batch::run_text("id")});
  own.push_back({"LSB_JOBINDEX", draft.workload().sweep ? batch::axis_text("task") : model::Text("0")});
  const DirectivePart* title = batch::last_part(draft.script, "-J");
  own.push_back({"LSB_JOBNAME", model::Text(title != nullptr ? title->value : draft.workload().name)});
  if (!draft.queue.plane_name.empty()) own.push_back({"LSB_QUEUE", model::Text(draft.queue.plane_name)});
  own.push_back({"LSFUSER", batch::env_text("USER")});
  if (shape.spread) {
    own.push_back({"LSB_DJOB_NUMPROC", model::Text(std::to_string(*shape.spread))});
  } else if (batch::last_part(draft.script, "-nnodes") == nullptr) {
    own.push_back({"LSB_DJOB_NUMPROC", model::Text(std::to_string(shape.nodes * shape.tasks))});
  }
}

}  // namespace

batch::Asked asked_by(const Sources& sources, batch::JobScript& script) {
  Diagnostics unused;
  Draft draft = batch::draft_of(sources, script, "job", unused);
  import_layout(draft);
  import_options(draft);
  return batch::asked_by(draft);
}

Imported import_script(const Sources& sources, batch::JobScript& script, const std::string& name,
                       const std::optional<PlaneWords>& plane, Diagnostics& diagnostics) {
  Draft draft = batch::draft_of(sources, script, name, diagnostics);
  if (!batch::importable(script, diagnostics)) return std::move(draft.out);
  import_layout(draft);
  import_options(draft);
  batch::account_for_the_rest(draft);
  add_own_names(draft);
  return batch::finish(draft, names, plane);
}

}  // namespace muster::targets::lsf
