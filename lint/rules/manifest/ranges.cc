// SCH017 ray-range-unused, SRV009 utilization-without-request: ranges and metrics that no autoscaler can follow.
#include <algorithm>

#include "compiler/base/text.h"
#include "lint/rules/manifest/scene.h"

namespace muster::lint {
namespace {

// ---- SCH017 ------------------------------------------------------------------------------------------

void check_ray_group(const ManifestScene& scene, const Object& object, const Field& group, bool reads_minimum) {
  const Field replicas = group.get("replicas"), low = group.get("minReplicas"), high = group.get("maxReplicas");
  if (!replicas.whole()) return;
  const std::int64_t n = *replicas.whole();
  const std::string stays = "the group stays at " + counted(n, "worker");
  if (high.whole() && *high.whole() > n) {
    Finding& f = scene.wrong(
        RuleId::ray_range_unused, object, high,
        "`maxReplicas` is " + std::to_string(*high.whole()) + ", but the cluster has no autoscaler: " + stays);
    f.labels.push_back({replicas.span(), "the number of workers"});
  } else if (low.whole() && *low.whole() < n && !reads_minimum) {
    Finding& f = scene.wrong(
        RuleId::ray_range_unused, object, low,
        "`minReplicas` is " + std::to_string(*low.whole()) + ", but the cluster has no autoscaler: " + stays);
    f.labels.push_back({replicas.span(), "the number of workers"});
    f.severity = Severity::info;
  }
}

bool has_accelerators(const Object& object, const Field& group) {
  return std::any_of(object.pods.begin(), object.pods.end(),
                     [&](const PodTemplate& pods) { return pods.holder.node == group.node && pods.has_accelerator(); });
}

void check_ray_ranges(const ManifestScene& scene, const Object& object) {
  if (object.known == nullptr || object.known->work != k8s::Work::ray) return;
  const bool kai = static_cast<bool>(object.label("kai.scheduler/queue"));  // its gang is `minReplicas` workers
  for (const char* path : {"spec", "spec.rayClusterSpec", "spec.rayClusterConfig"}) {
    const Field cluster = object.root.at(path);
    if (!cluster.get("workerGroupSpecs") || cluster.get("enableInTreeAutoscaling")) continue;
    for (const Field& group : cluster.get("workerGroupSpecs").items())
      if (has_accelerators(object, group)) check_ray_group(scene, object, group, kai);
  }
}

// ---- SRV009 ------------------------------------------------------------------------------------------

// The metric of a resource's utilization, such as `cpu`; false where it is something else.
Field utilized(const Field& metric) {
  const Field name = metric.at("resource.name");
  const bool known = name.text() == "cpu" || name.text() == "memory";
  const bool share = metric.at("resource.target.averageUtilization") || metric.at("resource.targetAverageUtilization");
  return metric.get("type").text() == "Resource" && known && share ? name : Field{};
}

// The first container without a request of the resource; nullptr if all have one.
const Container* without_request(const PodTemplate& pods, std::string_view resource) {
  for (const Container& c : pods.containers)
    if (!c.init && !c.limit(resource) && !c.request(resource)) return &c;
  return nullptr;
}

void check_metric(const ManifestScene& scene, const Object& object, const Field& name, const PodTemplate& pods) {
  const Container* c = without_request(pods, name.text());
  if (!name || c == nullptr || !c->field.get("image")) return;
  Finding& f = scene.wrong(RuleId::utilization_without_request, object, name,
                           "the metric is a share of the " + std::string(name.text()) + " request, but " +
                               quoted(c->name) + " requests none",
                           "the autoscaler cannot compute it and does not scale");
  f.labels.push_back({c->field.get("name").span(), "the container"});
}

// Whether a LimitRange of the file may add the requests.
bool has_defaults(const k8s::Manifest& manifest) {
  return std::any_of(manifest.objects.begin(), manifest.objects.end(),
                     [](const Object& o) { return o.kind == "LimitRange"; });
}

void check_elastic_metrics(const ManifestScene& scene, const Object& object) {
  for (const Field& metric : object.root.at("spec.elasticPolicy.metrics").items())
    for (const PodTemplate& pods : object.pods)
      if (pods.role == "Worker") check_metric(scene, object, utilized(metric), pods);
}

void check_scaled_target(const ManifestScene& scene, const k8s::Autoscaler& scaler) {
  const Object* target = scaler.keda ? nullptr : target_of(scaler, scene.manifest);
  if (target == nullptr || target->pods.size() != 1) return;
  for (const Field& metric : scaler.object->root.at("spec.metrics").items())
    check_metric(scene, *scaler.object, utilized(metric), target->pods[0]);
}

}  // namespace

void check_ranges(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) check_ray_ranges(scene, object);
  if (has_defaults(scene.manifest)) return;
  for (const Object& object : scene.manifest.objects)
    if (object.is("kubeflow.org", "PyTorchJob")) check_elastic_metrics(scene, object);
  for (const k8s::Autoscaler& scaler : autoscalers(scene.manifest)) check_scaled_target(scene, scaler);
}

}  // namespace muster::lint
