// Several workloads on one fleet: by urgency, with a proof where they are too many.
#include "plan/run/place_all.h"
#include "plan/fit/at_once.h"
#include "plan/fleet/fleet_state.h"
#include "plan/place/place_roles.h"
#include "plan/pools/node_needs.h"
#include "plan/pools/resolve_role.h"
#include "plan/quota/tenant.h"

#include "tests/catch.h"
#include "tests/unit/plan_fixture.h"

namespace place_all_test {

using namespace muster;
using namespace muster::test;

namespace {

struct Lab {
  model::Fleet fleet;
  model::Site site;
  std::vector<model::Workload> workloads;
  std::vector<plan::Plan> plans;

  explicit Lab(std::int64_t nodes = 6) {
    fleet.name = "lab";
    fleet.pools.push_back(gpu_pool("h100", "h100", 80 * GB, nodes));
    add_leaves(fleet.pools[0], 3);
    site.name = "lab";
    site.planes.push_back(plane("batch", model::PlaneKind::slurm));
  }

  model::Workload& add(std::string name, std::int64_t nodes, std::int64_t gpus) {
    workloads.push_back(workload(model::Kind::train, nodes, gpus));
    workloads.back().name = workloads.back().id = std::move(name);
    return workloads.back();
  }

  void place() {
    Diagnostics diagnostics;
    plans.assign(workloads.size(), {});
    std::vector<plan::Plan*> all;
    plan::FleetState state(&fleet);
    for (std::size_t i = 0; i < workloads.size(); ++i) {
      plan::Plan& plan = plans[i];
      plan.workload = &workloads[i];
      plan.site = &site, plan.fleet = &fleet, plan.plane = &site.planes[0];
      for (const model::Role& role : workloads[i].roles)
        plan.roles.push_back(
            *plan::resolve_role({role, workloads[i], site, *plan.plane, &fleet, nullptr}, diagnostics));
      plan.tenant = plan::tenant_of(workloads[i], site, *plan.plane, nullptr);
      plan.placed = plan::at_once(workloads[i], plan.roles, *plan.plane);
      plan.fit = plan::place_roles(state, *plan.plane, nullptr, plan.tenant, workloads[i], plan.placed);
      plan::take_pools(plan.placed, plan.roles);
      all.push_back(&plan);
    }
    plan::place_all(state, all);
  }

  std::string nodes(std::size_t i) const {
    std::string out;
    for (const plan::PlacedNode& p : plans[i].fit.placements)
      out += p.node.substr(4) + ":" + std::to_string(p.gpus.front()) + " ";
    return out;
  }
};

}  // namespace

TEST_CASE("the more urgent workload is served, the other is told whom it meets", "[place-all]") {
  Lab lab;
  lab.add("usual", 4, 8);
  lab.add("hurry", 3, 8).priority = stated(std::string("urgent"));
  lab.place();
  CHECK(lab.plans[1].fit.verdict == plan::Verdict::fits);
  REQUIRE(lab.plans[0].fit.verdict == plan::Verdict::does_not_fit);
  const plan::Certificate& why = *lab.plans[0].fit.capacity.certificate;
  CHECK(why.kind == "hall");
  CHECK(why.need == 7);
  CHECK(why.have == 6);
  CHECK(
      why.text ==
      "fits alone; usual and hurry together need 7 whole h100 nodes; the nodes of pool h100 that are available to them "
      "have 6");
  CHECK(lab.plans[0].fit.placed_before == std::vector<std::string>{"hurry"});
  CHECK(lab.plans[0].fit.placements.empty());
}

TEST_CASE("what does not fit holds nothing, and who comes later still fits", "[place-all]") {
  Lab lab;
  lab.add("first", 4, 8);
  lab.add("large", 3, 8);
  lab.add("small", 2, 8);
  lab.place();
  CHECK(lab.plans[1].fit.verdict == plan::Verdict::does_not_fit);
  CHECK(lab.plans[2].fit.verdict == plan::Verdict::fits);
  CHECK(lab.plans[2].fit.placed_before == std::vector<std::string>{"first"});
  CHECK(lab.nodes(2) == "005:0 006:0 ");
}

TEST_CASE("parts of nodes are shared, each with devices of its own", "[place-all]") {
  Lab lab(1);
  lab.add("a", 1, 2);
  lab.add("b", 1, 4);
  lab.add("c", 1, 4);
  lab.place();
  CHECK(lab.nodes(0) == "001:0 ");
  CHECK(lab.nodes(1) == "001:2 ");
  REQUIRE(lab.plans[2].fit.verdict == plan::Verdict::does_not_fit);
  CHECK(lab.plans[2].fit.capacity.certificate->missing > 0);
}

TEST_CASE("workloads that wait for each other's end do not meet", "[place-all]") {
  Lab lab;
  lab.add("one", 6, 8);
  lab.add("two", 6, 8).depends_on.push_back({"one", model::AfterOn::success, {}});
  lab.add("three", 6, 8).depends_on.push_back({"two", model::AfterOn::finish, {}});
  lab.place();
  for (const plan::Plan& plan : lab.plans) CHECK(plan.fit.verdict == plan::Verdict::fits);
  lab.workloads[1].depends_on[0].on = model::AfterOn::start;
  lab.place();
  CHECK(lab.plans[1].fit.verdict == plan::Verdict::does_not_fit);
}

TEST_CASE("a workload that only waits holds nothing now", "[place-all]") {
  Lab lab;
  lab.fleet.pools[0].in_use.push_back({"others", {0, 1}, -1, {}});
  lab.add("waits", 5, 8);
  lab.add("starts", 1, 8);
  lab.place();
  CHECK(lab.plans[0].fit.capacity.verdict == plan::Verdict::fits);
  CHECK(lab.plans[0].fit.now.verdict == plan::Verdict::does_not_fit);
  CHECK(lab.plans[1].fit.verdict == plan::Verdict::fits);
}

TEST_CASE("without a proof the answer is unknown", "[place-all]") {
  Lab lab;
  lab.add("one", 2, 8);
  lab.add("two", 3, 8).roles[0].topology = model::Topology{{model::Within::leaf, {}}, true, {}, {}};
  lab.add("three", 1, 8);
  lab.workloads[2].roles[0].topology = lab.workloads[1].roles[0].topology;
  lab.place();
  CHECK(lab.plans[1].fit.verdict == plan::Verdict::fits);
  lab.workloads[0].roles[0].resources.nodes = stated(model::Count{4, 4});
  lab.workloads[1].roles[0].resources.nodes = stated(model::Count{2, 2});
  lab.fleet.pools[0].leaves[0].nodes = {0, 1};
  lab.fleet.pools[0].leaves[1].nodes = {2, 3, 4, 5};
  lab.place();
  CHECK(lab.plans[1].fit.verdict == plan::Verdict::fits);
  lab.workloads[1].roles[0].resources.nodes = stated(model::Count{2, 2});
  lab.fleet.pools[0].leaves[0].nodes = {0};
  lab.fleet.pools[0].leaves[1].nodes = {1, 2, 3, 4};
  lab.workloads[0].roles[0].resources.nodes = stated(model::Count{3, 3});
  lab.place();
  CHECK(lab.plans[1].fit.capacity.verdict == plan::Verdict::unknown);
  CHECK(lab.plans[1].fit.capacity.note == "fits alone; no placement beside one was found");
}

TEST_CASE("a tenant's quota counts all its workloads", "[place-all]") {
  Lab lab;
  lab.site.tenants.push_back({"ml", {}, {}, {}, {}, {{{"h100", {}}, stated(std::int64_t{32}), {}}}});
  lab.add("one", 3, 8);
  lab.add("two", 2, 8);
  lab.place();
  CHECK(lab.plans[0].fit.verdict == plan::Verdict::fits);
  REQUIRE(lab.plans[1].fit.policy.verdict == plan::Verdict::does_not_fit);
  CHECK(lab.plans[1].fit.policy.certificate->text == "with one requests 40 GPUs of pool h100; tenant ml can use 32");
}

TEST_CASE("a tenant's quota counts CPUs of all its workloads, and pods that operators add", "[place-all]") {
  const auto policy = [](const model::Quota& quota) {
    Lab lab;
    lab.site.planes[0] = plane("pods", model::PlaneKind::kubernetes);
    lab.site.tenants.push_back({"ml", {}, {}, {}, {}, {quota}});
    for (const char* name : {"one", "two"}) {
      model::Workload& w = lab.add(name, 2, 8);
      w.roles[0].launch.runner.value = model::Runner::mpi;
      w.roles[0].resources.cpus = stated(model::Amount<std::int64_t>{false, 10, 10});
    }
    lab.place();
    const plan::Level& level = lab.plans[1].fit.policy;
    return level.certificate ? level.certificate->text : std::string();
  };
  CHECK(policy({{"h100", {}}, {}, {}, {}, {}, stated(std::int64_t{6})}).empty());
  CHECK(policy({{"h100", {}}, {}, {}, {}, {}, stated(std::int64_t{5})}) ==
        "with one requests 6 pods, 2 by its operator, of pool h100; tenant ml can use 5");
  CHECK(policy({{"h100", {}}, {}, {}, stated(std::int64_t{40})}).empty());
  CHECK(policy({{"h100", {}}, {}, {}, stated(std::int64_t{39})}) ==
        "with one requests 40 CPUs of pool h100; tenant ml can use 39");
}

}  // namespace place_all_test
