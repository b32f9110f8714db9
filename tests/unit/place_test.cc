#include "plan/place/place.h"

#include <numeric>

#include "plan/fleet/fleet_state.h"
#include "plan/pools/resolve_role.h"
#include "tests/catch.h"
#include "tests/unit/plan_fixture.h"

namespace place_test {

using namespace muster;
using namespace muster::test;
using model::Kind;
using model::PlaneKind;
using plan::Verdict;

namespace {

std::vector<std::uint32_t> nodes(std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}

model::Fleet fleet_of(std::vector<model::Pool> pools) {
  model::Fleet fleet;
  fleet.name = "campus";
  fleet.pools = std::move(pools);
  return fleet;
}

struct Placed {
  plan::Fit fit;
  plan::RolePlan role;
};

Placed place(const model::Workload& w, const model::Fleet* fleet, const model::Queue* queue = nullptr,
             const model::Tenant* tenant = nullptr) {
  Diagnostics diagnostics;
  const model::Plane batch = plane("batch", PlaneKind::slurm);
  auto role = plan::resolve_role({w.main(), w, no_site, batch, fleet, queue}, diagnostics);
  REQUIRE(role);
  plan::FleetState state(fleet);
  plan::Fit fit = plan::place(state, batch, queue, tenant, w, *role);
  for (const plan::Level* level : {&fit.capacity, &fit.policy, &fit.now}) {
    CHECK(level->certificate.has_value() == (level->verdict == Verdict::does_not_fit));
    if (level->certificate) CHECK(level->certificate->missing == level->certificate->need - level->certificate->have);
    if (level->certificate) CHECK(level->certificate->missing > 0);
  }
  return {std::move(fit), std::move(*role)};
}

std::string text(const plan::Level& level) {
  return level.certificate ? level.certificate->kind + ": " + level.certificate->text : "";
}

}  // namespace

TEST_CASE("a gang that fits has a witness on the fewest leaves", "[place]") {
  model::Fleet fleet = fleet_of({gpu_pool("h", "h100", 80 * GB, 64)});
  add_leaves(fleet.pools[0], 32);
  fleet.pools[0].drained = {16};
  const Placed p = place(workload(Kind::train, 32, 8), &fleet);
  CHECK(p.fit.verdict == Verdict::fits);
  CHECK(p.fit.pool == "h");
  CHECK(p.role.pool == &fleet.pools[0]);
  CHECK(p.fit.leaf_switches == 1);
  CHECK(p.fit.leaf_lower_bound == 1);
  REQUIRE(p.fit.placements.size() == 32);
  CHECK(p.fit.placements[0].node == "h033");
  CHECK(p.fit.placements[0].index == 32);
  CHECK(p.fit.placements[0].role == "main");
  CHECK(p.fit.placements[0].gpus == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(place(workload(Kind::train, 33, 8), &fleet).fit.leaf_switches == 2);
}

TEST_CASE("what is in use counts now, drained and spare always", "[place]") {
  model::Fleet fleet = fleet_of({gpu_pool("h", "h100", 80 * GB, 35)});
  model::Pool& pool = fleet.pools[0];
  pool.in_use = {{"big", nodes(0, 26), -1, {}}, {"small", nodes(26, 3), 4, {}}};
  const Placed p = place(workload(Kind::train, 8, 8), &fleet);
  CHECK(p.fit.capacity.verdict == Verdict::fits);
  CHECK(text(p.fit.now) ==
        "class: needs 8 whole h100 nodes; pool h has 6: 26 in use, 0 drained; 3 more have 4 free GPUs each");
  CHECK(p.fit.now.certificate->need == 8);
  CHECK(p.fit.now.certificate->have == 6);
  CHECK(p.fit.now.certificate->missing == 2);
  CHECK(p.fit.verdict == Verdict::does_not_fit);
  CHECK(p.fit.placements.size() == 8);  // of capacity
  CHECK(p.fit.placements[0].node == "h001");

  pool.in_use[1].nodes = {26, 27};
  pool.in_use.push_back({"tiny", {28}, 6, {}});
  CHECK(text(place(workload(Kind::train, 8, 8), &fleet).fit.now).ends_with("; 3 more have at most 4 free GPUs each"));

  pool.drained = {30, 31};
  pool.spare = {31, 32};
  const Placed all = place(workload(Kind::train, 34, 8), &fleet);
  CHECK(text(all.fit.capacity) == "class: needs 34 whole h100 nodes; pool h has 32 of 35: 2 drained, 1 spare");
  CHECK(text(place(workload(Kind::train, 4, 8), &fleet).fit.now) ==
        "class: needs 4 whole h100 nodes; pool h has 3: 26 in use, 2 drained, 1 spare; 3 more have at most 4 free GPUs "
        "each");
}

TEST_CASE("partial nodes are packed, their lowest devices are free", "[place]") {
  model::Fleet fleet = fleet_of({gpu_pool("h", "h100", 80 * GB, 4)});
  fleet.pools[0].in_use = {{"a", {2}, 4, {}}, {"b", {2}, 2, {}}};
  const Placed p = place(workload(Kind::dev, 1, 2), &fleet);
  CHECK(p.fit.verdict == Verdict::fits);
  REQUIRE(p.fit.placements.size() == 1);
  CHECK(p.fit.placements[0].node == "h003");
  CHECK(p.fit.placements[0].gpus == std::vector<std::int64_t>{0, 1});
  CHECK(p.fit.now.note == "assumes that GPUs in use have the highest numbers of their node");

  model::Workload hungry = workload(Kind::dev, 1, 2);  // 48 CPUs are more than the 47 that are left
  hungry.roles[0].resources.cpus = stated(model::Amount<std::int64_t>{false, 48, 48});
  CHECK(place(hungry, &fleet).fit.placements[0].node == "h001");
  hungry.roles[0].resources.cpus->value.high = 47;
  CHECK(place(hungry, &fleet).fit.placements[0].node == "h003");
}

TEST_CASE("a node that is too small says of what", "[place]") {
  model::Fleet fleet = fleet_of({gpu_pool("h", "h100", 80 * GB, 4)});
  fleet.pools[0].in_use = {{"a", nodes(0, 4), -1, {}}};
  model::Workload w = workload(Kind::train, 1, 8);
  w.roles[0].resources.cpus = stated(model::Amount<std::int64_t>{false, 190, 190});
  Placed p = place(w, &fleet);
  CHECK(text(p.fit.capacity) == "floor: needs 190 CPUs per node; nodes of pool h have 188 (192 minus 4 reserved)");
  CHECK(text(p.fit.now) == text(p.fit.capacity));
  CHECK(p.fit.capacity.certificate->missing == 2);
  CHECK(p.fit.placements.empty());

  w.roles[0].resources.cpus.reset();
  w.roles[0].resources.memory = stated(model::Amount<Size>{false, {2000 * GB}, {2000 * GB}});
  p = place(w, &fleet);
  CHECK(text(p.fit.capacity) ==
        "floor: needs 2000GB of memory per node; nodes of pool h have 1968GB (2000GB minus 32GB reserved)");
  CHECK(p.fit.capacity.certificate->missing == 32 * GB);

  w.roles[0].resources.memory.reset();
  w.roles[0].resources.disk = stated(Size{100 * GB});
  fleet.pools[0].disk = Size{60 * GB};
  CHECK(text(place(w, &fleet).fit.capacity) == "floor: needs 100GB of disk per node; nodes of pool h have 60GB");
}

TEST_CASE("what the fleet does not declare is unknown, not a fit", "[place]") {
  model::Fleet fleet = fleet_of({gpu_pool("h", "h100", 80 * GB, 4)});
  fleet.pools[0].cpus = 0;
  fleet.pools[0].reserve_cpus = 0;
  model::Workload w = workload(Kind::train, 2, 8);
  CHECK(place(w, &fleet).fit.verdict == Verdict::fits);  // nobody asks for CPUs
  w.roles[0].resources.cpus = stated(model::Amount<std::int64_t>{false, 8, 8});
  w.roles[0].resources.disk = stated(Size{100 * GB});
  const Placed p = place(w, &fleet);
  CHECK(p.fit.verdict == Verdict::unknown);
  CHECK(p.fit.capacity.note == "pool h does not declare the cpus, disk of its nodes");
  CHECK(p.fit.placements.empty());
  w.roles[0].resources.nodes->value = {5, 5};
  CHECK(text(place(w, &fleet).fit.capacity) == "class: needs 5 whole h100 nodes; pool h has 4 of 4: 0 drained");
}

TEST_CASE("domains: one leaf, segments, one node", "[place]") {
  model::Fleet fleet = fleet_of({gpu_pool("h", "h100", 80 * GB, 11)});
  add_leaves(fleet.pools[0], 4);
  model::Workload w = workload(Kind::train, 6, 8);
  w.roles[0].topology = model::Topology{{model::Within::leaf, {}}, true, {}, {}};
  Placed p = place(w, &fleet);
  CHECK(text(p.fit.capacity) ==
        "domain: needs 6 whole h100 nodes in one leaf switch; in pool h, l1 has 4, l2 has 4, l3 has 3");
  CHECK(p.fit.capacity.certificate->missing == 2);
  w.roles[0].topology->required = false;
  p = place(w, &fleet);
  CHECK(p.fit.verdict == Verdict::fits);
  CHECK(p.fit.capacity.note == "one leaf is preferred; 2 leaf switches are needed");

  w.roles[0].topology = model::Topology{{model::Within::fleet, {}}, false, stated(std::int64_t{3}), {}};
  CHECK(place(w, &fleet).fit.leaf_switches == 2);
  w.roles[0].resources.nodes->value = {9, 9};
  CHECK(place(w, &fleet).fit.leaf_switches == 3);
  fleet.pools[0].drained = {8};
  p = place(w, &fleet);
  CHECK(text(p.fit.capacity) ==
        "domain: needs 3 segments of 3 whole h100 nodes, each inside one leaf switch; pool h has room for 2: l1 has 4, "
        "l2 has 4, l3 has 2");
  CHECK(p.fit.capacity.certificate->need == 3);
  CHECK(p.fit.capacity.certificate->have == 2);
  w.roles[0].topology->segment->value = 2;
  CHECK(place(w, &fleet).fit.verdict == Verdict::unknown);

  w.roles[0].topology = model::Topology{{model::Within::node, {}}, true, {}, {}};
  CHECK(text(place(w, &fleet).fit.capacity) == "domain: needs 9 nodes within one node, as topology requires");
}

TEST_CASE("of a range the largest size that fits is said", "[place]") {
  model::Fleet fleet = fleet_of({gpu_pool("h", "h100", 80 * GB, 12)});
  add_leaves(fleet.pools[0], 4);
  fleet.pools[0].in_use = {{"other", {0, 5}, -1, {}}};
  model::Workload w = workload(Kind::train, 2, 8);
  w.roles[0].resources.nodes->value = {2, 16};
  const auto wording_of = [](const plan::Level& level) { return level.note.substr(level.note.find("of ")); };
  Placed p = place(w, &fleet);
  CHECK(p.fit.placements.size() == 2);
  CHECK(wording_of(p.fit.capacity) == "of 2 to 16 nodes, up to 12 fit");
  CHECK(wording_of(p.fit.now) == "of 2 to 16 nodes, up to 10 fit");
  w.roles[0].resources.nodes->value = {3, 3};
  w.roles[0].replicas = stated(model::Count{1, 9});
  CHECK(wording_of(place(w, &fleet).fit.now) == "of 1 to 9 replicas, up to 3 fit");
}

TEST_CASE("the largest size of a range is that of asking each size", "[place]") {
  model::Fleet fleet = fleet_of({gpu_pool("h", "h100", 80 * GB, 15)});
  add_leaves(fleet.pools[0], 5);
  fleet.pools[0].in_use = {{"other", {0, 6}, -1, {}}};
  for (const bool one : {false, true})
    for (const std::int64_t segment : {1, 2, 3}) {
      model::Workload w = workload(Kind::train, segment, 8);
      w.roles[0].topology = model::Topology{{model::Within::leaf, {}}, one, {}, {}};
      if (segment > 1) w.roles[0].topology->segment = stated(segment);
      std::int64_t most = 0;
      for (std::int64_t n = segment; n <= 16; n += segment) {
        w.roles[0].resources.nodes->value = {n, n};
        if (place(w, &fleet).fit.now.verdict == Verdict::fits) most = n;
      }
      w.roles[0].resources.nodes->value = {segment, 16};
      CHECK(place(w, &fleet).fit.now.note.find(", up to " + std::to_string(most) + " fit") != std::string::npos);
    }
}

TEST_CASE("a part of a GPU is had of a free one", "[place]") {
  model::Fleet fleet = fleet_of({gpu_pool("h", "h100", 80 * GB, 4)});
  fleet.pools[0].in_use = {{"whole", {0, 1}, 8, {}}, {"some", {2}, 7, {}}};
  model::Workload w = workload(Kind::dev, 2, 0);
  w.roles[0].resources.gpu_share = stated(std::int64_t{50});
  const Placed p = place(w, &fleet);
  CHECK(p.fit.verdict == Verdict::fits);
  CHECK(p.fit.placements[0].node == "h003");
  w.roles[0].resources.nodes->value = {3, 3};
  CHECK(place(w, &fleet).fit.capacity.verdict == Verdict::fits);
  CHECK(text(place(w, &fleet).fit.now) == "class: needs 3 pods with 50% of a GPU; pool h has room for 2: 0 drained");
  w.roles[0].resources.gpu_share.reset();
  w.roles[0].resources.gpu_slice = stated(std::string("1g.10gb"));
  fleet.pools[0].gpu->slices = {"1g.10gb"};
  // Where such slices may stand is not said, so that how many a GPU has is not known.
  CHECK(place(w, &fleet).fit.now.verdict == Verdict::unknown);
  fleet.pools[0].gpu->places = {{"1g.10gb", {0, 1, 2, 3, 4, 5, 6}, 1, 1}};
  CHECK(text(place(w, &fleet).fit.now) ==
        "class: needs 3 pods with a 1g.10gb slice of a GPU; pool h has room for 2: 0 drained");
}

TEST_CASE("leaves below one spine are taken before others", "[place]") {
  model::Fleet fleet = fleet_of({gpu_pool("h", "h100", 80 * GB, 12)});
  add_leaves(fleet.pools[0], 4);
  CHECK(place(workload(Kind::train, 7, 8), &fleet).fit.spines == 0);
  fleet.pools[0].leaves[0].up = "s1", fleet.pools[0].leaves[1].up = "s2", fleet.pools[0].leaves[2].up = "s2";
  const Placed p = place(workload(Kind::train, 7, 8), &fleet);
  CHECK(p.fit.placements[0].node == "h005");
  CHECK(p.fit.spines == 1);
  CHECK(p.fit.spine_lower_bound == 1);
  CHECK(place(workload(Kind::train, 9, 8), &fleet).fit.spine_lower_bound == 2);
  fleet.pools[0].leaves[2].up = "";  // near nobody, as far as the file says
  CHECK(place(workload(Kind::train, 7, 8), &fleet).fit.spines == 2);
}

TEST_CASE("segments lie in domains inside the required one", "[place]") {
  // Two blocks of two NVLink domains of three nodes.
  model::Fleet fleet = fleet_of({gpu_pool("h", "h100", 80 * GB, 12)});
  add_leaves(fleet.pools[0], 3);
  fleet.pools[0].nvlink_domains = fleet.pools[0].leaves;
  fleet.pools[0].blocks = {{"b1", {"l1", "l2"}}, {"b2", {"l3", "l4"}}};
  model::Workload w = workload(Kind::train, 4, 8);
  w.roles[0].topology = model::Topology{
      {model::Within::block, {}}, true, stated(std::int64_t{2}), {}, {model::Within::nvlink_domain, {}}};
  Placed p = place(w, &fleet);
  CHECK(p.fit.verdict == Verdict::fits);
  CHECK(p.fit.leaf_switches == 2);
  fleet.pools[0].drained = {0, 1, 6, 7};
  CHECK(text(place(w, &fleet).fit.capacity) ==
        "domain: needs 2 segments of 2 nodes inside one block, each segment inside one NVLink domain; in pool h the "
        "block with the most room has 1");
  fleet.pools[0].drained = {0, 1};
  p = place(w, &fleet);
  REQUIRE(p.fit.verdict == Verdict::fits);
  CHECK(p.fit.placements[0].node == "h007");
  w.roles[0].replicas = stated(model::Count{2, 2});
  w.roles[0].topology->segment->value = 1;
  fleet.pools[0].drained = {0, 1, 2};  // nine segments are left for eight, and one replica in the second block
  CHECK(text(place(w, &fleet).fit.capacity) ==
        "domain: needs 2 replicas, each 4 segments of 1 node inside one block, each segment inside one NVLink domain; "
        "pool h has room for 1");
  w.roles[0].topology->segment->value = 2;
  w.roles[0].resources.nodes->value = {3, 3};
  CHECK(place(w, &fleet).fit.verdict == Verdict::unknown);
}

TEST_CASE("a node outside the declared leaves is near no other", "[place]") {
  model::Fleet fleet = fleet_of({gpu_pool("h", "h100", 80 * GB, 4)});
  fleet.pools[0].leaves = {{"l1", {0, 1}}};
  CHECK(place(workload(Kind::train, 2, 8), &fleet).fit.leaf_switches == 1);
  CHECK(place(workload(Kind::train, 4, 8), &fleet).fit.leaf_switches == 3);
}

TEST_CASE("queue limits are the policy level", "[place]") {
  const model::Fleet fleet = fleet_of({gpu_pool("h", "h100", 80 * GB, 64)});
  model::Queue train = queue("train", true);
  train.max_nodes = stated(std::int64_t{8});
  train.max_gpus = stated(std::int64_t{96});
  train.max_time = stated(Duration{24 * 3'600'000});
  CHECK(place(workload(Kind::train, 8, 8), &fleet, &train).fit.verdict == Verdict::fits);
  Placed p = place(workload(Kind::train, 16, 8), &fleet, &train);
  CHECK(p.fit.verdict == Verdict::does_not_fit);
  CHECK(p.fit.capacity.verdict == Verdict::fits);
  CHECK(text(p.fit.policy) == "quota: requests 16 nodes; queue train allows 8 per job");
  CHECK(p.fit.policy.certificate->missing == 8);
  CHECK(p.fit.policy.note == "also requests 128 GPUs; queue train allows 96 per job");

  model::Workload w = workload(Kind::train, 1, 8);
  w.time_limit = stated(Duration{48 * 3'600'000});
  p = place(w, &fleet, &train);
  CHECK(text(p.fit.policy) == "quota: requests 2d; queue train allows 1d");
  CHECK(p.fit.policy.certificate->missing == 86'400);

  // All roles enter the queue as one job.
  w = workload(Kind::rl, 8, 8);
  w.roles.push_back(w.roles[0]);
  CHECK(place(w, &fleet, &train).fit.policy.certificate->need == 16);
  CHECK(place(workload(Kind::train, 1, 8), &fleet).fit.policy.note ==
        "the workload has no queue, so no limits are checked");
}

TEST_CASE("without a fleet nothing is known but the queue's limits", "[place]") {
  model::Queue train = queue("train");
  Placed p = place(workload(Kind::train, 2, 8), nullptr, &train);
  CHECK(p.fit.verdict == Verdict::unknown);
  CHECK(p.fit.capacity.note == "the site declares no fleet, so the fit is not checked");
  CHECK(p.role.pool == nullptr);
  train.max_nodes = stated(std::int64_t{1});
  CHECK(place(workload(Kind::train, 2, 8), nullptr, &train).fit.verdict == Verdict::does_not_fit);
}

TEST_CASE("pools: prefer weight, fewest leaves, order of the fleet, the first that fits", "[place]") {
  model::Fleet fleet = fleet_of(
      {gpu_pool("b", "h100", 80 * GB, 8), gpu_pool("a", "h100", 80 * GB, 8), gpu_pool("z", "h200", 141 * GB, 4)});
  model::Workload w = workload(Kind::train, 4, 8);
  CHECK(place(w, &fleet).fit.pool == "b");
  add_leaves(fleet.pools[0], 2);
  CHECK(place(w, &fleet).fit.pool == "a");
  w.roles[0].prefers = {{term("gpu.model", model::Compare::equal, {std::string("h200")}), 1}};
  Placed p = place(w, &fleet);
  CHECK(p.fit.pool == "z");
  CHECK(p.role.pool->name == "z");
  w.roles[0].resources.nodes->value = {5, 5};
  CHECK(place(w, &fleet).fit.pool == "a");

  w.roles[0].resources.nodes->value = {9, 9};
  p = place(w, &fleet);
  CHECK(p.fit.capacity.note == "on nodes of the pools b and a");
  w.roles[0].resources.nodes->value = {17, 17};
  p = place(w, &fleet);  // the certificate of the choice that misses the least, the others beside it
  CHECK(text(p.fit.capacity) == "class: needs 17 whole h100 nodes; pools b and a together have 16 of 16: 0 drained");
  CHECK(p.fit.capacity.note == "pool z: needs 17 whole h200 nodes; pool z has 4 of 4: 0 drained");

  // A preference makes no job wait that can start elsewhere.
  w.roles[0].resources.nodes->value = {4, 4};
  fleet.pools[2].in_use = {{"x", {0}, -1, {}}};
  p = place(w, &fleet);
  CHECK(p.fit.pool == "a");
  CHECK(p.fit.now.verdict == Verdict::fits);
}

TEST_CASE("nodes excluded or named are counted", "[place]") {
  model::Fleet fleet = fleet_of({gpu_pool("h", "h100", 80 * GB, 4)});
  model::Workload w = workload(Kind::train, 3, 8);
  w.roles[0].requires_ = {term("node.name", model::Compare::not_in, {std::string("h001"), std::string("h002")})};
  CHECK(text(place(w, &fleet).fit.capacity) ==
        "class: needs 3 whole h100 nodes; pool h has 2 of 4: 0 drained, 2 excluded by name");
  w.roles[0].resources.nodes->value = {2, 2};
  CHECK(place(w, &fleet).fit.placements[0].node == "h003");
}

TEST_CASE("exclusive jobs and jobs without GPUs", "[place]") {
  model::Fleet fleet = fleet_of({gpu_pool("h", "h100", 80 * GB, 2)});
  fleet.pools[0].in_use = {{"x", {0}, 1, {}}};
  model::Workload w = workload(Kind::train, 2, 4);
  CHECK(place(w, &fleet).fit.verdict == Verdict::fits);
  w.roles[0].resources.exclusive = stated(true);
  CHECK(text(place(w, &fleet).fit.now) == "class: needs 2 empty nodes; pool h has 1: 1 in use, 0 drained");
  w.roles[0].resources.cpus = stated(model::Amount<std::int64_t>{false, 1, 1});
  w.roles[0].resources.memory = stated(model::Amount<Size>{false, {GB}, {GB}});
  CHECK(place(w, &fleet).fit.now.verdict == Verdict::does_not_fit);
  CHECK(place(workload(Kind::batch, 3, 0), &fleet).fit.capacity.certificate->text ==
        "needs 3 nodes; pool h has 2 of 2: 0 drained");
  CHECK(text(place(workload(Kind::train, 3, 4), &fleet).fit.capacity) ==
        "class: needs 3 nodes with 4 free h100 GPUs; pool h has 2 of 2: 0 drained");
}

TEST_CASE("a quota turns to another pool, or says what it allows", "[place]") {
  model::Fleet fleet{"f", {}, {gpu_pool("a", "h100", 80 * GB, 8), gpu_pool("b", "h100", 80 * GB, 8)}};
  const model::Queue main = queue("main");
  model::Tenant lab{"lab", {}, {}, {}, {}, {}};
  lab.quotas.push_back({{"a", {}}, stated<std::int64_t>(16), {}});
  CHECK(place(workload(Kind::train, 2, 8), &fleet, &main, &lab).fit.pool == "a");
  CHECK(place(workload(Kind::train, 3, 8), &fleet, &main, &lab).fit.pool == "b");
  lab.quotas.push_back({{"b", {}}, {}, stated<std::int64_t>(2)});
  CHECK(place(workload(Kind::train, 3, 8), &fleet, &main, &lab).fit.verdict == Verdict::fits);
  const Placed p = place(workload(Kind::train, 5, 8), &fleet, &main, &lab);
  CHECK(text(p.fit.policy) == "quota: requests 5 nodes of pools a and b; the quotas of tenant lab allow 4");
  CHECK(p.fit.capacity.verdict == Verdict::fits);
  lab.queues.push_back({"other", {}});
  CHECK(text(place(workload(Kind::train, 1, 8), &fleet, &main, &lab).fit.policy) ==
        "quota: tenant lab may not use queue main");
}

TEST_CASE("a quota of CPUs, memory and pods counts what pods request, and what operators add", "[place]") {
  model::Fleet fleet{"f", {}, {gpu_pool("a", "h100", 80 * GB, 8)}};
  const auto policy = [&](const model::Workload& w, const model::Quota& quota, PlaneKind kind) {
    Diagnostics diagnostics;
    const model::Plane there = plane("there", kind);
    auto role = plan::resolve_role({w.main(), w, no_site, there, &fleet, nullptr}, diagnostics);
    REQUIRE(role);
    model::Tenant lab{"lab", {}, {}, {}, {}, {quota}};
    plan::FleetState state(&fleet);
    return text(plan::place(state, there, nullptr, &lab, w, *role).policy);
  };
  model::Workload train = workload(Kind::train, 4, 8), mpi = workload(Kind::mpi, 4, 8);
  mpi.roles[0].launch.runner.value = model::Runner::mpi;
  for (model::Workload* w : {&train, &mpi})
    w->roles[0].resources.cpus = stated(model::Amount<std::int64_t>{false, 10, 20}),
    w->roles[0].resources.memory = stated(model::Amount<Size>{false, Size{GB}, Size{GB}});
  const auto pods = [](std::int64_t n) { return model::Quota{{"a", {}}, {}, {}, {}, {}, stated(n)}; };
  const auto cpus = [](std::int64_t n) { return model::Quota{{"a", {}}, {}, {}, stated(n)}; };
  const auto memory = [](std::int64_t n) { return model::Quota{{"a", {}}, {}, {}, {}, stated(Size{n})}; };
  const auto on_pods = PlaneKind::kubernetes, on_slurm = PlaneKind::slurm;
  CHECK(policy(train, pods(4), on_pods).empty());
  CHECK(policy(train, pods(3), on_pods) == "quota: requests 4 pods of pool a; tenant lab can use 3");
  CHECK(policy(mpi, pods(5), on_pods).empty());
  CHECK(policy(mpi, pods(4), on_pods) == "quota: requests 5 pods, 1 by its operator, of pool a; tenant lab can use 4");
  CHECK(policy(mpi, pods(0), on_slurm).empty());
  CHECK(policy(train, cpus(40), on_pods).empty());  // the lower end is what a pod requests
  CHECK(policy(train, cpus(39), on_pods) == "quota: requests 40 CPUs of pool a; tenant lab can use 39");
  CHECK(policy(mpi, cpus(40), on_pods).empty());  // its launcher requests none
  CHECK(policy(train, cpus(79), on_slurm) == "quota: requests 80 CPUs of pool a; tenant lab can use 79");
  CHECK(policy(train, memory(4 * GB), on_pods).empty());
  CHECK(policy(train, memory(4 * GB - 1), on_pods).starts_with("quota: requests 4GB of memory of pool a;"));
}

TEST_CASE("a queue of some nodes, and what is in use by cores and memory", "[place]") {
  model::Fleet fleet{"f", {}, {gpu_pool("h", "h100", 80 * GB, 4)}};
  model::Queue some = queue("some");
  some.nodes = {"h002", "h003"};
  CHECK(place(workload(Kind::train, 2, 8), &fleet, &some).fit.placements[0].node == "h002");
  CHECK(text(place(workload(Kind::train, 3, 8), &fleet, &some).fit.capacity) ==
        "class: needs 3 whole h100 nodes; pool h has 2 of 4: 0 drained, 2 not in queue some");
  model::InUse cores{"cores", {0, 1}, 0, {}, 180, Size{0}};
  model::InUse memory{"memory", {2}, -1, {}, -1, Size{1900 * GB}};
  fleet.pools[0].in_use = {cores, memory};
  model::Workload w = workload(Kind::train, 3, 8);
  w.roles[0].resources.cpus = stated(model::Amount<std::int64_t>{false, 8, 8});
  w.roles[0].resources.memory = stated(model::Amount<Size>{false, Size{10 * GB}, Size{10 * GB}});
  CHECK(place(w, &fleet).fit.now.verdict == Verdict::fits);  // 8 cores are left, and all GPUs
  w.roles[0].resources.cpus = stated(model::Amount<std::int64_t>{false, 9, 9});
  CHECK(place(w, &fleet).fit.now.verdict == Verdict::does_not_fit);
  w.roles[0].resources.nodes = stated(model::Count{2, 2});
  CHECK(place(w, &fleet).fit.now.verdict == Verdict::fits);  // h003 has 68 GB left, h004 all
  w.roles[0].resources.memory = stated(model::Amount<Size>{false, Size{69 * GB}, Size{69 * GB}});
  CHECK(place(w, &fleet).fit.now.verdict == Verdict::does_not_fit);
}

}  // namespace place_test
