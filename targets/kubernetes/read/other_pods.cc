// Pods in kinds that have no row: found by their shape.
#include <algorithm>
#include <array>
#include <iterator>

#include "targets/kubernetes/read/manifest.h"
#include "targets/kubernetes/schema.h"

namespace muster::targets::kubernetes {
namespace {

constexpr std::size_t deepest = 16, most_templates = 100, most_held = 100;

// Nothing of the holder says where pods are or how many: that is in the template.
constexpr PodPlace found_place{".", "", "", ""};

bool is_container(const Field& field) {
  return field && field.node->is_map() && (field.get("image") || field.get("name"));
}

bool is_pod_spec(const Field& field) {
  const Field containers = field.get("containers");
  return containers && !containers.node->items.empty() && is_container(root_field(containers.node->items.front()));
}

bool is_whole_object(const Field& field) {
  const Field spec = field.get("spec");
  return spec && spec.node->is_map() && field.get("apiVersion").text().find('/') != std::string_view::npos &&
         !field.get("kind").text().empty();
}

class Finder {
 public:
  explicit Finder(Object& object) : object_(object) {}

  void look(const Field& at) {
    if (way_.size() > deepest || object_.pods.size() >= most_templates || held_.size() >= most_held) return;
    if (!way_.empty() && is_whole_object(at)) return held_.push_back(at);
    if (is_pod_spec(at)) return add(at, {});
    way_.push_back(at);
    for (const Field& member : at.members()) {
      const bool skipped = way_.size() == 1 && (member.key == "metadata" || member.key == "status");
      const bool single = (member.key == "container" || member.key == "script") && member.get("image");
      if (single) add(at, member);
      else if (!skipped && !member.node->is_scalar()) look(member);
    }
    for (const Field& item : at.items()) look(item);
    way_.pop_back();
  }

  std::vector<Field> take() { return std::move(held_); }

 private:
  // `single`: the only container of the pod, which has no list of them.
  void add(const Field& spec, const Field& single) {
    PodTemplate pods;
    pods.place = &found_place;
    pods.spec = spec;
    const std::size_t above = way_.size() - (single ? 1 : 0);
    const bool in_template = !single && spec.key == "spec" && above > 1;
    if (in_template) pods.metadata = way_[above - 1].get("metadata");
    const std::size_t holders = above - (in_template ? 1 : 0);
    pods.holder = holders > 0 ? way_[holders - 1] : object_.root;
    pods.role = role_at(single ? way_.size() : holders);
    count(pods, holders, in_template ? way_[above - 1].key : spec.key);
    if (single) pods.containers.push_back(trainer_container(single));
    else pods.containers = containers_of(spec, false);
    object_.pods.push_back(std::move(pods));
  }

  // The name of the nearest part that has one; the object's own name is not a role.
  std::string role_at(std::size_t holders) const {
    for (std::size_t i = holders; i-- > 1;)
      if (const std::string_view name = way_[i].get("name").text(); !name.empty()) return std::string(name);
    return {};
  }

  // The product of what the parts above say; of a group as that of a LeaderWorkerSet one pod is the leader.
  void count(PodTemplate& pods, std::size_t holders, std::string_view key) {
    std::int64_t all = 1;
    const auto take = [&](const Field& field, std::int64_t less) {
      if (!field) return true;
      const auto n = field.whole();
      if (!pods.count_field) pods.count_field = field;
      return n && *n >= 0 && *n <= 1'000'000 &&
             !__builtin_mul_overflow(all, std::max<std::int64_t>(*n - less, 0), &all);
    };
    bool known = true;
    for (std::size_t i = holders; i-- > 0 && known;) {
      const bool nearest = i + 1 == holders;
      if (nearest && key == "workerTemplate") known = take(way_[i].get("size"), way_[i].get("leaderTemplate") ? 1 : 0);
      for (const char* name : {"replicas", "parallelism"}) known = known && take(way_[i].get(name), 0);
    }
    if (known) pods.count = all;
  }

  Object& object_;
  std::vector<Field> way_;  // from the object down to the holder
  std::vector<Field> held_;
};

// What an operator fills in has a container without an image; KubeRay mounts memory
// itself, also for kinds of others that hold a Ray cluster.
bool is_complete(const Object& object) {
  if (object.kind.starts_with("Ray") || group_of(object.api_version) == "argoproj.io") return false;
  for (const PodTemplate& pods : object.pods)
    for (const Container& c : pods.containers)
      if (!c.field.get("image")) return false;
  return true;
}

// Whether a key is one that only what starts programs has, or there is one below it.
bool says_of_programs(const data::Member& part, std::size_t depth) {
  constexpr std::array<std::string_view, 20> keys = {"image",     "containers",    "podTemplate", "podSpec",
                                                     "replicas",  "minReplicas",   "instances",   "command",
                                                     "args",      "resources",     "resource",    "nodeSelector",
                                                     "script",    "steps",         "tolerations", "resourceProfile",
                                                     "inference", "numberOfNodes", "gpu",         "gpus"};
  if (std::find(keys.begin(), keys.end(), part.key) != keys.end()) return true;
  const auto any_of = [&](const data::Node& node) {
    return std::any_of(node.members.begin(), node.members.end(),
                       [&](const data::Member& member) { return says_of_programs(member, depth + 1); });
  };
  return depth < deepest &&
         (any_of(part.value) || std::any_of(part.value.items.begin(), part.value.items.end(), any_of));
}

}  // namespace

std::vector<Field> find_pods(Object& object) {
  // Its schema speaks of containers, or it says which pods are allowed: it has none.
  constexpr std::array<std::string_view, 4> of_others = {"CustomResourceDefinition", "WorkloadAllowlist",
                                                         "ClusterPolicy", "Policy"};
  if (std::find(of_others.begin(), of_others.end(), object.kind) != of_others.end()) return {};
  Finder finder(object);
  finder.look(object.root);
  std::vector<Field> held = finder.take();
  if (!object.pods.empty() || !held.empty()) object.known = &other_kind(held.empty() && is_complete(object));
  return held;
}

bool may_run_pods(const Object& object) {
  // Configuration of programs and of nodes, not objects that run.
  constexpr std::array<std::string_view, 6> no_pods = {"eksctl.io",         "kind.x-k8s.io", "skaffold",
                                                       "karpenter.k8s.aws", "karpenter.sh",  "cloud.google.com"};
  constexpr std::array<std::string_view, 4> workflows = {"Workflow", "CronWorkflow", "WorkflowTemplate", "PipelineRun"};
  const auto is_one_of = [](const auto& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (is_one_of(no_pods, group_of(object.api_version)) || object.kind.ends_with("Topic")) return false;
  if (is_one_of(workflows, object.kind)) return true;
  for (const data::Member& part : object.root.node->members)
    if (part.key != "metadata" && part.key != "status" && says_of_programs(part, 0)) return true;
  return false;
}

bool is_read(const Object& object) {
  if (object.known != nullptr || find_schema(object.api_version, object.kind) != nullptr) return true;
  constexpr std::array<std::string_view, 7> groups = {"",           "apps",   "batch",  "autoscaling",
                                                      "extensions", "policy", "keda.sh"};
  const std::string_view group = group_of(object.api_version);
  return group.ends_with(".k8s.io") || std::find(groups.begin(), groups.end(), group) != groups.end();
}

}  // namespace muster::targets::kubernetes
