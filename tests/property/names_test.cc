// Names decide nothing: under other names of pools, nodes, leaf switches and workloads, each workload of a file has the
// same verdict at every level, and the same numbers for it.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "plan/fit/at_once.h"
#include "plan/fleet/fleet_state.h"
#include "plan/place/place_roles.h"
#include "plan/pools/node_needs.h"
#include "plan/pools/resolve_role.h"
#include "plan/run/place_all.h"
#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/property/random.h"
#include "tests/unit/plan_fixture.h"

namespace names_test {

using namespace muster;
using namespace muster::test;
using property::Random;

namespace {

// Pools of one queue, unlike in some rounds, with nodes in use and closed.
model::Fleet random_fleet(Random& random) {
  model::Fleet fleet;
  for (std::int64_t p = 0, pools = 1 + random.upto(3); p < pools; ++p) {
    const std::string name(1, static_cast<char>('p' + p));
    model::Pool pool = random.one_in(6)
                           ? cpu_pool(name, 1 + random.upto(5))
                           : gpu_pool(name, random.one_in(3) ? "a100" : "h100", 80 * GB, 1 + random.upto(5));
    pool.cpus = 20 + 16 * random.upto(8);
    if (random.one_in(3)) pool.fabric = "roce";
    if (random.one_in(2)) add_leaves(pool, 1 + random.upto(2));
    for (model::Leaf& leaf : pool.leaves) {
      leaf.name = name + leaf.name;
      if (pool.name != "p") leaf.up = std::string("spine") + static_cast<char>('x' + random.upto(1));
    }
    model::InUse use;
    use.name = "other";
    for (std::int64_t n = random.upto(2); n > 0 && n < pool.node_count; --n)
      use.nodes.push_back(static_cast<std::uint32_t>(n));
    if (random.one_in(2)) use.gpus = 2 + random.upto(4);
    pool.in_use.push_back(use);
    if (random.one_in(3)) pool.drained.push_back(static_cast<std::uint32_t>(pool.node_count - 1));
    fleet.pools.push_back(std::move(pool));
  }
  return fleet;
}

model::Workload random_workload(Random& random, std::size_t number) {
  static const std::vector<std::int64_t> sizes = {0, 1, 2, 4, 8, 8, 8};
  model::Workload w =
      workload(random.one_in(4) ? model::Kind::batch : model::Kind::train, 1 + random.upto(4), random.any_of(sizes));
  w.name = w.id = std::string("w") + std::to_string(number);
  if (random.one_in(3)) w.priority = stated(std::string("high"));
  if (random.one_in(4)) w.roles[0].replicas = stated(model::Count{2, 2});
  if (random.one_in(3)) {
    w.roles.push_back(w.roles.front());
    w.roles[0].name = "learn", w.roles[1].name = "act";
    w.roles[1].resources.nodes = stated(model::Count{1, 1});
    w.roles[1].resources.gpus = stated(random.any_of(sizes));
  }
  for (model::Role& role : w.roles) {
    const std::int64_t cpus = 1 + random.upto(60);
    role.resources.cpus = stated(model::Amount<std::int64_t>{false, cpus, cpus});
    role.resources.memory = stated(model::Amount<Size>{false, Size{GB}, Size{GB}});
  }
  return w;
}

// Backwards in the alphabet, and of other lengths.
void rename(model::Fleet& fleet, std::vector<model::Workload>& workloads) {
  for (std::size_t p = 0; p < fleet.pools.size(); ++p) {
    model::Pool& pool = fleet.pools[p];
    pool.name = std::string(1 + p, static_cast<char>('k' - p));
    std::vector<std::string> names;
    for (std::size_t n = 0; n < pool.node_names.size(); ++n)
      names.push_back(std::string(1, static_cast<char>('j' - p)) + std::to_string(900 - n));
    pool.node_names = names;
    for (std::size_t l = 0; l < pool.leaves.size(); ++l) {
      pool.leaves[l].name = std::to_string(90 - l) + pool.name;
      if (!pool.leaves[l].up.empty()) pool.leaves[l].up = pool.leaves[l].up == "spinex" ? "top2" : "top1";
    }
  }
  for (std::size_t w = 0; w < workloads.size(); ++w)
    workloads[w].name = workloads[w].id = std::string(1, static_cast<char>('z' - w));
}

std::string numbers(const plan::Level& level) {
  const std::string verdict(plan::name(level.verdict));
  if (!level.certificate) return verdict;
  const plan::Certificate& c = *level.certificate;
  return verdict + " " + c.kind + " " + std::to_string(c.need) + "/" + std::to_string(c.have);
}

// The verdicts of all, in the order of the file; "" of one that no pool of the fleet suits.
std::vector<std::string> verdicts(const model::Fleet& fleet, const std::vector<model::Workload>& workloads,
                                  model::PlaneKind kind) {
  model::Site site;
  site.name = "lab";
  site.planes.push_back(plane("main", kind));
  std::vector<plan::Plan> plans(workloads.size());
  std::vector<plan::Plan*> all;
  plan::FleetState state(&fleet);
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    plan::Plan& plan = plans[i];
    plan.workload = &workloads[i];
    plan.site = &site, plan.fleet = &fleet, plan.plane = &site.planes[0];
    Diagnostics diagnostics;
    for (const model::Role& role : workloads[i].roles)
      if (auto resolved = plan::resolve_role({role, workloads[i], site, *plan.plane, &fleet, nullptr}, diagnostics))
        plan.roles.push_back(std::move(*resolved));
    if (plan.roles.size() != workloads[i].roles.size()) continue;
    plan.placed = plan::at_once(workloads[i], plan.roles, *plan.plane);
    plan.fit = plan::place_roles(state, *plan.plane, nullptr, nullptr, workloads[i], plan.placed);
    plan::take_pools(plan.placed, plan.roles);
    all.push_back(&plan);
  }
  plan::place_all(state, all);
  std::vector<std::string> out;
  for (const plan::Plan& plan : plans)
    out.push_back(std::find(all.begin(), all.end(), &plan) == all.end()
                      ? ""
                      : numbers(plan.fit.capacity) + ", " + numbers(plan.fit.policy) + ", " + numbers(plan.fit.now) +
                            ", " + std::to_string(plan.fit.placements.size()));
  return out;
}

}  // namespace

TEST_CASE("names of pools, nodes, leaf switches and workloads change no verdict", "[property][place]") {
  Random random(20261124);
  std::size_t fit = 0, several = 0;
  for (std::size_t round = 0; round < 4'000; round += muster::tests::case_step) {
    model::Fleet fleet = random_fleet(random);
    std::vector<model::Workload> workloads;
    for (std::int64_t n = random.upto(4); n >= 0; --n) workloads.push_back(random_workload(random, workloads.size()));
    const model::PlaneKind kind = random.one_in(2) ? model::PlaneKind::slurm : model::PlaneKind::kubernetes;
    const std::vector<std::string> before = verdicts(fleet, workloads, kind);
    rename(fleet, workloads);
    INFO("round " << round);
    REQUIRE(verdicts(fleet, workloads, kind) == before);
    for (const std::string& verdict : before) fit += verdict.starts_with("fits") ? 1 : 0;
    several += workloads.size() > 1 ? 1 : 0;
  }
  CHECK(fit * muster::tests::case_step > 3'000);
  CHECK(several * muster::tests::case_step > 2'500);
}

}  // namespace names_test
