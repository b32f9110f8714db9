// Facts to a decision at a site, and the target that takes it.
#include "plan/decide/decide.h"
#include "cli/seed_json.h"

#include <algorithm>

#include "plan/steps/make_plan.h"
#include "rules/profiles.h"
#include "tests/catch.h"

namespace decide_test {

namespace {

using namespace muster;
using model::FactValue;
using model::Kind;
using model::PlaneKind;
using model::Runner;
using plan::Decision;

using Values = std::vector<std::pair<std::string, FactValue>>;

FactValue word(std::string text) { return text; }
FactValue number(std::int64_t n) { return n; }

plan::Facts facts_of(const Values& values) {
  plan::Facts facts;
  for (const auto& [name, value] : values) facts.items.push_back({name, value, plan::FactSource::derived, {}, {}});
  return facts;
}

model::Site site_of(const std::vector<PlaneKind>& kinds) {
  model::Site site;
  site.name = "lab";
  for (const PlaneKind kind : kinds) {
    model::Plane plane;
    plane.name = "plane" + std::to_string(site.planes.size());
    plane.set_kind(kind);
    site.planes.push_back(std::move(plane));
  }
  return site;
}

model::Workload workload_of(Kind kind, std::int64_t nodes = 1, Runner runner = Runner::none) {
  model::Workload workload;
  workload.kind = {kind, {}};
  model::Role role;
  role.resources.nodes = {{{nodes, nodes}, {}}};
  role.launch.runner = {runner, {}};
  workload.roles = {role};
  return workload;
}

struct Answer {
  Decision decision;
  std::string target;
};

Answer ask(const Values& values, const std::vector<PlaneKind>& kinds, const model::Workload& workload,
           std::string_view profile = "default") {
  const model::Policy policy = rules::profile(profile);
  const model::Site site = site_of(kinds);
  Diagnostics diagnostics;
  const auto decision = plan::decide(policy, facts_of(values), &site, diagnostics);
  REQUIRE(decision);
  CHECK(diagnostics.empty());
  const auto plane =
      std::find_if(site.planes.begin(), site.planes.end(), [&](const auto& p) { return p.name == decision->plane; });
  const model::Plane* chosen = plane == site.planes.end() ? nullptr : &*plane;
  const std::vector<std::string> targets = plan::targets_of(*decision, workload, chosen);
  return {*decision, targets.empty() ? std::string() : targets.front()};
}

bool has(const std::vector<plan::Choice>& choices, std::string_view value) {
  return std::any_of(choices.begin(), choices.end(), [&](const auto& c) { return c.value == value; });
}

const Values slurm_site{{"existing", word("slurm")}};
const Values kubernetes_site{{"existing", word("kubernetes")}};

Values with(Values base, const Values& more) {
  base.insert(base.end(), more.begin(), more.end());
  return base;
}

}  // namespace

TEST_CASE("case 1: a sweep at a university's Slurm", "[decide]") {
  const auto [d, target] = ask(with(slurm_site, {{"kind", word("sweep")},
                                                 {"nodes", number(1)},
                                                 {"fleet-nodes", number(500)},
                                                 {"multi-tenant", FactValue(true)}}),
                               {PlaneKind::slurm}, workload_of(Kind::sweep));
  CHECK(d.control_plane == "slurm");
  CHECK(target == "slurm");
  CHECK(has(d.requires_, "slurmdbd-fairshare"));
  CHECK(has(d.advice, "plane-missing"));
}

TEST_CASE("case 2: a one-node fine-tune at the same site", "[decide]") {
  const auto [d, target] = ask(with(slurm_site, {{"kind", word("train")},
                                                 {"nodes", number(1)},
                                                 {"tightly-coupled", FactValue(true)},
                                                 {"bare-metal", FactValue(true)}}),
                               {PlaneKind::slurm}, workload_of(Kind::train, 1, Runner::torchrun));
  CHECK(d.control_plane == "slurm");
  CHECK(target == "slurm");
  CHECK_FALSE(has(d.requires_, "gang-scheduler"));
}

TEST_CASE("case 3: 64 nodes with an image under pyxis", "[decide]") {
  const auto [d, target] = ask(with(slurm_site, {{"kind", word("train")},
                                                 {"nodes", number(64)},
                                                 {"tightly-coupled", FactValue(true)},
                                                 {"bare-metal", FactValue(true)}}),
                               {PlaneKind::slurm}, workload_of(Kind::train, 64, Runner::torchrun));
  CHECK(target == "slurm");
  CHECK(d.advice.empty());
  // Without a container runtime the site's plane is still the answer; the target says what it lacks.
  const auto bare = ask(with(slurm_site, {{"nodes", number(64)}, {"tightly-coupled", FactValue(true)}}),
                        {PlaneKind::slurm}, workload_of(Kind::train, 64));
  CHECK(bare.decision.control_plane == "slurm");
  CHECK(has(bare.decision.advice, "plane-missing"));
}

TEST_CASE("case 4: 32 nodes on bare-metal Kubernetes", "[decide]") {
  const auto [d, target] =
      ask(with(kubernetes_site, {{"kind", word("train")}, {"nodes", number(32)}, {"tightly-coupled", FactValue(true)}}),
          {PlaneKind::kubernetes}, workload_of(Kind::train, 32, Runner::torchrun));
  CHECK(d.control_plane == "kubernetes");
  CHECK(d.plane == "plane0");
  CHECK(target == "jobset");
  CHECK(has(d.requires_, "gang-scheduler"));
  CHECK(has(d.requires_, "topology-aware-placement"));
  CHECK(d.advice.empty());
}

TEST_CASE("cases 5 and 6: a model served over two nodes", "[decide]") {
  const Values serve = with(kubernetes_site, {{"kind", word("serve")},
                                              {"nodes", number(2)},
                                              {"tightly-coupled", FactValue(true)},
                                              {"long-lived-services", FactValue(true)}});
  const auto metal = ask(serve, {PlaneKind::kubernetes}, workload_of(Kind::serve, 2));
  CHECK(metal.target == "lws");
  CHECK_FALSE(has(metal.decision.requires_, "fabric-attachment"));
  const auto cloud =
      ask(with(serve, {{"pool-fabric", FactValue(true)}}), {PlaneKind::kubernetes}, workload_of(Kind::serve, 2));
  CHECK(has(cloud.decision.requires_, "fabric-attachment"));
  CHECK_FALSE(has(cloud.decision.advice, "consider-hybrid"));
  CHECK(has(cloud.decision.advice, "serving-layer"));
}

TEST_CASE("cases 7 and 8: a notebook goes where there is a plane", "[decide]") {
  const Values notebook{{"kind", word("dev")}, {"nodes", number(1)}, {"edge-or-dev", FactValue(true)}};
  const auto slurm = ask(with(slurm_site, with(notebook, {{"fleet-nodes", number(1000)}})), {PlaneKind::slurm},
                         workload_of(Kind::dev));
  CHECK(slurm.target == "slurm");
  CHECK_FALSE(has(slurm.decision.advice, "edge-ignored"));
  CHECK_FALSE(has(slurm.decision.advice, "k3s-envelope"));
  const auto managed = ask(with(kubernetes_site, with(notebook, {{"fleet-nodes", number(4)}})), {PlaneKind::kubernetes},
                           workload_of(Kind::dev));
  CHECK(managed.decision.control_plane == "kubernetes");
  CHECK(managed.target == "kubernetes");
  CHECK_FALSE(has(managed.decision.advice, "plane-missing"));
}

TEST_CASE("case 9: GRPO on Slurm", "[decide]") {
  const auto [d, target] = ask(with(slurm_site, {{"kind", word("rl")},
                                                 {"nodes", number(4)},
                                                 {"tightly-coupled", FactValue(true)},
                                                 {"python-native-pipeline", FactValue(true)},
                                                 {"bare-metal", FactValue(true)}}),
                               {PlaneKind::slurm}, workload_of(Kind::rl, 4, Runner::ray));
  CHECK(target == "ray-on-slurm");
  CHECK(d.runtime == "ray");
  CHECK(has(d.requires_, "ray-on-slurm"));
}

TEST_CASE("case 10: 200 shards of batch inference on Slurm", "[decide]") {
  CHECK(ask(with(slurm_site, {{"kind", word("batch")}, {"nodes", number(1)}}), {PlaneKind::slurm},
            workload_of(Kind::batch))
            .target == "slurm");
}

// No rule is asked: the language has no word for a slice of a topology.
TEST_CASE("case 11: a TPU slice is refused by name", "[decide]") {
  const model::Policy policy = rules::profile("default");
  model::Fleet fleet;
  fleet.pools.resize(1);
  fleet.pools[0].name = "t";
  fleet.pools[0].node_count = 4;
  fleet.pools[0].cpus = 64;
  fleet.pools[0].memory = Size{1'000'000'000'000};
  fleet.pools[0].gpu = model::Gpu{.model = "tpu-v5e", .memory = {}, .count = 4, .link = {}, .span = {}};
  const auto refused = [&](const model::Workload& workload, PlaneKind kind, const model::Fleet* of) {
    const model::Site site = site_of({kind});
    plan::PlanRequest request;
    request.workload = &workload;
    request.site = &site;
    request.site_given = true;
    request.fleet = of;
    request.policy = &policy;
    Diagnostics diagnostics;
    CHECK_FALSE(plan::make_plan(request, diagnostics).plan);
    const auto sorted = diagnostics.sorted();
    REQUIRE(sorted.size() == 1);
    return sorted[0].code == Code::tpu && sorted[0].message.starts_with("TPUs (`");
  };
  for (const PlaneKind kind : {PlaneKind::slurm, PlaneKind::kubernetes}) {
    model::Workload named = workload_of(Kind::train, 4);
    named.roles[0].resources.gpus = {{4, {}}};
    CHECK(refused(named, kind, &fleet));  // GPUs were asked for, and TPUs would be given
    named.roles[0].resources.gpu = {{{"TPU-v5e"}, {}}};
    CHECK(refused(named, kind, nullptr));
  }
}

TEST_CASE("a site with both planes", "[decide]") {
  const auto plane = [](std::string kind, bool coupled) {
    const Values facts{{"existing", word("both")},
                       {"kind", word(std::move(kind))},
                       {"nodes", number(coupled ? 4 : 1)},
                       {"tightly-coupled", FactValue(coupled)}};
    return ask(facts, {PlaneKind::slurm, PlaneKind::kubernetes}, workload_of(Kind::train)).decision.control_plane;
  };
  CHECK(plane("serve", false) == "kubernetes");
  CHECK(plane("serve", true) == "kubernetes");
  for (const char* kind : {"train", "rl", "mpi", "batch", "dev"}) CHECK(plane(kind, true) == "slurm");
  for (const char* kind : {"batch", "sweep", "mpi", "train", "rl"}) CHECK(plane(kind, false) == "slurm");
  CHECK(plane("dev", false) == "kubernetes");
}

TEST_CASE("k3s counts as kubernetes, and the answer bears the plane's kind", "[decide]") {
  const Values facts = with(kubernetes_site, {{"nodes", number(1)}});
  const auto k3s = ask(facts, {PlaneKind::slurm, PlaneKind::k3s}, workload_of(Kind::train));
  CHECK(k3s.decision.control_plane == "k3s");
  CHECK(k3s.decision.plane == "plane1");
  CHECK(std::any_of(k3s.decision.choices.begin(), k3s.decision.choices.end(),
                    [](const auto& c) { return c.output == "control-plane" && c.value == "k3s"; }));
  // The plane of the very kind goes before its relative.
  CHECK(ask(facts, {PlaneKind::k3s, PlaneKind::kubernetes}, workload_of(Kind::train)).decision.plane == "plane1");
  // Where nobody named a site, the answer keeps the rules' word.
  const auto unknown = ask({{"nodes", number(1)}, {"edge-or-dev", FactValue(true)}, {"existing", word("unknown")}},
                           {PlaneKind::kubernetes}, workload_of(Kind::dev));
  CHECK(unknown.decision.control_plane == "k3s");
  CHECK(unknown.decision.plane == "plane0");
}

TEST_CASE("no plane, no target", "[decide]") {
  const auto [d, target] =
      ask({{"existing", word("none")}, {"nodes", number(2)}, {"python-native-pipeline", FactValue(true)}}, {},
          workload_of(Kind::train, 2));
  CHECK(d.control_plane == "none");
  CHECK(d.plane.empty());
  CHECK(target.empty());
  CHECK(d.requires_.empty());
  CHECK(has(d.advice, "plane-missing"));
}

TEST_CASE("the target of a kubernetes decision", "[decide]") {
  Decision d;
  d.control_plane = "kubernetes";
  d.runtime = "native";
  d.choices = {{"coupled", "none", {}, {}, {}, {}}};
  const auto target = [&](const model::Workload& w) { return plan::targets_of(d, w, nullptr).front(); };
  CHECK(target(workload_of(Kind::train, 4)) == "kubernetes");
  CHECK(target(workload_of(Kind::mpi, 4)) == "mpijob");
  CHECK(target(workload_of(Kind::train, 4, Runner::mpi)) == "mpijob");
  CHECK(target(workload_of(Kind::serve, 1)) == "kubernetes");
  CHECK(target(workload_of(Kind::serve, 2)) == "lws");
  d.choices[0].value = "multi-node";
  CHECK(target(workload_of(Kind::train, 4)) == "jobset");
  CHECK(target(workload_of(Kind::rl, 4)) == "jobset");
  for (const Kind kind : {Kind::batch, Kind::sweep, Kind::dev}) CHECK(target(workload_of(kind, 4)) == "kubernetes");
  d.runtime = "ray";
  CHECK(target(workload_of(Kind::rl, 4)) == "kuberay");
  d.control_plane = "k3s";
  CHECK(target(workload_of(Kind::serve, 1)) == "kuberay");
}

TEST_CASE("choices carry the row and what it read", "[decide]") {
  Diagnostics diagnostics;
  const model::Policy policy = rules::profile("greenfield");
  const auto d = plan::decide(policy,
                              facts_of({{"nodes", number(8)},
                                        {"tightly-coupled", FactValue(true)},
                                        {"bare-metal", FactValue(true)},
                                        {"kind", word("train")}}),
                              nullptr, diagnostics);
  REQUIRE(d);  // `kind` is no fact of greenfield and left aside
  CHECK(d->profile == "greenfield");
  CHECK(d->profile_version == policy.version);
  const auto plane =
      std::find_if(d->choices.begin(), d->choices.end(), [](const auto& c) { return c.output == "control-plane"; });
  REQUIRE(plane != d->choices.end());
  CHECK(plane->rule == "CP-010");
  CHECK(plane->because == "coupled=multi-node, bare-metal=true");
  CHECK_FALSE(plane->reason.empty());
  CHECK_FALSE(plane->cite.empty());
}

TEST_CASE("facts that cannot be are reported", "[decide]") {
  const model::Policy policy = rules::profile("default");
  Diagnostics diagnostics;
  CHECK_FALSE(plan::decide(policy, facts_of({}), nullptr, diagnostics));
  CHECK_FALSE(plan::decide(policy, facts_of({{"nodes", number(0)}}), nullptr, diagnostics));
  REQUIRE(diagnostics.size() == 2);
  for (const Diagnostic& d : diagnostics.sorted()) CHECK(d.code == Code::bad_fact);
}

TEST_CASE("a broken locked invariant is no answer", "[decide]") {
  model::Policy policy = rules::profile("greenfield");
  for (model::Table& table : policy.tables)
    std::erase_if(table.rows, [](const model::Row& row) { return row.id == "RQ-010"; });
  const plan::Facts facts = facts_of({{"nodes", number(2)}, {"tightly-coupled", FactValue(true)}});
  Diagnostics diagnostics;
  CHECK_FALSE(plan::decide(policy, facts, nullptr, diagnostics));
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics.sorted()[0].code == Code::policy_broken);
}

TEST_CASE("json as Python prints it", "[decide]") {
  rules::Outcome outcome;
  CHECK(cli::seed_json(outcome) == "{}");
  outcome.outputs = {
      {"a", word("q\" b\\ n\n t\t del\x7f")}, {"b", word("é€😀")}, {"c", number(-3)}, {"d", FactValue(true)}};
  // python3 -c 'import json; print(json.dumps({"a": "q\" b\\ n\n t\t del\x7f", "b": "é€😀", "c": -3, "d": True}))'
  CHECK(cli::seed_json(outcome) ==
        R"({"a": "q\" b\\ n\n t\t del\u007f", "b": "\u00e9\u20ac\ud83d\ude00", "c": -3, "d": true})");
}

}  // namespace decide_test
