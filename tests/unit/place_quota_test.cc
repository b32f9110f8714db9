// A tenant's quotas, where the nodes of a workload are of several pools.
#include "plan/place_within_quota.h"

#include <algorithm>

#include "plan/place.h"
#include "plan/place_all.h"
#include "plan/place_roles.h"
#include "plan/shape.h"
#include "plan/tenant.h"
#include "tests/catch.h"
#include "tests/property/random.h"
#include "tests/unit/plan_fixture.h"
#include "tests/unit/plan_text.h"

namespace place_quota_test {

using namespace muster;
using namespace muster::test;
using plan::Verdict;

namespace {

model::Quota nodes_of(const std::string& pool, std::int64_t nodes) { return {{pool, {}}, {}, stated(nodes)}; }

// Pools of one kind of node, which a file does not tell apart, on a Slurm plane.
struct Lab {
  model::Fleet fleet;
  model::Site site;
  std::vector<model::Workload> workloads;
  std::vector<plan::Plan> plans;

  explicit Lab(const std::vector<std::pair<std::string, std::int64_t>>& pools) {
    for (const auto& [name, nodes] : pools) fleet.pools.push_back(gpu_pool(name, "h100", 80 * GB, nodes));
    site.planes.push_back(plane("batch", model::PlaneKind::slurm));
    site.tenants.push_back({"ml", {}, {}, {}, {}, {}});
  }

  Lab& quota(const std::string& pool, std::int64_t nodes) {
    site.tenants[0].quotas.push_back(nodes_of(pool, nodes));
    return *this;
  }
  Lab& add(std::int64_t nodes) {
    workloads.push_back(workload(model::Kind::train, nodes, 8));
    workloads.back().id = workloads.back().name = "w" + std::to_string(workloads.size());
    return *this;
  }

  const plan::Fit& fit(std::size_t at = 0) {
    Diagnostics diagnostics;
    plans.assign(workloads.size(), {});
    std::vector<plan::Plan*> all;
    plan::FleetState state(&fleet);
    for (std::size_t i = 0; i < workloads.size(); ++i) {
      plan::Plan& plan = plans[i];
      plan.workload = &workloads[i], plan.site = &site, plan.fleet = &fleet, plan.plane = &site.planes[0];
      plan.tenant = &site.tenants[0];
      for (const model::Role& role : workloads[i].roles)
        plan.roles.push_back(*plan::resolve_role(role, workloads[i], site, *plan.plane, &fleet, nullptr, diagnostics));
      plan.placed = plan.roles;
      plan.fit = plan::place_roles(state, *plan.plane, nullptr, plan.tenant, workloads[i], plan.placed);
      all.push_back(&plan);
    }
    plan::place_all(state, all);
    return plans.at(at).fit;
  }
};

std::int64_t on(const plan::Fit& fit, const std::string& pool) {
  return std::count_if(fit.placements.begin(), fit.placements.end(), [&](const auto& n) { return n.pool == pool; });
}

std::string text(const plan::Level& level) { return level.certificate ? level.certificate->text : level.note; }

}  // namespace

TEST_CASE("a gang has as many nodes of each pool as its tenant may use", "[place][quota]") {
  const plan::Fit five = Lab({{"m", 4}, {"b", 9}}).quota("b", 1).add(5).fit();
  CHECK(five.verdict == Verdict::fits);
  CHECK(text(five.now) == "on nodes of the pools m and b");
  CHECK(on(five, "m") == 4);
  CHECK(on(five, "b") == 1);
  const plan::Fit six = Lab({{"m", 4}, {"b", 9}}).quota("b", 1).add(6).fit();
  CHECK(six.capacity.verdict == Verdict::fits);
  CHECK(text(six.policy) == "needs 6 nodes; within the quotas of tenant ml pools m and b have room for 5");
  const plan::Fit both = Lab({{"m", 4}, {"b", 9}}).quota("b", 1).quota("m", 1).add(2).fit();
  CHECK(both.verdict == Verdict::fits);
  CHECK(on(both, "m") == 1);
  const plan::Fit three = Lab({{"m", 4}, {"b", 9}}).quota("b", 1).quota("m", 1).add(3).fit();
  CHECK(text(three.policy) == "requests 3 nodes of pools m and b; the quotas of tenant ml allow 2");
}

TEST_CASE("what others of the tenant have of each pool is not there for a gang on several", "[place][quota]") {
  Lab lab({{"m", 4}, {"b", 9}});
  lab.quota("b", 2).quota("m", 3).add(3).add(2).add(1);
  CHECK(lab.fit(0).verdict == Verdict::fits);
  CHECK(lab.fit(1).verdict == Verdict::fits);
  const plan::Fit& third = lab.fit(2);
  REQUIRE(third.policy.verdict == Verdict::does_not_fit);
  CHECK(text(third.policy) == "beside w1, w2 requests 1 node of pools m and b; the quotas of tenant ml allow 0");
}

TEST_CASE("each role counts for the quota of the pool that it is on", "[place][quota]") {
  const auto policy = [](const std::string& quotas, const std::string& first, const std::string& second) {
    const auto planned = plan_text(
        "fleet f {\n pool h { nodes = \"h[1-4]\"  gpu { model = h100  memory = 80GB  count = 8 }\n"
        "  node { cpus = 64  memory = 1TB } }\n pool c { nodes = \"c[1-9]\"  node { cpus = 32  memory = 256GB } }\n}\n"
        "site s { fleet = f\n plane p { kind = slurm }\n queue main { default = true }\n tenant t { accounts = [\"a\"] "
        " " +
        quotas + " } }\nworkload w {\n kind = rl\n account = a\n command = [\"x\"]\n" + first + second + "}\n");
    return planned->fit().policy.certificate ? planned->why(planned->fit().policy) : std::string();
  };
  const std::string learn = "role learn { resources { nodes = 2  gpus = 8 } }\n";
  const std::string sim = "role sim { resources { nodes = 4  cpus = 16 }  require gpu.model == none }\n";
  for (const auto& [first, second] : {std::pair(learn, sim), std::pair(sim, learn)}) {
    CHECK(policy("quota h { nodes = 2 }", first, second).empty());
    CHECK(policy("quota h { nodes = 1 }", first, second) == "requests 2 nodes of pool h; tenant t can use 1");
    CHECK(policy("quota c { nodes = 3 }", first, second) == "requests 4 nodes of pool c; tenant t can use 3");
  }
}

TEST_CASE("quotas of pools that are alike are exact: random fleets", "[place][quota][property]") {
  property::Random random(20261124);
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::pair<std::string, std::int64_t>> pools;
    std::int64_t room = 0, allowed = 0;
    std::vector<std::int64_t> quotas;
    for (std::int64_t p = 0, many = 2 + random.upto(1); p < many; ++p) {
      pools.emplace_back("p" + std::to_string(p), 1 + random.upto(4));
      quotas.push_back(random.upto(6));  // 6: none
      room += pools.back().second;
      allowed += std::min(pools.back().second, quotas.back());
    }
    Lab lab(pools);
    for (std::size_t p = 0; p < pools.size(); ++p)
      if (quotas[p] < 6) lab.quota(pools[p].first, quotas[p]);
    const std::int64_t nodes = 1 + random.upto(8);
    const plan::Fit fit = lab.add(nodes).fit();
    INFO("case " << i << ": " << nodes << " nodes of " << room << ", allowed " << allowed << ": " << text(fit.policy));
    CHECK((fit.capacity.verdict == Verdict::fits) == (nodes <= room));
    if (nodes <= room) CHECK((fit.policy.verdict == Verdict::fits) == (nodes <= allowed));
    if (fit.verdict != Verdict::fits) continue;
    CHECK(fit.placements.size() == static_cast<std::size_t>(nodes));
    for (std::size_t p = 0; p < pools.size(); ++p) CHECK(on(fit, pools[p].first) <= quotas[p]);
  }
}

}  // namespace place_quota_test
