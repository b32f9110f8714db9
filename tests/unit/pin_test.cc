#include "plan/steps/pin.h"

#include "plan/fit/at_once.h"
#include "plan/fleet/fleet_state.h"
#include "plan/place/place_roles.h"
#include "plan/pools/node_needs.h"
#include "plan/pools/resolve_role.h"
#include "tests/catch.h"
#include "tests/unit/plan_fixture.h"

namespace pin_test {

using namespace muster;
using namespace muster::test;

namespace {

struct Lab {
  model::Fleet fleet;
  model::Site site;
  model::Workload w = workload(model::Kind::train, 2, 4);
  plan::Plan plan;

  explicit Lab(model::PlaneKind kind = model::PlaneKind::slurm) {
    fleet.pools.push_back(gpu_pool("h", "h100", 80 * GB, 4));
    site.planes.push_back(test::plane("batch", kind));
  }

  // "" if it was pinned.
  std::string pin() {
    Diagnostics diagnostics;
    plan = {};
    plan.workload = &w, plan.site = &site, plan.fleet = &fleet, plan.plane = &site.planes[0];
    for (const model::Role& role : w.roles)
      plan.roles.push_back(*plan::resolve_role({role, w, site, *plan.plane, &fleet, nullptr}, diagnostics));
    plan::FleetState state(&fleet);
    plan.placed = plan::at_once(w, plan.roles, *plan.plane);
    plan.fit = plan::place_roles(state, *plan.plane, nullptr, nullptr, w, plan.placed);
    plan::take_pools(plan.placed, plan.roles);
    return plan::pin(plan).value_or("");
  }
};

}  // namespace

TEST_CASE("a pinned role has the names of its nodes", "[place]") {
  Lab lab;
  lab.fleet.pools[0].in_use = {{"other", {0, 2}, -1, {}}};
  CHECK(lab.pin().empty());
  CHECK(lab.plan.roles[0].pinned == std::vector<std::string>{"h002", "h004"});
}

TEST_CASE("each role is pinned to its own nodes", "[place]") {
  Lab lab;
  lab.w.roles.push_back(lab.w.roles[0]);
  lab.w.roles[0].name = "a", lab.w.roles[1].name = "b";
  CHECK(lab.pin().empty());
  CHECK(lab.plan.roles[0].pinned == std::vector<std::string>{"h001", "h002"});
  CHECK(lab.plan.roles[1].pinned == std::vector<std::string>{"h003", "h004"});
}

TEST_CASE("what is not the job that was placed is not pinned", "[place]") {
  Lab lab;
  lab.w.sweep.emplace();
  CHECK(lab.pin() == "the placement is for one point of the sweep");
  lab.w.sweep.reset();
  lab.w.gang = stated(model::Gang::replica);
  lab.w.roles[0].replicas = stated(model::Count{2, 2});
  CHECK(lab.pin() == "the placement is for one replica, but it has 2 replicas that start independently");
  lab.w.roles[0].replicas.reset();
  lab.w.roles[0].resources.nodes->value = {2, 3};
  CHECK(lab.pin().empty());  // a Slurm job has the low end
  lab.site.planes[0].set_kind(model::PlaneKind::kubernetes);
  CHECK(lab.pin() == "its size may change while it runs");
  lab.w.roles[0].resources.nodes->value = {50, 50};
  CHECK(lab.pin() == "its placement is not proven");
  lab.w.roles[0].resources.nodes->value = {2, 2};
  lab.fleet.pools[0].node_names.clear();
  CHECK(lab.pin() == "pool `h` declares a number of nodes but no names");
}

}  // namespace pin_test
