// What a finding of a manifest advises, where the usual advice would break the job.
#include <algorithm>

#include "lint/rules/manifest/manifest.h"
#include "tests/catch.h"

namespace muster::lint::manifest_advice_test {
namespace {

std::vector<Finding> found(const std::string& text, RuleId rule) {
  Sources sources;
  sources.add("x.yaml", text);
  const targets::kubernetes::Manifest manifest = targets::kubernetes::read_manifest(sources, 1);
  std::vector<Finding> out;
  check_manifest(manifest, {sources}, out);
  std::erase_if(out, [&](const Finding& f) { return f.rule != rule; });
  return out;
}

std::string privileged(const std::string& env, const std::string& limits, const std::string& volumes = "[]") {
  return R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          volumes: )" +
         volumes + R"(
          containers:
          - name: pytorch
            image: app:v1
            env: [)" +
         env + R"(]
            securityContext:
              privileged: true
            resources: {limits: {nvidia.com/gpu: 8)" +
         limits + "}}\n";
}

constexpr const char* ib = "{name: NCCL_IB_HCA, value: mlx5}";

}  // namespace

TEST_CASE("a privileged pod that has its RDMA devices by nothing else is told what to request", "[lint][manifest]") {
  const auto advised = [](const std::string& text) {
    const auto findings = found(text, RuleId::privileged);
    REQUIRE(findings.size() == 1);
    const auto& notes = findings[0].notes;
    const bool noted = std::any_of(notes.begin(), notes.end(),
                                   [](const std::string& n) { return n.find("`rdma/hca: 1`") != std::string::npos; });
    CHECK(noted == !findings[0].fix);  // the fix would take the devices away
    return noted;
  };
  CHECK(advised(privileged(ib, "")));
  CHECK_FALSE(advised(privileged("", "")));
  CHECK_FALSE(advised(privileged("{name: NCCL_IB_DISABLE, value: '1'}", "")));
  CHECK_FALSE(advised(privileged(ib, ", rdma/hca: 1")));
  CHECK_FALSE(advised(privileged(ib, "", "[{name: ib, hostPath: {path: /dev/infiniband}}]")));
}

TEST_CASE("a finding in a script of many lines is at its line", "[lint][manifest]") {
  const std::string text = R"(apiVersion: v1
kind: Pod
metadata: {name: bench}
spec:
  containers:
  - name: main
    image: app:v1
    command: [bash, -c]
    args:
    - |
      mpirun -np 2 \
        -x coll_hcoll_enable=0 \
        ./bench
)";
  const auto findings = found(text, RuleId::mpirun_exports_unread);
  REQUIRE(findings.size() == 1);
  CHECK(text.substr(findings[0].primary.begin, findings[0].primary.end - findings[0].primary.begin) ==
        "coll_hcoll_enable=0");
  CHECK(findings[0].notes == std::vector<std::string>{"write `--mca coll_hcoll_enable 0` instead"});
}

}  // namespace muster::lint::manifest_advice_test
