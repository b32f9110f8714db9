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
  batch::add_own_names(draft, batch::last_part(draft.script, "-J"));
  return batch::finish(draft, names, plane);
}

}  // namespace muster::targets::lsf
