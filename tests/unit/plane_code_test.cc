// How code reaches the nodes, where a plane says it otherwise than its site.
#include "tests/unit/pods_scene.h"

namespace plane_code_test {

using namespace muster;
using namespace muster::test;

namespace {

const std::string shared = "code { by = shared-path  path = \"/gpfs/src\" }\n";
const std::string in_image = "code { by = image  path = \"/workspace\" }\n";

Manifests made(const std::string& kind, const std::string& plane, const std::string& site,
               const std::string& code = "code = \"train\"") {
  const Pods scene{.kind = kind,
                   .plane = plane,
                   .site = "queue main { default = true }  software torch { image = \"torch:2\" }\n" + site,
                   .workload = "kind = batch  gpus = 1  software = torch  command = [\"a\"]  " + code};
  return lower(scene, kind);
}

bool refuses(const Manifests& of, std::string_view message) {
  return !of.ok() && of.stated().find(message) != std::string::npos;
}

}  // namespace

TEST_CASE("the code of a plane wins over the site's", "[code]") {
  CHECK(made("kubernetes", in_image, shared).has("workingDir: /workspace/train"));
  CHECK(made("kubernetes", in_image, "").has("workingDir: /workspace/train"));
  CHECK(made("kubernetes", "", in_image).has("workingDir: /workspace/train"));
  const Manifests job = made("slurm", "containers = pyxis\n" + shared, in_image);
  INFO(job.text() << job.stated());
  CHECK(job.has("cd /gpfs/src/train"));
  CHECK_FALSE(job.has("/workspace"));
  CHECK(made("slurm", "containers = pyxis\n" + in_image, shared).has("/workspace/train"));
}

TEST_CASE("a refusal of code names the plane", "[code]") {
  const std::string git = "code { git { url = \"https://example.com/a.git\"  rev = \"v1\" } }";
  CHECK(refuses(made("kubernetes", "code { by = git }\n", in_image),
                "plane `pods` of site `s` only provides code from git"));
  CHECK(refuses(made("kubernetes", in_image, "code { by = git }\n", git),
                "plane `pods` of site `s` does not provide code from git"));
  CHECK(refuses(made("kubernetes", "", ""), "plane `pods` of site `s` does not declare how code reaches the nodes"));
}

TEST_CASE("the code of a plane is checked as the site's", "[code]") {
  Sources sources;
  Diagnostics diagnostics;
  auto file = syntax::parse(sources,
                            sources.add("s.muster", "site s { plane p { kind = slurm  code { by = shared-path } } }\n"),
                            diagnostics);
  REQUIRE(file);
  sema::check({*file}, sources, {}, diagnostics);
  REQUIRE(diagnostics.has_errors());
  CHECK(diagnostics.sorted()[0].message == "`by = shared-path` requires `path`");
}

}  // namespace plane_code_test
