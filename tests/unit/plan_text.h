// Fleet, site and workloads as text, planned one beside the other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/sema/check/check.h"
#include "compiler/syntax/parse.h"
#include "plan/run/place_all.h"
#include "plan/steps/make_plan.h"
#include "rules/profiles.h"
#include "tests/catch.h"
#include "tests/unit/plan_fixture.h"

namespace muster::test {

struct Planned {
  Sources sources;
  Diagnostics diagnostics;
  model::Module module;
  std::vector<plan::Plan> plans;

  const plan::Fit& fit(std::size_t i = 0) const { return plans.at(i).fit; }
  const plan::AtOnce& at_once(std::size_t i = 0) const { return fit(i).at_once; }
  std::string why(const plan::Level& level) const { return level.certificate ? level.certificate->text : level.note; }
};

inline std::unique_ptr<Planned> plan_text(const std::string& text) {
  auto out = std::make_unique<Planned>();
  out->sources.add("test.muster", text);
  auto file = syntax::parse(out->sources, 1, out->diagnostics);
  REQUIRE(file);
  out->module = sema::check({*file}, out->sources, {}, out->diagnostics);
  INFO(messages_of(out->diagnostics));
  REQUIRE_FALSE(out->diagnostics.has_errors());
  const model::Policy policy = rules::profile("default");
  plan::FleetState state(&out->module.fleets.at(0));
  for (const model::Workload& w : out->module.workloads) {
    plan::PlanRequest request;
    request.workload = &w;
    request.workloads = out->module.workloads;
    request.site = &out->module.sites.at(0);
    request.site_given = true;
    request.fleet = &out->module.fleets.at(0);
    request.policy = &policy;
    request.state = &state;
    plan::PlanResult result = plan::make_plan(request, out->diagnostics);
    INFO(messages_of(out->diagnostics));
    REQUIRE(result.plan);
    out->plans.push_back(std::move(*result.plan));
  }
  std::vector<plan::Plan*> all;
  for (plan::Plan& plan : out->plans) all.push_back(&plan);
  if (all.size() > 1) plan::place_all(state, all);
  return out;
}

}  // namespace muster::test
