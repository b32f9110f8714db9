#include "targets/lsf/read/import.h"

#include "compiler/base/text.h"
#include "targets/batch/read/names.h"
#include "targets/lsf/read/importer.h"

namespace muster::targets::lsf {

using batch::Draft;

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
  batch::add_own_names(draft, batch::last_part(draft.script, "-J"));
  return batch::finish(draft, plane);
}

}  // namespace muster::targets::lsf
