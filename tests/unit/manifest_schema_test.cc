// The schema of the kinds: the table is what its script writes today, and the walk of an object is bounded.
#include <cstdlib>

#include "targets/kubernetes/read/manifest.h"
#include "targets/kubernetes/schema.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/unit/site_file.h"

namespace manifest_schema_test {

namespace k8s = muster::targets::kubernetes;
using muster::Sources;

TEST_CASE("the table of schemas is what the schemas of MUSTER_SHARED give", "[manifest][schema]") {
  const char* shared = std::getenv("MUSTER_SHARED");
  if (shared == nullptr || *shared == '\0' || std::system("python3 -c 'import yaml' 2>/dev/null") != 0) {
    WARN("skipped: MUSTER_SHARED is not set, or python3 has no PyYAML");
    return;
  }
  const std::string script = std::string(muster::tests::source_folder()) + "/tests/judges/manifest_schema.py";
  CHECK(std::system(("python3 '" + script + "' --check").c_str()) == 0);
}

TEST_CASE("what an object says against its schema is bounded and has its place", "[manifest][schema]") {
  std::string text = "apiVersion: v1\nkind: Pod\nspec:\n";
  for (int i = 0; i < 100; ++i) text += "  wrong" + std::to_string(i) + ": 1\n";
  Sources sources;
  sources.add("x.yaml", text);
  const auto manifest = k8s::read_manifest(sources, 1);
  REQUIRE(manifest.objects.size() == 1);
  const auto* schema = k8s::find_schema("v1", "Pod");
  REQUIRE(schema != nullptr);
  const auto found = k8s::refused(*schema, manifest.objects[0].root, 7);
  REQUIRE(found.size() == 7);
  CHECK(found[1].where.path == "spec.wrong1");
  CHECK(found[1].holder == "spec");
}

TEST_CASE("a field in the wrong place is named with the place where it belongs", "[manifest][schema]") {
  Sources sources;
  sources.add(
      "x.yaml",
      "apiVersion: batch/v1\nkind: Job\nspec:\n  containers: []\n  template:\n    spec:\n      backoffLimit: 1\n");
  const auto manifest = k8s::read_manifest(sources, 1);
  const auto found = k8s::refused(*k8s::find_schema("batch/v1", "Job"), manifest.objects[0].root, 7);
  REQUIRE(found.size() == 2);
  CHECK(found[0].elsewhere);
  CHECK(found[0].instead == "spec.template.spec");
  CHECK(found[1].elsewhere);
  CHECK(found[1].instead == "spec");
}

TEST_CASE("pods are found in kinds without a row and counted by what is above them", "[manifest][schema]") {
  Sources sources;
  sources.add("x.yaml",
              "apiVersion: x.io/v1\nkind: Groups\nmetadata: {name: g}\nspec:\n  replicas: 2\n  roles:\n  - name: a\n"
              "    replicas: 3\n    template:\n      metadata: {labels: {app: a}}\n      spec:\n        containers:\n"
              "        - {name: main, image: \"app:v1\", resources: {limits: {nvidia.com/gpu: 8}}}\n");
  const auto manifest = k8s::read_manifest(sources, 1);
  REQUIRE(manifest.objects.size() == 1);
  const k8s::Object& object = manifest.objects[0];
  REQUIRE(object.pods.size() == 1);
  CHECK(object.pods[0].role == "a");
  CHECK(object.pods[0].count == 6);
  CHECK(object.pods[0].label("app") == "a");
  REQUIRE(k8s::pods_up(object).size() == 1);
  CHECK(k8s::pods_up(object)[0] == 6);
}

TEST_CASE("objects that are nested without an end are read in bounded steps", "[manifest][schema]") {
  std::string text = "apiVersion: x.io/v1\nkind: A\nspec:\n", blanks = "  ";
  for (int i = 0; i < 60; ++i, blanks += "  ") text += blanks + "a:\n";
  text += blanks + "containers: [{name: deep, image: \"app:v1\"}]\n";
  Sources sources;
  sources.add("x.yaml", text);
  CHECK(k8s::read_manifest(sources, 1).objects.at(0).pods.empty());
}

}  // namespace manifest_schema_test
