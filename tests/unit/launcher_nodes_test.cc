// Which nodes the launcher of an MPIJob may have: Kueue gives it a flavor of its own, which may be one without GPUs.
#include <set>

#include "compiler/model/marks.h"
#include "tests/unit/pods_scene.h"

namespace launcher_nodes_test {

using namespace muster;
using namespace muster::test;

namespace {

struct HostNode {
  std::string name, gpu, zone;
  std::set<std::pair<std::string, std::string>> labels;
};

bool meets(const data::Node& term, const HostNode& node) {
  for (const data::Node& one : term.get("matchExpressions")->items) {
    const std::string key = one.get("key")->text, op = one.get("operator")->text;
    bool has = false, listed = false;
    for (const auto& [label, value] : node.labels) {
      if (label != key) continue;
      has = true;
      for (const data::Node& wanted : one.get("values")->items) listed |= wanted.text == value;
    }
    REQUIRE((op == "In" || op == "NotIn" || op == "DoesNotExist"));
    if (op == "In" ? !listed : op == "NotIn" ? listed : has) return false;
  }
  return true;
}

bool may_have(const data::Node& pod, const HostNode& node) {
  for (const data::Member& one : pod.get("nodeSelector")->members)
    if (node.labels.count({one.key, one.value.text}) == 0) return false;
  const auto& terms =
      pod.at("affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms")->items;
  bool any = terms.empty();
  for (const data::Node& term : terms) any |= meets(term, node);
  return any;
}

// `other`: a pool without GPUs, or with those of another vendor; "": none.
Pods scene_of(const std::string& provider, const std::string& needs, const std::string& other) {
  Pods scene;
  scene.plane = "gang = " + provider + "\noperator mpi-operator {}\npod = \"spec: {hostNetwork: true}\"";
  const auto pool = [](const std::string& name, const std::string& gpu, const std::string& zone) {
    return "}\npool " + name + " {\nnodes = \"" + name + "[1-8]\"\nzone = \"" + zone + "\"\n" +
           (gpu.empty() ? ""
                        : "gpu { model = " + gpu + (gpu == "mi300x" ? "  vendor = amd" : "") +
                              "  memory = 80GB  count = 8 }\n") +
           "node { cpus = 64  memory = 1TB }\n";
  };
  scene.pool = "zone = \"x\"\ngpu { model = h100  memory = 80GB  count = 8 }\nnode { cpus = 64  memory = 1TB }\n" +
               pool("b", "h100", "y") + pool("c", "h200", "x") +
               (other.empty() ? "" : pool("d", other == "cpu" ? "" : other, "y"));
  scene.workload =
      "kind = train\ncommand = [\"./run\"]\nnodes = 2\nlaunch { runner = mpi }\nsoftware = torch\n" + needs;
  return scene;
}

std::vector<HostNode> nodes_of(const model::Site& site, const model::Fleet& fleet) {
  std::vector<HostNode> out;
  for (const model::Pool& pool : fleet.pools)
    for (std::int64_t n = 0; n < pool.node_count; ++n) {
      HostNode node{pool.node_name(static_cast<std::uint32_t>(n)), pool.gpu ? pool.gpu->model : "", pool.zone, {}};
      node.labels = {{"kubernetes.io/hostname", node.name},
                     {"kubernetes.io/arch", pool.arch},
                     {"topology.kubernetes.io/zone", pool.zone}};
      if (pool.gpu)
        for (const std::string& value : model::gpu_label(site, site.planes[0], pool.gpu->model, &pool).values)
          node.labels.emplace(model::gpu_label(site, site.planes[0], pool.gpu->model, &pool).key, value);
      out.push_back(std::move(node));
    }
  return out;
}

}  // namespace

TEST_CASE("an MPIJob's launcher may be where its workers are, and on each flavor that Kueue may give it") {
  std::size_t wider = 0;
  for (const char* provider : {"kueue", "volcano"})
    for (const std::string other : {"", "cpu", "mi300x"})
      for (const char* needs : {"gpu = H100:8\n", "gpu = H100:4\n", "gpus = 8\ngpu = [h100, h200]\n",
                                "gpu = H100:8\nrequire pool.zone == \"x\"\n",
                                "gpu = H100:8\nrequire node.name in [\"a1\", \"a2\", \"a3\"]\n", "cpus = 4\n"}) {
        const Pods scene = scene_of(provider, needs, other);
        INFO(provider << ", " << needs << scene.text());
        Diagnostics diagnostics;
        const PlannedPods planned(scene, diagnostics);
        const Manifests out = lower(scene, "mpijob");
        INFO(out.stated());
        REQUIRE(out.ok());
        INFO(out.text());
        const data::Node& replicas = *out.object("MPIJob")->at("spec.mpiReplicaSpecs");
        const data::Node& launcher = *replicas.at("Launcher.template.spec");
        const data::Node& worker = *replicas.at("Worker.template.spec");
        CHECK(launcher.at("affinity.podAntiAffinity")->members.empty());
        const bool kueue = provider == std::string("kueue"), asks = needs != std::string("cpus = 4\n");
        for (const HostNode& node : nodes_of(planned.module.sites[0], planned.module.fleets[0])) {
          INFO("node " << node.name);
          const bool of_worker = may_have(worker, node), of_launcher = may_have(launcher, node);
          if (of_worker) CHECK(of_launcher);
          if (!kueue) CHECK(of_launcher == of_worker);
          else if (asks && std::string(needs).find("h200") == std::string::npos)
            CHECK(of_launcher == (node.gpu == "h100" || node.gpu.empty() || node.gpu == "mi300x"));
          wider += of_launcher && !of_worker;
        }
      }
  CHECK(wider > 50);
}

}  // namespace launcher_nodes_test
