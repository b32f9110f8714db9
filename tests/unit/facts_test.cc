#include "plan/decide/facts.h"

#include "tests/catch.h"
#include "tests/unit/plan_fixture.h"

namespace facts_test {

using namespace muster;
using namespace muster::test;
using model::Kind;
using model::PlaneKind;
using model::Runner;
using plan::FactRequest;
using plan::FactSource;

namespace {

plan::Facts derive(const FactRequest& request) {
  Diagnostics diagnostics;
  plan::Facts facts = plan::derive_facts(request, diagnostics);
  CHECK(messages_of(diagnostics) == "");
  return facts;
}

std::string value(const plan::Facts& facts, std::string_view name) {
  const plan::Fact* fact = facts.find(name);
  return fact == nullptr ? "absent" : model::to_string(fact->value);
}

std::string value(const model::Workload& w, std::string_view name) {
  FactRequest request;
  request.workload = &w;
  return value(derive(request), name);
}

std::string complaint(std::vector<std::pair<std::string, std::string>> overrides,
                      std::span<const model::FactDeclaration> declared = {}) {
  FactRequest request;
  request.overrides = std::move(overrides);
  request.declared = declared;
  Diagnostics diagnostics;
  plan::derive_facts(request, diagnostics);
  return messages_of(diagnostics);
}

model::Site site_of(std::vector<model::Plane> planes) {
  model::Site site;
  site.name = "lab";
  site.planes = std::move(planes);
  return site;
}

model::Role role(std::string name, std::int64_t nodes, std::int64_t gpus) {
  model::Role r = workload(Kind::train, nodes, gpus).roles[0];
  r.name = std::move(name);
  return r;
}

}  // namespace

TEST_CASE("every fact has a value, a source and a reason", "[facts]") {
  const model::Workload w = workload(Kind::train, 8, 8);
  FactRequest request;
  request.workload = &w;
  const plan::Facts facts = derive(request);
  std::vector<std::string> names;
  for (const plan::Fact& fact : facts.items) {
    names.push_back(fact.name);
    CHECK(!fact.reason.empty());
  }
  CHECK(names == std::vector<std::string>{"kind", "nodes", "workers", "tightly-coupled", "bare-metal",
                                          "long-lived-services", "multi-tenant", "python-native-pipeline",
                                          "edge-or-dev", "fleet-nodes", "existing", "pool-fabric",
                                          "spans-nvlink-domain", "pool-arch"});
  CHECK(value(facts, "kind") == "train");
  CHECK(value(facts, "nodes") == "8");
  CHECK(value(facts, "tightly-coupled") == "true");
  CHECK(value(facts, "bare-metal") == "true");
  CHECK(value(facts, "existing") == "unknown");
  CHECK(facts.find("existing")->source == FactSource::fallback);
  CHECK(value(facts, "fleet-nodes") == "8");
  CHECK(facts.find("nodes")->reason == "8 nodes requested");
  CHECK(facts.find("tightly-coupled")->reason == "kind is train");
}

TEST_CASE("nodes and workers add up over a gang, and do not over replicas", "[facts]") {
  model::Workload w = workload(Kind::rl, 1, 8);
  w.roles = {role("train", 4, 8), role("generate", 1, 8), role("tools", 2, 0)};
  CHECK(value(w, "nodes") == "5");  // a role without GPUs rides along
  CHECK(value(w, "workers") == "7");
  w.kind.value = Kind::serve;
  CHECK(value(w, "nodes") == "4");
  CHECK(value(w, "workers") == "4");
  w.kind.value = Kind::mpi;
  w.roles = {role("main", 3, 0)};
  CHECK(value(w, "nodes") == "3");
}

TEST_CASE("coupling follows kind, span and launcher", "[facts]") {
  model::Workload w = workload(Kind::batch, 2, 8);
  CHECK(value(w, "tightly-coupled") == "false");
  for (Runner runner : {Runner::torchrun, Runner::accelerate, Runner::mpi, Runner::processes, Runner::batch_script}) {
    w.roles[0].launch.runner.value = runner;
    CHECK(value(w, "tightly-coupled") == "true");
  }
  w = workload(Kind::batch, 1, 8);
  w.roles[0].launch.runner.value = Runner::processes;
  CHECK(value(w, "tightly-coupled") == "false");
  CHECK(value(workload(Kind::serve, 1, 8), "tightly-coupled") == "false");
  CHECK(value(workload(Kind::serve, 2, 8), "tightly-coupled") == "true");
  CHECK(value(workload(Kind::mpi, 1, 0), "tightly-coupled") == "true");
}

TEST_CASE("without a site bare metal is a question of image and kind", "[facts]") {
  model::Workload w = workload(Kind::train, 1, 8);
  CHECK(value(w, "bare-metal") == "true");
  w.roles[0].image = stated(std::string("torch:2.7"));
  CHECK(value(w, "bare-metal") == "false");
  CHECK(value(workload(Kind::rl, 1, 8), "bare-metal") == "false");
}

TEST_CASE("at a site bare metal is a Slurm plane where every role can start", "[facts]") {
  model::Workload w = workload(Kind::train, 1, 8);
  model::Fleet fleet;
  fleet.name = "campus";
  fleet.pools = {gpu_pool("h", "h100", 80 * GB, 8), cpu_pool("c", 4)};
  model::Site site = site_of({plane("batch", PlaneKind::slurm, {"h"}), plane("cloud", PlaneKind::kubernetes, {"c"})});
  FactRequest request;
  request.workload = &w, request.site = &site, request.site_given = true, request.fleet = &fleet;
  CHECK(value(derive(request), "bare-metal") == "true");
  CHECK(value(derive(request), "existing") == "both");

  site.planes[0].pools[0].value = "c";
  CHECK(value(derive(request), "bare-metal") == "false");
  CHECK(derive(request).find("bare-metal")->reason == "no pool of plane batch meets the requirements of role main");
  site.planes[0].pools[0].value = "h";

  w.roles[0].image = stated(std::string("torch:2.7"));
  CHECK(derive(request).find("bare-metal")->reason ==
        "role main has an image, but plane batch does not run containers");
  w.roles[0].software = stated(model::Software(std::string("torch")));
  site.software.emplace_back("torch", model::SoftwareSpec{});
  CHECK(value(derive(request), "bare-metal") == "false");  // an entry that only names an image helps no node
  site.software[0].second.modules = {{"cuda/12.6", {}}};
  CHECK(value(derive(request), "bare-metal") == "true");
  site.software.clear();
  site.planes[0].batch()->containers = model::Containers::pyxis;
  CHECK(value(derive(request), "bare-metal") == "true");
  site.planes.erase(site.planes.begin());
  CHECK(derive(request).find("bare-metal")->reason == "site lab has no slurm plane");
}

TEST_CASE("the built-in site states nothing", "[facts]") {
  const model::Workload w = workload(Kind::train, 1, 8);
  model::Site generic = site_of({plane("batch", PlaneKind::slurm)});
  generic.name = "generic";
  FactRequest request;
  request.workload = &w, request.site = &generic;
  CHECK(value(derive(request), "existing") == "unknown");
  request.site_given = true;
  CHECK(value(derive(request), "existing") == "unknown");
  generic.name = "lab";
  CHECK(value(derive(request), "existing") == "slurm");
  generic.planes[0].set_kind(PlaneKind::k3s);
  CHECK(value(derive(request), "existing") == "kubernetes");
  CHECK(value(derive(request), "edge-or-dev") == "true");
  generic.planes.clear();
  CHECK(value(derive(request), "existing") == "none");
  CHECK(value(derive(request), "edge-or-dev") == "false");
}

TEST_CASE("services and tenants are seen over the whole compilation", "[facts]") {
  std::vector<model::Workload> all = {workload(Kind::train, 1, 8), workload(Kind::serve, 1, 1)};
  all[1].name = "chat";
  FactRequest request;
  request.workload = &all[0];
  CHECK(value(derive(request), "long-lived-services") == "false");
  request.workloads = all;
  CHECK(value(derive(request), "long-lived-services") == "true");
  CHECK(derive(request).find("long-lived-services")->reason == "workload chat is a service");

  all[0].account = stated(std::string("vision"));
  request.workloads = all;
  CHECK(value(derive(request), "multi-tenant") == "false");
  all[1].account = stated(std::string("speech"));
  request.workloads = all;
  CHECK(value(derive(request), "multi-tenant") == "true");
  model::Site site = site_of({});
  site.tenants.resize(1);
  request.site = &site, request.site_given = true;
  CHECK(value(derive(request), "multi-tenant") == "false");
  site.tenants.resize(2);
  CHECK(value(derive(request), "multi-tenant") == "true");
}

TEST_CASE("pools give fabric and architecture when they agree", "[facts]") {
  model::Workload w = workload(Kind::train, 2, 8);
  model::Fleet fleet;
  fleet.name = "campus";
  fleet.pools = {gpu_pool("h", "h100", 80 * GB, 8), gpu_pool("g", "gh200", 96 * GB, 8), cpu_pool("c", 4)};
  fleet.pools[1].fabric = "slingshot", fleet.pools[1].arch = "arm64";
  fleet.pools[0].drained = {1, 2};
  FactRequest request;
  request.workload = &w, request.fleet = &fleet;
  plan::Facts facts = derive(request);
  CHECK(value(facts, "pool-fabric") == "true");
  CHECK(value(facts, "pool-arch") == "amd64");
  CHECK(facts.find("pool-arch")->source == FactSource::fallback);
  CHECK(facts.find("pool-arch")->reason == "pools h and g meet the requirements and differ");
  CHECK(value(facts, "fleet-nodes") == "18");
  CHECK(facts.find("fleet-nodes")->reason == "fleet campus has 20 nodes, 2 drained");

  model::Queue queue;  // that reaches one of the pools
  queue.pools = {{fleet.pools[1].name, {}}};
  request.queue = &queue;
  CHECK(value(derive(request), "pool-arch") == "arm64");
  for (const char* slow : {"ethernet", "none", ""}) {
    fleet.pools[1].fabric = slow;
    CHECK(value(derive(request), "pool-fabric") == "false");
  }
  CHECK(derive(request).find("pool-fabric")->reason == "pool g declares no fabric");
  CHECK(value(workload(Kind::train, 2, 8), "pool-fabric") == "false");
}

TEST_CASE("stronger statements win", "[facts]") {
  model::Workload w = workload(Kind::train, 2, 8);
  model::Site site = site_of({plane("batch", PlaneKind::slurm)});
  site.facts.emplace_back("edge-or-dev", model::Located<model::FactValue>{true, {}});
  FactRequest request;
  request.workload = &w, request.site = &site, request.site_given = true;
  CHECK(value(derive(request), "edge-or-dev") == "true");
  CHECK(derive(request).find("edge-or-dev")->source == FactSource::site);
  w.facts.emplace_back("edge-or-dev", model::Located<model::FactValue>{false, {}});
  CHECK(derive(request).find("edge-or-dev")->source == FactSource::workload);
  CHECK(value(derive(request), "edge-or-dev") == "false");
  request.overrides = {{"edge_or_dev", "false"}, {"edge-or-dev", "true"}, {"nodes", "16"}};
  const plan::Facts facts = derive(request);
  CHECK(value(facts, "edge-or-dev") == "true");
  CHECK(facts.find("edge-or-dev")->source == FactSource::command_line);
  CHECK(facts.find("edge-or-dev")->reason == "--fact edge-or-dev=true");
  CHECK(value(facts, "nodes") == "16");
  CHECK(value(facts, "fleet-nodes") == "16");
}

TEST_CASE("without a workload only what is stated is there", "[facts]") {
  FactRequest request;
  request.overrides = {{"nodes", "8"}, {"tightly_coupled", "true"}};
  const plan::Facts facts = derive(request);
  std::vector<std::string> names;
  for (const plan::Fact& fact : facts.items) names.push_back(fact.name);
  CHECK(names == std::vector<std::string>{"nodes", "tightly-coupled", "fleet-nodes", "existing"});
}

TEST_CASE("a wrong --fact says what would be right", "[facts]") {
  CHECK(complaint({{"nodes", "abc"}}) == "fact `nodes` cannot be `abc`; it takes a whole number, 0 or more\n");
  CHECK(complaint({{"nodes", "4x"}}) == "fact `nodes` cannot be `4x`; it takes a whole number, 0 or more\n");
  CHECK(complaint({{"nodes", "99999999999999999999"}}).find("cannot be") != std::string::npos);
  CHECK(complaint({{"bare_metal", "ture"}}) ==
        "fact `bare-metal` cannot be `ture`; it takes `true` or `false`\n  did you mean `true`?\n");
  CHECK(complaint({{"kind", "trian"}}).find("did you mean `train`?") != std::string::npos);
  CHECK(complaint({{"tightly-couple", "true"}}) ==
        "unknown fact `tightly-couple`\n  did you mean `tightly-coupled`?\n");
  CHECK(complaint({{"zzz", "true"}}).find("facts are `bare-metal`, ") != std::string::npos);
}

TEST_CASE("the facts of a policy are known, and its bounds win", "[facts]") {
  std::vector<model::FactDeclaration> declared(2);
  declared[0].name = "gpu-hours", declared[0].type = model::FactType::integer, declared[0].min = 1,
  declared[0].max = 10;
  declared[1].name = "nodes", declared[1].type = model::FactType::integer, declared[1].min = 1;
  CHECK(complaint({{"gpu_hours", "5"}}, declared).empty());
  CHECK(complaint({{"gpu_hours", "11"}}, declared) ==
        "fact `gpu-hours` cannot be `11`; it takes a whole number from 1 to 10\n");
  CHECK(complaint({{"nodes", "0"}}, declared) == "fact `nodes` cannot be `0`; it takes a whole number, 1 or more\n");
  CHECK(complaint({{"nodes", "0"}}).empty());
  FactRequest request;
  request.declared = declared, request.overrides = {{"gpu_hours", "5"}};
  CHECK(value(derive(request), "gpu-hours") == "5");
}

TEST_CASE("facts in files are checked as those of the command line", "[facts]") {
  model::Workload w = workload(Kind::train, 2, 8);
  w.facts.emplace_back("nodes", model::Located<model::FactValue>{true, {}});
  FactRequest request;
  request.workload = &w;
  Diagnostics diagnostics;
  const plan::Facts facts = plan::derive_facts(request, diagnostics);
  CHECK(messages_of(diagnostics) == "fact `nodes` cannot be `true`; it takes a whole number, 0 or more\n");
  CHECK(value(facts, "nodes") == "2");
}

}  // namespace facts_test
