// The rows of targets/kubernetes/gate_rows.cc against the CRDs of each release, in the folder of MUSTER_SHARED: what
// one release adds or drops is in the table, and what is in the table is added or dropped there.
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "compiler/data/read.h"
#include "tests/catch.h"
#include "tests/unit/gates_scene.h"
#include "tests/unit/pods_scene.h"
#include "tests/unit/site_file.h"

namespace gates_crds_test {

using namespace muster;
using namespace muster::test;
using data::Node;
using model::Version;
namespace fs = std::filesystem;
namespace k8s = targets::kubernetes;
using Paths = std::set<std::string>;

namespace {

// What a schema has: paths, values of enumerations as "path=value", and the same of the specs of pods.
struct Schema {
  Paths paths, pods;
};

struct Release {
  Version version;
  std::string file;
};

struct Family {
  const char *component, *group, *version, *kind;
  std::vector<Release> releases;
  bool has_pods = true;  // of its own; what a TrainJob lays over pods has fewer fields
};

std::vector<Release> minors(const std::string& name, const std::string& suffix, int major, int first, int last,
                            const std::string& newest) {
  std::vector<Release> out;
  for (int minor = first; minor < last; ++minor)
    out.push_back({{major, minor}, "crds-old/" + name + "-v" + text_of({major, minor}) + ".0" + suffix + ".yaml"});
  out.push_back({{major, last}, "crds/" + newest + ".yaml"});
  return out;
}

std::vector<Family> families() {
  return {
      {"trainer", "trainer.kubeflow.org", "v1alpha1", "TrainJob",
       minors("trainer", ".trainjob", 2, 0, 3, "trainer.kubeflow.org_trainjob"), false},
      {"trainer", "trainer.kubeflow.org", "v1alpha1", "ClusterTrainingRuntime",
       minors("trainer", ".clustertrainingruntime", 2, 0, 3, "trainer.kubeflow.org_clustertrainingruntime")},
      {"jobset", "jobset.x-k8s.io", "v1alpha2", "JobSet", minors("jobset", "", 0, 8, 12, "jobset.x-k8s.io_jobset")},
      {"kuberay", "ray.io", "v1", "RayCluster", minors("kuberay", ".raycluster", 1, 4, 7, "ray.io_raycluster")},
      {"kuberay", "ray.io", "v1", "RayJob", minors("kuberay", ".rayjob", 1, 4, 7, "ray.io_rayjob")},
      {"kuberay", "ray.io", "v1", "RayService", minors("kuberay", ".rayservice", 1, 4, 7, "ray.io_rayservice")},
      {"volcano", "batch.volcano.sh", "v1alpha1", "Job", minors("volcano", ".job", 1, 10, 15, "batch.volcano.sh_job")},
      {"volcano", "scheduling.volcano.sh", "v1beta1", "PodGroup",
       minors("volcano", ".podgroup", 1, 10, 15, "scheduling.volcano.sh_podgroup")},
      {"volcano", "scheduling.volcano.sh", "v1beta1", "Queue",
       minors("volcano", ".queue", 1, 10, 15, "scheduling.volcano.sh_queue")},
      {"lws", "leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet",
       minors("lws", "", 0, 5, 10, "leaderworkerset.x-k8s.io_leaderworkerset")},
      {"lws", "disaggregatedset.x-k8s.io", "v1", "DisaggregatedSet",
       minors("lws", ".ds", 0, 9, 10, "disaggregatedset.x-k8s.io_disaggregatedset")},
      {"mpi-operator", "kubeflow.org", "v2beta1", "MPIJob", minors("mpi", "", 0, 5, 8, "kubeflow.org_mpijob_v2beta1")},
  };
}

bool is_pod(const Node& schema) {
  const Node* properties = schema.get("properties");
  return properties != nullptr && properties->get("containers") != nullptr;
}

// `pods`: where the paths of pods go, by their own spec; nullptr: they are paths like others.
void walk(const Node& schema, const std::string& path, Paths& paths, Paths* pods) {
  if (pods != nullptr && is_pod(schema)) return walk(schema, "", *pods, nullptr);
  if (const Node* values = schema.get("enum"))
    for (const Node& value : values->items)
      if (!value.text.empty()) paths.insert(path + "=" + value.text);
  if (const Node* properties = schema.get("properties"))
    for (const data::Member& member : properties->members) {
      const std::string below = path.empty() ? member.key : path + "." + member.key;
      paths.insert(below);
      walk(member.value, below, paths, pods);
    }
  if (const Node* items = schema.get("items")) walk(*items, path + "[]", paths, pods);
  if (const Node* any = schema.get("additionalProperties"); any != nullptr && any->is_map()) {
    paths.insert(path + ".*");
    walk(*any, path + ".*", paths, pods);
  }
}

Schema schema_of(const fs::path& file, const Family& family) {
  Schema out;
  Sources sources;
  const data::Documents read = data::read_yaml(sources, sources.add(file.string(), file_text(file)));
  INFO(file);
  REQUIRE(read.documents.size() == 1);
  for (const Node& version : read.documents[0].root.at("spec.versions")->items)
    if (version.get("name")->text == family.version)
      if (const Node* spec = version.at("schema.openAPIV3Schema.properties.spec"))
        walk(*spec, "spec", out.paths, family.has_pods ? &out.pods : nullptr);
  CHECK_FALSE(out.paths.empty());
  return out;
}

// Whether a schema names the values of a path at all.
bool names_values(const Paths& schema, const std::string& path) {
  const auto next = schema.lower_bound(path + "=");
  return next != schema.end() && next->starts_with(path + "=");
}

// Of paths in one schema and not in the other those that are not below another one.
Paths beyond(const Paths& more, const Paths& less) {
  Paths out;
  for (const std::string& path : more) {
    if (less.contains(path)) continue;
    const std::size_t equals = path.find('=');
    bool below = equals != std::string::npos && !names_values(less, path.substr(0, equals));
    for (std::size_t i = 1; i < path.size() && !below; ++i)
      below = (path[i] == '.' || path[i] == '[' || path[i] == '=') && more.contains(path.substr(0, i)) &&
              !less.contains(path.substr(0, i));
    if (!below) out.insert(path);
  }
  return out;
}

std::string before_value(const std::string& path) { return path.substr(0, path.find('=')); }
std::string value_in(const std::string& path) {
  return path.find('=') == std::string::npos ? "x" : path.substr(path.find('=') + 1);
}

std::string api_of(const Family& family) { return std::string(family.group) + "/" + family.version; }

bool lacks(const Family& family, Version version, const std::string& path) {
  model::Plane plane = plane_with(family.component, version);
  const Node object = object_with(api_of(family), family.kind, before_value(path), value_in(path));
  for (const k8s::Lacking& part : lacking_of(plane, object))
    if (part.component == family.component) return true;
  return false;
}

// A path of a pod as the table has it: containers that only start the pod are not told apart.
std::string of_table(std::string path) {
  for (const std::string list : {"initContainers[]", "ephemeralContainers[]"})
    if (path.starts_with(list)) path.replace(0, list.size(), "containers[]");
  return path;
}

Version pods_of(const Family& family, Version version) {
  Version out;
  for (const k8s::PodSchema& row : k8s::pod_schemas())
    if (row.component == family.component && row.release <= version) out = row.kubernetes;
  return out;
}

bool is_row_of_pods(const std::string& path) {
  for (const k8s::PodGate& gate : k8s::pod_gates())
    if (gate.path == path) return true;
  return false;
}

// The paths below spec of what muster wrote.
void written(const Node& node, const std::string& path, Paths& out) {
  for (const data::Member& member : node.members) {
    const std::string below = path.empty() ? member.key : path + "." + member.key;
    out.insert(below);
    written(member.value, below, out);
  }
  for (const Node& item : node.items) written(item, path + "[]", out);
}

// A key that the user chooses: a label, a kind of resource.
bool is_free(const Paths& schema, const std::string& path) {
  for (std::size_t i = path.size(); i > 0; --i)
    if (path[i - 1] == '.' && schema.contains(path.substr(0, i - 1) + ".*")) return true;
  return false;
}

}  // namespace

TEST_CASE("the table of releases is what the CRDs of each release say", "[gates]") {
  const char* shared = std::getenv("MUSTER_SHARED");
  if (shared == nullptr || *shared == '\0') {
    WARN("skipped: MUSTER_SHARED names no folder with the CRDs of each release");
    return;
  }
  std::size_t borders = 0;
  for (const Family& family : families()) {
    Schema old;
    Version older;
    for (const Release& release : family.releases) {
      const Schema now = schema_of(fs::path(shared) / "schemas" / release.file, family);
      INFO(family.kind << " " << text_of(release.version));
      if (!old.paths.empty()) {
        for (const std::string& path : beyond(now.paths, old.paths)) {
          INFO("added: " << path);
          CHECK(lacks(family, older, path));
          CHECK_FALSE(lacks(family, release.version, path));
          ++borders;
        }
        for (const std::string& path : beyond(old.paths, now.paths)) {
          INFO("dropped: " << path);
          CHECK_FALSE(lacks(family, older, path));
          CHECK(lacks(family, release.version, path));
          ++borders;
        }
        for (const Paths& changed : {beyond(now.pods, old.pods), beyond(old.pods, now.pods)})
          for (const std::string& path : changed) {
            INFO("changed in pods: " << path);
            CHECK(is_row_of_pods(of_table(path)));
          }
      }
      // And nothing that is not so.
      for (const k8s::Gate& gate : k8s::object_gates()) {
        if (gate.kind != family.kind || gate.path.empty() || !std::string_view(gate.group).starts_with(family.group))
          continue;
        const std::string path = std::string(gate.path) + (gate.value.empty() ? "" : "=" + std::string(gate.value));
        INFO(path);
        CHECK(now.paths.contains(path) == gate.in.contains(release.version));
      }
      if (!now.pods.empty())
        for (const k8s::PodGate& gate : k8s::pod_gates()) {
          INFO("pods: " << gate.path);
          CHECK(now.pods.contains(std::string(gate.path)) == gate.in.contains(pods_of(family, release.version)));
        }
      old = now, older = release.version;
    }
  }
  CHECK(borders > 90);
}

TEST_CASE("a TrainJob is written in the form that the declared release has", "[gates][kubernetes]") {
  const char* shared = std::getenv("MUSTER_SHARED");
  if (shared == nullptr || *shared == '\0') {
    WARN("skipped: MUSTER_SHARED names no folder with the CRDs of each release");
    return;
  }
  const Family family = families().front();
  for (const Release& release : family.releases) {
    INFO(text_of(release.version));
    Pods scene;
    scene.plane = "gang = kueue\n operator trainer { version = \"" + text_of(release.version) + "\" }";
    scene.site += "gpu h100 { label = \"NVIDIA-H100-80GB-HBM3\" }\n";  // one product, so no affinity
    scene.workload =
        "kind = train\n nodes = 2\n gpu = H100:8\n software = torch\n launch { runner = torchrun }\n"
        "command = [\"train.py\"]\n";
    const Manifests out = lower(scene, "trainjob");
    INFO(out.stated());
    REQUIRE(out.ok());
    const Schema schema = schema_of(fs::path(shared) / "schemas" / release.file, family);
    Paths paths;
    written(*out.object("TrainJob")->get("spec"), "spec", paths);
    for (const std::string& path : paths) {
      INFO(path);
      CHECK((schema.paths.contains(path) || is_free(schema.paths, path)));
    }
  }
}

}  // namespace gates_crds_test
