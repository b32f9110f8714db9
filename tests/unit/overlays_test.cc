// Files that are merged or rendered before they are applied: patches of kustomizations, templates of charts.
#include <filesystem>
#include <fstream>
#include <string>

#include "lint/rule.h"
#include "tests/unit/linted.h"

namespace overlays_test {

using namespace muster;
using tests::Linted;
using tests::TempFolder;
namespace fs = std::filesystem;

namespace {

std::string deployment(const std::string& image, const std::string& more = "") {
  return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: vllm}\nspec:\n  selector: {matchLabels: {app: "
         "vllm}}\n"
         "  template:\n    metadata: {labels: {app: vllm}}\n    spec:\n      containers:\n      - name: main\n        "
         "image: " +
         image + "\n" + more;
}

// Requests GPUs without a limit: K8S003 has a safe fix for it, where the object is complete.
const std::string patch =
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: vllm}\nspec:\n  template:\n    spec:\n      containers:\n"
    "      - name: main\n        image: a:1\n        resources:\n          requests:\n            nvidia.com/gpu: 2\n";

void put(const TempFolder& folder, const std::string& name, const std::string& text) {
  const fs::path file = folder.path() / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

// The findings of a file: rules in order, without those that only a cluster could tell.
std::string found(Linted& linted, const std::string& file) {
  std::string out;
  for (const lint::Result& r : linted.run.outcome().results) {
    const std::string& name = linted.run.session().sources().name(r.finding.primary.file);
    const std::string id(lint::about(r.finding).id);
    if (name.ends_with(file) && (r.finding.verdict == lint::Verdict::wrong || id == "SLM022"))
      out += (out.empty() ? "" : " ") + id;
  }
  return out;
}

std::string found(Linted&& linted, const std::string& file) { return found(linted, file); }

}  // namespace

TEST_CASE("a patch that a kustomization lists is not judged as a manifest", "[lint][manifest][overlays]") {
  for (const char* list : {"patches:\n- path: gpu.yaml\n", "patchesStrategicMerge:\n- gpu.yaml\n",
                           "patchesJson6902:\n- path: gpu.yaml\n"}) {
    INFO(list);
    const TempFolder folder;
    std::string other = deployment("a:1");  // not what the patch changes
    other.replace(other.find("vllm"), 4, "llm2");
    put(folder, "base/a.yaml", other);
    put(folder, "base/kustomization.yaml", "resources: [a.yaml]\n");
    put(folder, "overlays/gpu/kustomization.yaml", "resources: [../../base]\n" + std::string(list));
    put(folder, "overlays/gpu/gpu.yaml", patch);
    CHECK(found(Linted(folder.path()), "gpu.yaml") == "SLM022");
    CHECK(found(Linted(folder.path() / "overlays/gpu/gpu.yaml"), "gpu.yaml") == "SLM022");  // named alone
  }
}

TEST_CASE("the same file without a kustomization that lists it is judged", "[lint][manifest][overlays]") {
  const TempFolder folder;
  std::string whole = patch;
  whole.replace(whole.find("spec:\n"), 6, "spec:\n  selector: {matchLabels: {app: vllm}}\n");
  put(folder, "gpu.yaml", whole);
  CHECK(found(Linted(folder.path()), "gpu.yaml").find("K8S003") != std::string::npos);
  put(folder, "kustomization.yaml", "resources: [gpu.yaml]\npatches: [{path: gpu.yaml}]\n");
  CHECK(found(Linted(folder.path()), "gpu.yaml").find("K8S003") != std::string::npos);
  put(folder, "kustomization.yaml", "patches: [{path: gpu.yaml}]\n");
  CHECK(found(Linted(folder.path()), "gpu.yaml") == "SLM022 K8S002");  // its errors, for it can be applied as it is
}

TEST_CASE("test data and archives are judged, which is less strict for each folder", "[lint][manifest][overlays]") {
  const TempFolder folder;
  const std::string old = "apiVersion: autoscaling/v2beta1\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\n";
  for (const char* name : {"api/testdata/a.yaml", "fixtures/a.yaml", "invalid_jobs/a.yaml", "_archived/x/a.yaml",
                           "vendor/b/a.yaml", "utils/obsolete/a.yaml", "k8s/old/a.yaml", "faulty-examples/a.yaml",
                           "brokenhill/a.yaml", "src/test/resources/a.yaml", "new/a.yaml"})
    put(folder, name, old);
  put(folder, "api/testdata/b.yaml", old);
  put(folder, "api/testdata/broken.yaml", "apiVersion: v1\nkind: Pod\nspec: {a: [\n");
  Linted linted(folder.path());
  CHECK(linted.usable());
  CHECK(found(linted, "api/testdata/a.yaml") == "SLM022 K8S019");
  CHECK(found(linted, "api/testdata/b.yaml") == "K8S019");  // once a folder
  CHECK(found(linted, "fixtures/a.yaml") == "SLM022 K8S019");
  CHECK(found(linted, "invalid_jobs/a.yaml") == "SLM022 K8S019");
  CHECK(found(linted, "_archived/x/a.yaml") == "SLM022 K8S019");
  CHECK(found(linted, "vendor/b/a.yaml") == "SLM022 K8S019");
  CHECK(found(linted, "utils/obsolete/a.yaml") == "SLM022 K8S019");
  CHECK(found(linted, "k8s/old/a.yaml") == "SLM022 K8S019");
  CHECK(found(linted, "faulty-examples/a.yaml") == "SLM022 K8S019");
  CHECK(found(linted, "brokenhill/a.yaml").find("K8S019") != std::string::npos);
  CHECK(found(linted, "src/test/resources/a.yaml") == "SLM022 K8S019");
  CHECK(found(linted, "new/a.yaml").find("K8S019") != std::string::npos);
  // Who names the file or the folder wants to know.
  CHECK(found(Linted(folder.path() / "fixtures/a.yaml"), "a.yaml").find("K8S019") != std::string::npos);
  CHECK(found(Linted(folder.path() / "fixtures"), "a.yaml").find("K8S019") != std::string::npos);
}

TEST_CASE("a job script in a folder of archives is judged, which is less strict", "[lint][overlays]") {
  const std::string script =
      "#!/bin/bash\n#SBATCH --time=1\ncd \"$(dirname \"${BASH_SOURCE[0]}\")\"\npython train.py\n";
  for (const char* name : {"legacy", "archive", "old", "testdata"}) {
    INFO(name);
    const TempFolder folder;
    put(folder, std::string(name) + "/a.sh", script);
    put(folder, std::string(name) + "/a.py", "print(1)\n");  // nothing that is judged
    put(folder, std::string(name) + "/b.sh", script);
    put(folder, "scripts/c.sh", script);
    Linted linted(folder.path());
    CHECK(found(linted, "a.sh") == "SLM022 SLM018");
    CHECK(found(linted, "b.sh") == "SLM018");
    CHECK(found(linted, "c.sh") == "SLM018");
    CHECK(found(Linted(folder.path() / name / "b.sh"), "b.sh") == "SLM018");  // named alone
  }
}

TEST_CASE("a suppression in a folder of archives is not one too many", "[lint][overlays]") {
  const std::string script =
      "#!/bin/bash\n#SBATCH --time=1\n# muster: allow SLM018 -- the folder is shared\npython train.py\n";
  const TempFolder folder;
  put(folder, "archive/a.sh", script);
  put(folder, "archive/b.yaml", "# muster: allow K8S001 -- kept\n" + deployment("a:1"));
  put(folder, "scripts/c.sh", script);
  Linted linted(folder.path());
  CHECK(found(linted, "a.sh") == "SLM022");
  CHECK(found(linted, "b.yaml") == "K8S001");  // allowed
  CHECK(found(linted, "c.sh") == "SUP002");
}

TEST_CASE("a generated secret in an archived script is one, a password is not", "[lint][overlays]") {
  const auto script = [](const std::string& line) {
    return "#!/bin/bash\n#SBATCH --time=1\n" + line + "\npython train.py\n";
  };
  const TempFolder folder;
  put(folder, "archive/a.sh", script("export DB_PASSWORD=darwin2025x"));
  put(folder, "archive/b.sh", script("export HF_TOKEN=" + std::string("hf_") + "kLmNoPqRsTuVwXyZaBcDeFgHiJkLmNoPqR"));
  put(folder, "scripts/c.sh", script("export DB_PASSWORD=darwin2025x"));
  Linted linted(folder.path());
  CHECK(found(linted, "a.sh") == "SLM022");
  CHECK(found(linted, "b.sh") == "SEC001");
  CHECK(found(linted, "c.sh") == "SEC001");
}

TEST_CASE("pods that a cluster printed are a record where they lie in a repository", "[lint][manifest][overlays]") {
  const TempFolder folder;
  const auto pod = [](const std::string& more, const std::string& status) {
    return "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a" + more +
           "}\n  spec:\n    containers:\n    - {name: a, image: vllm/vllm-openai:v1, command: [vllm, serve, m], "
           "resources: {limits: {nvidia.com/gpu: 1}}}\n" +
           status;
  };
  const std::string running = "  status: {phase: Running}\n";
  put(folder, "results/a.yaml", pod(", uid: 0b8e", running));
  put(folder, "results/b.yaml", pod("", running));
  put(folder, "results/c.yaml", pod(", uid: 0b8e", ""));
  Linted linted(folder.path());
  CHECK(found(linted, "results/a.yaml") == "K8S001 K8S005 SLM022");
  CHECK(found(linted, "results/b.yaml").find("K8S005") != std::string::npos);
  CHECK(found(linted, "results/c.yaml").find("K8S005") != std::string::npos);
  // So are several objects of other kinds, but one may be applied again.
  const auto claim = [](const std::string& name) {
    return "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: " + name +
           ", uid: 0b8e}\nspec: {accessMode: a}\nstatus: {phase: Bound}\n";
  };
  put(folder, "dump/one.yaml", claim("a"));
  put(folder, "dump/two.yaml", claim("a") + "---\n" + claim("b"));
  Linted dumped(folder.path() / "dump");
  CHECK(found(dumped, "one.yaml") == "K8S017");
  CHECK(found(dumped, "two.yaml") == "K8S017 SLM022 K8S017");
  // Whoever names it asks about what runs.
  CHECK(found(Linted(folder.path() / "results/a.yaml"), "a.yaml").find("K8S005") != std::string::npos);
}

TEST_CASE("a secret in test data is one", "[lint][manifest][overlays]") {
  const TempFolder folder;
  const auto pod = [](const std::string& value) {
    return "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: a\n    image: a:1\n    "
           "env:\n"
           "    - {name: DB_PASSWORD, value: " +
           value + "}\n";
  };
  put(folder, "testdata/a.yaml", pod("hf_abcdefghijkLMNOPQRstuvwxyz0123456789"));
  put(folder, "testdata/b.yaml", pod("sunshine"));
  Linted linted(folder.path());
  CHECK(found(linted, "testdata/a.yaml").find("SEC001") != std::string::npos);
  CHECK(found(linted, "testdata/b.yaml") == "K8S001");
}

TEST_CASE("what tests start is held against what breaks it", "[lint][manifest][overlays]") {
  const TempFolder folder;
  const std::string pod =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: a\n    image: b/a\n    "
      "resources: {requests: {nvidia.com/gpu: 1}}\n";
  put(folder, "test/e2e/a.yaml", pod);
  put(folder, "b.yaml", pod);
  Linted linted(folder.path());
  std::string of_tests, others;
  for (const lint::Result& r : linted.results()) {
    const bool tests = linted.sources().name(r.finding.primary.file).ends_with("a.yaml");
    if (r.finding.severity != Severity::info)
      (tests ? of_tests : others) += std::string(lint::about(r.finding).id) + " ";
  }
  CHECK(of_tests == "K8S002 ");
  CHECK(others.find("K8S001") != std::string::npos);
  CHECK(others.find("K8S002") != std::string::npos);
}

TEST_CASE("a file that is named a patch is one, in a folder of kustomize", "[lint][manifest][overlays]") {
  const TempFolder folder;
  const std::string text = deployment("a") + "        resources: {limits: {nvidia.com/gpu: 1}}\n";
  put(folder, "default/kustomization.yaml", "resources: [a.yaml]\n");
  put(folder, "default/manager_auth_patch.yaml", text);
  put(folder, "default/patches/gpu.yaml", text);
  put(folder, "other/patch-gpu.yaml", text);
  Linted linted(folder.path());
  CHECK(found(linted, "manager_auth_patch.yaml") == "SLM022");
  CHECK(found(linted, "patches/gpu.yaml") == "SLM022");
  CHECK(found(linted, "other/patch-gpu.yaml").find("K8S001") != std::string::npos);  // kustomize has no part in it
}

TEST_CASE("a Deployment that could not be created is a patch", "[lint][manifest][overlays]") {
  const TempFolder folder;
  put(folder, "a.yaml", patch);  // a Deployment without a selector
  CHECK(found(Linted(folder.path()), "a.yaml") == "SLM022");
  put(folder, "a.yaml", deployment("a:1") + "      - $patch: delete\n        name: side\n");
  CHECK(found(Linted(folder.path()), "a.yaml") == "SLM022");
}

TEST_CASE("a workload of which no container has an image is a patch", "[lint][manifest][overlays]") {
  const TempFolder folder;
  const auto job = [](const std::string& image) {
    return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      containers:\n"
           "      - name: main\n" +
           image + "        resources:\n          requests:\n            nvidia.com/gpu: 2\n";
  };
  put(folder, "a.yaml", job(""));
  CHECK(found(Linted(folder.path()), "a.yaml") == "SLM022");
  put(folder, "a.yaml", job("        image: a:1\n"));
  CHECK(found(Linted(folder.path()), "a.yaml").find("K8S003") != std::string::npos);
}

TEST_CASE("a secret in a patch is found", "[lint][manifest][overlays]") {
  const TempFolder folder;
  put(folder, "a.yaml", patch + "        env: [{name: HF_TOKEN, value: \"hf_q8Zr2mVt6KpXw4LsNd7HgJb3FcYe9AuT1o\"}]\n");
  CHECK(found(Linted(folder.path()), "a.yaml") == "SLM022 SEC001");
}

TEST_CASE("an image that a kustomization replaces is no finding", "[lint][manifest][overlays]") {
  const TempFolder folder;
  put(folder, "base/a.yaml", deployment("registry:5000/team/serve"));
  put(folder, "base/kustomization.yaml", "resources: [a.yaml]\n");
  CHECK(found(Linted(folder.path()), "base/a.yaml").find("K8S001") != std::string::npos);
  put(folder, "overlays/prod/kustomization.yaml",
      "resources: [../../base]\nimages:\n- {name: registry:5000/team/serve, newTag: v1}\n");
  CHECK(found(Linted(folder.path()), "base/a.yaml").find("K8S001") == std::string::npos);
  put(folder, "overlays/prod/kustomization.yaml", "resources: [../../base]\nimages:\n- {name: other, newTag: v1}\n");
  CHECK(found(Linted(folder.path()), "base/a.yaml").find("K8S001") != std::string::npos);
}

TEST_CASE("what templates of a chart leave open is not checked, which is said once", "[lint][manifest][overlays]") {
  const TempFolder folder;
  put(folder, "chart/Chart.yaml", "name: a\nversion: 1.0.0\n");
  put(folder, "chart/templates/a.yaml", deployment("\"{{ .Values.image }}\""));
  put(folder, "chart/templates/b.yaml", deployment("serve:latest"));
  Linted linted(folder.path());
  CHECK(found(linted, "templates/a.yaml") == "SLM022");
  CHECK(found(linted, "templates/b.yaml").find("K8S001") != std::string::npos);
  fs::remove(folder.path() / "chart/Chart.yaml");
  CHECK(found(Linted(folder.path()), "templates/b.yaml").find("K8S001") != std::string::npos);
}

TEST_CASE("kustomizations that take each other end", "[lint][manifest][overlays]") {
  const TempFolder folder;
  put(folder, "a/kustomization.yaml", "resources: [../b]\nimages: [{name: x, newTag: '1'}]\n");
  put(folder, "b/kustomization.yaml", "resources: [../a, c.yaml]\nimages: [{name: y, newTag: '1'}]\n");
  put(folder, "b/c.yaml", deployment("x"));
  CHECK(found(Linted(folder.path()), "c.yaml").find("K8S001") == std::string::npos);
}

}  // namespace overlays_test
