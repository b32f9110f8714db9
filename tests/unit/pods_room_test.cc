// Pods leave room: what they request of a node is at most what the kubelet, the system and DaemonSets leave of it.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "plan/fleet/fleet_state.h"
#include "plan/place/gang.h"
#include "plan/place/joint.h"
#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/unit/plan_text.h"
#include "tests/unit/pods_scene.h"

namespace pods_room_test {

using namespace muster;
using namespace muster::test;
using data::Node;

namespace {

struct Shape {
  std::int64_t cpus = 0;
  std::string memory;
  double bytes = 0;
  std::int64_t gpus = 0;
  std::string reserve{};             // as the fleet declares it
  double kept_cpus = -1, kept = -1;  // then; -1: not declared

  // What pods can have, by the rule of the documents.
  double cpus_of_pods() const {
    const auto usual = static_cast<double>(std::min<std::int64_t>(2, cpus / 2));
    return static_cast<double>(cpus) - (kept_cpus < 0 ? usual : kept_cpus);
  }
  double bytes_of_pods() const { return kept < 0 ? bytes * 0.96 : bytes - kept; }
  std::string text() const {
    return (gpus > 0 ? "gpu { model = h100  memory = 80GB  count = " + std::to_string(gpus) + " }  " : "") +
           "node { cpus = " + std::to_string(cpus) + "  memory = " + memory + "  " + reserve + " }\n";
  }
};

std::vector<Shape> shapes() {
  constexpr double GiB = 1 << 30;
  const Shape nodes[] = {{2, "8GiB", 8 * GiB, 1},        {8, "32GiB", 32 * GiB, 1}, {64, "256GB", 256e9, 4},
                         {96, "1152GiB", 1152 * GiB, 8}, {112, "1TB", 1e12, 8},     {128, "1TiB", 1024 * GiB, 4},
                         {192, "2TB", 2e12, 8},          {208, "1872GB", 1872e9, 8}};
  std::vector<Shape> out;
  for (const Shape& node : nodes) {
    out.push_back(node);
    Shape declared = node;
    declared.reserve = "reserve-cpus = 1  reserve-memory = 2GiB", declared.kept_cpus = 1, declared.kept = 2 * GiB;
    out.push_back(declared);
    declared.reserve = "reserve-memory = 0B", declared.kept_cpus = -1, declared.kept = 0;
    out.push_back(declared);
    declared.reserve = "reserve-cpus = 0", declared.kept_cpus = 0, declared.kept = -1;
    out.push_back(declared);
  }
  return out;
}

// "190", "500m", "1855Gi", "64000000000".
double quantity(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const std::string units = "KMGT";
  if (unit == "m") return number / 1000;
  if (unit.empty()) return number;
  const double base = unit.size() == 2 ? 1024 : 1000;
  return number * std::pow(base, static_cast<double>(units.find(unit == "k" ? 'K' : unit[0]) + 1));
}

double request(const Node& container, const char* name) {
  for (const char* of : {"resources.requests", "resources.limits"}) {
    const Node* amounts = container.at(of);
    if (const Node* amount = amounts == nullptr ? nullptr : amounts->get(name)) return quantity(amount->text);
  }
  return 0;
}

// As the scheduler counts: the containers and sidecars together, or an init container beside the sidecars before it.
double requests(const Node& spec, const char* name) {
  double sum = 0, most = 0, sidecars = 0;
  for (const Node& container : spec.get("containers")->items) sum += request(container, name);
  if (const Node* init = spec.get("initContainers"))
    for (const Node& container : init->items) {
      const Node* policy = container.get("restartPolicy");
      const bool stays = policy != nullptr && policy->text == "Always";
      if (stays) sidecars += request(container, name);
      else most = std::max(most, sidecars + request(container, name));
    }
  return std::max(sum + sidecars, most);
}

void each_pod(const Node& node, const std::function<void(const Node&)>& visit) {
  if (node.is_map() && node.get("containers") != nullptr) return visit(node);
  for (const data::Member& member : node.members) each_pod(member.value, visit);
  for (const Node& item : node.items) each_pod(item, visit);
}

struct Spec {
  std::string target, text;
  std::int64_t a_node = 1;       // pods of one node
  double beside = 0, bytes = 0;  // what the operator adds to the largest pod
};

// `all`: the GPUs of a node.
std::vector<Spec> specs(std::int64_t all) {
  const std::string gpus = "gpu = H100:" + std::to_string(all);
  const std::string train =
      "kind = train\nsoftware = torch\nnodes = 2\nlaunch { runner = torchrun }\ncommand = [\"t.py\"]\n";
  const std::string ray =
      "kind = rl\nsoftware = torch\nlaunch { runner = ray  version = \"2.40\" }\ncommand = [\"t.py\"]\n";
  std::vector<Spec> out;
  for (const char* target : {"jobset", "pytorchjob", "trainjob", "kueue"}) {
    out.push_back({target, train + gpus});
    out.push_back({target, train + gpus + "\nresources { exclusive = true }"});
    out.push_back({target, train + gpus + "\ncpus = all\nmemory = all"});
    out.push_back({target, train + "gpu = H100:1\nresources { exclusive = true }"});
  }
  out.push_back({"jobset", train + gpus + "\nsetup = sh(\"true\")"});
  out.push_back({"kubernetes",
                 "kind = serve\nsoftware = torch\ncommand = [\"s\"]\nreplicas = 2\nport http { number = 80 }\n"
                 "serve { port = http }\n" +
                     gpus});
  out.push_back({"kubernetes", "kind = dev\nsoftware = torch\ndev { interface = jupyter }\n" + gpus});
  out.push_back({"kuberay", ray + "nodes = 2\n" + gpus});
  out.push_back({"kuberay", ray + "nodes = 2\nresources { exclusive = true }\n" + gpus});
  out.push_back({"kuberay", ray + "nodes = 1..4\n" + gpus, 1, 0.5, 512.0 * (1 << 20)});
  if (all % 2 == 0) {
    const std::string half = "gpu = H100:" + std::to_string(all / 2);
    out.push_back({"kubernetes", "kind = batch\nsoftware = torch\nreplicas = 4\ncommand = [\"b\"]\n" + half, 2});
    out.push_back({"jobset", "kind = rl\nsoftware = torch\ncommand = [\"a\"]\nrole actor { " + half +
                                 " }\nrole judge { with = actor  " + half + " }\n"});
  }
  return out;
}

}  // namespace

TEST_CASE("pods request of a node at most what it has for pods", "[pods][room]") {
  std::size_t seen = 0, pods = 0, at = 0;
  for (const Shape& shape : shapes())
    for (const Spec& spec : specs(shape.gpus)) {
      if (at++ % muster::tests::case_step != 0) continue;
      Pods scene;
      scene.pool = shape.text() + "network { fabric = infiniband }\n";
      scene.workload = spec.text;
      const Manifests out = lower(scene, spec.target);
      INFO(scene.text() << spec.target << "\n" << out.stated());
      // The autoscaler of a small head has no room of its own.
      if (shape.cpus < 8 && spec.beside > 0) continue;
      REQUIRE(out.ok());
      ++seen;
      double most = 0, least = 1e9;
      const std::size_t before = pods;
      for (const Node& object : out.objects)
        each_pod(object, [&](const Node& pod) {
          const double cpus = requests(pod, "cpu"), memory = requests(pod, "memory");
          CHECK(cpus * static_cast<double>(spec.a_node) <= shape.cpus_of_pods());
          least = std::min(least, cpus + spec.beside);
          CHECK(memory * static_cast<double>(spec.a_node) <= shape.bytes_of_pods() + 1);
          most = std::max(most, cpus), ++pods;
        });
      if (spec.beside > 0) CHECK(least <= shape.cpus_of_pods());  // the head leaves room
      // And it takes what there is for it; the amounts of a TrainJob are not in the pods of its runtime.
      if (pods > before && spec.target != "trainjob") CHECK(most >= 1);
    }
  INFO(seen << " of " << at << ", " << pods << " pods");
  CHECK(seen + 8 * 2 >= at / muster::tests::case_step);
}

TEST_CASE("containers that the site adds have their part of what a pod requests", "[pods][room]") {
  for (const Shape& shape : shapes())
    for (const char* beside :
         {"requests: {cpu: 250m, memory: 512Mi}", "limits: {cpu: 1, memory: 1Gi}", "requests: {cpu: 100m}"})
      for (const char* amounts : {"", "resources { exclusive = true }", "cpus = all\nmemory = all"}) {
        if (shape.cpus < 8) continue;
        Pods scene;
        scene.pool = shape.text() + "network { fabric = infiniband }\n";
        scene.site +=
            "fabric infiniband { pod = <<<yaml\n  spec:\n    initContainers:\n      - {name: rx, image: \"r:1\", "
            "restartPolicy: Always, resources: {" +
            std::string(beside) + "}}\n>>>\n}\n";
        scene.workload =
            "kind = train\nsoftware = torch\nnodes = 2\nlaunch { runner = torchrun }\ncommand = [\"t.py\"]\n"
            "gpu = H100:" +
            std::to_string(shape.gpus) + "\n" + amounts;
        const Manifests out = lower(scene, "jobset");
        INFO(scene.text() << out.stated());
        REQUIRE(out.ok());
        std::size_t pods = 0;
        for (const Node& object : out.objects)
          each_pod(object, [&](const Node& pod) {
            CHECK(requests(pod, "cpu") <= shape.cpus_of_pods());
            CHECK(requests(pod, "memory") <= shape.bytes_of_pods() + 1);
            ++pods;
          });
        CHECK(pods > 0);
      }
}

TEST_CASE("what nodes of pods keep is written nowhere else", "[pods][room]") {
  const std::string fleet =
      "fleet f { pool a { nodes = \"a[1-2]\"  gpu { model = h100  memory = 80GB  count = 8 }  "
      "node { cpus = 192  memory = 2TB } } }\n";
  const auto planned = [&](const std::string& plane, const std::string& amounts) {
    return plan_text(fleet + "site s { fleet = f  plane p { " + plane + " }  queue q { default = true } }\n" +
                     "workload w { kind = train  nodes = 2  gpu = H100:8  image = \"x:1\"  command = [\"x\"]  " +
                     amounts + " }\n");
  };
  const auto whole = planned("kind = slurm  containers = pyxis", "");
  CHECK(whole->plans[0].roles[0].cpus == 192);
  CHECK(whole->plans[0].roles[0].memory->bytes == 2'000'000'000'000 / (1 << 20) * (1 << 20));
  CHECK(planned("kind = slurm  containers = pyxis", "cpus = 192")->fit().verdict == plan::Verdict::fits);
  const std::string pods = "kind = kubernetes  gang = volcano";
  CHECK(planned(pods, "")->plans[0].roles[0].cpus == 190);
  CHECK(planned(pods, "cpus = 190")->fit().verdict == plan::Verdict::fits);
  const auto many = planned(pods, "cpus = 191");
  CHECK(many->why(many->fit().capacity) ==
        "needs 191 CPUs per node; nodes of pool a have 190 (192 minus 2 reserved by default)");
  const auto much = planned(pods, "cpus = 1  memory = 1950GB");
  CHECK(much->why(much->fit().capacity) ==
        "needs 1950GB of memory per node; nodes of pool a have 1920GB (2000GB minus 80GB reserved by default)");
}

// One node and pods of up to three roles, which ask together for all of its CPUs or memory, or for one unit less or
// more.
TEST_CASE("pods that share a node have together what the kubelet leaves of it", "[pods][room][packing]") {
  constexpr std::int64_t mebibyte = 1 << 20;
  std::size_t fits = 0, over = 0;
  for (const Shape& shape : shapes())
    for (const bool of_memory : {false, true})
      for (const std::int64_t first : {1, 2})
        for (const std::int64_t second : {0, 1, 3})
          for (const std::int64_t more : {-1, 0, 1}) {
            const std::int64_t pods = first + second;
            const auto usable = of_memory ? static_cast<std::int64_t>(shape.bytes_of_pods()) / mebibyte
                                          : static_cast<std::int64_t>(shape.cpus_of_pods());
            if (pods < 2 || usable < pods) continue;
            // The first pod has what the others leave of the node.
            const std::int64_t each = usable / pods, rest = usable - each * (pods - 1) + more;
            if (rest < 1) continue;
            const auto role = [&](const std::string& name, std::int64_t replicas, std::int64_t amount) {
              return "  role " + name + " { replicas = " + std::to_string(replicas) +
                     (of_memory ? "  memory = " + std::to_string(amount) + "MiB"
                                : "  memory = 64MiB  cpus = " + std::to_string(amount)) +
                     " }\n";
            };
            std::string roles = role("lead", 1, rest);
            if (first > 1) roles += role("twin", first - 1, each);
            if (second > 0) roles += role("actor", second, each);
            const std::string text =
                "fleet f { pool a { nodes = \"a[1-1]\"  " + shape.text() +
                "} }\nsite s { fleet = f  plane p { kind = kubernetes  version = \"1.35\"  gang = volcano }\n"
                "queue main { default = true } }\nworkload w {\n  kind = rl  image = \"x:1\"  command = [\"x\"]\n" +
                roles + "}\n";
            INFO(text);
            const auto planned = plan_text(text);
            INFO(planned->why(planned->fit().capacity));
            CHECK((planned->fit().verdict == plan::Verdict::fits) == (more <= 0));
            (more <= 0 ? fits : over) += 1;
          }
  CHECK(fits >= 200);
  CHECK(over >= 100);
}

TEST_CASE("roles of several planes are counted on what the one that has most of a node has", "[pods][room]") {
  const model::Role role;
  model::Fleet fleet;
  fleet.pools = {gpu_pool("a", "h100", 80 * GB, 2)};
  fleet.pools[0].reserve_cpus.reset();
  const model::Pool& pool = fleet.pools.front();
  const auto family = [&](model::PlaneFamily of) {
    plan::RolePlan out;
    out.role = &role, out.pool = &pool, out.family = of;
    return out;
  };
  const plan::RolePlan pods = family(model::PlaneFamily::pods), job = family(model::PlaneFamily::batch);
  const auto cpus = [&](std::vector<const plan::RolePlan*> roles) {
    plan::FleetState state(&fleet);
    return plan::joint_request(state, roles, pool, plan::Moment::empty).nodes().front().cpus;
  };
  CHECK(cpus({&pods, &pods}) == pool.cpus - 2);
  CHECK(cpus({&job, &job}) == pool.cpus);
  CHECK(cpus({&pods, &job}) == pool.cpus);
  CHECK(cpus({&job, &pods}) == pool.cpus);
}

}  // namespace pods_room_test
