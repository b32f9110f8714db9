// Gangs on the nodes of several pools of one queue.
#include "plan/fleet/fleet_state.h"
#include "plan/place/place.h"
#include "plan/place/place_roles.h"
#include "plan/pools/resolve_role.h"

#include <algorithm>

#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/property/random.h"
#include "tests/unit/plan_fixture.h"

namespace place_choices_test {

using namespace muster;
using namespace muster::test;
using model::Kind;
using model::PlaneKind;
using plan::Verdict;

namespace {

struct Placed {
  plan::Fit fit;
  plan::RolePlan role;
};

Placed place(const model::Workload& w, const model::Fleet& fleet, const model::Site& site = {},
             const model::Plane& on = plane("batch", PlaneKind::slurm)) {
  Diagnostics diagnostics;
  auto role = plan::resolve_role({w.main(), w, site, on, &fleet, nullptr}, diagnostics);
  REQUIRE(role);
  plan::FleetState state(&fleet);
  plan::Fit fit = plan::place(state, on, nullptr, nullptr, w, *role);
  return {std::move(fit), std::move(*role)};
}

void use(model::Pool& pool, std::uint32_t count, std::int64_t gpus = -1) {
  model::InUse use;
  use.name = "other";
  for (std::uint32_t n = 0; n < count; ++n) use.nodes.push_back(n);
  use.gpus = gpus;
  pool.in_use.push_back(use);
}

std::string text(const plan::Level& level) { return level.certificate ? level.certificate->text : level.note; }

}  // namespace

TEST_CASE("a gang has nodes of two pools that nothing tells apart", "[place]") {
  model::Fleet fleet;
  fleet.pools = {gpu_pool("a", "h100", 80 * GB, 4), gpu_pool("b", "h100", 80 * GB, 4)};
  fleet.pools[1].cpus = 96, fleet.pools[1].memory = Size{1000 * GB};
  use(fleet.pools[0], 3);
  const Placed five = place(workload(Kind::train, 5, 8), fleet);
  CHECK(five.fit.verdict == Verdict::fits);
  CHECK(text(five.fit.now) == "on nodes of the pools a and b");
  CHECK(five.role.spans_pools);
  CHECK(five.role.cpus == fleet.pools[1].usable_cpus(model::PlaneFamily::batch));  // of what is left open the least
  CHECK(five.role.memory->bytes <= fleet.pools[1].usable_memory(model::PlaneFamily::batch).bytes);
  REQUIRE(five.fit.placements.size() == 5);
  std::vector<std::string> names;
  for (const plan::PlacedNode& node : five.fit.placements) names.push_back(node.node);
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"a004", "b001", "b002", "b003", "b004"});

  const Placed six = place(workload(Kind::train, 6, 8), fleet);
  CHECK(six.fit.capacity.verdict == Verdict::fits);
  CHECK(six.fit.now.verdict == Verdict::does_not_fit);
  CHECK(text(six.fit.now) == "needs 6 whole h100 nodes; pools a and b together have 5: 3 in use, 0 drained");
  const Placed nine = place(workload(Kind::train, 9, 8), fleet);
  CHECK(text(nine.fit.capacity) == "needs 9 whole h100 nodes; pools a and b together have 8 of 8: 0 drained");
  CHECK(nine.fit.capacity.certificate->missing == 1);
}

TEST_CASE("a gang stays in one pool where its file is for one", "[place]") {
  model::Fleet fleet;
  fleet.pools = {gpu_pool("a", "h100", 80 * GB, 4), gpu_pool("b", "h100", 80 * GB, 4)};
  const model::Workload w = workload(Kind::train, 6, 8);
  const model::Plane pods = plane("pods", PlaneKind::kubernetes);
  REQUIRE(place(w, fleet).fit.verdict == Verdict::fits);
  REQUIRE(place(w, fleet, {}, pods).fit.verdict == Verdict::fits);
  // On a batch system, and on pods.
  const auto refused = [&](auto change) {
    model::Fleet other = fleet;
    change(other.pools[1]);
    const auto on = [&](const model::Plane& plane) {
      return place(w, other, {}, plane).fit.capacity.verdict == Verdict::does_not_fit;
    };
    return std::pair(on(plane("batch", PlaneKind::slurm)), on(pods));
  };
  using Both = std::pair<bool, bool>;
  CHECK(refused([](model::Pool& p) { p.gpu->model = "a100"; }) == Both(true, true));
  // A job names the GPU's type, and nothing else of a node; pods have labels of the card, the architecture, the zone.
  CHECK(refused([](model::Pool& p) { p.gpu->memory = Size{94 * GB}, p.gpu->link = "pcie"; }) == Both(false, true));
  CHECK(refused([](model::Pool& p) { p.arch = "arm64"; }) == Both(false, true));
  CHECK(refused([](model::Pool& p) { p.zone = "west"; }) == Both(false, true));
  CHECK(refused([](model::Pool& p) { p.fabric = "roce"; }) == Both(false, false));
  CHECK(refused([](model::Pool& p) { p.cpus = 64; }) == Both(false, false));
  model::Site site;  // whose network settings name a pool
  model::FabricAttachment attachment;
  attachment.name = "infiniband";
  attachment.pools = {{"a", {}}};
  site.fabrics.push_back(attachment);
  CHECK(place(w, fleet, site).fit.capacity.verdict == Verdict::does_not_fit);
}

TEST_CASE("two roles share the nodes of two pools", "[place]") {
  model::Fleet fleet;
  fleet.pools = {gpu_pool("a", "h100", 80 * GB, 3), gpu_pool("b", "h100", 80 * GB, 3)};
  model::Workload w = workload(Kind::train, 4, 8);
  w.roles.push_back(w.roles.front());
  w.roles[0].name = "learn", w.roles[1].name = "act";
  for (const std::int64_t second : {1, 2, 3}) {
    w.roles[1].resources.nodes = stated(model::Count{second, second});
    w.roles[1].resources.gpus = stated(std::int64_t{4});
    Diagnostics diagnostics;
    const model::Plane batch = plane("batch", PlaneKind::slurm);
    std::vector<plan::RolePlan> roles;
    for (const model::Role& role : w.roles)
      roles.push_back(*plan::resolve_role({role, w, no_site, batch, &fleet, nullptr}, diagnostics));
    plan::FleetState state(&fleet);
    const plan::Fit fit = plan::place_roles(state, batch, nullptr, nullptr, w, roles);
    INFO(second << ": " << text(fit.capacity));
    CHECK((fit.capacity.verdict == Verdict::fits) == (second <= 2));
    CHECK((second <= 2) == (static_cast<std::int64_t>(fit.placements.size()) == 4 + second));
  }
}

// Names of pools decide nothing but the order of equals.
TEST_CASE("renaming pools changes no verdict, and all their nodes count", "[place]") {
  property::Random random(31);
  for (std::size_t round = 0; round < 1500; round += muster::tests::case_step) {
    model::Fleet fleet;
    const std::int64_t gpus = random.any_of(std::vector<std::int64_t>{1, 4, 8}), cpus = 1 + random.upto(120);
    const auto pools = 2 + random.upto(2);
    std::int64_t empty = 0, now = 0;  // nodes that take a pod
    for (std::int64_t p = 0; p < pools; ++p) {
      model::Pool pool = gpu_pool(std::string(1, static_cast<char>('p' + p)), "h100", 80 * GB, 1 + random.upto(5));
      pool.cpus = 4 + 16 * (1 + random.upto(8));
      const auto busy = static_cast<std::uint32_t>(random.upto(pool.node_count));
      const std::int64_t taken = random.one_in(2) ? -1 : random.any_of(std::vector<std::int64_t>{2, 4, 8});
      use(pool, busy, taken);
      if (random.one_in(3)) pool.drained.push_back(static_cast<std::uint32_t>(pool.node_count - 1));
      const std::int64_t usable = pool.node_count - static_cast<std::int64_t>(pool.drained.size());
      const std::int64_t used = std::min<std::int64_t>(busy, usable);
      if (cpus <= pool.usable_cpus(model::PlaneFamily::batch)) {
        empty += usable;
        const std::int64_t free_gpus = taken < 0 ? 0 : 8 - taken;
        const std::int64_t usable_cpus = pool.usable_cpus(model::PlaneFamily::batch);
        const std::int64_t free_cpus = usable_cpus / 8 * free_gpus + usable_cpus % 8 * free_gpus / 8;
        now += usable - used + (free_gpus >= gpus && free_cpus >= cpus ? used : 0);
      }
      fleet.pools.push_back(std::move(pool));
    }
    model::Workload w = workload(Kind::train, 1 + random.upto(12), gpus);
    w.roles[0].resources.cpus = stated(model::Amount<std::int64_t>{false, cpus, cpus});
    w.roles[0].resources.memory = stated(model::Amount<Size>{false, Size{GB}, Size{GB}});
    const plan::Fit fit = place(w, fleet).fit;
    INFO("round " << round << ": " << text(fit.capacity) << " / " << text(fit.now));
    CHECK((fit.capacity.verdict == Verdict::fits) == (w.main().nodes() <= empty));
    CHECK((fit.now.verdict == Verdict::fits) == (w.main().nodes() <= now));
    model::Fleet renamed = fleet;
    for (std::size_t p = 0; p < renamed.pools.size(); ++p)
      renamed.pools[p].name = std::string(1, static_cast<char>('z' - p));
    const plan::Fit again = place(w, renamed).fit;
    CHECK(again.capacity.verdict == fit.capacity.verdict);
    CHECK(again.now.verdict == fit.now.verdict);
  }
}

}  // namespace place_choices_test
