// What a workload is once it was planned and lowered, or what a hand-written file says of itself, as a review sees it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/base/source.h"
#include "lint/outcome.h"
#include "lint/overlays.h"
#include "plan/steps/make_plan.h"
#include "review/tree.h"
#include "targets/kubernetes/read/manifest.h"
#include "targets/target.h"

namespace muster::review {

// Facts, decision, placement, resources and cost of a workload. Without a plan, as no pool meets its needs, the
// decision is missing and the placement says why.
Workload describe(const model::Workload& workload, const plan::PlanResult& result, const Sources& sources);
// What so much of GPUs, time and tasks costs, the GPUs being those that the roles were placed on.
Cost cost_of(const plan::Plan& plan, const Resources& resources);
// What was written for it.
void add_documents(const targets::Lowered& lowered, Workload& out);

// `state` is of the fleet and kept from file to file; nullptr: each file makes its own.

// A batch script; its id is the path of its file.
Workload read_script(const Sources& sources, std::uint32_t file, const model::Site* site, const model::Fleet* fleet,
                     plan::FleetState* state = nullptr);
// Each object of a stream of manifests. Its id is the file's folder, kind, namespace and name: moving it to another
// file of the folder changes nothing. What is unreadable goes to `diagnostics`. nullopt: a document of it is a template
// that something fills in before Kubernetes sees it, so what the file says is not known.
std::optional<std::vector<Workload>> read_manifests(const Sources& sources, std::uint32_t file, const model::Site* site,
                                                    const model::Fleet* fleet, Diagnostics& diagnostics,
                                                    const lint::Overlays* overlays = nullptr,
                                                    plan::FleetState* state = nullptr);

// The objects that the kustomization of a folder makes of those that it takes, as far as it changes them; `changed` is
// for each object. Their ids are those of objects in the folder.
std::vector<Workload> read_merged(const targets::kubernetes::Manifest& manifest, const std::vector<bool>& changed,
                                  const std::string& folder, const model::Site* site, const model::Fleet* fleet,
                                  plan::FleetState* state = nullptr);

// Findings that surely are wrong, open or accepted. Each goes to the workload whose object it names, else to the first.
void add_findings(std::span<const lint::Result> results, const Sources& sources, std::vector<Workload>& workloads);
// What the compiler itself found: keyed by its code and the workload.
Finding finding_of(const Diagnostic& diagnostic, const std::string& workload, const Sources& sources);

Place place_of(Span span, const Sources& sources);

}  // namespace muster::review
