// Parts of GPUs, replicas that share nodes, sizes that grow and options, of several workloads on one fleet.
#include <random>

#include "plan/fit/at_once.h"
#include "plan/fleet/fleet_state.h"
#include "plan/place/place_roles.h"
#include "plan/pools/node_needs.h"
#include "plan/pools/resolve_role.h"
#include "plan/run/place_all.h"
#include "scheduler/packing.h"
#include "tests/catch.h"
#include "tests/oracles/packing_oracle.h"
#include "tests/oracles/together_oracle.h"
#include "tests/unit/plan_fixture.h"

namespace parts_test {

using namespace muster;
using namespace muster::test;
using plan::Verdict;

namespace {

struct Lab {
  model::Fleet fleet;
  model::Site site;
  std::vector<model::Workload> workloads;
  std::vector<plan::Plan> plans;

  explicit Lab(std::int64_t nodes, std::int64_t gpus = 2, model::PlaneKind kind = model::PlaneKind::kubernetes) {
    fleet.name = "lab";
    fleet.pools.push_back(gpu_pool("h", "h100", 80 * GB, nodes));
    model::Gpu& gpu = *fleet.pools[0].gpu;
    gpu.count = gpus;
    gpu.slices = {"1g.10gb", "3g.40gb", "4g.40gb", "7g.80gb"};
    gpu.places = {{"1g.10gb", {0, 1, 2, 3, 4, 5, 6}, 1, 1},
                  {"3g.40gb", {0, 4}, 4, 3},
                  {"4g.40gb", {0}, 4, 4},
                  {"7g.80gb", {0}, 8, 7}};
    site.name = "lab";
    site.planes.push_back(plane("pods", kind));
  }

  model::Workload& add(std::string name, std::int64_t replicas, std::int64_t gpus = 0) {
    workloads.push_back(workload(model::Kind::batch, 1, gpus));
    workloads.back().name = workloads.back().id = std::move(name);
    workloads.back().gang = stated(model::Gang::all);
    workloads.back().roles[0].replicas = stated(model::Count{replicas, replicas});
    return workloads.back();
  }
  void slices(std::string name, std::int64_t replicas, std::string profile) {
    add(std::move(name), replicas).roles[0].resources.gpu_slice = stated(std::move(profile));
  }
  void shares(std::string name, std::int64_t replicas, std::int64_t percent) {
    add(std::move(name), replicas).roles[0].resources.gpu_share = stated(percent);
  }

  plan::Plan planned(const model::Workload& w, plan::FleetState& state) {
    Diagnostics diagnostics;
    plan::Plan plan;
    plan.workload = &w;
    plan.site = &site, plan.fleet = &fleet, plan.plane = &site.planes[0];
    for (const model::Role& role : w.roles)
      plan.roles.push_back(*plan::resolve_role({role, w, site, *plan.plane, &fleet, nullptr}, diagnostics));
    plan.placed = plan::at_once(w, plan.roles, *plan.plane);
    plan.fit = plan::place_roles(state, *plan.plane, nullptr, nullptr, w, plan.placed);
    plan::take_pools(plan.placed, plan.roles);
    return plan;
  }

  void place() {
    plan::FleetState state(&fleet);
    plans.clear();
    for (const model::Workload& w : workloads) plans.push_back(planned(w, state));
    std::vector<plan::Plan*> all;
    for (plan::Plan& plan : plans) all.push_back(&plan);
    plan::place_all(state, all);
  }

  Verdict verdict(std::size_t i) const { return plans[i].fit.verdict; }
  std::string certificate(std::size_t i) const {
    const auto& c = plans[i].fit.capacity.certificate;
    return c ? c->kind + ": " + c->text : plans[i].fit.capacity.note;
  }
};

// Every part by node and GPU: no memory slice twice, no share over a whole, nothing whole beside.
std::string overlap(const Lab& lab) {
  struct Used {
    std::uint32_t slices = 0, compute = 0, percent = 0;
    bool whole = false;
  };
  std::map<std::pair<std::uint32_t, std::int64_t>, Used> used;
  for (const plan::Plan& plan : lab.plans)
    for (const plan::PlacedNode& p : plan.fit.placements)
      for (const std::int64_t gpu : p.gpus) {
        Used& u = used[{p.index, gpu}];
        if (gpu < 0 || gpu >= lab.fleet.pools[0].gpu->count) return "no such GPU";
        if (u.whole || (!p.part && (u.slices != 0 || u.percent > 0))) return "a whole GPU is shared";
        if (!p.part) u.whole = true;
        if (!p.part) continue;
        if ((u.slices & p.part->slices) != 0) return "a memory slice is taken twice";
        if ((p.part->slices != 0 && u.percent > 0) || (p.part->percent > 0 && u.slices != 0))
          return "slices and shares";
        u.slices |= p.part->slices, u.compute += p.part->compute, u.percent += p.part->percent;
        if (u.compute > 7 || u.percent > 100) return "more than a GPU";
      }
  return {};
}

}  // namespace

TEST_CASE("parts: slices of several workloads stand on one GPU", "[parts]") {
  Lab lab(1, 1);
  lab.slices("small", 3, "1g.10gb");
  lab.slices("large", 1, "4g.40gb");
  lab.slices("more", 1, "1g.10gb");
  lab.place();
  CHECK(lab.verdict(0) == Verdict::fits);
  CHECK(lab.verdict(1) == Verdict::fits);
  CHECK(overlap(lab) == "");
  REQUIRE(lab.verdict(2) == Verdict::does_not_fit);
  CHECK(
      lab.certificate(2) ==
      "hall: fits alone; more, small and large together need 8 (a 1g.10gb slice of a GPU counts 1, a 4g.40gb slice of "
      "a GPU 4); the nodes of pool h that are available to them hold at most 7, for any partitioning of their GPUs");
}

TEST_CASE("parts: shares fill a GPU up to the whole, and no slice stands beside them", "[parts]") {
  Lab lab(1, 2);
  lab.shares("third", 3, 33);
  lab.shares("half", 2, 50);
  lab.place();
  CHECK(lab.verdict(0) == Verdict::fits);
  CHECK(lab.verdict(1) == Verdict::fits);
  CHECK(overlap(lab) == "");
  lab.slices("slice", 1, "1g.10gb");
  lab.place();
  CHECK(lab.verdict(2) == Verdict::does_not_fit);
}

TEST_CASE("parts: what no one says is unknown, never no", "[parts]") {
  Lab lab(1, 2);
  lab.fleet.pools[0].gpu->places.clear();
  lab.slices("two", 2, "1g.10gb");
  lab.slices("three", 3, "1g.10gb");
  lab.place();
  CHECK(lab.plans[0].fit.capacity.verdict == Verdict::fits);
  CHECK(lab.plans[0].fit.capacity.note ==
        "pool h does not declare where slices of 1g.10gb can be placed on a GPU, so each gets its own GPU");
  CHECK(lab.verdict(1) == Verdict::unknown);
}

TEST_CASE("replicas of pods share nodes, those of a Slurm job do not", "[parts]") {
  for (const auto kind : {model::PlaneKind::kubernetes, model::PlaneKind::slurm}) {
    Lab lab(2, 8, kind);
    lab.add("serve", 8, 2);
    lab.place();
    CHECK((lab.verdict(0) == Verdict::fits) == (kind == model::PlaneKind::kubernetes));
    if (kind != model::PlaneKind::kubernetes) continue;
    CHECK(overlap(lab) == "");
    lab.workloads[0].roles[0].replicas = stated(model::Count{9, 9});
    lab.place();
    CHECK(lab.certificate(0) == "class: needs 9 pods with 2 h100 GPUs; pool h has room for 8: 0 drained");
  }
}

TEST_CASE("pods of one replica share nodes, nodes of a Slurm job do not", "[parts]") {
  for (const auto kind : {model::PlaneKind::kubernetes, model::PlaneKind::slurm}) {
    Lab lab(2, 8, kind);
    lab.add("train", 1, 2).roles[0].resources.nodes = stated(model::Count{8, 8});
    lab.place();
    CHECK((lab.verdict(0) == Verdict::fits) == (kind == model::PlaneKind::kubernetes));
    if (kind != model::PlaneKind::kubernetes) continue;
    CHECK(overlap(lab) == "");
    lab.workloads[0].roles[0].resources.nodes = stated(model::Count{9, 9});
    lab.place();
    CHECK(lab.certificate(0) == "class: needs 9 pods with 2 h100 GPUs; pool h has room for 8: 0 drained");
    // Ports of a host are there once.
    lab.workloads[0].roles[0].resources.nodes = stated(model::Count{3, 3});
    lab.site.planes[0].pods()->pod = stated(std::string("spec: {hostNetwork: true}"));
    lab.place();
    CHECK(lab.certificate(0) == "class: needs 3 nodes with 2 free h100 GPUs; pool h has 2 of 2: 0 drained");
  }
}

TEST_CASE("parts: whatever several workloads are given, no GPU holds too much", "[parts][property]") {
  std::mt19937 random(77);
  int fits = 0, refused = 0, unknown = 0;
  for (int i = 0; i < 100; ++i) {
    Lab lab(static_cast<std::int64_t>(1 + random() % 3), static_cast<std::int64_t>(1 + random() % 3));
    for (std::size_t w = 0, n = 2 + random() % 4; w < n; ++w) {
      const auto replicas = static_cast<std::int64_t>(1 + random() % 4);
      const std::string name = "w" + std::to_string(w);
      if (random() % 4 == 0) lab.shares(name, replicas, static_cast<std::int64_t>(10 * (1 + random() % 9)));
      else if (random() % 4 == 0) lab.add(name, replicas, 1);
      else lab.slices(name, replicas, lab.fleet.pools[0].gpu->slices[random() % 4]);
    }
    lab.place();
    if (const std::string fault = overlap(lab); !fault.empty()) FAIL("case " << i << ": " << fault);
    for (std::size_t w = 0; w < lab.plans.size(); ++w) {
      const Verdict v = lab.verdict(w);
      ++(v == Verdict::fits ? fits : v == Verdict::unknown ? unknown : refused);
      CHECK((v != Verdict::does_not_fit || !lab.certificate(w).empty()));
    }
  }
  CHECK(fits > 50);
  CHECK(refused > 12);
  CHECK(unknown < fits);
}

TEST_CASE("sizes that are ranges grow in order of priority into what the others leave", "[grow][property]") {
  std::mt19937 random(5);
  int grown = 0;
  for (int i = 0; i < 300; ++i) {
    const auto nodes = static_cast<std::int64_t>(6 + random() % 10);
    Lab lab(nodes, 8, model::PlaneKind::slurm);
    std::int64_t left = nodes;
    for (int w = 0; w < 3; ++w) {
      model::Workload& one = lab.add("w" + std::to_string(w), 1, 8);
      const auto low = static_cast<std::int64_t>(1 + random() % 2),
                 high = low + static_cast<std::int64_t>(random() % 6);
      one.roles[0].resources.nodes = stated(model::Count{low, high});
      left -= low;
    }
    lab.place();
    // Whole nodes without domains: each takes what is left, the first one first.
    for (std::size_t w = 0; w < lab.plans.size(); ++w) {
      const model::Count& range = lab.workloads[w].roles[0].resources.nodes->value;
      CHECK(static_cast<std::int64_t>(lab.plans[w].fit.placements.size()) == range.low);
      if (range.high == range.low) continue;
      const std::int64_t more = std::min(range.high - range.low, left);
      left -= more;
      REQUIRE(lab.plans[w].fit.growth);
      CHECK(lab.plans[w].fit.growth->to == range.low + more);
      grown += more > 0;
    }
  }
  CHECK(grown > 300);
}

TEST_CASE("growth keeps to the quota and to whole segments", "[grow]") {
  Lab lab(9, 8, model::PlaneKind::slurm);
  add_leaves(lab.fleet.pools[0], 3);
  model::Workload& w = lab.add("elastic", 1, 8);
  w.roles[0].resources.nodes = stated(model::Count{2, 8});
  w.roles[0].topology.emplace();
  w.roles[0].topology->segment = stated(std::int64_t{2});
  lab.place();
  REQUIRE(lab.plans[0].fit.growth);
  CHECK(lab.plans[0].fit.growth->to == 6);  // one pair a leaf
}

TEST_CASE("another option is taken where the one that fits alone is in the way of others", "[grow]") {
  Lab lab(4, 8, model::PlaneKind::slurm);
  lab.add("first", 1, 8).roles[0].resources.nodes = stated(model::Count{2, 2});
  model::Workload large = workload(model::Kind::batch, 4, 8), small = workload(model::Kind::batch, 2, 8);
  large.name = small.name = large.id = small.id = "either";
  large.option = "large", small.option = "small";
  plan::FleetState state(&lab.fleet);
  std::vector<plan::Plan> plans{lab.planned(lab.workloads[0], state), lab.planned(large, state)};
  plans[1].others.push_back(lab.planned(small, state));
  plans[1].lost.push_back({"small", "it also fits, but another option is preferred or comes first"});
  std::vector<plan::Plan*> all{&plans[0], &plans[1]};
  plan::place_all(state, all);
  CHECK(plans[1].fit.verdict == Verdict::fits);
  CHECK(plans[1].workload == &small);
  REQUIRE(plans[1].lost.size() == 1);
  CHECK(plans[1].lost[0].name == "large");
  CHECK(plans[1].lost[0].why.find("first") != std::string::npos);
}

}  // namespace parts_test
