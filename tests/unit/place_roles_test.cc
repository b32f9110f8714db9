// Several roles at once: one gang where they are alike, a witness or an honest "unknown" where they are not.
#include "plan/place/place_roles.h"
#include "plan/fleet/fleet_state.h"
#include "plan/pools/resolve_role.h"

#include <random>

#include "tests/catch.h"
#include "tests/oracles/together_oracle.h"
#include "tests/unit/plan_fixture.h"

namespace place_roles_test {

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
    role.resources.nodes = stated(model::Count{nodes, nodes});
    if (gpus > 0) role.resources.gpus = stated(gpus);
    role.replicas = stated(model::Count{copies, copies});
    w.roles.push_back(role);
    return w.roles.back();
  }

  plan::Fit fit() {
    Diagnostics diagnostics;
    roles.clear();
    for (const model::Role& r : w.roles)
      roles.push_back(*plan::resolve_role({r, w, site, site.planes[0], &fleet, nullptr}, diagnostics));
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
  lab.w.roles[0].resources.nodes = stated(model::Count{2, 2});
  lab.role("act", 1, 8, 2);
  const plan::Fit fit = lab.fit();
  CHECK(fit.capacity.verdict == plan::Verdict::fits);
  CHECK(placed(fit) == "learn0@h100001 learn0@h100002 act0@h100003 act1@h100004 ");
  CHECK(fit.leaf_switches == 2);
}

TEST_CASE("roles of one shape that are too many do not fit, with the sum in the certificate") {
  Lab lab;
  lab.w.roles[0].resources.nodes = stated(model::Count{4, 4});
  lab.role("act", 1, 8, 3);
  const plan::Fit fit = lab.fit();
  REQUIRE(fit.capacity.verdict == plan::Verdict::does_not_fit);
  CHECK(fit.capacity.certificate->need == 7);
  CHECK(fit.capacity.certificate->have == 6);
}

TEST_CASE("roles of unlike shapes have nodes of their own") {
  Lab lab;
  lab.w.roles[0].resources.nodes = stated(model::Count{4, 4});
  lab.role("act", 2, 4);
  const plan::Fit fit = lab.fit();
  CHECK(fit.capacity.verdict == plan::Verdict::fits);
  CHECK(placed(fit) == "learn0@h100001 learn0@h100002 learn0@h100003 learn0@h100004 act0@h100005 act0@h100006 ");
  CHECK(fit.leaf_switches == 2);
}

TEST_CASE("roles that are too many together do not fit, with the line that they are over") {
  Lab lab;
  lab.w.roles[0].resources.nodes = stated(model::Count{5, 5});
  lab.role("act", 2, 4);
  const plan::Fit fit = lab.fit();
  REQUIRE(fit.capacity.verdict == plan::Verdict::does_not_fit);
  CHECK(fit.capacity.certificate->kind == "hall");
  CHECK(fit.capacity.certificate->text ==
        "role learn and role act together need 7 nodes; the nodes of pool h100 that are available to them have 6");
  lab.w.roles[1].resources.nodes = stated(model::Count{7, 7});
  REQUIRE(lab.fit().capacity.verdict == plan::Verdict::does_not_fit);
  CHECK(lab.fit().capacity.certificate->need == 7);
}

TEST_CASE("roles that may go to another pool are refuted by every way to send them") {
  Lab lab;
  lab.fleet.pools.push_back(gpu_pool("spare", "a100", 80 * GB, 1));
  lab.w.roles[0].resources.nodes = stated(model::Count{5, 5});
  lab.role("act", 2, 4);
  REQUIRE(lab.fit().capacity.verdict == plan::Verdict::does_not_fit);
  CHECK(lab.fit().capacity.certificate->text ==
        "role learn and role act together need 7 nodes; the nodes of pool h100 that are available to them have 6");
}

TEST_CASE("pods of unlike roles share nodes on a plane of pods, each with devices of its own") {
  Lab lab;
  lab.site.planes[0].set_kind(model::PlaneKind::kubernetes);
  lab.w.roles[0].resources.nodes = stated(model::Count{6, 6});
  lab.w.roles[0].resources.gpus = stated(std::int64_t{6});
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
  lab.w.roles[0].resources.nodes = stated(model::Count{3, 3});
  lab.w.roles[0].replicas = stated(model::Count{2, 2});
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
  lab.w.roles[0].resources.nodes = stated(model::Count{4, 4});
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

namespace {

// Two pools of a few nodes with something in use, and roles that may go to either.
struct TwoPools {
  Lab lab;
  std::vector<std::vector<scheduler::Node>> nodes;  // by pool, as they are now
  std::vector<scheduler::Member> members;

  bool alike;  // so that a role may have nodes of both

  explicit TwoPools(std::mt19937& random) : alike(random() % 2 == 0) {
    lab.fleet.pools.clear();
    for (const char* name : {"a", "b"}) {
      model::Pool pool = gpu_pool(name, alike || name[0] == 'a' ? "h100" : "a100", 80 * GB,
                                  static_cast<std::int64_t>(1 + random() % 3));
      nodes.emplace_back();
      for (std::uint32_t n = 0; n < pool.node_count; ++n) {
        const auto used = static_cast<std::int64_t>(random() % 3 == 0 ? random() % 9 : 0);
        if (used > 0) pool.in_use.push_back({"job", {n}, used, {}});
        nodes.back().push_back({.gpus = static_cast<std::int32_t>(8 - used), .gpus_total = 8, .untouched = used == 0});
      }
      lab.fleet.pools.push_back(std::move(pool));
    }
    lab.w.roles.clear();
    for (std::size_t r = 0, n = 2 + random() % 2; r < n; ++r) {
      const auto count = static_cast<std::int64_t>(1 + random() % 2),
                 gpus = static_cast<std::int64_t>(2 << random() % 3);
      lab.role("r" + std::to_string(r), count, gpus - (r == 0 ? 1 : 0));
      members.push_back({{.nodes = count, .gpus = static_cast<std::int32_t>(gpus - (r == 0 ? 1 : 0))}});
    }
  }

  // Pods may share a node with others of their own role, too.
  static bool have_place(const std::vector<scheduler::Node>& on, const std::vector<scheduler::Member>& roles,
                         bool apart) {
    if (apart) return oracles::fewest_leaves(on, roles, true).has_value();
    std::vector<scheduler::Member> pods;
    for (const scheduler::Member& role : roles)
      for (std::int64_t n = 0; n < role.gang.nodes; ++n) pods.push_back(role), pods.back().gang.nodes = 1;
    return oracles::fewest_leaves(on, pods, false).has_value();
  }

  // Every way to send the roles to the pools, and on each every way to place them.
  bool has_place(bool apart) const {
    if (alike) {
      std::vector<scheduler::Node> all = nodes[0];
      for (scheduler::Node node : nodes[1]) node.leaf = 1, all.push_back(node);
      return have_place(all, members, apart);
    }
    for (unsigned way = 0; way < 1U << members.size(); ++way) {
      bool all = true;
      for (unsigned pool = 0; pool < 2 && all; ++pool) {
        std::vector<scheduler::Member> sent;
        for (std::size_t m = 0; m < members.size(); ++m)
          if ((way >> m & 1U) == pool) sent.push_back(members[m]);
        all = sent.empty() || have_place(nodes[pool], sent, apart);
      }
      if (all) return true;
    }
    return false;
  }
};

}  // namespace

TEST_CASE("roles that may go to several pools: no answer contradicts brute force", "[roles][property]") {
  std::mt19937 random(3);
  int fits = 0, refused = 0, unknown = 0;
  for (int i = 0; i < 600; ++i) {
    TwoPools two(random);
    const bool pods = random() % 2 == 0;
    if (pods) two.lab.site.planes[0] = plane("pods", model::PlaneKind::kubernetes);
    const plan::Fit fit = two.lab.fit();
    const bool truth = two.has_place(!pods);
    const plan::Verdict verdict = fit.now.verdict;
    if (verdict == plan::Verdict::fits && !truth) FAIL("case " << i << ": there is no placement");
    if (verdict == plan::Verdict::does_not_fit && truth)
      FAIL("case " << i << ": there is a placement, and " << fit.now.certificate->text << "; " << fit.now.note);
    ++(verdict == plan::Verdict::fits ? fits : verdict == plan::Verdict::unknown ? unknown : refused);
  }
  CHECK(fits > 150);
  CHECK(refused > 30);
  CHECK(unknown < 30);
}

TEST_CASE("spines above several roles are counted, with a bound", "[roles]") {
  Lab lab;
  model::Pool& pool = lab.fleet.pools[0];
  pool.leaves[0].up = "s1", pool.leaves[1].up = "s2";
  lab.w.roles[0].resources.nodes = stated(model::Count{2, 2});
  lab.role("serve", 2, 4);
  const plan::Fit two = lab.fit();
  CHECK(two.spines == 2);
  CHECK(two.spine_lower_bound == 2);
  lab.w.roles[1].resources.nodes = stated(model::Count{1, 1});
  const plan::Fit one = lab.fit();
  CHECK(one.spines == 1);
  CHECK(one.spine_lower_bound == 1);
}

}  // namespace place_roles_test
