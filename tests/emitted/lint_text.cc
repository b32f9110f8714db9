#include "tests/emitted/lint_text.h"

#include "lint/select.h"
#include "targets/batch/read/job_script.h"

namespace muster::emitted {

Linted lint_text(const loss::Checked& checked, const std::string& name, const std::string& text) {
  auto kind = lint::kind_of(text);
  if (!kind && targets::batch::system_of(text)) kind = lint::Input::script;
  if (!kind) return {{}, "it is neither a batch script nor a manifest"};
  Sources sources = checked.sources;
  const std::uint32_t file = sources.add(name, text);
  const model::Site& site = checked.module.sites.at(0);
  const model::Fleet* fleet = loss::fleet_of(checked);
  std::string unknown;
  const lint::CheckSettings settings{{sources, &site, fleet}, lint::select_rules({}, {}, true, unknown), {}, 0};
  Diagnostics diagnostics;
  Linted out{lint::check_file(file, *kind, settings, diagnostics), {}};
  if (diagnostics.has_errors()) out.fault = diagnostics.sorted().front().message;
  return out;
}

}  // namespace muster::emitted
