// The registry and the law that no field is lost silently.
#include "targets/target.h"

#include "tests/catch.h"

using namespace muster;

TEST_CASE("a target that says nothing of a field is our fault, and says so") {
  model::Workload workload;
  workload.written = {{"resources.nodes", {}}, {"env.A", {}}, {"kind", {}}};
  plan::Plan plan;
  plan.workload = &workload;
  targets::Target careless;
  careless.name = "careless";
  careless.lower = [](const plan::Plan&, const targets::LowerOptions&, Diagnostics&) {
    targets::Lowered out;
    out.loss.exact("env", "all of it");
    out.loss.refused("kind", "no");
    return out;
  };
  Diagnostics diagnostics;
  targets::lower(careless, plan, {}, diagnostics);
  REQUIRE(diagnostics.size() == 1);
  const Diagnostic reported = diagnostics.sorted()[0];
  CHECK(reported.code == Code::field_not_carried);
  CHECK(reported.message.find("resources.nodes") != std::string::npos);
}

TEST_CASE("the loss report covers a field by its own entry or that of a block above it") {
  targets::Loss loss;
  loss.exact("env", "x");
  loss.exact("retry.limit", "x");
  CHECK(loss.covers("env"));
  CHECK(loss.covers("env.A"));
  CHECK_FALSE(loss.covers("environment"));
  CHECK_FALSE(loss.covers("retry"));
  CHECK_FALSE(loss.covers("retry.on"));
}

TEST_CASE("targets are found by name; each example is there") {
  for (const targets::Target& target : targets::all_targets()) {
    CHECK(targets::find_target(target.name) == &target);
    CHECK(target.lower != nullptr);
  }
  CHECK(targets::find_target("slrum") == nullptr);
}
