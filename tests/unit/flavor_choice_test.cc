// What Kueue chooses flavors by: the sets of pods of an object, each with a flavor of its own, and of their selectors
// the labels that a flavor has.
#include <string>

#include "tests/catch.h"
#include "tests/unit/plan_text.h"
#include "tests/unit/site_text.h"

namespace flavor_choice_test {

using namespace muster;
using namespace muster::test;
using plan::Verdict;

namespace {

// Pools a and b of two nodes of 8 GPUs each, apart by a zone, an architecture or nothing.
std::string scene(const std::string& a, const std::string& b, const std::string& quotas, const std::string& plane) {
  const auto pool = [](const std::string& name, const std::string& more) {
    return "  pool " + name + " { nodes = \"" + name + "[1-2]\"  gpu { model = h100  memory = 80GB  count = 8 }  " +
           more + " }\n";
  };
  return "fleet f {\n" + pool("a", a) + pool("b", b) +
         "}\nsite s {\n  fleet = f\n  plane p { kind = kubernetes  version = \"1.36\"  namespace = \"x\"  gang = kueue "
         " " +
         plane + " }\n  queue main { default = true }\n  tenant t { namespace = \"x\"  " + quotas + " }\n}\n";
}

const std::string plain = "node { cpus = 96  memory = 1TB }", topology = "level leaf { label = \"l\" }";
const std::string a_first = "quota a { gpus = 16 }  quota b { gpus = 16 }",
                  b_first = "quota b { gpus = 16 }  quota a { gpus = 16 }";

std::string of_spec(const std::string& site, const std::string& workload) {
  const auto found = plan_text(site + "workload w { image = \"x:1\"  command = [\"x\"]  " + workload + " }\n");
  CHECK(found->fit().verdict == Verdict::fits);
  return found->fit().otherwise;
}

std::string job(const std::string& kind, int pods, const std::string& spec) {
  const std::string count = std::to_string(pods);
  const std::string head = "metadata: {name: w, namespace: x, labels: {kueue.x-k8s.io/queue-name: main}}\n";
  const std::string pod = "template: {metadata: {labels: {a: b}}, spec: {" + spec +
                          "containers: [{name: c, image: 'x:1', resources: {limits: {cpu: 4, nvidia.com/gpu: 8}}}]";
  if (kind == "Job")
    return "apiVersion: batch/v1\nkind: Job\n" + head + "spec: {parallelism: " + count + ", completions: " + count +
           ", " + pod + ", restartPolicy: Never}}}\n";
  return "apiVersion: apps/v1\nkind: Deployment\n" + head + "spec: {replicas: " + count +
         ", selector: {matchLabels: {a: b}}, " + pod + "}}}\n";
}

std::string of_file(const std::string& site, const std::string& file) {
  const plan::Fit fit = read_site(site)->fit_of(file, "job.yaml");
  CHECK(fit.verdict == Verdict::fits);
  return fit.otherwise;
}

bool names(const std::string& said, const std::string& pool) {
  return said.find("pool " + pool + " ") != std::string::npos;
}

}  // namespace

TEST_CASE("Kueue leaves out what a file selects by labels that flavors need not have", "[fit][flavor]") {
  struct Apart {
    std::string a, b, requires_b, selects_b;
  };
  const std::vector<Apart> all = {{plain + "  zone = \"y\"", plain + "  zone = \"z\"", "require pool.zone == \"z\"",
                                   "topology.kubernetes.io/zone: z"},
                                  {plain, "node { cpus = 96  memory = 1TB  arch = arm64 }", "require cpu.arch == arm64",
                                   "kubernetes.io/arch: arm64"},
                                  {plain, plain, "require node.name in [\"b1\", \"b2\"]", "kubernetes.io/hostname: b1"},
                                  {plain, "node { cpus = 96  memory = 2TB }", "require node.memory >= 2TB", ""}};
  for (const Apart& apart : all)
    for (const std::string& quotas : {a_first, b_first}) {
      INFO(apart.requires_b << quotas);
      const bool loses = quotas == a_first;
      const std::string site = scene(apart.a, apart.b, quotas, "");
      CHECK(names(of_spec(site, "kind = train  nodes = 2  gpus = 8  " + apart.requires_b), "a") == loses);
      if (!apart.selects_b.empty())
        CHECK(names(of_file(site, job("Job", 1, "nodeSelector: {" + apart.selects_b + "}, ")), "a") == loses);
      // Kueue with a topology sees that no node of the first flavor is theirs, and gives a set that is alone the next
      // one.
      const std::string near = scene(apart.a, apart.b, quotas, topology);
      CHECK(of_spec(near, "kind = train  nodes = 2  gpus = 8  " + apart.requires_b).empty());
      const std::string roles =
          "kind = train  role lead { resources { nodes = 1  gpus = 8 } }  role rest { resources { nodes = 1  gpus = 8 "
          "} }  ";
      CHECK(names(of_spec(near, roles + apart.requires_b), "a") == loses);
    }
}

TEST_CASE("Kueue tells flavors apart by the label of their GPUs", "[fit][flavor]") {
  std::string site = scene(plain, plain, a_first, "");
  site.replace(site.rfind("model = h100"), 12, "model = h200");
  CHECK(of_spec(site, "kind = train  nodes = 2  gpu = h200:8").empty());
  CHECK(names(of_spec(scene(plain, plain + "  zone = \"z\"", a_first, ""),
                      "kind = train  nodes = 2  gpu = h100:8  require pool.zone == \"z\""),
              "a"));
}

TEST_CASE("each set of pods of an object has a flavor of its own", "[fit][flavor]") {
  // Flavor a has quota for one pod, and its nodes have no room for it.
  const std::string small = "node { cpus = 10  memory = 1TB }", quotas = "quota a { gpus = 8 }  quota b { gpus = 16 }";
  const std::string site = scene(small, plain, quotas, "");
  const std::string pods = "nodes = 2  gpus = 8  cpus = 20  ";
  CHECK(names(of_spec(site, "kind = rl  launch { runner = ray }  " + pods), "a"));
  CHECK(names(of_spec(site, "kind = serve  port http { number = 80 }  " + pods), "a"));
  CHECK(of_spec(site, "kind = batch  gang = all  " + pods).empty());
  CHECK(of_spec(scene(small, plain, "quota a { gpus = 7 }  quota b { gpus = 16 }", ""),
                "kind = rl  launch { runner = ray }  " + pods)
            .empty());
}

TEST_CASE("each pod of a Deployment has a flavor of its own", "[fit][flavor]") {
  const std::string used = "in-use u { nodes = \"a1\"  gpus = 8 }";
  const auto says = [&](int pods, int of_a) {
    const std::string quotas = "quota a { gpus = " + std::to_string(of_a) + " }  quota b { gpus = 16 }";
    return of_file(scene(plain + "  " + used, plain, quotas, ""), job("Deployment", pods, ""));
  };
  CHECK(says(1, 8).empty());  // one has room on each
  CHECK(says(3, 8).empty());
  CHECK(names(says(2, 16), "a"));  // two on a, of which a node is in use
  CHECK(names(says(3, 16), "a"));
}

TEST_CASE("with a topology each pod of a Deployment gets the flavor that has a node", "[fit][flavor]") {
  const std::string used = "in-use u { nodes = \"a[1-2]\"  gpus = 8 }";
  for (int pods = 1; pods <= 2; ++pods) {
    CHECK(of_file(scene(plain + "  " + used, plain, a_first, topology), job("Deployment", pods, "")).empty());
    CHECK(names(of_file(scene(plain + "  " + used, plain, a_first, ""), job("Deployment", pods, "")), "a"));
  }
}

TEST_CASE("a replica of several pods is of one flavor", "[fit][flavor]") {
  const auto fit = [](int replicas, int size) {
    const std::string file =
        "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: w, namespace: x, labels: "
        "{kueue.x-k8s.io/queue-name: main}}\nspec:\n  replicas: " +
        std::to_string(replicas) + "\n  leaderWorkerTemplate:\n    size: " + std::to_string(size) +
        "\n    workerTemplate: {spec: {containers: [{name: c, image: 'x:1', resources: {limits: {cpu: 4, "
        "nvidia.com/gpu: 8}}}]}}\n";
    return read_site(scene(plain, plain, a_first, topology))->fit_of(file, "job.yaml").verdict;
  };
  CHECK(fit(1, 2) == Verdict::fits);
  CHECK(fit(2, 2) == Verdict::fits);
  CHECK(fit(4, 1) == Verdict::fits);
  CHECK(fit(1, 3) == Verdict::does_not_fit);  // no flavor has three nodes
  CHECK(fit(1, 4) == Verdict::does_not_fit);
}

}  // namespace flavor_choice_test
