// Manifests on a site of several pools: pods that may be on any of them, that start in part, that request fractions of
// CPUs, and those that operators add. The real cluster that says so is in tests/cluster.
#include "compiler/sema/check/check.h"
#include "compiler/syntax/parse.h"
#include "driver/existing_files.h"
#include "lint/fit_as_read.h"
#include "tests/catch.h"

namespace existing_pods_test_unit {

using namespace muster;
using plan::Verdict;

namespace {

std::string site_text(const std::string& taint, const std::string& more) {
  return "fleet two {\n"
         "  pool h100 {\n    nodes = \"h[1-2]\"\n    gpu  { model = h100  memory = 80GB  count = 8 }\n"
         "    node { cpus = 64  memory = 500GiB  reserve-cpus = 0  reserve-memory = 0B }\n    " +
         taint +
         "\n  }\n"
         "  pool a100 {\n    nodes = \"a[1-2]\"\n    gpu  { model = a100  memory = 80GB  count = 4 }\n"
         "    node { cpus = 32  memory = 250GiB  reserve-cpus = 0  reserve-memory = 0B }\n    " +
         taint +
         "\n  }\n"
         "}\n"
         "site two {\n  fleet = two\n  plane pods { kind = kubernetes  gang = kueue  namespace = \"ml\" }\n"
         "  queue main { default = true }\n" +
         more + "}\n";
}

plan::Fit fit(const std::string& manifest, const std::string& taint = "", const std::string& more = "") {
  Sources sources;
  Diagnostics diagnostics;
  sources.add("two.muster", site_text(taint, more));
  auto tree = syntax::parse(sources, 1, diagnostics);
  REQUIRE(tree);
  const model::Module module = sema::check({std::move(*tree)}, sources, {}, diagnostics);
  REQUIRE(!diagnostics.has_errors());
  const auto read = driver::read_existing({sources.add("a.yaml", manifest), lint::Input::manifest}, sources, "",
                                          module.sites.at(0), &module.fleets.at(0), {}, diagnostics);
  REQUIRE(read.size() == 1);
  return lint::fit_as_read(read[0], module.sites.at(0), module.fleets.at(0));
}

std::string why(const plan::Fit& fit) {
  return fit.capacity.certificate ? fit.capacity.certificate->text : fit.capacity.note;
}

std::string pods(const std::string& gpus, const std::string& cpu, const std::string& more = "") {
  return "{metadata: {labels: {app: a}}, spec: {" + more +
         "containers: [{name: main, image: a:1, resources: {requests: {cpu: " + cpu +
         "}, limits: {nvidia.com/gpu: " + gpus + "}}}]}}";
}

std::string deployment(int replicas, const std::string& gpus, const std::string& cpu = "1") {
  return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  replicas: " + std::to_string(replicas) +
         "\n  selector: {matchLabels: {app: a}}\n  template: " + pods(gpus, cpu) + "\n";
}

std::string job(int count, const std::string& gpus, const std::string& cpu, bool queued) {
  return std::string("apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n") +
         (queued ? "  labels: {kueue.x-k8s.io/queue-name: main}\n" : "") +
         "spec:\n  parallelism: " + std::to_string(count) + "\n  completions: " + std::to_string(count) +
         "\n  template: " + pods(gpus, cpu, "restartPolicy: Never, ") + "\n";
}

std::string ray(const std::string& kind, int workers, const std::string& gpus, const std::string& more = "") {
  const std::string cluster = "{headGroupSpec: {rayStartParams: {}, template: " + pods("0", "1", more) +
                              "}, workerGroupSpecs: [{groupName: w, replicas: " + std::to_string(workers) +
                              ", minReplicas: " + std::to_string(workers) +
                              ", maxReplicas: " + std::to_string(workers) +
                              ", rayStartParams: {}, template: " + pods(gpus, "1", more) + "}]}";
  return "apiVersion: ray.io/v1\nkind: " + kind + "\nmetadata: {name: a}\nspec: " +
         (kind == "RayCluster" ? cluster : "{entrypoint: python a.py, rayClusterSpec: " + cluster + "}") + "\n";
}

}  // namespace

TEST_CASE("pods without a selector may be on nodes of unlike pools", "[fit][existing]") {
  CHECK(fit(deployment(24, "1")).capacity.verdict == Verdict::fits);  // 16 and 8 GPUs
  CHECK(fit(deployment(25, "1")).capacity.verdict == Verdict::does_not_fit);
  CHECK(fit(deployment(2, "8")).capacity.verdict == Verdict::fits);
  CHECK(fit(deployment(3, "8")).capacity.verdict == Verdict::does_not_fit);  // those of 4 GPUs are too small
  CHECK(fit(job(24, "1", "1", false)).at_once.possible == 24);
}

TEST_CASE("a queue that gives a role nodes of one flavor may not mix pools", "[fit][existing]") {
  CHECK(fit(job(16, "1", "1", true)).capacity.verdict == Verdict::fits);
  const plan::Fit found = fit(job(24, "1", "1", true));
  CHECK(found.capacity.verdict == Verdict::unknown);
  CHECK(why(found).find("one flavor") != std::string::npos);
  CHECK(fit(job(25, "1", "1", true)).capacity.verdict == Verdict::does_not_fit);
}

TEST_CASE("pods of a group are of one flavor, and groups are not", "[fit][existing]") {
  const auto in_queue = [](std::string manifest) {
    return manifest.insert(manifest.find("name: a"), "labels: {kueue.x-k8s.io/queue-name: main}, ");
  };
  const auto set = [&](int replicas) {
    std::string out = in_queue(deployment(replicas, "1"));
    return out.replace(out.find("Deployment"), 10, "StatefulSet");
  };
  const auto groups = [&](int replicas, int size) {
    return in_queue("apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: a}\nspec:\n" +
                    ("  replicas: " + std::to_string(replicas)) + "\n  leaderWorkerTemplate: {size: " +
                    std::to_string(size) + ", workerTemplate: " + pods("1", "1") + "}\n");
  };
  const std::string quotas = "  tenant t { namespace = \"ml\"  quota h100 { gpus = 16 }  quota a100 { gpus = 8 } }\n";
  const auto verdict = [&](const std::string& manifest) { return fit(manifest, "", quotas).verdict; };
  CHECK(verdict(in_queue(deployment(24, "1"))) == Verdict::fits);
  CHECK(verdict(set(16)) == Verdict::fits);
  CHECK(verdict(set(17)) == Verdict::does_not_fit);
  CHECK(verdict(groups(3, 8)) == Verdict::fits);
  CHECK(verdict(groups(2, 12)) != Verdict::fits);
  CHECK(verdict(job(17, "1", "1", true)) == Verdict::does_not_fit);
}

TEST_CASE("a fraction of a CPU counts where one pod is too large for a node", "[fit][existing]") {
  CHECK(fit(deployment(1, "8", "64")).capacity.verdict == Verdict::fits);
  CHECK(fit(deployment(1, "8", "64100m")).capacity.verdict == Verdict::does_not_fit);
  CHECK(fit(deployment(4, "1", "31500m")).capacity.verdict == Verdict::fits);
  CHECK(fit(deployment(8, "1", "31500m")).capacity.verdict == Verdict::does_not_fit);
  CHECK(fit(deployment(256, "0", "500m")).capacity.verdict != Verdict::does_not_fit);  // 128 nodes' CPUs are enough
}

TEST_CASE("what may start in part never runs whole where a pod of it fits nowhere", "[fit][existing]") {
  CHECK(fit(ray("RayCluster", 2, "8")).capacity.verdict == Verdict::fits);
  CHECK(fit(ray("RayCluster", 3, "8")).capacity.verdict == Verdict::unknown);  // its head starts
  const plan::Fit found = fit(ray("RayCluster", 1, "9"));
  CHECK(found.capacity.verdict == Verdict::does_not_fit);
  CHECK(why(found).find("9") != std::string::npos);
}

TEST_CASE("the pod that submits a RayJob needs a node that it tolerates", "[fit][existing]") {
  const std::string tolerates = "tolerations: [{key: dedicated, operator: Exists}], ";
  CHECK(fit(ray("RayJob", 1, "8", tolerates)).capacity.verdict == Verdict::fits);
  const plan::Fit found = fit(ray("RayJob", 1, "8", tolerates), "taint dedicated { value = \"gpu\" }");
  CHECK(found.capacity.verdict != Verdict::fits);
  std::string by_http = ray("RayJob", 1, "8", tolerates);
  by_http.replace(by_http.find("{entrypoint"), 1, "{submissionMode: HTTPMode, ");
  CHECK(fit(by_http, "taint dedicated { value = \"gpu\" }").capacity.verdict == Verdict::fits);
}

}  // namespace existing_pods_test_unit
