#include "targets/kubernetes/scaling.h"

#include <optional>

#include "targets/kubernetes/job_parts.h"

namespace muster::targets::kubernetes {
namespace {

// What a server exports for a metric of the language, and how Prometheus sums it over replicas.
struct Metric {
  std::string_view engine;
  std::string_view metric;
  std::string_view name;
  bool is_counter = false;  // its rate is meant
};

// vLLM: docs/usage/metrics.md; SGLang: docs/references/production_metrics.md.
constexpr Metric metrics[] = {
    {"vllm", "requests-waiting", "vllm:num_requests_waiting"},
    {"vllm", "concurrency", "vllm:num_requests_running"},
    {"vllm", "kv-cache", "vllm:kv_cache_usage_perc"},
    {"vllm", "requests-per-second", "vllm:request_success_total", true},
    {"sglang", "requests-waiting", "sglang:num_queue_reqs"},
    {"sglang", "concurrency", "sglang:num_running_reqs"},
    {"sglang", "kv-cache", "sglang:token_usage"},
    {"sglang", "requests-per-second", "sglang:num_requests_total", true},
};

// The server by its word in `serve`, else by the program that is started.
std::string engine_of(const Draft& draft, const model::Role& role) {
  if (draft.workload.serve && draft.workload.serve->engine)
    return std::string(model::name(draft.workload.serve->engine->value));
  const auto* argv = role.program ? std::get_if<model::Argv>(&role.program->value) : nullptr;
  for (const model::Text& text : argv != nullptr ? *argv : model::Argv{}) {
    const std::string& word = text.bytes;
    if (word == "vllm" || word.starts_with("vllm.")) return "vllm";
    if (word.starts_with("sglang.")) return "sglang";
  }
  return {};
}

const Metric* find_metric(const std::string& engine, const std::string& metric) {
  for (const Metric& row : metrics)
    if (row.engine == engine && row.metric == metric) return &row;
  return nullptr;
}

std::string query_of(const Draft& draft, const Metric& metric) {
  const std::string space = draft.name_space.empty() ? "" : "namespace=\"" + draft.name_space + "\",";
  // Pods of a Deployment: the name, the digits of a ReplicaSet, those of the pod. Not those of one named `NAME-other`.
  const std::string pods = draft.name + "-[a-z0-9]+-[a-z0-9]{5}";
  const std::string series = std::string(metric.name) + "{" + space + "pod=~\"" + pods + "\"}";
  if (metric.is_counter) return "sum(rate(" + series + "[2m]))";
  // Summed: KEDA divides by the number of replicas.
  return "sum(" + series + ")";
}

Node target_ref(const Draft& draft) {
  return map({{"apiVersion", text("apps/v1")}, {"kind", text("Deployment")}, {"name", text(draft.name)}});
}

Node scale_down(const model::Scale& scale) {
  if (!scale.cooldown) return nothing();
  return map({{"scaleDown", map({{"stabilizationWindowSeconds", number(scale.cooldown->value.seconds_up())}})}});
}

// A target of the CPUs is a whole percentage for both scalers: KEDA takes others and never scales.
bool takes_percentage(Draft& draft) {
  const auto& target = *draft.workload.scale->target;
  if (target.value.find_first_not_of("0123456789") == std::string::npos) return true;
  draft.refuse_at(target.span, model::Field::scale_target,
                  "an autoscaler takes a whole percentage of the CPUs, found `" + target.value + "`",
                  "round the value");
  return false;
}

void add_keda(Draft& draft, const model::Count& bounds, const Metric* metric) {
  const model::Scale& scale = *draft.workload.scale;
  if (bounds.low == 0 && metric != nullptr)
    return draft.refuse(model::Field::scale,
                        "replicas report `" + scale.metric + "`, so at zero replicas nothing starts one again",
                        "use `replicas = 1..N`");
  if (bounds.low == 0)  // its webhook says the same
    return draft.refuse(model::Field::scale, "KEDA does not scale to zero by `cpu`, which no replica would use then",
                        "use `replicas = 1..N`, or a metric of the server");
  Node trigger;
  if (metric == nullptr) {  // cpu
    trigger = map({{"type", text("cpu")},
                   {"metricType", text("Utilization")},
                   {"metadata", map({{"value", text(scale.target->value)}})}});
  } else if (!draft.pods.metrics) {
    return draft.refuse(model::Field::scale,
                        "KEDA queries Prometheus for `" + std::string(metric->name) + "`, but plane `" +
                            draft.plane.name + "` does not declare its address",
                        "add `metrics = \"http://prometheus.monitoring:9090\"` to the plane");
  } else {
    trigger = map({{"type", text("prometheus")},
                   {"metadata", map({{"serverAddress", text(draft.pods.metrics->value)},
                                     {"query", text(query_of(draft, *metric))},
                                     {"threshold", text(scale.target->value)},
                                     // No answer is no load otherwise.
                                     {"ignoreNullValues", text("false")}})}});
  }
  Node spec = map({{"scaleTargetRef", map({{"name", text(draft.name)}})},
                   {"minReplicaCount", number(bounds.low)},
                   {"maxReplicaCount", number(bounds.high)}});
  if (Node behavior = scale_down(scale); behavior.is_map())
    put(spec, "advanced", map({{"horizontalPodAutoscalerConfig", map({{"behavior", std::move(behavior)}})}}));
  put(spec, "triggers", list({std::move(trigger)}));
  Node object = draft.object("keda.sh/v1alpha1", "ScaledObject", draft.name);
  put(object, "spec", std::move(spec));
  draft.add(std::move(object));
  if (metric == nullptr) return draft.exact_each(model::Field::scale, "ScaledObject of KEDA");
  const auto& cooldown = scale.cooldown;
  if (cooldown) draft.exact(model::Field::scale_cooldown, "stabilizationWindowSeconds");
  for (const model::Field field : {model::Field::scale_metric, model::Field::scale_target})
    draft.approximated(field, "ScaledObject of KEDA", "if Prometheus scrapes pods by their prometheus.io annotations");
}

void add_hpa(Draft& draft, const model::Count& bounds, const Metric* metric) {
  const model::Scale& scale = *draft.workload.scale;
  if (bounds.low == 0)
    return draft.refuse(model::Field::scale, "a HorizontalPodAutoscaler keeps at least one replica",
                        "set `scaler = keda` on the plane, or `replicas = 1..N`");
  if (metric != nullptr && metric->is_counter)
    return draft.refuse(model::Field::scale, "`" + scale.metric + "` is a rate, which pods do not export as a metric",
                        "use `requests-waiting`, or `scaler = keda`");
  Node source =
      metric == nullptr
          ? map({{"type", text("Resource")},
                 {"resource",
                  map({{"name", text("cpu")},
                       {"target", map({{"type", text("Utilization")},
                                       {"averageUtilization", number(std::atoll(scale.target->value.c_str()))}})}})}})
          : map({{"type", text("Pods")},
                 {"pods", map({{"metric", map({{"name", text(metric->name)}})},
                               {"target", map({{"type", text("AverageValue")},
                                               {"averageValue", text(scale.target->value)}})}})}});
  Node spec = map({{"scaleTargetRef", target_ref(draft)},
                   {"minReplicas", number(bounds.low)},
                   {"maxReplicas", number(bounds.high)},
                   {"metrics", list({std::move(source)})},
                   {"behavior", scale_down(scale)}});
  Node object = draft.object("autoscaling/v2", "HorizontalPodAutoscaler", draft.name);
  put(object, "spec", std::move(spec));
  if (metric != nullptr)
    object.comment = "requires an adapter that serves " + std::string(metric->name) + " as a metric of pods";
  draft.add(std::move(object));
  draft.exact_each(model::Field::scale, "HorizontalPodAutoscaler");
}

// The annotations by which a Prometheus that finds pods by itself reads their metrics.
void mark_for_scraping(Draft& draft, const model::Role& role) {
  if (role.ports.empty()) return;
  const model::Port* port = &role.ports.front();
  for (const model::Port& p : role.ports)
    if (draft.workload.serve && draft.workload.serve->port && draft.workload.serve->port->value == p.name) port = &p;
  for (Node& object : draft.objects) {
    if (object.get("kind")->text != "Deployment") continue;
    Node& annotations = at(at(at(at(object, "spec"), "template"), "metadata"), "annotations");
    if (!annotations.is_map()) annotations = map({});
    put(annotations, "prometheus.io/scrape", text("true"));
    put(annotations, "prometheus.io/port", text(std::to_string(port->number.value)));
  }
}

}  // namespace

void add_scaling(Draft& draft, const plan::RolePlan& shape) {
  const model::Role& role = *shape.role;
  const model::Count bounds = role.replicas ? role.replicas->value : model::Count{};
  for (const FieldRef& path : replica_fields(draft, role)) {
    if (draft.workload.scale || bounds.low == bounds.high)
      draft.loss.exact(path, draft.workload.scale ? "bounds of the autoscaler" : "replicas");
    else
      draft.loss.approximated(path, "replicas: " + std::to_string(bounds.low),
                              "without `scale` the number is fixed to the lower bound of the range");
  }
  if (!draft.workload.scale) return;
  const model::Scale& scale = *draft.workload.scale;
  const std::string scaler = draft.pods.scaler ? draft.pods.scaler->value : "none";
  if (scaler == "none")
    return draft.refuse(model::Field::scale, "plane `" + draft.plane.name + "` does not scale services",
                        "set `scaler = keda` or `hpa` on a plane where it is installed");
  const std::string engine = engine_of(draft, role);
  const Metric* metric = find_metric(engine, scale.metric);
  if (metric == nullptr && scale.metric != "cpu")
    return draft.refuse(model::Field::scale,
                        (engine.empty() ? "the workload does not name the server that exports"
                                        : "`" + engine + "` is not known to export") +
                            std::string(" `") + scale.metric + "`",
                        "set `serve { engine = vllm }` or sglang, or scale by `cpu`");
  const bool has_cpus = shape.cpus || (shape.all_cpus && shape.pool != nullptr);
  if (metric == nullptr && !has_cpus)  // KEDA refuses it, and a HorizontalPodAutoscaler does nothing
    return draft.refuse(model::Field::scale, "`cpu` is the used share of the CPUs that a pod requests, and it has none",
                        "set `cpus` in its resources");
  if (metric == nullptr && !takes_percentage(draft)) return;
  if (metric != nullptr) mark_for_scraping(draft, role);
  if (scaler == "keda") add_keda(draft, bounds, metric);
  else add_hpa(draft, bounds, metric);
}

}  // namespace muster::targets::kubernetes
