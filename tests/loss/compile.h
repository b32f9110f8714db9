// Sites and specs as text, checked and compiled: what every judge of many specs begins with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/model/module.h"
#include "compiler/syntax/ast.h"
#include "plan/steps/make_plan.h"
#include "targets/target.h"

namespace muster::loss {

std::string read_file(const std::string& path);
// The files of a folder, sorted.
std::vector<std::string> files_in(const std::string& folder);

// A site with its fleet as text.
struct SiteText {
  std::string name;
  std::string text;
};

// The sites of files that may hold several, each with all fleets of its file.
std::vector<SiteText> read_sites(const std::vector<std::string>& files);
// Those of the examples, and these with the ones of the judges. `root` is the checkout.
std::vector<SiteText> shown_sites(const std::string& root);
std::vector<SiteText> all_sites(const std::string& root);

// A spec at a site: what the compilations of all targets borrow.
struct Checked {
  Sources sources{};
  std::vector<ast::File> files{};  // the site's, then the spec's
  model::Module module{};
  Diagnostics diagnostics{};
  bool ok() const { return !diagnostics.has_errors() && !module.workloads.empty() && !module.sites.empty(); }
};
Checked check_at(const SiteText& site, const std::string& spec);

// The site's fleet; nullptr where it has none.
const model::Fleet* fleet_of(const Checked& checked);

// What a workload is planned by: at the site, for a kind of plane (nullopt: as decided).
plan::PlanRequest request_for(const Checked& checked, std::size_t workload, const model::Policy& policy,
                              std::optional<model::PlaneKind> plane);

struct Attempt {
  std::optional<plan::Plan> plan{};
  targets::Lowered lowered{};
  std::vector<Diagnostic> errors{};
  bool placed() const;  // on a plane where it may start; nothing is lowered else
  bool ok() const { return placed() && errors.empty(); }
};
Attempt compile_for(const Checked& checked, std::size_t workload, const targets::Target& target,
                    const model::Policy& policy);

}  // namespace muster::loss
