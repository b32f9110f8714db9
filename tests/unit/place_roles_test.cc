// Several roles at once: one gang where they are alike, a witness or an honest "unknown" where they are not.
#include "plan/place_roles.h"

#include "plan/shape.h"
#include "tests/catch.h"
#include "tests/unit/plan_fixture.h"

using namespace muster;
using namespace muster::test;

namespace {

struct Lab {
  model::Fleet fleet;
  model::Site site;
  model::Workload w = workload(model::Kind::rl, 1, 8);

  Lab() {
    fleet.name = "lab";
    fleet.pools.push_back(gpu_pool("h100", "h100", 80 * GB, 6));
    add_leaves(fleet.pools[0], 3);
    site.name = "lab";
    site.planes.push_back(plane("batch", model::PlaneKind::slurm));
    w.roles[0].name = "learn";
  }

  // A role of so many nodes and GPUs, `copies` times.
  model::Role& role(std::string name, std::int64_t nodes, std::int64_t gpus, std::int64_t copies = 1) {
    model::Role role;
    role.name = std::move(name);
    role.resources.nodes = said(model::Count{nodes, nodes});
    if (gpus > 0) role.resources.gpus = said(gpus);
    role.replicas = said(model::Count{copies, copies});
    w.roles.push_back(role);
    return w.roles.back();
  }

  plan::Fit fit() {
    Diagnostics diagnostics;
    roles.clear();
    for (const model::Role& r : w.roles)
      roles.push_back(*plan::resolve_role(r, w, site, site.planes[0], &fleet, nullptr, diagnostics));
    plan::FleetState state(&fleet);
    return plan::place_roles(state, site.planes[0], nullptr, nullptr, w, roles);
  }

  std::vector<plan::RolePlan> roles;
};

std::string placed(const plan::Fit& fit) {
  std::string out;
  for (const plan::PlacedNode& p : fit.placements) out += p.role + std::to_string(p.replica) + "@" + p.node + " ";
  return out;
}

}  // namespace

TEST_CASE("roles of one shape are one gang, cut in their order") {
  Lab lab;
  lab.w.roles[0].resources.nodes = said(model::Count{2, 2});
  lab.role("act", 1, 8, 2);
  const plan::Fit fit = lab.fit();
  CHECK(fit.capacity.verdict == plan::Verdict::fits);
  CHECK(placed(fit) == "learn0@h100001 learn0@h100002 act0@h100003 act1@h100004 ");
  CHECK(fit.leaf_switches == 2);
}

TEST_CASE("roles of one shape that are too many do not fit, with the sum in the certificate") {
  Lab lab;
  lab.w.roles[0].resources.nodes = said(model::Count{4, 4});
  lab.role("act", 1, 8, 3);
  const plan::Fit fit = lab.fit();
  REQUIRE(fit.capacity.verdict == plan::Verdict::does_not_fit);
  CHECK(fit.capacity.certificate->need == 7);
  CHECK(fit.capacity.certificate->have == 6);
}

TEST_CASE("roles of unlike shapes have nodes of their own") {
  Lab lab;
  lab.w.roles[0].resources.nodes = said(model::Count{4, 4});
  lab.role("act", 2, 4);
  const plan::Fit fit = lab.fit();
  CHECK(fit.capacity.verdict == plan::Verdict::fits);
  CHECK(placed(fit) == "learn0@h100001 learn0@h100002 learn0@h100003 learn0@h100004 act0@h100005 act0@h100006 ");
  CHECK(fit.leaf_switches == 2);
}

TEST_CASE("roles that are too many together do not fit, with the line that they are over") {
  Lab lab;
  lab.w.roles[0].resources.nodes = said(model::Count{5, 5});
  lab.role("act", 2, 4);
  const plan::Fit fit = lab.fit();
  REQUIRE(fit.capacity.verdict == plan::Verdict::does_not_fit);
  CHECK(fit.capacity.certificate->kind == "hall");
  CHECK(fit.capacity.certificate->text ==
        "role learn and role act together need 7 nodes; the nodes of pool h100 that are open to them have 6");
  lab.w.roles[1].resources.nodes = said(model::Count{7, 7});
  REQUIRE(lab.fit().capacity.verdict == plan::Verdict::does_not_fit);
  CHECK(lab.fit().capacity.certificate->need == 7);
}

TEST_CASE("roles that might go to another pool are not refuted by one") {
  Lab lab;
  lab.fleet.pools.push_back(gpu_pool("spare", "h100", 80 * GB, 1));
  lab.w.roles[0].resources.nodes = said(model::Count{5, 5});
  lab.role("act", 2, 4);
  CHECK(lab.fit().capacity.verdict == plan::Verdict::unknown);
  CHECK(lab.fit().capacity.note.find("role act fits alone") != std::string::npos);
}

TEST_CASE("pods of unlike roles share nodes on a plane of pods, each with devices of its own") {
  Lab lab;
  lab.site.planes[0].kind.value = model::PlaneKind::kubernetes;
  lab.w.roles[0].resources.nodes = said(model::Count{6, 6});
  lab.w.roles[0].resources.gpus = said(std::int64_t{6});
  lab.role("act", 6, 2);
  const plan::Fit fit = lab.fit();
  REQUIRE(fit.capacity.verdict == plan::Verdict::fits);
  CHECK(fit.placements.front().gpus.front() == 0);
  CHECK(fit.placements.back().gpus == std::vector<std::int64_t>{6, 7});
  CHECK(fit.leaf_switches == 2);
  CHECK(fit.leaf_lower_bound == 2);
}

TEST_CASE("copies that start together each stay in a domain of their own choice") {
  Lab lab;
  lab.w.roles[0].resources.nodes = said(model::Count{3, 3});
  lab.w.roles[0].replicas = said(model::Count{2, 2});
  lab.w.roles[0].topology = model::Topology{{model::Within::leaf, {}}, true, {}, {}};
  CHECK(lab.fit().capacity.verdict == plan::Verdict::fits);
  CHECK(lab.roles[0].copies == 2);
  lab.fleet.pools[0].drained = {0};
  const plan::Fit fit = lab.fit();
  REQUIRE(fit.capacity.verdict == plan::Verdict::does_not_fit);
  CHECK(fit.capacity.certificate->kind == "class");
}

TEST_CASE("blocks and NVLink domains are domains like leaves") {
  Lab lab;
  model::Pool& pool = lab.fleet.pools[0];
  pool.blocks = {{"b1", {"l1", "l2"}}};
  pool.nvlink_domains = {{"d1", {0, 1}, {}}, {"d2", {2, 3}, {}}, {"d3", {4, 5}, {}}};
  lab.w.roles[0].resources.nodes = said(model::Count{4, 4});
  const auto within = [&](model::Within domain) {
    lab.w.roles[0].topology = model::Topology{{domain, {}}, true, {}, {}};
    return lab.fit();
  };
  CHECK(within(model::Within::block).capacity.verdict == plan::Verdict::fits);
  CHECK(within(model::Within::block).leaf_switches == 2);
  CHECK(within(model::Within::leaf).capacity.verdict == plan::Verdict::does_not_fit);
  const plan::Fit fit = within(model::Within::nvlink_domain);
  REQUIRE(fit.capacity.verdict == plan::Verdict::does_not_fit);
  CHECK(fit.capacity.certificate->text.find("in one NVLink domain") != std::string::npos);
  CHECK(fit.capacity.certificate->have == 2);
}
