#include "targets/kubernetes/gates.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "targets/kubernetes/kinds.h"

namespace muster::targets::kubernetes {
namespace {

constexpr std::string_view kubernetes_itself = "kubernetes";

// "0.8.1" and "v0.8" as {0, 8}, "2" as {2, 0}; nothing for what is not a version.
std::optional<model::Version> version_in(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  model::Version out;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, out.major);
  if (major.ec != std::errc()) return std::nullopt;
  if (major.ptr == end || *major.ptr != '.') return out;
  if (std::from_chars(major.ptr + 1, end, out.minor).ec != std::errc()) return std::nullopt;
  return out;
}

// The project and its chart are called kai-scheduler, the provider kai.
std::string_view other_name(std::string_view component) { return component == "kai" ? "kai-scheduler" : ""; }

struct Owner {
  std::string_view group, component;
};

constexpr std::array owners = std::to_array<Owner>({
    {"jobset.x-k8s.io", "jobset"},
    {"trainer.kubeflow.org", "trainer"},
    {"leaderworkerset.x-k8s.io", "lws"},
    {"disaggregatedset.x-k8s.io", "lws"},
    {"ray.io", "kuberay"},
    {"batch.volcano.sh", "volcano"},
    {"scheduling.volcano.sh", "volcano"},
    {"kueue.x-k8s.io", "kueue"},
});

// A group with a dot is of an operator unless it is one of Kubernetes' own.
bool is_core(std::string_view group) { return group.find('.') == std::string_view::npos || group.ends_with(".k8s.io"); }

bool is_of(const Gate& gate, std::string_view api_version) {
  if (gate.group.empty()) return true;
  return gate.group.find('/') != std::string_view::npos ? gate.group == api_version
                                                        : gate.group == group_of(api_version);
}

// Where the row's field is in an object of a kind: a RayJob holds a RayCluster's spec, both runtimes are alike.
std::optional<std::string> path_in(const Gate& gate, std::string_view kind) {
  constexpr std::string_view spec = "spec.";
  if (gate.kind.empty() || gate.kind == kind) return std::string(gate.path);
  if (gate.kind == "ClusterTrainingRuntime" && kind == "TrainingRuntime") return std::string(gate.path);
  if (gate.kind != "RayCluster") return std::nullopt;
  const std::string rest(gate.path.substr(std::min(spec.size(), gate.path.size())));
  if (kind == "RayJob") return "spec.rayClusterSpec." + rest;
  if (kind == "RayService") return "spec.rayClusterConfig." + rest;
  return kind == "RayCronJob" ? std::optional("spec.jobTemplate.rayClusterSpec." + rest) : std::nullopt;
}

// What of an object a row is about.
std::vector<Field> found(const Field& object, const Gate& gate, const std::string& path) {
  if (path.empty()) return {object.get(gate.group.find('/') == std::string_view::npos ? "kind" : "apiVersion")};
  if (!gate.mark.empty()) {
    Field field = object.at(path).get(gate.mark);
    return field ? std::vector<Field>{std::move(field)} : std::vector<Field>{};
  }
  std::vector<Field> out = matches(object, path);
  if (!gate.value.empty()) std::erase_if(out, [&](const Field& field) { return field.text() != gate.value; });
  return out;
}

// The last word of a path: "spec.tasks[].partitionPolicy" to "partitionPolicy".
std::string_view last_word(std::string_view path) { return path.substr(path.rfind('.') + 1); }

// The sibling of a field that the declared release has instead.
std::string instead_of(const Gate& gate, model::Version version) {
  for (const Gate& other : object_gates())
    if (other.kind == gate.kind && !other.forms.empty() && other.forms == gate.forms && other.in.contains(version))
      return std::string(last_word(other.path));
  return {};
}

// Whether the text of the field, not its key, is what the release lacks.
bool named_by_text(const Gate& gate) { return gate.path.empty() || !gate.value.empty(); }

void find_in_object(const model::Plane& plane, const Field& object, std::vector<Lacking>& out) {
  const std::string_view api_version = object.get("apiVersion").text(), kind = object.get("kind").text();
  for (const Gate& gate : object_gates()) {
    if (!is_of(gate, api_version)) continue;
    const auto path = path_in(gate, kind);
    if (!path) continue;
    const auto version = version_of(plane, gate.component);
    if (!version || gate.in.contains(*version)) continue;
    for (Field& field : found(object, gate, *path))
      out.push_back(
          {std::move(field), gate.component, gate.in, false, named_by_text(gate), instead_of(gate, *version)});
  }
}

// The Kubernetes whose pods a release of an operator has; nullopt before the first that we know.
std::optional<model::Version> pods_of(std::string_view component, model::Version release) {
  std::optional<model::Version> out;
  for (const PodSchema& row : pod_schemas())
    if (row.component == component && row.release <= release) out = row.kubernetes;
  return out;
}

// The releases of an operator whose schema has what some releases of Kubernetes have in a pod.
struct OperatorReleases {
  Releases in;
  bool never = true;
};

OperatorReleases releases_of(std::string_view component, const Releases& kubernetes) {
  OperatorReleases out;
  bool first = true;
  for (const PodSchema& row : pod_schemas()) {
    if (row.component != component) continue;
    const bool has = kubernetes.contains(row.kubernetes);
    if (has && out.never && !first) out.in.since = row.release;
    if (!has && !out.never && out.in.until == model::Version{}) out.in.until = row.release;
    out.never = out.never && !has;
    first = false;
  }
  return out;
}

std::vector<Field> in_pod(const Field& spec, std::string_view path) {
  std::vector<Field> out = matches(spec, path);
  if (!path.starts_with("containers[]")) return out;
  for (const char* list : {"initContainers", "ephemeralContainers"})
    for (Field& field : matches(spec, list + std::string(path.substr(10)))) out.push_back(std::move(field));
  return out;
}

// The declared release that lacks what a row says of pods: of the operator, or else of the plane.
std::optional<Lacking> pod_lacks(const model::Plane& plane, std::string_view component, const PodGate& gate) {
  const auto release = version_of(plane, component);
  if (component != kubernetes_itself && release)
    if (const auto pods = pods_of(component, *release); pods && !gate.in.contains(*pods)) {
      const OperatorReleases has = releases_of(component, gate.in);
      return Lacking{{}, component, has.in, has.never};
    }
  if (!gate.in.contains(plane.version.value)) return Lacking{{}, kubernetes_itself, gate.in};
  return std::nullopt;
}

void find_in_pod(const model::Plane& plane, std::string_view component, const Field& spec, std::vector<Lacking>& out) {
  for (const PodGate& gate : pod_gates()) {
    const std::vector<Field> fields = in_pod(spec, gate.path);
    if (fields.empty()) continue;
    const auto lacks = pod_lacks(plane, component, gate);
    if (!lacks) continue;
    for (const Field& field : fields) out.push_back({field, lacks->component, lacks->in, lacks->never});
  }
}

// Every map with containers is a pod's spec. A TrainJob's patch has rows of its own.
void find_in_pods(const model::Plane& plane, std::string_view component, const Field& field,
                  std::vector<Lacking>& out) {
  if (field.get("containers").node != nullptr && field.get("containers").node->is_list())
    return find_in_pod(plane, component, field, out);
  for (const Field& member : field.members()) find_in_pods(plane, component, member, out);
  for (const Field& item : field.items()) find_in_pods(plane, component, item, out);
}

std::string version_text(model::Version version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

// "version 2.2 of `trainer`", "Kubernetes 1.34".
std::string release_text(std::string_view component, model::Version version) {
  if (component == kubernetes_itself) return "Kubernetes " + version_text(version);
  return "version " + version_text(version) + " of `" + std::string(component) + "`";
}

}  // namespace

const Gate& object_gate(std::string_view group, std::string_view kind, std::string_view path) {
  const auto rows = object_gates();
  return *std::find_if(rows.begin(), rows.end(), [&](const Gate& gate) {
    return gate.group == group && gate.kind == kind && gate.path == path && gate.value.empty();
  });
}

const Gate* find_gate(std::string_view api_version, std::string_view kind, std::string_view path) {
  const auto rows = object_gates();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Gate& gate) {
    return gate.value.empty() && gate.mark.empty() && is_of(gate, api_version) && path_in(gate, kind) == path;
  });
  return found == rows.end() ? nullptr : &*found;
}

const Gate& mark_gate(std::string_view mark) {
  const auto rows = object_gates();
  return *std::find_if(rows.begin(), rows.end(), [&](const Gate& gate) { return gate.mark == mark; });
}

const Feature& feature_row(std::string_view component, std::string_view name) {
  const auto rows = features();
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const Feature& f) { return f.component == component && f.name == name; });
}

std::string_view component_of(std::string_view api_version, std::string_view kind) {
  const std::string_view group = group_of(api_version);
  if (api_version == "kubeflow.org/v2beta1" && kind == "MPIJob") return "mpi-operator";
  for (const Owner& owner : owners)
    if (owner.group == group) return owner.component;
  return is_core(group) ? kubernetes_itself : std::string_view();
}

const model::Operator* operator_of(const model::Plane& plane, std::string_view component) {
  if (plane.pods() == nullptr) return nullptr;
  const auto& all = plane.pods()->operators;
  for (const std::string_view name : {component, other_name(component)})
    for (const model::Operator& installed : all)
      if (!name.empty() && installed.name == name) return &installed;
  return nullptr;
}

std::optional<model::Version> version_of(const model::Plane& plane, std::string_view component) {
  if (component == kubernetes_itself) return plane.version.value;
  const model::Operator* installed = operator_of(plane, component);
  return installed != nullptr && installed->version ? version_in(installed->version->value) : std::nullopt;
}

bool has_flag(const model::Plane& plane, std::string_view component, std::string_view flag) {
  const model::Operator* installed = operator_of(plane, component);
  return installed != nullptr && std::any_of(installed->flags.begin(), installed->flags.end(),
                                             [&](const auto& given) { return given.value == flag; });
}

bool has(const model::Plane& plane, std::string_view component, const Releases& in) {
  const auto version = version_of(plane, component);
  return !version || in.contains(*version);
}

std::optional<bool> has_feature(const model::Plane& plane, std::string_view component, std::string_view name) {
  const auto rows = features();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const Feature& f) { return f.component == component && f.name == name; });
  if (row == rows.end()) return true;
  const auto version = version_of(plane, component);
  return version ? std::optional(row->in.contains(*version)) : std::nullopt;
}

std::vector<const Clash*> clashes_of(const model::Plane& plane) {
  std::vector<const Clash*> out;
  for (const Clash& clash : clashes()) {
    const auto first = version_of(plane, clash.first), second = version_of(plane, clash.second);
    const bool meet = first && second && clash.of_first.contains(*first) && clash.of_second.contains(*second);
    if (meet && (clash.flag.empty() || has_flag(plane, clash.first, clash.flag))) out.push_back(&clash);
  }
  return out;
}

const Clash* clash_of(const model::Plane& plane, std::string_view first, std::string_view second) {
  for (const Clash* clash : clashes_of(plane))
    if (clash->first == first && clash->second == second) return clash;
  return nullptr;
}

std::vector<Lacking> lacking(const model::Plane& plane, const Field& object) {
  std::vector<Lacking> out;
  if (plane.pods() == nullptr) return out;
  find_in_object(plane, object, out);
  const std::string_view component = component_of(object.get("apiVersion").text(), object.get("kind").text());
  // Custom resources of operators that we do not know may have pods of their own making.
  if (!component.empty() && object.get("kind").text() != "TrainJob") find_in_pods(plane, component, object, out);
  return out;
}

std::string sentence(const model::Plane& plane, std::string_view what, std::string_view component, const Releases& in) {
  const auto version = version_of(plane, component);
  const bool gone = version && *version >= in.since;
  const std::string declared = component == kubernetes_itself ? "` runs " : "` declares ";
  return std::string(what) +
         (gone ? " was removed in " + release_text(component, in.until) + ", and plane `"
               : " requires " + release_text(component, in.since) + ", but plane `") +
         plane.name + declared + (version ? version_text(*version) : "none");
}

std::string sentence(const model::Plane& plane, const Lacking& lacking) {
  const std::string named = "`" + std::string(lacking.by_text ? lacking.where.text() : lacking.where.key) + "`";
  if (lacking.never) return "no known version of `" + std::string(lacking.component) + "` has " + named;
  return sentence(plane, named, lacking.component, lacking.in);
}

std::string way_out(const Lacking& lacking) {
  const std::string component = "`" + std::string(lacking.component) + "`";
  if (!lacking.instead.empty()) return "write `" + lacking.instead + "`, which the declared version has";
  if (lacking.never || lacking.in.until != model::Version{}) return "remove it";
  if (lacking.component == kubernetes_itself) return "remove it, or correct `version` of the plane";
  return "remove it, or install that version and declare it with `operator " + std::string(lacking.component) +
         " { version }`";
}

std::optional<bool> waits_for_pods(const model::Plane& plane) {
  if (plane.pods() == nullptr) return std::nullopt;
  if (const auto& declared = plane.pods()->wait_for_pods) return declared->value;
  // Before, it waits where it was told to.
  return has_feature(plane, "kueue", "waitForPodsReady") == true ? std::optional(true) : std::nullopt;
}

bool kueue_admits(const model::Plane& plane, std::string_view integration) {
  return has_feature(plane, "kueue", integration).value_or(true) || has_flag(plane, "kueue", integration);
}

// kueue#11388, kueue#12819: `maxItems` of a Workload's podSets.
std::int64_t most_pod_sets(const model::Plane& plane) {
  if (!has(plane, "kueue", {{0, 18}, {}})) return 8;
  return has(plane, "kueue", {{0, 19}, {}}) ? 18 : 10;
}

bool has_fault(const model::Plane& plane, const RayGangFault& fault) {
  return !has(plane, fault.component, {fault.sound, {}});
}

}  // namespace muster::targets::kubernetes
