#include "targets/pbs/read/import.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "targets/batch/read/names.h"
#include "targets/pbs/read/importer.h"
#include "targets/slurm/lift/lift.h"

namespace muster::targets::pbs {
namespace {

using batch::DirectivePart;
using batch::Draft;

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
  batch::add_own_names(draft, batch::last_part(draft.script, "-N"));
  return batch::finish(draft, plane);
}

}  // namespace muster::targets::pbs
