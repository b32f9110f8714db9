#include "driver/import_object.h"

#include <algorithm>
#include <optional>

#include "compiler/model/module.h"
#include "compiler/sema/check/check.h"
#include "compiler/sema/check/to_syntax.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/parse.h"
#include "plan/steps/make_plan.h"
#include "targets/kubernetes/lift/lift.h"
#include "targets/target.h"

namespace muster::driver {
namespace {

namespace k8s = targets::kubernetes;

std::string first_error_of(const Diagnostics& found) {
  for (const Diagnostic& d : found.sorted())
    if (d.severity() == Severity::error) return d.message;
  return {};
}

// The models as they are read back from their files.
std::optional<model::Module> read_back(const targets::Imported& imported, Diagnostics& found) {
  Sources sources;
  std::vector<ast::File> files;
  std::vector<ast::Block> blocks;
  blocks.push_back(sema::to_syntax(imported.workload, found));
  model::Site site = imported.site;
  site.name = "site";
  blocks.push_back(sema::to_syntax(site, found));
  if (found.has_errors()) return std::nullopt;
  const std::uint32_t file = sources.add("imported", syntax::format(std::move(blocks), {}));
  if (auto tree = syntax::parse(sources, file, found)) files.push_back(std::move(*tree));
  if (found.has_errors()) return std::nullopt;
  model::Module module = sema::check(files, sources, {}, found);
  if (found.has_errors() || module.workloads.empty() || module.sites.empty()) return std::nullopt;
  return module;
}

// What the target writes; nullopt: `why`.
std::optional<std::string> written(const targets::Imported& imported, std::string& why) {
  Diagnostics found;
  const auto module = read_back(imported, found);
  const targets::Target* target = targets::find_target(imported.target);
  if (!module || target == nullptr) return why = first_error_of(found), std::nullopt;
  plan::PlanRequest request;
  request.workload = &module->workloads.front();
  request.workloads = plan::Compilation(module->workloads);
  request.site = &module->sites.front();
  request.site_given = true;
  request.plane = &module->sites.front().planes.front();
  const plan::PlanResult planned = plan::make_plan(request, found);
  if (!planned.plan || found.has_errors()) return why = first_error_of(found), std::nullopt;
  targets::LowerOptions options;
  options.names = targets::Names::fixed;
  options.any_gang = true;  // an object need not name the one that its cluster has
  const targets::Lowered lowered = targets::lower(*target, *planned.plan, options, found);
  if (found.has_errors() || lowered.documents.empty()) return why = first_error_of(found), std::nullopt;
  return lowered.documents.front().content;
}

// A part of the `target` block that the target does not take is lost, which the comparison finds. False: none is left
// but what the import itself relies on.
bool drop_last_option(model::Workload& workload, std::size_t stated) {
  if (workload.targets.empty() || workload.targets.back().options.size() <= stated) return false;
  auto& options = workload.targets.back().options;
  options.pop_back();
  if (options.empty()) workload.targets.pop_back();
  return true;
}

}  // namespace

targets::Imported import_object(const Sources& sources, const k8s::Manifest& manifest, const k8s::Object& object,
                                const std::string& name, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  k8s::LiftState state;
  targets::Imported out = k8s::import_object(sources, manifest, object, name, state, diagnostics);
  if (diagnostics.size() != before) return out;
  std::string why;
  auto own = written(out, why);
  if (!own) {
    diagnostics.add(Code::cannot_import, object.root.span(),
                    object.subject() + ": target " + out.target + " does not take the workload again: " + why);
    return out;
  }
  const std::size_t stated = out.workload.targets.empty() ? 0 : out.workload.targets.back().options.size();
  k8s::add_raw(std::move(state), *own, out);
  for (own = written(out, why); !own && drop_last_option(out.workload, stated); own = written(out, why)) continue;
  if (own) k8s::name_differences(object, *own, out);
  return out;
}

}  // namespace muster::driver
