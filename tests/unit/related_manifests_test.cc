// Manifests of one run beside each other: an autoscaler in another file than what it scales.
#include <filesystem>
#include <fstream>
#include <string>

#include "lint/rule.h"
#include "tests/unit/linted.h"

namespace manifests_beside_test {

using namespace muster;
using namespace muster::lint;
using tests::Linted;
using tests::TempFolder;
namespace fs = std::filesystem;

namespace {

const std::string deployment =
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: vllm}\nspec:\n  replicas: 1\n  selector: {matchLabels: "
    "{app: vllm}}\n  template:\n    metadata: {labels: {app: vllm}}\n    spec:\n      containers:\n"
    "      - name: main\n        image: vllm/vllm-openai@sha256:1\n        command: [vllm, serve, m]\n"
    "        readinessProbe: {httpGet: {path: /health, port: 8000}}\n";
const std::string scaler =
    "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: vllm}\nspec:\n"
    "  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: vllm}\n  minReplicas: 1\n  maxReplicas: 4\n";

void write(const TempFolder& folder, const std::string& name, const std::string& text) {
  const fs::path file = folder.path() / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::string in_namespace(std::string text, const std::string& name) {
  return text.replace(text.find("name: vllm}"), 11, "name: vllm, namespace: " + name + "}");
}

}  // namespace

TEST_CASE("an autoscaler in another file of the folder scales what stands there", "[lint][manifest][beside]") {
  const TempFolder folder;
  write(folder, "k8s/deploy.yaml", deployment);
  CHECK(Linted(folder.path()).count("SRV006") == 1);  // one replica, and nothing that scales it
  write(folder, "k8s/hpa.yaml", scaler);
  Linted both(folder.path());
  REQUIRE(both.count("SRV002") == 1);
  CHECK(both.count("SRV006") == 0);
  for (const Result& r : both.results()) {
    if (about(r.finding).id != "SRV002") continue;
    CHECK(both.sources().name(r.finding.primary.file).ends_with("deploy.yaml"));
    CHECK(r.finding.severity == Severity::warning);
    REQUIRE(r.finding.labels.size() == 1);
    CHECK(both.sources().name(r.finding.labels[0].span.file).ends_with("hpa.yaml"));
    REQUIRE(r.finding.fix);
    CHECK_FALSE(r.finding.fix->safe);  // nothing says that both are applied
  }
  // In one file both are applied, and it is said once.
  write(folder, "k8s/deploy.yaml", deployment + "---\n" + scaler);
  fs::remove(folder.path() / "k8s/hpa.yaml");
  Linted one(folder.path());
  REQUIRE(one.count("SRV002") == 1);
  for (const Result& r : one.results())
    if (about(r.finding).id == "SRV002") CHECK(r.finding.severity == Severity::error);
}

TEST_CASE("an autoscaler of another folder, namespace or name scales something else", "[lint][manifest][beside]") {
  const TempFolder folder;
  write(folder, "prod/deploy.yaml", deployment);
  write(folder, "prod/other.yaml", in_namespace(deployment, "x"));
  write(folder, "dev/hpa.yaml", scaler);
  CHECK(Linted(folder.path()).count("SRV002") == 0);
  write(folder, "prod/hpa.yaml", in_namespace(scaler, "y"));
  CHECK(Linted(folder.path()).count("SRV002") == 0);
  write(folder, "prod/hpa.yaml", in_namespace(scaler, "x"));
  CHECK(Linted(folder.path()).count("SRV002") == 1);
  // Two environments in one folder: which of the two it scales, nobody can tell.
  write(folder, "prod/hpa.yaml", scaler);
  write(folder, "prod/canary.yaml", deployment);
  CHECK(Linted(folder.path()).count("SRV002") == 0);
}

TEST_CASE("of a suppression that another file may need nothing is said", "[lint][manifest][beside]") {
  const TempFolder folder;
  std::string text = deployment;
  text.replace(text.find("replicas: 1"), 11, "replicas: 1  # muster: allow SRV002 -- set once, by hand");
  write(folder, "k8s/deploy.yaml", text);
  CHECK(Linted(folder.path()).count("SUP002") == 0);
  write(folder, "k8s/hpa.yaml", scaler);
  Linted both(folder.path());
  CHECK(both.count("SRV002") == 0);
  CHECK(both.count("SRV002", State::suppressed) == 1);
}

}  // namespace manifests_beside_test
