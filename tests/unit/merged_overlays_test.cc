// Kustomizations whose patches are merged with what they change: lint judges the result, at the line it comes from.
#include <filesystem>
#include <fstream>
#include <string>

#include "compiler/data/read.h"
#include "compiler/data/write.h"
#include "lint/rule.h"
#include "targets/kubernetes/read/patch.h"
#include "tests/unit/linted.h"

namespace merged_overlays_test {

using namespace muster;
using tests::Linted;
using tests::TempFolder;
namespace fs = std::filesystem;
namespace k8s = targets::kubernetes;

namespace {

const std::string base =
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: vllm}\nspec:\n  selector: {matchLabels: {app: vllm}}\n"
    "  template:\n    metadata: {labels: {app: vllm}}\n    spec:\n      containers:\n      - name: main\n"
    "        image: a@sha256:" +
    std::string(64, 'a') + "\n        resources:\n          limits: {nvidia.com/gpu: 1}\n";

const std::string patch =
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: vllm}\nspec:\n  template:\n    spec:\n      containers:\n"
    "      - name: main\n        image: b:latest\n";

void put(const TempFolder& folder, const std::string& name, const std::string& text) {
  const fs::path file = folder.path() / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

// "gpu.yaml:9 K8S001" of what is surely wrong, and of SLM022.
std::string found(Linted&& linted) {
  std::string out;
  const Sources& sources = linted.run.session().sources();
  for (const lint::Result& r : linted.run.outcome().results) {
    const std::string id(lint::about(r.finding).id);
    const bool counts = r.finding.verdict == lint::Verdict::wrong && (id == "K8S001" || id == "K8S002");
    if (!counts && id != "SLM022" && id != "SUP002") continue;
    const Span at = r.finding.primary;
    out += (out.empty() ? "" : ", ") + fs::path(sources.name(at.file)).filename().string() + ":" +
           std::to_string(sources.position(at.file, at.begin).line) + " " + id +
           (r.state == lint::State::suppressed ? " suppressed" : "");
  }
  return out;
}

void put_overlay(const TempFolder& folder, const std::string& kustomization, const std::string& changes = patch) {
  put(folder, "base/a.yaml", base);
  put(folder, "base/kustomization.yaml", "resources: [a.yaml]\n");
  put(folder, "overlays/prod/kustomization.yaml", "resources: [../../base]\n" + kustomization);
  put(folder, "overlays/prod/gpu.yaml", changes);
}

std::string merged(const std::string& object, const std::string& change, bool custom = false) {
  Sources sources;
  const auto read = [&](const std::string& text) {
    return data::read_yaml(sources, sources.add("a.yaml", text)).documents.at(0).root;
  };
  data::Node root = read(object);
  const data::Node other = read(change);
  bool deleted = false;
  const std::string why =
      k8s::is_json_patch(other) ? k8s::apply_json_patch(root, other) : k8s::merge_patch(root, other, custom, deleted);
  return !why.empty() ? "! " + why : deleted ? "deleted" : data::to_yaml(root);
}

}  // namespace

TEST_CASE("what a patch brings is judged in the object that it changes", "[lint][overlays][merge]") {
  const TempFolder folder;
  for (const char* list : {"patches:\n- path: gpu.yaml\n", "patchesStrategicMerge: [gpu.yaml]\n",
                           "patches:\n- path: gpu.yaml\n  target: {kind: Deployment, name: v.*}\n"}) {
    INFO(list);
    put_overlay(folder, list);
    CHECK(found(Linted(folder.path())) == "gpu.yaml:9 K8S001");
  }
}

TEST_CASE("a patch that is written in the kustomization has its own lines", "[lint][overlays][merge]") {
  const TempFolder folder;
  put_overlay(folder,
              "patches:\n- patch: |-\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {name: vllm}\n"
              "    spec:\n      template:\n        spec:\n          containers:\n          - name: main\n"
              "            image: b:latest\n",
              "");
  CHECK(found(Linted(folder.path())) == "kustomization.yaml:12 K8S001");
  put_overlay(folder,
              "patches:\n- target: {kind: Deployment}\n  patch: |-\n    - op: replace\n"
              "      path: /spec/template/spec/containers/0/image\n      value: b:latest\n",
              "");
  CHECK(found(Linted(folder.path())) == "kustomization.yaml:7 K8S001");
}

TEST_CASE("what the base has alone is not reported twice", "[lint][overlays][merge]") {
  const TempFolder folder;
  std::string wrong = base;
  wrong.replace(wrong.find("limits"), 6, "requests");  // GPUs that are not in `limits`
  put_overlay(folder, "patches: [{path: gpu.yaml}]\n");
  put(folder, "base/a.yaml", wrong);
  CHECK(found(Linted(folder.path())) == "a.yaml:13 K8S002, gpu.yaml:9 K8S001");
}

TEST_CASE("a patch may mend its base", "[lint][overlays][merge]") {
  const TempFolder folder;
  const std::string changes =
      patch.substr(0, patch.find("        image")) + "        resources: {requests: {nvidia.com/gpu: 1}}\n";
  put_overlay(folder, "patches: [{path: gpu.yaml}]\n", changes);
  CHECK(found(Linted(folder.path())).empty());  // the limits are those of the base
}

TEST_CASE("what cannot be merged is left out, with the reason", "[lint][overlays][merge]") {
  const TempFolder folder;
  for (const char* more : {"components: [../c]\n", "transformers: [t.yaml]\n", "replacements: [{path: r.yaml}]\n",
                           "helmCharts: [{name: x}]\n", "vars: [{name: X}]\n"}) {
    INFO(more);
    put_overlay(folder, std::string("patches: [{path: gpu.yaml}]\n") + more);
    Linted linted(folder.path());
    const auto& results = linted.run.outcome().results;
    std::string notes;
    for (const lint::Result& r : results)
      for (const std::string& note : r.finding.notes) notes += note + "\n";
    const std::string_view key(more, std::string_view(more).find(':'));
    CHECK(notes.find("`" + std::string(key) + "`") != std::string::npos);
    CHECK(found(std::move(linted)) == "gpu.yaml:1 SLM022");
  }
  put_overlay(folder, "patches: [{path: gpu.yaml}]\n",
              "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: other}\n"
              "spec: {template: {spec: {containers: [{name: a, image: b}]}}}\n");
  CHECK(found(Linted(folder.path())) == "gpu.yaml:1 SLM022");
}

TEST_CASE("kustomizations that take each other, or themselves, end", "[lint][overlays][merge]") {
  const TempFolder folder;
  put(folder, "a/kustomization.yaml", "resources: [../b, x.yaml]\npatches: [{path: p.yaml}]\n");
  put(folder, "b/kustomization.yaml", "resources: [../a, ../b]\n");
  put(folder, "a/x.yaml", base);
  put(folder, "a/p.yaml", patch);
  CHECK(found(Linted(folder.path())) == "p.yaml:1 SLM022");
  std::string twice = "resources: [";
  for (int i = 0; i < 12; ++i) {  // each takes the one below it twice
    put(folder, "d" + std::to_string(i) + "/kustomization.yaml",
        i == 0 ? "resources: [../a/x.yaml]\n"
               : "resources: [../d" + std::to_string(i - 1) + ", ../d" + std::to_string(i - 1) + "/.]\n");
  }
  put(folder, "top/kustomization.yaml", "resources: [../d11]\npatches: [{path: ../a/p.yaml}]\n");
  CHECK(found(Linted(folder.path())) == "p.yaml:1 SLM022");
}

TEST_CASE("no file outside of the run is merged, through links neither", "[lint][overlays][merge]") {
  const TempFolder folder;
  put(folder, "out/a.yaml", base);
  put(folder, "in/prod/kustomization.yaml", "resources: [../../out/a.yaml]\npatches: [{path: gpu.yaml}]\n");
  put(folder, "in/prod/gpu.yaml", patch);
  CHECK(found(Linted(folder.path() / "in")) == "gpu.yaml:1 SLM022");
  CHECK(found(Linted(folder.path())) == "gpu.yaml:9 K8S001");
  put(folder, "in/prod/kustomization.yaml", "resources: [a.yaml]\npatches: [{path: gpu.yaml}]\n");
  fs::create_symlink(folder.path() / "out/a.yaml", folder.path() / "in/prod/a.yaml");
  CHECK(found(Linted(folder.path() / "in")) == "gpu.yaml:1 SLM022");
}

TEST_CASE("what a merged object has may be allowed at its line", "[lint][overlays][merge]") {
  const TempFolder folder;
  put_overlay(folder, "patches: [{path: gpu.yaml}]\n",
              patch.substr(0, patch.size() - 1) + "  # muster: allow K8S001 -- the registry has no tags\n");
  CHECK(found(Linted(folder.path())) == "gpu.yaml:9 K8S001 suppressed");
}

TEST_CASE("lists of Kubernetes' own kinds are merged by their keys", "[overlays][merge]") {
  CHECK(merged("a: {containers: [{name: x, image: b, env: [{name: A, value: '1'}, {name: B, value: '2'}]}]}",
               "a: {containers: [{name: x, env: [{name: B, value: '3'}, {name: C, value: '4'}]}]}") ==
        merged("a: {containers: [{name: x, image: b, env: [{name: B, value: '3'}, {name: C, value: '4'}, {name: A, "
               "value: '1'}]}]}",
               "{}"));
  CHECK(merged("a: {args: [b, c], tolerations: [{key: x}]}", "a: {args: [d], tolerations: [{key: y}]}") ==
        merged("a: {args: [d], tolerations: [{key: y}]}", "{}"));
  CHECK(merged("a: {containers: [{name: x, image: b}]}", "a: {containers: [{name: y, image: c}]}", true) ==
        merged("a: {containers: [{name: y, image: c}]}", "{}"));
  CHECK(merged("a: {ports: [{port: 80, name: x}]}", "a: {ports: [{port: 80, targetPort: 8000}]}") ==
        merged("a: {ports: [{port: 80, name: x, targetPort: 8000}]}", "{}"));
}

TEST_CASE("directives of strategic merge patches", "[overlays][merge]") {
  CHECK(merged("a: {b: 1, c: 2}", "a: {b: null}") == merged("a: {c: 2}", "{}"));
  CHECK(merged("a: {containers: [{name: x}, {name: y}]}", "a: {containers: [{name: x, $patch: delete}]}") ==
        merged("a: {containers: [{name: y}]}", "{}"));
  CHECK(merged("a: {env: [{name: x}]}", "a: {env: [{name: y}, {$patch: replace}]}") ==
        merged("a: {env: [{name: y}]}", "{}"));
  CHECK(merged("a: {b: {c: 1}}", "a: {b: {$patch: replace, d: 2}}") == merged("a: {b: {d: 2}}", "{}"));
  CHECK(merged("a: 1", "$patch: delete") == "deleted");
  CHECK(merged("a: [x]", "{a: [y], $retainKeys: [a]}").starts_with("! "));
}

TEST_CASE("JSON patches", "[overlays][merge]") {
  CHECK(merged("a: {b: [1, 2]}", "[{op: add, path: /a/b/1, value: 3}, {op: add, path: /a/b/-, value: 4}]") ==
        merged("a: {b: [1, 3, 2, 4]}", "{}"));
  CHECK(merged("a: {b/c: 1, d~e: 2}", "[{op: remove, path: /a/b~1c}, {op: replace, path: /a/d~0e, value: 5}]") ==
        merged("a: {d~e: 5}", "{}"));
  CHECK(merged("a: {b: 1}", "[{op: replace, path: /a/c, value: 1}]") == merged("a: {b: 1, c: 1}", "{}"));
  CHECK(merged("a: {b: [1]}", "[{op: replace, path: /a/b/1, value: 1}]").starts_with("! "));
  CHECK(merged("a: {b: 1}", "[{op: remove, path: /a/c}]").starts_with("! "));
  CHECK(merged("a: {b: 1}", "[{op: test, path: /a/b, value: 2}]").starts_with("! "));
  CHECK(merged("a: {b: 1}", "[{op: move, from: /a/b, path: /a/c}, {op: copy, from: /a/c, path: /d}]") ==
        merged("{a: {c: 1}, d: 1}", "{}"));
  std::string laughs = "[";
  for (int i = 0; i < 60; ++i) laughs += "{op: copy, from: /a, path: /a/x" + std::to_string(i) + "},";
  CHECK(merged("a: {b: 1}", laughs + "]").starts_with("! "));
}

}  // namespace merged_overlays_test
