// Certificates of quotas, queues and nodes that are too small, against an oracle that reads the models by hand; and the
// oracle against damaged ones.
#include <functional>

#include "plan/fleet/fleet_state.h"
#include "plan/place/place.h"
#include "plan/pools/resolve_role.h"
#include "tests/catch.h"
#include "tests/oracles/certificate_oracle.h"
#include "tests/property/random.h"
#include "tests/unit/plan_fixture.h"

namespace certificates_test {

using namespace muster;
using namespace muster::test;
using oracles::Asked;
using plan::Certificate;
using plan::Verdict;
using property::Random;

namespace {

// A pool with a queue and a tenant before it, and a workload.
struct Scene {
  model::Fleet fleet;
  model::Queue queue;
  model::Tenant tenant;
  model::Workload workload;
  bool queued = false, owned = false;

  Asked asked() const { return {workload, fleet.pools[0], queued ? &queue : nullptr, owned ? &tenant : nullptr}; }
};

model::Pool random_pool(Random& random) {
  model::Pool pool = gpu_pool("h", "h100", 80 * GB, 1 + random.upto(15));
  pool.cpus = random.one_in(8) ? 0 : 16 + random.upto(48);
  pool.reserve_cpus = pool.cpus == 0 ? 0 : random.upto(8);
  pool.memory = Size{random.one_in(8) ? 0 : (64 + random.upto(64)) * GB};
  pool.reserve_memory = Size{pool.memory == Size{} ? 0 : random.upto(16) * GB};
  pool.disk = Size{random.one_in(4) ? 0 : (1 + random.upto(100)) * GB};
  return pool;
}

model::Workload random_workload(Random& random) {
  model::Workload w = workload(model::Kind::batch, 1 + random.upto(15), random.upto(8));
  model::Resources& r = w.roles[0].resources;
  if (random.one_in(2)) r.cpus = stated(model::Amount<std::int64_t>{false, 1, 1 + random.upto(70)});
  if (random.one_in(2)) r.memory = stated(model::Amount<Size>{false, Size{GB}, Size{(1 + random.upto(140)) * GB}});
  if (random.one_in(2)) r.disk = stated(Size{(1 + random.upto(120)) * GB});
  if (random.one_in(2)) w.time_limit = stated(Duration{(1 + random.upto(5000)) * 1000});
  return w;
}

Scene random_scene(Random& random) {
  Scene s{{}, queue("train", true), {}, random_workload(random)};
  s.fleet.name = "campus";
  s.fleet.pools = {random_pool(random)};
  s.queued = random.one_in(2);
  s.owned = random.one_in(2);
  if (random.one_in(2)) s.queue.max_nodes = stated(1 + random.upto(15));
  if (random.one_in(2)) s.queue.max_gpus = stated(1 + random.upto(120));
  if (random.one_in(2)) s.queue.max_time = stated(Duration{(1 + random.upto(5000)) * 1000});
  s.tenant.name = "lab";
  if (random.one_in(4)) s.tenant.queues = {{random.one_in(2) ? "train" : "other", {}}};
  if (random.one_in(2)) s.tenant.quotas.push_back({{"h", {}}, stated(1 + random.upto(120)), {}});
  if (random.one_in(2)) s.tenant.quotas.push_back({{"h", {}}, {}, stated(1 + random.upto(15))});
  const model::Resources& r = s.workload.roles[0].resources;
  model::Quota amounts{{"h", {}}, {}, {}};
  if (r.cpus && random.one_in(4)) amounts.cpus = stated(1 + random.upto(500));
  if (r.memory && random.one_in(4)) amounts.memory = stated(Size{(1 + random.upto(1000)) * GB});
  s.tenant.quotas.push_back(amounts);
  return s;
}

plan::Fit fit_of(const Scene& s) {
  Diagnostics diagnostics;
  const model::Plane batch = plane("batch", model::PlaneKind::slurm);
  const Asked asked = s.asked();
  auto role = plan::resolve_role({s.workload.main(), s.workload, no_site, batch, &s.fleet, asked.queue}, diagnostics);
  REQUIRE(role);
  plan::FleetState state(&s.fleet);
  return plan::place(state, batch, asked.queue, asked.tenant, s.workload, *role);
}

// Certificates of the kinds that this oracle judges.
std::vector<Certificate> limits_of(const plan::Fit& fit) {
  std::vector<Certificate> out;
  for (const plan::Level* level : {&fit.capacity, &fit.policy, &fit.now})
    if (level->certificate && (level->certificate->kind == "quota" || level->certificate->kind == "floor"))
      out.push_back(*level->certificate);
  return out;
}

bool any_broken(const Scene& s, const std::string& kind) {
  for (const oracles::Broken& limit : oracles::broken_limits(s.asked()))
    if (limit.kind == kind) return true;
  return false;
}

void replace(std::string& text, const std::string& what, const std::string& with) {
  if (const std::size_t at = text.find(what); at != std::string::npos) text.replace(at, what.size(), with);
}

}  // namespace

TEST_CASE("certificates of limits are true in every number, and none is missing", "[property][place]") {
  Random random(11);
  std::size_t quotas = 0, floors = 0, fitting = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Scene scene = random_scene(random);
    const plan::Fit fit = fit_of(scene);
    for (const Certificate& c : limits_of(fit)) {
      const std::string fault = fault_of(scene.asked(), c);
      if (!fault.empty()) FAIL("scene " << i << ": " << fault << ": " << c.text);
      ++(c.kind == "quota" ? quotas : floors);
    }
    INFO("scene " << i);
    CHECK(any_broken(scene, "quota") == (fit.policy.verdict == Verdict::does_not_fit));
    if (fit.capacity.verdict == Verdict::fits) CHECK_FALSE(any_broken(scene, "floor"));
    fitting += fit.capacity.verdict == Verdict::fits ? 1 : 0;
    const bool says_floor = fit.capacity.certificate && fit.capacity.certificate->kind == "floor";
    CHECK(any_broken(scene, "floor") == says_floor);
  }
  CHECK((quotas > 5'000 && floors > 5'000 && fitting > 1'000));
}

TEST_CASE("the oracle rejects a thousand damaged certificates of limits", "[property][place]") {
  Random random(12);
  const std::vector<std::function<void(Certificate&)>> damages{
      [](Certificate& c) { ++c.need; },
      [](Certificate& c) { --c.have; },
      [](Certificate& c) { ++c.missing; },
      [](Certificate& c) { ++c.need, ++c.missing; },
      [](Certificate& c) { --c.have, ++c.missing; },
      [](Certificate& c) { c.need = c.have, c.missing = 0; },
      [](Certificate& c) { c.kind = c.kind == "quota" ? "floor" : "quota"; },
      [](Certificate& c) { c.kind = "class"; },
      [](Certificate& c) { std::swap(c.need, c.have); },
      [](Certificate& c) { c.text.clear(); },
      [](Certificate& c) { replace(c.text, "pool h", "pool g"), replace(c.text, "queue train", "queue dev"); },
  };
  std::size_t damaged = 0;
  for (int i = 0; damaged < 3'000; ++i) {
    const Scene scene = random_scene(random);
    for (Certificate& c : limits_of(fit_of(scene))) {
      damages[static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(damages.size()) - 1))](c);
      INFO("scene " << i << ": " << c.kind << " " << c.need << " " << c.have << ": " << c.text);
      REQUIRE(fault_of(scene.asked(), c) != "");
      ++damaged;
    }
  }
}

}  // namespace certificates_test
