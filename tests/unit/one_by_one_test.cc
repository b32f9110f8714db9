// Pods placed one after the other: what is called safe is tried in every order and in every place.
#include "scheduler/one_by_one.h"

#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/plan_text.h"

namespace one_by_one_test {

using namespace muster;
using namespace muster::scheduler;

namespace {

struct Scene {
  std::vector<Node> nodes;
  std::vector<Batch> batches;
};

Scene small_scene(std::mt19937& random) {
  const auto below = [&](unsigned n) { return static_cast<std::int32_t>(random() % n); };
  Scene scene;
  for (int i = 0, n = 2 + below(3); i < n; ++i) {
    const std::int32_t free = below(3) == 0 ? below(5) : 4;
    scene.nodes.push_back({.gpus = free,
                           .gpus_total = 4,
                           .cpus = below(2) == 0 ? 4 + below(5) : 8,
                           .memory = 8,
                           .usable = random() % 10 != 0,
                           .untouched = free == 4});
  }
  for (int i = 0, n = 2 + below(2); i < n; ++i) {
    const Gang pod{.nodes = 1 + below(3),
                   .gpus = below(4) == 0 ? 0 : 1 << below(3),
                   .cpus = 1 + below(4),
                   .memory = below(3) == 0 ? below(6) : 0,
                   .exclusive = random() % 10 == 0};
    scene.batches.push_back({pod, below(3) == 0 ? 1 : pod.nodes});
  }
  return scene;
}

std::vector<Inventory::Kind> kinds_of(const Scene& scene) {
  std::vector<Inventory::Kind> out;
  for (const Node& node : scene.nodes) out.push_back({node, 1});
  return out;
}

// Every way to place the pods of a scene one after the other.
class EveryWay {
 public:
  explicit EveryWay(const Scene& scene) : scene_(scene), on_(scene.nodes.size() * scene.batches.size(), 0) { walk(); }

  // Whether a pod of the batch is left without a node in one of them.
  bool strands(std::size_t batch) const { return stranded_.count(batch) > 0; }

 private:
  std::int64_t& on(std::size_t node, std::size_t batch) { return on_[node * scene_.batches.size() + batch]; }

  bool takes(std::size_t n, std::size_t b) {
    const Node& node = scene_.nodes[n];
    const Batch& batch = scene_.batches[b];
    std::int64_t gpus = batch.pod.gpus, cpus = batch.pod.cpus, memory = batch.pod.memory, pods = 0;
    bool alone = false;
    for (std::size_t other = 0; other < scene_.batches.size(); ++other) {
      const Gang& pod = scene_.batches[other].pod;
      const std::int64_t here = on(n, other);
      pods += here, alone |= here > 0 && pod.exclusive;
      gpus += here * pod.gpus, cpus += here * pod.cpus, memory += here * pod.memory;
    }
    if (!node.usable || alone || (batch.pod.exclusive && (pods > 0 || !node.untouched))) return false;
    return on(n, b) < batch.on_a_node && gpus <= node.gpus && cpus <= node.cpus && memory <= node.memory;
  }

  void walk() {
    if (!seen_.insert(on_).second) return;
    for (std::size_t b = 0; b < scene_.batches.size(); ++b) {
      std::int64_t placed = 0;
      for (std::size_t n = 0; n < scene_.nodes.size(); ++n) placed += on(n, b);
      if (placed == scene_.batches[b].pod.nodes) continue;
      bool found = false;
      for (std::size_t n = 0; n < scene_.nodes.size(); ++n) {
        if (!takes(n, b)) continue;
        found = true;
        ++on(n, b);
        walk();
        --on(n, b);
      }
      if (!found) stranded_.insert(b);
    }
  }

  const Scene& scene_;
  std::vector<std::int64_t> on_;
  std::set<std::vector<std::int64_t>> seen_;
  std::set<std::size_t> stranded_;
};

bool any_order_works(const Scene& scene, std::size_t batch) {
  std::vector<Batch> others = scene.batches;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(batch));
  return scheduler::any_order_works(kinds_of(scene), scene.batches[batch], others);
}

}  // namespace

TEST_CASE("one by one: what is called safe is safe in every order", "[scheduler]") {
  std::mt19937 random(18);
  int safe = 0, called_safe = 0;
  for (int i = 0; i < 1500; ++i) {
    const Scene scene = small_scene(random);
    EveryWay ways(scene);
    for (std::size_t b = 0; b < scene.batches.size(); ++b) {
      const bool said = any_order_works(scene, b);
      INFO("scene " << i << ", batch " << b);
      if (said) REQUIRE_FALSE(ways.strands(b));
      safe += ways.strands(b) ? 0 : 1, called_safe += said ? 1 : 0;
    }
  }
  CHECK(safe > 1000);
  CHECK(called_safe * 10 > safe * 7);  // too careful in some cases
}

namespace {

// What the answer says of two roles on so many nodes of 8 GPUs and 64 CPUs.
std::string otherwise(const std::string& gang, int nodes, const std::string& lead, const std::string& rest,
                      const std::string& more = "") {
  const auto planned =
      muster::test::plan_text("fleet f { pool p { nodes = \"n[1-" + std::to_string(nodes) +
                              "]\"  gpu { model = h100  memory = 80GB  count = 8 }  node { cpus = 64  memory = 1TB } " +
                              more + " } }\nsite s { fleet = f  plane main { kind = kubernetes  version = \"1.36\"  " +
                              gang + " } }\nworkload w { kind = train  command = [\"a\"]  role lead { resources { " +
                              lead + " } } role rest { resources { " + rest + " } } }\n");
  return planned->fit().otherwise;
}

}  // namespace

TEST_CASE("one by one: the answer says who places, and which role may find no node", "[plan]") {
  const std::string small = "nodes = 2  gpus = 1  cpus = 4  memory = 8GB";
  const std::string large = "nodes = 3  gpus = 8  cpus = 32  memory = 64GB";
  const std::string spread =
      " places pods one by one on plane main: they may be spread so that one of role rest finds no "
      "node, and ";
  CHECK(otherwise("gang = kueue", 4, small, large) == "kube-scheduler" + spread + "the others start without it");
  CHECK(otherwise("gang = none", 4, small, large) == "kube-scheduler" + spread + "the others start without it");
  CHECK(otherwise("gang = volcano", 4, small, large) == "volcano" + spread + "the gang waits");
  CHECK(otherwise("gang = kai", 4, small, large) == "kai" + spread + "the gang waits");
  CHECK(otherwise("gang = coscheduling", 4, small, large) == "kube-scheduler" + spread + "the gang waits");
  // With a node to spare for each small pod no order goes wrong, nor where all pods are alike or whole.
  CHECK(otherwise("gang = kueue", 5, small, large).empty());
  CHECK(otherwise("gang = kueue", 4, "nodes = 2  gpus = 8", "nodes = 2  gpus = 8").empty());
  CHECK(otherwise("gang = kueue", 3, "nodes = 1  gpus = 8  cpus = 4", "nodes = 2  gpus = 8  cpus = 60").empty());
  // With a topology Kueue assigns the nodes of one role after the other.
  CHECK(otherwise("gang = kueue  level leaf { label = \"leaf\" }", 4, small, large) ==
        "Kueue" + spread + "the gang waits");
  CHECK(otherwise("gang = kueue  level leaf { label = \"leaf\" }", 5, small, large).empty());
  // It holds of the nodes as they are now.
  const std::string used = "in-use other { nodes = \"n[1]\"  gpus = 2  cpus = 8  memory = 8GB }";
  CHECK(otherwise("gang = kueue", 5, small, large, used) == "kube-scheduler" + spread + "the others start without it");
}

TEST_CASE("otherwise: Kueue without a topology admits what the nodes have no room for", "[plan]") {
  const std::string by_quota =
      "Kueue on plane main has no topology and admits by quota alone: pods that find a node start without the others";
  const std::string lead = "nodes = 1  gpus = 1  cpus = 4  memory = 8GB";
  const std::string rest = "nodes = 3  gpus = 5  cpus = 8  memory = 8GB";
  // Two nodes have 16 GPUs, and room for two pods of 5.
  CHECK(otherwise("gang = kueue", 2, lead, rest) == by_quota);
  // What the nodes have in sum is not enough, so that no quota covers it; or no pod finds a node.
  CHECK(otherwise("gang = kueue", 2, lead, "nodes = 3  gpus = 8  cpus = 8  memory = 8GB").empty());
  const std::string three = "nodes = 1  gpus = 3  cpus = 8  memory = 8GB";
  CHECK(otherwise("gang = kueue", 4, three, three, "in-use other { nodes = \"n[1-4]\"  gpus = 6 }").empty());
  CHECK(otherwise("gang = kueue", 4, lead, rest).empty());
  CHECK(otherwise("gang = volcano", 2, lead, rest).empty());
  CHECK(otherwise("gang = kueue  level leaf { label = \"leaf\" }", 2, lead, rest).empty());
}

}  // namespace one_by_one_test
