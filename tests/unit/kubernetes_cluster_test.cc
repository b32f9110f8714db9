// What a Kubernetes cluster says of itself, and GPU names of every origin.
#include "compiler/data/read.h"
#include "targets/kubernetes/import_site.h"
#include "targets/site_import/gpu_names.h"
#include "tests/catch.h"
#include "tests/unit/plan_fixture.h"

namespace kubernetes_cluster_test {

using namespace muster;
using namespace muster::targets::kubernetes;

namespace {

ClusterObjects objects_of(const std::string& items, Diagnostics& diagnostics) {
  Sources sources;
  ClusterObjects out;
  read_cluster(sources, sources.add("x", R"({"items": [)" + items + R"(], "kind": "List"})"), out, diagnostics);
  return out;
}

std::string node(const std::string& name, const std::string& more_spec, const std::string& labels,
                 const std::string& capacity, const std::string& allocatable, const char* ready = "True") {
  return R"({"kind": "Node", "metadata": {"name": ")" + name + R"(", "labels": {)" + labels + R"(}}, "spec": {)" +
         more_spec + R"(}, "status": {"capacity": {)" + capacity + R"(}, "allocatable": {)" + allocatable +
         R"(}, "conditions": [{"type": "Ready", "status": ")" + ready +
         R"("}], "nodeInfo": {"kubeletVersion": "v1.30.2+k3s1"}}})";
}

constexpr const char* big = R"("cpu": "64", "memory": "256Gi", "nvidia.com/gpu": "4")";
constexpr const char* product = R"("nvidia.com/gpu.product": "NVIDIA-L40S", "team": "x")";

}  // namespace

TEST_CASE("quantities as Kubernetes writes them", "[kubernetes]") {
  CHECK(read_quantity("8") == 8000);
  CHECK(read_quantity("500m") == 500);
  CHECK(read_quantity("1.5") == 1500);
  CHECK(read_quantity("0.1") == 100);
  CHECK(read_quantity("2113434252Ki") == 2113434252LL * 1024 * 1000);
  CHECK(read_quantity("1.5Gi") == 1610612736LL * 1000);
  CHECK(read_quantity("1e3") == 1'000'000);
  CHECK(read_quantity("12E-1") == 1200);
  CHECK(read_quantity("1n") == 1);  // rounded up
  CHECK(read_quantity("0") == 0);
  for (const char* none : {"", "x", "-1", "1GiB", "1.2.3", "99E", "1e99", "m", "1 "}) CHECK(!read_quantity(none));
}

TEST_CASE("nodes and pods of Kubernetes as pools", "[kubernetes]") {
  Diagnostics diagnostics;
  const char* less = R"("cpu": "63500m", "memory": "250Gi", "nvidia.com/gpu": "3")";
  const ClusterObjects objects = objects_of(
      node("a1", R"("taints": [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}])", product, big, less) + "," +
          node("a2", R"("unschedulable": true, "taints": [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}])", product,
               big, big) +
          "," +
          node("c",
               R"("taints": [{"key": "own", "effect": "NoExecute"}, {"key": "soft", "effect": "PreferNoSchedule"}])",
               "", R"("cpu": "8", "memory": "32Gi")", "", "Unknown") +
          R"(,{"kind": "Pod", "metadata": {}, "spec": {"nodeName": "a1", "containers": [)"
          R"({"resources": {"limits": {"nvidia.com/gpu": "1"}, "requests": {"cpu": "1500m", "memory": "1Gi"}}}, {}],)"
          R"("initContainers": [{"resources": {"requests": {"cpu": "3"}}}]}, "status": {"phase": "Running"}})"
          R"(,{"kind": "Pod", "metadata": {"ownerReferences": [{"kind": "DaemonSet"}]}, "spec": {"nodeName": "a1",)"
          R"("containers": [{"resources": {"requests": {"cpu": "250m"}}}]}, "status": {"phase": "Running"}})"
          R"(,{"kind": "Pod", "spec": {"nodeName": "a2", "containers": [{"resources": {"requests": {"cpu": "9"}}}]}, "status": {"phase": "Failed"}})",
      diagnostics);
  CHECK(diagnostics.empty());
  CHECK(objects.pods.size() == 2);
  const targets::ImportedSite site = import_site(objects, "", "", diagnostics);
  CHECK(site.site.planes.at(0).kind() == model::PlaneKind::k3s);
  CHECK(site.site.planes[0].version.value == model::Version{1, 30});
  REQUIRE(site.fleet->pools.size() == 2);
  const model::Pool& cpu = site.fleet->pools[0];
  REQUIRE(cpu.taints.size() == 1);
  CHECK(cpu.taints[0].name == "own");
  CHECK(cpu.drained.size() == 1);
  const model::Pool& gpu = site.fleet->pools[1];
  CHECK(gpu.name == "l40s");
  CHECK(gpu.gpu->memory.bytes == 48 * test::GB);
  REQUIRE(gpu.taints.size() == 1);  // pods with GPUs pass it, others do not
  CHECK(gpu.taints[0].name == "nvidia.com/gpu");
  CHECK(gpu.drained == std::vector<std::uint32_t>{1});
  CHECK(gpu.reserve_cpus == 1);  // half a core kept, a quarter by the daemon
  CHECK(gpu.usable_memory(model::PlaneFamily::pods).bytes == 250LL << 30);
  REQUIRE(gpu.in_use.size() == 1);
  CHECK(gpu.in_use[0].gpus == 2);  // one broken, one in use
  CHECK(gpu.in_use[0].cpus == 3);  // the init container asks for most
}

TEST_CASE("EFA devices and the topology labels of clouds", "[kubernetes]") {
  Diagnostics diagnostics;
  const char* efa = R"("cpu": "192", "memory": "2000Gi", "nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32")";
  const auto p5 = [&](const char* name, const char* rack) {
    return node(name, "",
                std::string(R"("nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", )") +
                    R"("topology.k8s.aws/network-node-layer-3": ")" + rack + "\"",
                efa, efa);
  };
  const targets::ImportedSite site = import_site(
      objects_of(p5("a1", "nn-1") + "," + p5("a2", "nn-1") + "," + p5("a3", "nn-2"), diagnostics), "", "", diagnostics);
  REQUIRE(site.fleet->pools.size() == 1);
  CHECK(site.fleet->pools[0].fabric == "efa");
  CHECK(site.fleet->pools[0].leaves.size() == 2);
  REQUIRE(site.site.fabrics.size() == 1);
  CHECK(site.site.fabrics[0].resource->value == "vpc.amazonaws.com/efa");
  CHECK(site.site.fabrics[0].per_node->value == 32);
  REQUIRE(site.site.planes.at(0).pods()->levels.size() == 1);
  CHECK(site.site.planes[0].pods()->levels[0].label->value == "topology.k8s.aws/network-node-layer-3");
}

TEST_CASE("Kueue's queues: pools by flavor, quotas and what can be borrowed", "[kubernetes]") {
  Diagnostics diagnostics;
  const auto queue = [](const std::string& name, const std::string& quota,
                        const char* cohort = R"("cohortName": "all")") {
    return R"(,{"kind": "ClusterQueue", "metadata": {"name": ")" + name + R"("}, "spec": {)" + cohort +
           R"(, "resourceGroups": [{"flavors": [{"name": "f", "resources": [{"name": "nvidia.com/gpu", )" + quota +
           "}]}]}]}}";
  };
  const auto local = [](const std::string& space, const std::string& name, const std::string& queue) {
    return R"(,{"kind": "LocalQueue", "metadata": {"name": ")" + name + R"(", "namespace": ")" + space +
           R"("}, "spec": {"clusterQueue": ")" + queue + R"("}})";
  };
  const ClusterObjects objects = objects_of(
      node("a1", R"("taints": [{"key": "own", "effect": "NoSchedule"}])", product, big, big) + "," +
          node("b1", "", "", R"("cpu": "8", "memory": "32Gi")", "") +
          R"(,{"kind": "ResourceFlavor", "metadata": {"name": "f"}, "spec": {"nodeLabels": {"team": "x"}, "tolerations": [{"key": "own"}]}})" +
          queue("q1", R"("nominalQuota": 3, "borrowingLimit": "2")") + queue("q2", R"("nominalQuota": "9")") +
          queue("alone", R"("nominalQuota": 1)", R"("stopPolicy": "None")") +
          queue("shut", R"("nominalQuota": 1)", R"("stopPolicy": "Hold")") + local("n1", "main", "q1") +
          local("n2", "main", "q2") + local("n2", "small", "alone") + local("n2", "closed", "shut") +
          local("n2", "lost", "nowhere"),
      diagnostics);
  const targets::ImportedSite site = import_site(objects, "", "", diagnostics);
  CHECK(site.site.planes.at(0).pods()->gang == model::GangProvider::kueue);
  REQUIRE(site.site.queues.size() == 2);
  CHECK(site.site.queues[0].name == "main");
  CHECK(site.site.queues[0].pools.at(0).value == "l40s");
  CHECK(site.site.queues[0].tolerates.at(0).value == "own");
  // A tenant for each ClusterQueue of a namespace, in the cohort in which they lend.
  REQUIRE(site.site.cohorts.size() == 1);
  CHECK(site.site.cohorts[0].name == "all");
  REQUIRE(site.site.tenants.size() == 3);
  const auto& [n1, alone, q2] = std::tie(site.site.tenants[0], site.site.tenants[1], site.site.tenants[2]);
  CHECK(n1.name == "n1");
  CHECK(n1.quotas.at(0).gpus->value == 3);
  CHECK(n1.quotas.at(0).borrow_limit.gpus->value == 2);
  CHECK(n1.cohort->value == "all");
  CHECK(n1.queues.size() == 1);
  CHECK(alone.name == "n2-alone");
  CHECK_FALSE(alone.cohort);
  CHECK(q2.name == "n2-q2");
  CHECK(q2.quotas.at(0).gpus->value == 9);
  CHECK(q2.queues.at(0).value == "main");
}

TEST_CASE("cohorts of any depth, and a ClusterQueue of several namespaces", "[kubernetes]") {
  Diagnostics diagnostics;
  const std::string quota =
      R"("resourceGroups": [{"flavors": [{"name": "f", "resources": [{"name": "nvidia.com/gpu", "nominalQuota": 8, "lendingLimit": 4}]}]}])";
  const ClusterObjects objects = objects_of(
      node("a1", "", product, big, big) + R"(,{"kind": "ResourceFlavor", "metadata": {"name": "f"}, "spec": {}})" +
          R"(,{"kind": "Cohort", "metadata": {"name": "low"}, "spec": {"parentName": "top", )" + quota + "}}" +
          R"(,{"kind": "ClusterQueue", "metadata": {"name": "shared"}, "spec": {"cohortName": "low", "preemption": {"reclaimWithinCohort": "Any"}, )" +
          quota + "}}" + R"(,{"kind": "ClusterQueue", "metadata": {"name": "unused"}, "spec": {"cohortName": "low", )" +
          quota + "}}" +
          R"(,{"kind": "LocalQueue", "metadata": {"name": "q", "namespace": "n1"}, "spec": {"clusterQueue": "shared"}})" +
          R"(,{"kind": "LocalQueue", "metadata": {"name": "q", "namespace": "n2"}, "spec": {"clusterQueue": "shared"}})",
      diagnostics);
  const targets::ImportedSite site = import_site(objects, "", "", diagnostics);
  const auto cohort = [&](const std::string& name) -> const model::Cohort& {
    for (const model::Cohort& one : site.site.cohorts)
      if (one.name == name) return one;
    FAIL("no cohort " << name);
    throw 0;
  };
  CHECK(site.site.cohorts.size() == 4);
  CHECK_FALSE(cohort("top").parent);
  CHECK(cohort("low").parent->value == "top");
  CHECK(cohort("low").quotas.at(0).lend_limit.gpus->value == 4);
  CHECK(cohort("shared").parent->value == "low");
  CHECK(cohort("unused").quotas.at(0).gpus->value == 8);
  REQUIRE(site.site.tenants.size() == 2);
  for (const model::Tenant& tenant : site.site.tenants) {
    CHECK(tenant.cohort->value == "shared");
    CHECK(tenant.quotas.empty());
  }
  const auto says = [&](const std::string& words) {
    return std::any_of(site.remarks.begin(), site.remarks.end(),
                       [&](const auto& r) { return r.text.find(words) != std::string::npos; });
  };
  CHECK(says("ClusterQueue shared: preemption was not imported"));
}

TEST_CASE("damaged objects are reported", "[kubernetes]") {
  for (
      const char* items :
      {R"({"kind": "Node", "metadata": {"name": "a b"}})", R"({"kind": "Node", "metadata": {"name": "a"}})",
       R"({"kind": "ClusterQueue", "metadata": {}})",
       R"({"kind": "ClusterQueue", "metadata": {"name": "q"}, "spec": {"resourceGroups": [{"flavors": [{"resources": [{}]}]}]}})"}) {
    Diagnostics diagnostics;
    objects_of(items, diagnostics);
    CHECK(diagnostics.has_errors());
  }
  Diagnostics diagnostics;
  objects_of(R"({"kind": "Secret"}, 7, [], null, {"kind": ["Node"]})", diagnostics);
  CHECK(diagnostics.empty());
}

TEST_CASE("GPUs by the names of drivers, plugins and clouds", "[gpu]") {
  const auto model = [](std::string_view text) { return targets::gpu_name(text).model; };
  CHECK(model("nvidia_h100_80gb_hbm3") == "h100");
  CHECK(model("NVIDIA-H100-80GB-HBM3") == "h100");
  CHECK(model("nvidia-h100-mega-80gb") == "h100");
  CHECK(model("Tesla-V100-SXM2-32GB") == "v100");
  CHECK(model("A100-SXM4-40GB") == "a100");
  CHECK(model("NVIDIA-A100-SXM4-80GB-SHARED") == "a100");
  CHECK(model("NVIDIA-GeForce-RTX-2080-Ti") == "rtx2080ti");
  CHECK(model("NVIDIA-RTX-6000-Ada-Generation") == "rtx6000ada");
  CHECK(model("quadro_rtx_6000") == "rtx6000");
  CHECK(model("AMD-Instinct-MI300X") == "mi300x");
  CHECK(model("a100_3g.20gb") == "a100_3g.20gb");
  CHECK(model("Zeta-9") == "zeta-9");
  CHECK(targets::gpu_name("NVIDIA-A100-80GB-PCIe").memory.bytes == 80 * test::GB);
  CHECK(targets::gpu_name("NVIDIA-A100-80GB-PCIe").link == "pcie");
  CHECK(targets::gpu_name("a100").memory.bytes == 0);
  CHECK(targets::gpu_name("NVIDIA-GH200-480GB").memory.bytes == 0);
  CHECK(targets::gpu_name("mi250x").vendor == "amd");
}

}  // namespace kubernetes_cluster_test
