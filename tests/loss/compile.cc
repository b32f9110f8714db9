#include "tests/loss/compile.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/sema/check/check.h"
#include "compiler/sema/expand/expand.h"
#include "compiler/syntax/parse.h"

namespace muster::loss {

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<SiteText> read_sites(const std::vector<std::string>& files) {
  std::vector<SiteText> out;
  for (const std::string& path : files) {
    const std::string text = read_file(path);
    std::string fleets;
    std::vector<std::pair<std::string, std::string>> sites;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = text.find("\n}\n", at);
      end = end == std::string::npos ? text.size() : end + 3;
      const std::string block = text.substr(at, end - at);
      const std::size_t site = block.starts_with("site ") ? 0 : block.find("\nsite ");
      if (site == std::string::npos) fleets += block;
      else
        sites.emplace_back(
            block.substr(site + (site == 0 ? 5 : 6), block.find(" {", site) - site - (site == 0 ? 5 : 6)), block);
      at = end;
    }
    for (auto& [name, block] : sites) out.push_back({name, fleets + block});
  }
  return out;
}

std::vector<SiteText> shown_sites(const std::string& root) { return read_sites(files_in(root + "/examples/sites")); }

std::vector<SiteText> all_sites(const std::string& root) {
  std::vector<std::string> files = files_in(root + "/examples/sites");
  files.push_back(root + "/tests/loss/sites.muster");
  return read_sites(files);
}

Checked check_at(const SiteText& site, const std::string& spec) {
  Checked out;
  const std::string texts[] = {site.text, spec};
  for (const std::string& text : texts) {
    auto file = syntax::parse(out.sources, out.sources.add("text", text), out.diagnostics);
    if (!file) return out;
    out.files.push_back(std::move(*file));
  }
  sema::ExpandOptions expansion;
  expansion.roots = {1, 2};
  out.files = sema::expand(std::move(out.files), expansion, out.diagnostics);
  out.module = sema::check(out.files, out.sources, {}, out.diagnostics);
  return out;
}

const model::Fleet* fleet_of(const Checked& checked) {
  const model::Site& site = checked.module.sites.at(0);
  const model::Fleet* out = nullptr;
  for (const model::Fleet& fleet : checked.module.fleets)
    if (site.fleet && fleet.name == site.fleet->value) out = &fleet;
  return out;
}

plan::PlanRequest request_for(const Checked& checked, std::size_t workload, const model::Policy& policy,
                              std::optional<model::PlaneKind> plane) {
  plan::PlanRequest out;
  out.workload = &checked.module.workloads.at(workload);
  out.workloads = checked.module.workloads;
  out.site = &checked.module.sites.at(0);
  out.site_given = true;
  out.fleet = fleet_of(checked);
  out.policy = &policy;
  out.plane_kind = plane;
  return out;
}

bool Attempt::placed() const {
  return plan && plan->plane != nullptr && plan::startable(plan->fit) != plan::Verdict::does_not_fit;
}

Attempt compile_for(const Checked& checked, std::size_t workload, const targets::Target& target,
                    const model::Policy& policy) {
  Diagnostics diagnostics;
  Attempt out;
  out.plan = plan::make_plan(request_for(checked, workload, policy, target.capabilities.plane), diagnostics).plan;
  if (!out.placed()) return out;
  out.lowered = targets::lower(target, *out.plan, {}, diagnostics);
  for (const Diagnostic& d : diagnostics.sorted())
    if (info(d.code).severity == Severity::error) out.errors.push_back(d);
  return out;
}

}  // namespace muster::loss
