#include "plan/pools/resolve_role.h"
#include "plan/decide/queue_choice.h"
#include "plan/pools/pool_check.h"

#include "tests/catch.h"
#include "tests/unit/plan_fixture.h"

namespace resolve_role_test {

using namespace muster;
using namespace muster::test;
using model::Compare;
using model::Kind;
using model::PlaneKind;
using model::Truth;
using PredicateKind = model::Predicate::Kind;

namespace {

model::Fleet campus() {
  model::Fleet fleet;
  fleet.name = "campus";
  fleet.pools = {gpu_pool("h", "h100", 80 * GB, 8), gpu_pool("a", "a100", 40 * GB, 4), cpu_pool("c", 4)};
  fleet.pools[1].gpu->count = 4;
  return fleet;
}

struct Result {
  std::optional<plan::RolePlan> role;
  std::string text;
};

Result resolve(const model::Workload& w, const model::Fleet* fleet,
               const model::Plane& on = plane("batch", PlaneKind::slurm), const model::Queue* queue = nullptr) {
  Diagnostics diagnostics;
  model::Site site;
  site.name = "lab";
  Result result{plan::resolve_role({w.main(), w, site, on, fleet, queue}, diagnostics), {}};
  result.text = messages_of(diagnostics);
  CHECK(result.role.has_value() == !diagnostics.has_errors());
  return result;
}

std::vector<std::string> allowed(const Result& result) {
  std::vector<std::string> names;
  REQUIRE(result.role);
  for (const model::Pool* pool : result.role->allowed) names.push_back(pool->name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("pools are filtered by model, count and memory of the GPUs", "[shape]") {
  const model::Fleet fleet = campus();
  CHECK(allowed(resolve(workload(Kind::train, 1, 4), &fleet)) == Names{"h", "a"});
  CHECK(allowed(resolve(workload(Kind::train, 1, 5), &fleet)) == Names{"h"});
  CHECK(allowed(resolve(workload(Kind::batch, 1, 0), &fleet)) == Names{"c", "h", "a"});  // GPUs last

  model::Workload w = workload(Kind::train, 1, 4);
  w.roles[0].resources.gpu = stated(Names{"A100", "mi300"});
  CHECK(allowed(resolve(w, &fleet)) == Names{"a"});
  w.roles[0].resources.gpu.reset();
  w.roles[0].resources.gpu_memory = stated(Size{80 * GB});
  CHECK(allowed(resolve(w, &fleet)) == Names{"h"});
}

TEST_CASE("no pool: every pool says in numbers why not", "[shape]") {
  model::Fleet fleet = campus();
  model::Workload w = workload(Kind::train, 1, 8);
  w.roles[0].resources.gpu_memory = stated(Size{141 * GB});
  CHECK(resolve(w, &fleet).text ==
        "no pool of plane batch meets the requirements of job\n"
        "  pool h has 80GB per GPU; 141GB are needed\n"
        "  pool a has 4 GPUs per node; 8 are needed\n"
        "  pool c has no GPUs; 8 GPUs per node are needed\n");
  fleet.pools[0].gpu->memory = {};
  CHECK(resolve(w, &fleet).text.find("pool h does not declare the memory of its GPUs; 141GB are needed") !=
        std::string::npos);
  w.roles[0].resources.gpu = stated(Names{"b200", "h200"});
  CHECK(resolve(w, &fleet).text.find("pool h has h100 GPUs; b200 or h200 is needed") != std::string::npos);
}

TEST_CASE("planes and queues own pools", "[shape]") {
  const model::Fleet fleet = campus();
  const model::Workload w = workload(Kind::train, 1, 8);
  CHECK(resolve(w, &fleet, plane("batch", PlaneKind::slurm, {"a"})).text ==
        "no pool of plane batch meets the requirements of job\n"
        "  pool h is suitable, but not a pool of plane batch\n"
        "  pool a has 4 GPUs per node; 8 are needed\n");
  model::Queue debug = queue("debug");
  debug.pools = {{"a", {}}};
  CHECK(resolve(w, &fleet, plane("batch", PlaneKind::slurm), &debug)
            .text.find("pool h is suitable, but not a pool of queue debug") != std::string::npos);
  CHECK(allowed(resolve(workload(Kind::train, 1, 1), &fleet, plane("batch", PlaneKind::slurm), &debug)) == Names{"a"});
}

TEST_CASE("require is three-valued: what is not declared does not pass", "[shape]") {
  model::Fleet fleet = campus();
  fleet.pools[1].fabric.clear();
  model::Workload w = workload(Kind::train, 1, 4);
  const auto fabric = term("network.fabric", Compare::in, {std::string("infiniband"), std::string("roce")});
  w.roles[0].requires_ = {fabric};
  CHECK(allowed(resolve(w, &fleet)) == Names{"h"});
  CHECK(plan::check_pool(w.main(), fleet.pools[1]).meets == Truth::unknown);
  CHECK(plan::check_pool(w.main(), fleet.pools[1]).why ==
        "pool a does not declare network.fabric, which `network.fabric in [infiniband, roce]` uses");

  // The other operand decides.
  w.roles[0].requires_ = {
      combine(PredicateKind::any, {fabric, term("gpu.model", Compare::equal, {std::string("A100")})})};
  CHECK(allowed(resolve(w, &fleet)) == Names{"h", "a"});

  w.roles[0].requires_ = {term("gpu.memory", Compare::at_least, {141 * GB})};
  CHECK(plan::check_pool(w.main(), fleet.pools[0]).why ==
        "pool h does not meet `gpu.memory >= 141GB`: gpu.memory is 80GB");

  // A need that fails is named before one that cannot be checked.
  w.roles[0].requires_ = {fabric, term("gpu.memory", Compare::at_least, {80 * GB})};
  CHECK(plan::check_pool(w.main(), fleet.pools[1]).meets == Truth::no);
  CHECK(plan::check_pool(w.main(), fleet.pools[1]).why ==
        "pool a does not meet `gpu.memory >= 80GB`: gpu.memory is 40GB");
}

TEST_CASE("conditions on GPUs have an answer where there are none", "[shape]") {
  model::Workload w = workload(Kind::batch, 1, 0);
  w.roles[0].requires_ = {combine(PredicateKind::negation, {term("gpu.model", Compare::equal, {std::string("h100")})})};
  CHECK(plan::check_pool(w.main(), cpu_pool("c", 1)).meets == Truth::yes);
  CHECK(plan::check_pool(w.main(), gpu_pool("h", "h100", 80 * GB, 1)).meets == Truth::no);
}

TEST_CASE("nodes are named by conditions of their own", "[shape]") {
  model::Fleet fleet = campus();
  model::Workload w = workload(Kind::train, 1, 4);
  auto& require = w.roles[0].requires_;
  const auto node = [](Compare compare, std::vector<model::FactValue> names) {
    return term("node.name", compare, std::move(names));
  };

  require = {combine(PredicateKind::negation, {node(Compare::in, {std::string("h003"), std::string("h001")})}),
             combine(PredicateKind::all, {node(Compare::not_equal, {std::string("a001")}),
                                          term("cpu.arch", Compare::equal, {std::string("amd64")})})};
  const Result excluded = resolve(w, &fleet);
  CHECK(allowed(excluded) == Names{"h", "a"});
  CHECK(excluded.role->not_nodes == Names{"a001", "h001", "h003"});
  CHECK(excluded.role->only_nodes.empty());

  require = {node(Compare::in, {std::string("h[002-004]")}),
             node(Compare::in, {std::string("h003"), std::string("a001")})};
  const Result only = resolve(w, &fleet);
  CHECK(allowed(only) == Names{"h"});
  CHECK(only.role->only_nodes == Names{"h003"});

  require = {node(Compare::equal, {std::string("h001")}), node(Compare::equal, {std::string("h002")})};
  CHECK(resolve(w, &fleet).text.find("pool h: the conditions on node.name leave no node") != std::string::npos);

  require = {node(Compare::equal, {std::string("h01")})};
  CHECK(resolve(w, &fleet).text == "fleet campus has no node `h01`\n  did you mean `h001`?\n");

  require = {combine(PredicateKind::any, {node(Compare::equal, {std::string("h001")}),
                                          term("gpu.model", Compare::equal, {std::string("a100")})})};
  CHECK(resolve(w, &fleet).text.find("`node.name` requires a `require` statement of its own") == 0);
  CHECK(resolve(w, nullptr).text.find("`node.name` requires a `require` statement of its own") == 0);

  require.clear();
  w.roles[0].prefers = {{node(Compare::equal, {std::string("h001")}), 1}};
  CHECK(resolve(w, &fleet).text.find("`node.name` requires a `require` statement of its own") == 0);
}

TEST_CASE("a pool without node names cannot promise a node", "[shape]") {
  model::Fleet fleet = campus();
  fleet.pools[0].node_names.clear();
  model::Workload w = workload(Kind::train, 1, 8);
  w.roles[0].requires_ = {term("node.name", Compare::not_equal, {std::string("h001")})};
  CHECK(resolve(w, &fleet).text.find(
            "pool h declares a number of nodes but no names, so node.name cannot be checked") != std::string::npos);
}

TEST_CASE("prefer orders pools, its weights add up", "[shape]") {
  const model::Fleet fleet = campus();
  model::Workload w = workload(Kind::train, 1, 4);
  const auto h100 = term("gpu.model", Compare::equal, {std::string("H100")});
  w.roles[0].prefers = {{h100, 3}};
  CHECK(allowed(resolve(w, &fleet)) == Names{"h", "a"});
  w.roles[0].prefers.push_back({combine(PredicateKind::negation, {h100}), 4});
  CHECK(allowed(resolve(w, &fleet)) == Names{"a", "h"});
  w.roles[0].prefers = {{term("pool.zone", Compare::equal, {std::string("z1")}), 9}};  // not declared
  CHECK(plan::prefer_weight(w.main(), fleet.pools[0]) == 0);
}

TEST_CASE("amounts default to the GPUs' share of the node", "[shape]") {
  const model::Fleet fleet = campus();
  model::Workload w = workload(Kind::train, 2, 3);
  w.roles[0].resources.gpu = stated(Names{"h100"});
  const auto role = *resolve(w, &fleet).role;
  CHECK(role.nodes == 2);
  CHECK(role.gpus == 3);
  CHECK(role.cpus == 70);  // floor(188 * 3 / 8)
  CHECK(role.memory == Size{std::int64_t{1968 * GB * 3 / 8 / (1 << 20)} << 20});
  CHECK(!role.all_cpus);

  const auto alone = *resolve(w, nullptr).role;
  CHECK(alone.pool == nullptr);
  CHECK(alone.allowed.empty());
  CHECK(!alone.cpus);
  CHECK(!alone.memory);
  CHECK(!resolve(workload(Kind::batch, 1, 0), &fleet).role->cpus);
}

TEST_CASE("a part of a GPU has its share of the node", "[shape]") {
  model::Fleet fleet = campus();
  for (model::Pool& pool : fleet.pools)
    if (pool.gpu) pool.gpu->slices = {"2g.20gb", "odd"};
  model::Workload w = workload(Kind::batch, 1, 0);
  w.roles[0].resources.gpu = stated(Names{"h100"});
  w.roles[0].resources.gpu_share = stated(std::int64_t{50});
  auto role = *resolve(w, &fleet).role;
  CHECK(role.cpus == 11);  // floor(188 / 8 / 2)
  CHECK(role.memory == Size{std::int64_t{1968 * GB / 16 / (1 << 20)} << 20});

  w.roles[0].resources.gpu_share.reset();
  w.roles[0].resources.gpu_slice = stated(std::string("2g.20gb"));
  role = *resolve(w, &fleet).role;
  CHECK(role.cpus == 6);  // floor(188 / 8 * 2 / 7)
  CHECK(role.memory == Size{std::int64_t{1968 * GB * 2 / 56 / (1 << 20)} << 20});

  w.roles[0].resources.gpu_slice = stated(std::string("odd"));  // of an unknown size: no more than a whole GPU's
  CHECK(resolve(w, &fleet).role->cpus == 23);
}

TEST_CASE("ranges take the upper end, all and exclusive the whole node", "[shape]") {
  const model::Fleet fleet = campus();
  model::Workload w = workload(Kind::train, 1, 8);
  w.roles[0].resources.cpus = stated(model::Amount<std::int64_t>{false, 48, 96});
  w.roles[0].resources.memory = stated(model::Amount<Size>{true, {}, {}});
  auto role = *resolve(w, &fleet).role;
  CHECK(role.cpus == 96);
  CHECK(role.all_memory);
  CHECK(role.memory == Size{1968 * GB});
  CHECK(!resolve(w, nullptr).role->memory);

  w.roles[0].resources.memory.reset();
  w.roles[0].resources.exclusive = stated(true);
  w.roles[0].resources.gpus = stated(std::int64_t{2});
  w.roles[0].resources.gpu = stated(Names{"h100"});
  role = *resolve(w, &fleet).role;
  CHECK(role.exclusive);
  CHECK(role.cpus == 96);  // written
  CHECK(!role.all_cpus);
  CHECK(role.all_memory);
  CHECK(role.memory == Size{1968 * GB});
}

TEST_CASE("the queue is the one named, the default or the only one", "[shape]") {
  Diagnostics diagnostics;
  model::Site site;
  site.name = "lab";
  model::Workload w = workload(Kind::train, 1, 8);
  const auto chosen = [&] { return plan::choose_queues(w, site, nullptr, diagnostics); };
  using Queues = std::vector<const model::Queue*>;
  CHECK(chosen() == Queues{nullptr});
  site.queues = {queue("short")};
  CHECK(chosen() == Queues{&site.queues[0]});
  site.queues = {queue("short"), queue("train")};
  CHECK(chosen() == Queues{nullptr});
  site.queues[1].is_default = true;
  CHECK(chosen() == Queues{&site.queues[1]});
  const auto name = [](const char* text) { return model::Located<std::string>{text, {}}; };
  w.queues = {name("short")};
  CHECK(chosen() == Queues{&site.queues[0]});
  w.queues = {name("train"), name("night"), name("short")};
  CHECK(chosen() == Queues{&site.queues[1], &site.queues[0]});
  CHECK(diagnostics.empty());
  w.queues = {name("trian")};
  CHECK(chosen().empty());
  CHECK(messages_of(diagnostics) ==
        "site lab has no queue `trian`\n  its queues are `short` and `train`\n  fix: train\n");
}

}  // namespace resolve_role_test
