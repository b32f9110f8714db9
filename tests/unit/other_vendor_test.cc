// Nodes with GPUs of another vendor, or without GPUs, do not bear the labels of a vendor: a pool of them in the fleet
// changes no answer.
#include "compiler/sema/check/check.h"
#include "compiler/syntax/parse.h"
#include "driver/existing_files.h"
#include "lint/fit_as_read.h"
#include "tests/catch.h"

namespace other_vendor_test {

using namespace muster;
using plan::Verdict;

namespace {

std::string pool(const std::string& name, const std::string& gpu) {
  return "  pool " + name + " { nodes = \"" + name + "[1-2]\"  " + (gpu.empty() ? "" : "gpu { " + gpu + " }  ") +
         "node { cpus = 64  memory = 512GB } }\n";
}

Verdict fit(const std::string& pools, const std::string& manifest) {
  Sources sources;
  Diagnostics diagnostics;
  const std::string site =
      "fleet f {\n" + pools +
      "}\nsite s { fleet = f\n  plane m { kind = kubernetes  version = \"1.34\"  }\n  queue q { default = true }\n}\n";
  INFO(site << manifest);
  sources.add("site.muster", site);
  auto tree = syntax::parse(sources, 1, diagnostics);
  REQUIRE(tree);
  const model::Module module = sema::check({std::move(*tree)}, sources, {}, diagnostics);
  REQUIRE_FALSE(diagnostics.has_errors());
  auto file = driver::existing_file("w.yaml", manifest);
  REQUIRE(file);
  file->file = sources.add("w.yaml", manifest);
  const auto read =
      driver::read_existing(*file, sources, "", module.sites.at(0), &module.fleets.at(0), {}, diagnostics);
  REQUIRE(read.size() == 1);
  return lint::fit_as_read(read[0], module.sites.at(0), module.fleets.at(0)).verdict;
}

std::string affinity(const std::string& key, const std::string& op, const std::string& values) {
  return "      affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{"
         "matchExpressions: [{key: " +
         key + ", operator: " + op + values + "}]}]}}}\n";
}

std::string manifest(const std::string& selection, std::int64_t gpus, const std::string& resource) {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: w}\nspec:\n  template:\n    spec:\n      restartPolicy: "
         "Never\n" +
         selection +
         "      containers: [{name: a, image: \"x:1\", command: [a], resources: {limits: {cpu: 8, memory: 8Gi, " +
         resource + ": " + std::to_string(gpus) + "}}}]\n";
}

struct Vendor {
  std::string gpu, key, value, resource;
};

}  // namespace

TEST_CASE("a pool of another vendor changes no answer about labels of GPUs", "[manifests][fit]") {
  const std::vector<Vendor> vendors = {
      {"model = l40s  memory = 48GB  count = 4", "nvidia.com/gpu.product", "NVIDIA-L40S", "nvidia.com/gpu"},
      {"model = h100  memory = 80GB  count = 8", "nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu"},
      {"model = mi300x  memory = 192GB  count = 8  vendor = amd", "amd.com/gpu.product-name", "AMD_Instinct_MI300X_OAM",
       "amd.com/gpu"},
  };
  const std::vector<std::string> others = {"model = mi355x  memory = 288GB  count = 8  vendor = amd",
                                           "model = gaudi3  memory = 128GB  count = 8  vendor = intel",
                                           "model = t4  memory = 16GB  count = 4", ""};
  std::size_t same = 0, fits = 0;
  for (const Vendor& vendor : vendors)
    for (const std::string& selection :
         {"      nodeSelector: {" + vendor.key + ": " + vendor.value + "}\n", affinity(vendor.key, "Exists", ""),
          affinity(vendor.key, "In", ", values: [" + vendor.value + ", none]"),
          affinity(vendor.key, "NotIn", ", values: [none]")})
      for (const std::int64_t gpus : {4, 16}) {
        const std::string text = manifest(selection, gpus, vendor.resource);
        const Verdict alone = fit(pool("a", vendor.gpu), text);
        fits += alone == Verdict::fits ? 1 : 0;
        CHECK(alone == (gpus == 4 ? Verdict::fits : Verdict::does_not_fit));
        for (const std::string& other : others)
          for (const bool first : {false, true}) {
            if (other.find("vendor = amd") != std::string::npos && vendor.resource == "amd.com/gpu") continue;
            if (other.find("t4") != std::string::npos && selection.find(vendor.value) == std::string::npos)
              continue;  // its nodes would do
            const std::string a = pool("a", vendor.gpu), b = pool("b", other);
            CHECK(fit(first ? b + a : a + b, text) == alone);
            ++same;
          }
      }
  CHECK(same >= 100);
  CHECK(fits == 12);
}

}  // namespace other_vendor_test
