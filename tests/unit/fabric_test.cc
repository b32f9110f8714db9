// The site's settings for a network: they attach to a pool, and ask for an NVLink domain where there can be one.
#include <algorithm>

#include "driver/planning.h"
#include "tests/catch.h"
#include "tests/property/random.h"
#include "tests/unit/checked.h"
#include "tests/unit/plan_text.h"
#include "tests/unit/pods_scene.h"

namespace fabric_test {

using namespace muster;
using namespace muster::test;

namespace {

struct PoolOf {
  std::string name, fabric;
  std::int64_t domain = 0;  // nodes of an NVLink domain; 0: not declared
};

std::string fleet_of(const std::vector<PoolOf>& pools) {
  std::string out = "fleet f {\n";
  for (const PoolOf& pool : pools)
    out += "pool " + pool.name + " { nodes = \"" + pool.name +
           "[1-36]\"  gpu { model = gb200  memory = 186GB  count = 4 }  node { cpus = 144  memory = 960GB }" +
           (pool.fabric.empty() ? "" : "  network { fabric = " + pool.fabric + " }") +
           (pool.domain > 0 ? "  nvlink-domain { nodes = " + std::to_string(pool.domain) + " }" : "") + " }\n";
  return out + "}\n";
}

std::string messages(const std::string& text, bool& attach) {
  const Checked checked(text);
  REQUIRE(checked.fault() == "");
  driver::Setting setting;
  setting.site = &checked.module.sites.at(0), setting.fleet = &checked.module.fleets.at(0);
  Diagnostics diagnostics;
  attach = driver::fabrics_attach(setting, diagnostics);
  CHECK(attach == !diagnostics.has_errors());
  return messages_of(diagnostics);
}

}  // namespace

TEST_CASE("a fabric that is not a pool's, or claims a domain that no pool has, is an error", "[site][fabric]") {
  property::Random random(53);
  const std::vector<std::string> fabrics = {"infiniband", "roce", "efa", ""};
  const std::vector<std::string> names = {"infiniband", "roce", "efa", "nvlink", "ib"};
  std::size_t good = 0, bad = 0;
  for (int round = 0; round < 400; ++round) {
    const std::vector<PoolOf> pools = {{"a", random.any_of(fabrics), random.one_in(2) ? 18 : 0},
                                       {"b", random.any_of(fabrics), random.one_in(2) ? 4 : 0}};
    const std::string name = random.any_of(names);
    const std::string only = random.any_of(std::vector<std::string>{"", "a", "b"});
    const std::string plane = random.any_of(std::vector<std::string>{"", "a", "b"});
    const bool claims = random.one_in(2);
    bool attaches = false, has_domain = false;
    for (const PoolOf& pool : pools) {
      if (pool.fabric != name || (!only.empty() && only != pool.name) || (!plane.empty() && plane != pool.name))
        continue;
      attaches = true, has_domain |= pool.domain > 1;
    }
    const std::string text = fleet_of(pools) + "site s { fleet = f  plane p { kind = kubernetes" +
                             (plane.empty() ? "" : "  pools = [" + plane + "]") + " }  fabric " + name + " { " +
                             (only.empty() ? "" : "pools = [" + only + "]  ") +
                             (claims ? "domain-claim = true  " : "") + "env { A = \"1\" } } }\n";
    bool attach = false;
    INFO(text);
    const std::string said = messages(text, attach);
    INFO(said);
    const bool expected = attaches && (!claims || has_domain);
    CHECK(attach == expected);
    if (!attaches)
      CHECK(said.starts_with("fabric `" + name + "` is not the `network.fabric` of any pool it can attach to\n"));
    (expected ? good : bad) += 1;
  }
  CHECK(good > 30);
  CHECK(bad > 40);
}

TEST_CASE("a ComputeDomain is asked for from two nodes up to the size of a domain", "[pods][fabric]") {
  std::size_t with = 0, without = 0;
  for (const std::int64_t size : {2, 3, 4, 8})  // of 8 nodes
    for (const std::int64_t nodes : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16}) {
      Pods scene;
      scene.plane = "gang = kueue\nlevel leaf { label = \"x/leaf\" }";
      scene.pool =
          "gpu { model = gb200  memory = 186GB  count = 4 }  node { cpus = 144  memory = 960GB }\n"
          "network { fabric = infiniband }\nnvlink-domain { nodes = " +
          std::to_string(size) + " }\n";
      scene.site += "fabric infiniband { domain-claim = true }\n";
      scene.workload = "kind = train\nsoftware = torch\nnodes = " + std::to_string(nodes) +
                       "\ngpu = GB200:4\nlaunch { runner = torchrun }\ncommand = [\"t.py\"]\n";
      Manifests out = lower(scene, nodes == 1 ? "kubernetes" : "jobset");
      INFO(size << " " << nodes << " " << out.stated());
      REQUIRE_FALSE(out.lowered.documents.empty());
      const bool expected = nodes >= 2 && nodes <= size;
      const data::Node* domain = out.object("ComputeDomain");
      CHECK((domain != nullptr) == expected);
      CHECK((out.text().find("resourceClaimTemplateName") != std::string::npos) == expected);
      if (domain != nullptr) CHECK(domain->at("spec.numNodes")->text == std::to_string(nodes));
      CHECK((out.text().find("no ComputeDomain is requested") != std::string::npos) == (nodes > size));
      (expected ? with : without) += 1;
    }
  CHECK(with + without == 40);
}

TEST_CASE("the rules ask for an NVLink domain where the nodes of a role can have one", "[facts][fabric]") {
  for (const std::int64_t size : {2, 4, 18})
    for (const std::int64_t nodes : {1, 2, 3, 4, 5, 18, 19, 36})
      for (const char* plane : {"kind = kubernetes  gang = kueue", "kind = slurm  containers = pyxis"}) {
        const auto planned =
            plan_text(fleet_of({{"a", "infiniband", size}}) + "site s { fleet = f  plane p { " + plane +
                      " }  queue q { default = true } }\nworkload w { kind = train  nodes = " + std::to_string(nodes) +
                      "  gpu = GB200:4  image = \"x:1\"  command = [\"x\"] }\n");
        const auto& requires_ = planned->plans[0].decision.requires_;
        const bool asks = std::any_of(requires_.begin(), requires_.end(),
                                      [](const plan::Choice& c) { return c.value == "nvlink-domain"; });
        INFO(size << " " << nodes << " " << plane);
        CHECK(asks == (nodes >= 2 && nodes <= size));
      }
}

}  // namespace fabric_test
