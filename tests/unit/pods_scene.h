// A site with one plane of pods and a workload, as text, lowered by a target.
#pragma once

#include <string>

#include "compiler/data/read.h"
#include "compiler/sema/check/check.h"
#include "compiler/syntax/parse.h"
#include "plan/steps/make_plan.h"
#include "rules/profiles.h"
#include "targets/target.h"
#include "tests/catch.h"

namespace muster::test {

struct Pods {
  std::string kind = "kubernetes";
  std::string plane = "gang = kueue";
  std::string site = "queue main { default = true }  software torch { image = \"torch:2\" }\n";
  std::string pool =
      "gpu { model = h100  memory = 80GB  count = 8 }  node { cpus = 64  memory = 1TB }\n"
      "network { fabric = infiniband }\n";
  std::string workload;  // what stands in its block
  std::string name = "w";
  std::string fleet = "fleet = f";  // of the site; "": it has none
  targets::LowerOptions options{};

  std::string text() const {
    return "fleet f {\n  pool a {\n nodes = \"a[1-8]\"\n" + pool + "}\n}\nsite s {\n" + fleet +
           "\n  plane pods {\n kind = " + kind + "\n" + plane + "\n}\n" + site + "}\nworkload " + name + " {\n" +
           workload + "\n}\n";
  }
};

struct Manifests {
  targets::Lowered lowered;
  Diagnostics diagnostics;
  std::vector<data::Node> objects;

  std::string text() const { return lowered.documents.empty() ? "" : lowered.documents[0].content; }
  bool ok() const { return !diagnostics.has_errors() && !lowered.documents.empty(); }
  bool has(std::string_view part) const { return ok() && text().find(part) != std::string::npos; }
  std::string stated() const {
    std::string out;
    for (const Diagnostic& d : diagnostics.sorted()) out += d.message + "\n";
    return out;
  }
  const data::Node* object(std::string_view kind) const {
    for (const data::Node& o : objects)
      if (o.get("kind")->text == kind) return &o;
    return nullptr;
  }
  // The pod spec of an object that has one template.
  const data::Node* pod(std::string_view kind) const {
    const data::Node* o = object(kind);
    return o == nullptr ? nullptr : o->at("spec.template.spec");
  }
  const data::Node& container(std::string_view kind) const { return pod(kind)->get("containers")->items.at(0); }
};

// What lies behind a plan, and the plan.
struct PlannedPods {
  Sources sources;
  model::Module module;
  model::Policy policy = rules::profile("default");
  plan::PlanResult result;

  PlannedPods(const Pods& scene, Diagnostics& diagnostics) {
    sources.add("test.muster", scene.text());
    auto file = syntax::parse(sources, 1, diagnostics);
    REQUIRE(file);
    module = sema::check({*file}, sources, {}, diagnostics);
    INFO((diagnostics.empty() ? "" : diagnostics.sorted().front().message));
    INFO(scene.text());
    REQUIRE_FALSE(diagnostics.has_errors());
    plan::PlanRequest request;
    request.workload = &module.workloads.at(0);
    request.workloads = module.workloads;
    request.site = &module.sites.at(0);
    request.site_given = true;
    request.fleet = scene.fleet.empty() ? nullptr : &module.fleets.at(0);
    request.policy = &policy;
    request.plane_kind = model::find_plane_kind(scene.kind)->kind;
    result = plan::make_plan(request, diagnostics);
  }
  PlannedPods(const PlannedPods&) = delete;
};

inline Manifests lower(const Pods& scene, std::string_view target = "kubernetes") {
  Manifests out;
  const PlannedPods planned(scene, out.diagnostics);
  const plan::PlanResult& plan = planned.result;
  REQUIRE(plan.plan);
  out.lowered = targets::lower(*targets::find_target(target), *plan.plan, scene.options, out.diagnostics);
  if (!out.ok() || !out.lowered.documents[0].name.ends_with(".yaml")) return out;
  Sources written;
  for (data::Document& d : data::read_yaml(written, written.add("out.yaml", out.text())).documents) {
    REQUIRE_FALSE(d.diagnostics.has_errors());
    out.objects.push_back(std::move(d.root));
  }
  return out;
}

}  // namespace muster::test
