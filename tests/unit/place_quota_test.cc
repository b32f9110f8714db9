// A tenant's quotas, where the nodes of a workload are of several pools.
#include "plan/place/place_within_quota.h"

#include <algorithm>

#include "tests/catch.h"
#include "tests/property/random.h"
#include "tests/unit/plan_text.h"

namespace place_quota_test {

using namespace muster;
using namespace muster::test;
using plan::Verdict;

namespace {

struct PoolOf {
  std::string name;
  std::int64_t nodes;
  std::string quota{};  // "gpus = 4"; "": none
};

const std::string slurm = "kind = slurm", pods = "kind = kubernetes  gang = volcano  level leaf { tier = 1 }";

// Pools of one kind of node, which a file does not tell apart, and workloads of the tenant `ml`.
std::unique_ptr<Planned> plan_on(const std::vector<PoolOf>& pools, const std::vector<std::string>& workloads,
                                 const std::string& plane = slurm) {
  std::string fleet, quotas, text;
  for (const PoolOf& pool : pools) {
    if (pool.nodes > 0)
      fleet += "pool " + pool.name + " { nodes = \"" + pool.name + "[1-" + std::to_string(pool.nodes) +
               "]\"  gpu { model = h100  memory = 80GB  count = 8 }  node { cpus = 64  memory = 1TB } }\n";
    if (!pool.quota.empty()) quotas += "quota " + pool.name + " { " + pool.quota + " }\n";
  }
  for (std::size_t w = 0; w < workloads.size(); ++w)
    text += "workload w" + std::to_string(w + 1) + " { image = \"x:1\"  command = [\"x\"]  " + workloads[w] + " }\n";
  return plan_text("fleet f {\n" + fleet + "}\nsite s { fleet = f\nplane p { " + plane +
                   " }\nqueue main { default = true }\ntenant ml {\n" + quotas + "} }\n" + text);
}

std::string nodes(std::int64_t count) { return "kind = train  nodes = " + std::to_string(count) + "  gpu = H100:8"; }

std::int64_t on(const plan::Fit& fit, const std::string& pool) {
  return std::count_if(fit.placements.begin(), fit.placements.end(), [&](const auto& n) { return n.pool == pool; });
}

std::string text(const plan::Level& level) { return level.certificate ? level.certificate->text : level.note; }

}  // namespace

TEST_CASE("a gang has as many nodes of each pool as its tenant may use", "[place][quota]") {
  const auto planned = [](const std::string& of_m, std::int64_t count) {
    return plan_on({{"m", 4, of_m}, {"b", 9, "nodes = 1"}}, {nodes(count)});
  };
  const auto five = planned("", 5);
  CHECK(five->fit().verdict == Verdict::fits);
  CHECK(text(five->fit().now) == "on nodes of the pools m and b");
  CHECK(on(five->fit(), "m") == 4);
  CHECK(on(five->fit(), "b") == 1);
  const auto six = planned("", 6);
  CHECK(six->fit().capacity.verdict == Verdict::fits);
  CHECK(text(six->fit().policy) == "needs 6 nodes; within the quotas of tenant ml pools m and b have room for 5");
  const auto two = planned("nodes = 1", 2);
  CHECK(two->fit().verdict == Verdict::fits);
  CHECK(on(two->fit(), "m") == 1);
  CHECK(text(planned("nodes = 1", 3)->fit().policy) ==
        "requests 3 nodes of pools m and b; the quotas of tenant ml allow 2");
}

TEST_CASE("pods that share nodes of several pools stay within the quotas of both", "[place][quota]") {
  const std::string pod = "gpu = H100:2  cpus = 4  memory = 8GB  ";
  const std::vector<PoolOf> pools = {{"m", 1}, {"b", 3, "gpus = 4"}};
  const auto gang = plan_on(pools, {"kind = train  nodes = 6  " + pod}, pods);
  CHECK(gang->fit().verdict == Verdict::fits);
  CHECK(on(gang->fit(), "b") == 2);
  const auto service = plan_on(pools, {"kind = serve  replicas = 7  port http { number = 80 }  " + pod}, pods);
  CHECK(text(service->fit().policy) ==
        "needs 7 pods; within the quotas of tenant ml pools m and b have room for 6; 6 of 7 replicas fit");
  CHECK(service->fit().at_once.possible == 6);
}

TEST_CASE("what others of the tenant have of each pool is not there for a gang on several", "[place][quota]") {
  const auto three = plan_on({{"m", 4, "nodes = 3"}, {"b", 9, "nodes = 2"}}, {nodes(3), nodes(2), nodes(1)});
  CHECK(three->fit(0).verdict == Verdict::fits);
  CHECK(three->fit(1).verdict == Verdict::fits);
  REQUIRE(three->fit(2).policy.verdict == Verdict::does_not_fit);
  CHECK(text(three->fit(2).policy) ==
        "beside w1, w2 requests 1 node of pools m and b; the quotas of tenant ml allow 0");
}

TEST_CASE("what is over a quota beside others that could be on another pool is not known", "[place][quota]") {
  const auto policy = [](const std::string& first) {
    const auto planned = plan_text(
        "fleet f {\n pool a { nodes = \"a[1-4]\"  zone = \"east\"  gpu { model = h100  memory = 80GB  count = 8 }\n"
        "  node { cpus = 64  memory = 1TB } }\n pool b { nodes = \"b[1-4]\"  zone = \"west\"\n"
        "  gpu { model = h100  memory = 80GB  count = 8 }  node { cpus = 64  memory = 1TB } }\n}\n"
        "site s { fleet = f\n plane p { kind = slurm }\n queue main { default = true }\n tenant t { accounts = [\"x\"] "
        " quota a { nodes = 2 } } }\n"
        "workload w1 { kind = train  account = x  command = [\"x\"]  nodes = 2  gpus = 8  " +
        first +
        " }\n"
        "workload w2 { kind = train  account = x  command = [\"x\"]  nodes = 1  gpus = 8  require pool.zone == "
        "\"east\" }\n");
    return planned->fit(1).policy;
  };
  const std::string over = "with w1 requests 3 nodes of pool a; tenant t can use 2";
  const plan::Level free = policy("");
  CHECK(free.verdict == Verdict::unknown);
  CHECK(text(free) == over + "; some of the others could have nodes of another pool");
  const plan::Level bound = policy("require pool.zone == \"east\"");
  CHECK(bound.verdict == Verdict::does_not_fit);
  CHECK(text(bound) == over);
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
    std::vector<PoolOf> pools;
    std::vector<std::int64_t> quotas;
    std::int64_t room = 0, allowed = 0;
    for (std::int64_t p = 0, many = 2 + random.upto(1); p < many; ++p) {
      quotas.push_back(1 + random.upto(5));  // 6: none
      pools.push_back({"p" + std::to_string(p), 1 + random.upto(4),
                       quotas.back() < 6 ? "nodes = " + std::to_string(quotas.back()) : ""});
      room += pools.back().nodes;
      allowed += std::min(pools.back().nodes, quotas.back());
    }
    const std::int64_t asked = 1 + random.upto(8);
    const auto planned = plan_on(pools, {nodes(asked)});
    const plan::Fit& fit = planned->fit();
    INFO("case " << i << ": " << asked << " nodes of " << room << ", allowed " << allowed << ": " << text(fit.policy));
    CHECK((fit.capacity.verdict == Verdict::fits) == (asked <= room));
    if (asked <= room) CHECK((fit.policy.verdict == Verdict::fits) == (asked <= allowed));
    if (fit.verdict != Verdict::fits) continue;
    CHECK(fit.placements.size() == static_cast<std::size_t>(asked));
    for (std::size_t p = 0; p < pools.size(); ++p) CHECK(on(fit, pools[p].name) <= quotas[p]);
  }
}

TEST_CASE("of an exclusive job a quota counts all CPUs of each node, whatever it asks for", "[place][quota]") {
  const auto policy = [](int most, int count) {
    const auto planned = plan_text(
        "fleet f {\n pool a { nodes = \"a[1-2]\"  node { cpus = 16  memory = 64GiB } }\n"
        " pool b { nodes = \"b[1-2]\"  node { cpus = 16  threads-per-core = 2  memory = 64GiB } }\n}\n"
        "site s { fleet = f  plane p { kind = slurm }  queue q { default = true }\n tenant t { accounts = [\"t\"]  "
        "quota "
        "\"*\" { cpus = " +
        std::to_string(most) +
        " } } }\nworkload w { kind = train  account = t  command = [\"x\"]  resources { nodes = " +
        std::to_string(count) + "  cpus = 3  exclusive = true } }\n");
    return planned->fit().verdict;
  };
  // Nodes of 16 and of 32 CPUs. Slurm takes nodes and compares their amounts then: which ones is not known.
  CHECK(policy(15, 1) == Verdict::does_not_fit);
  CHECK(policy(16, 1) == Verdict::unknown);
  CHECK(policy(32, 1) == Verdict::fits);
  CHECK(policy(31, 2) == Verdict::does_not_fit);
  CHECK(policy(32, 2) == Verdict::unknown);
  CHECK(policy(64, 2) == Verdict::fits);
  CHECK(policy(63, 3) != Verdict::fits);
}

TEST_CASE("a choice of pools with room within its quota is taken before one without", "[place][quota]") {
  // On the pools a and c, which are one choice, one node is within the quota; pool b is the other choice.
  const auto fit = [](int of_b) {
    const auto planned = plan_text(
        "fleet f {\n pool a { nodes = \"a[1-2]\"  gpu { model = h100  memory = 80GB  count = 4 }  node { cpus = 16  "
        "memory = 64GiB } }\n pool c { nodes = \"c1\"  gpu { model = h100  memory = 80GB  count = 4 }  node { cpus = "
        "16  "
        "memory = 64GiB } }\n pool b { nodes = \"b[1-" +
        std::to_string(of_b) +
        "]\"  gpu { model = a100  memory = 80GB  count = 4 }  node { cpus = 16  memory = 64GiB } }\n}\n"
        "site s { fleet = f  plane p { kind = slurm }  queue q { default = true }\n tenant t { accounts = [\"t\"]  "
        "quota "
        "a { cpus = 7 } } }\nworkload w { kind = train  account = t  command = [\"x\"]  nodes = 2  gpus = 4  cpus = 16 "
        " memory = 2GiB }\n");
    return std::pair(planned->fit().verdict, planned->fit().pool);
  };
  CHECK(fit(2) == std::pair(Verdict::fits, std::string("b")));
  CHECK(fit(1).first == Verdict::does_not_fit);
}

TEST_CASE("a quota of all pools together counts whatever pool the nodes are of", "[place][quota]") {
  const auto planned = [](const std::string& together, const std::string& of_m, std::int64_t count) {
    return plan_on({{"m", 4, of_m}, {"b", 9}, {"\"*\"", 0, together}}, {nodes(count)});
  };
  CHECK(planned("gpus = 48", "", 6)->fit().verdict == Verdict::fits);
  const auto seven = planned("gpus = 48", "", 7);
  CHECK(seven->fit().policy.verdict == Verdict::does_not_fit);
  CHECK(text(seven->fit().policy).find("56 GPUs of all pools together") != std::string::npos);
  CHECK(planned("gpus = 48", "gpus = 8", 6)->fit().policy.verdict == Verdict::fits);
  CHECK(planned("nodes = 5", "", 6)->fit().policy.verdict == Verdict::does_not_fit);
}

}  // namespace place_quota_test
