// Model servers and what is before them: parallel degrees, probes, autoscalers, services.
#include <algorithm>
#include <array>
#include <set>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "lint/related_manifests.h"
#include "lint/rules/manifest/scene.h"
#include "lint/yaml_edit.h"

namespace muster::lint {
namespace {

using k8s::Autoscaler;
using k8s::Program;

// What a server spreads itself over within a pod; nullopt where the command does not say.
struct Degrees {
  std::int64_t gpus = 1;
  Field where;
  std::string text;
};

std::optional<Degrees> degrees_of(const Container& c, Program program) {
  Degrees out;
  const auto multiply = [&](std::initializer_list<std::string_view> names) {
    const auto option = option_of(c, names);
    if (!option) return true;
    const auto n = option->whole();
    if (!n || *n < 1 || *n > 4096) return false;
    out.gpus *= *n;
    if (!out.where) out.where = option->word->field;
    out.text += (out.text.empty() ? "" : " × ") + std::to_string(*n);
    return true;
  };
  const bool known = program == Program::tgi ? multiply({"--num-shard"})
                                             : multiply({"--tensor-parallel-size", "-tp", "--tp", "--tp-size"}) &&
                                                   multiply({"--pipeline-parallel-size", "-pp", "--pp-size"}) &&
                                                   multiply({"--data-parallel-size", "-dp"});
  if (!known) return std::nullopt;
  return out;
}

// Anything by which one command serves from several pods, or from a file that is not here.
bool spans_pods(const Object& object, const Container& c) {
  if (object.known->work == k8s::Work::ray) return true;
  if (object.known->work == k8s::Work::group && pod_count(object) != 1) return true;
  constexpr std::array<std::string_view, 14> far = {"--data-parallel-rank",
                                                    "--data-parallel-address",
                                                    "--ray_cluster_size",
                                                    "--ray_address",
                                                    "--nnodes",
                                                    "--distributed-executor-backend",
                                                    "--config",
                                                    "--headless",
                                                    "--node-rank",
                                                    "--data-parallel-size-local",
                                                    "--dist-init-addr",
                                                    "--enable-expert-parallel",
                                                    "--sharded",
                                                    "--omni"};
  for (const k8s::Word& w : c.words) {
    const std::string_view option = std::string_view(w.text).substr(0, w.text.find('='));
    for (const std::string_view f : far)
      if (option == f) return true;
    if (w.text == "ray") return true;
  }
  return false;
}

// A variable among its options may hold any of them.
bool has_unread_word(const Container& c) {
  return std::any_of(c.words.begin(), c.words.end(),
                     [](const k8s::Word& w) { return trimmed(w.text, "\"'").starts_with('$'); });
}

void check_server(const ManifestScene& scene, const Object& object, const Container& c) {
  const Program program = program_of(c);
  const std::int64_t gpus = c.gpus();
  if (!is_server(program) || gpus == 0 || c.init || spans_pods(object, c) || c.chooses_devices()) return;
  if (has_unread_word(c)) return;
  const auto degrees = degrees_of(c, program);
  // TGI takes all GPUs by itself where no number of shards is given.
  if (!degrees || degrees->gpus == gpus || (program == Program::tgi && !degrees->where)) return;
  Finding& f = scene.wrong(RuleId::tp_serving_gpus, object, degrees->where ? degrees->where : c.gpu_field(),
                           std::string(name(program)) + " uses " + counted(degrees->gpus, "GPU") +
                               ", but its container has " + std::to_string(gpus),
                           degrees->gpus > gpus ? "it fails at start" : "the others are reserved but idle");
  if (degrees->where) f.labels.push_back({c.gpu_field().span(), "the GPUs"});
  if (degrees->gpus < gpus) f.severity = Severity::warning;
}

bool has_readiness(const PodTemplate& pods) {
  return std::any_of(pods.containers.begin(), pods.containers.end(),
                     [](const Container& c) { return c.field.get("readinessProbe").node != nullptr; });
}

// The container that serves: the one with GPUs, else the first.
const Container* main_container(const PodTemplate& pods) {
  const Container* first = nullptr;
  for (const Container& c : pods.containers) {
    if (c.init) continue;
    if (c.has_accelerator()) return &c;
    if (first == nullptr) first = &c;
  }
  return first;
}

// A notebook has one user, who waits for it.
bool is_notebook(const Container& c) {
  const std::string image = lower(c.field.get("image").text());
  const auto starts = [](const k8s::Word& word) { return word.text.find("jupyter") != std::string::npos; };
  return image.find("jupyter") != std::string::npos || image.find("notebook") != std::string::npos ||
         std::any_of(c.words.begin(), c.words.end(), starts);
}

void no_readiness(const ManifestScene& scene, const Object& object, const PodTemplate& pods, const Object* service) {
  const Container* c = main_container(pods);
  if (c == nullptr || has_readiness(pods) || is_notebook(*c)) return;
  const Field name = c->field.get("name");
  Finding& f = scene.wrong(RuleId::no_readiness, object, name ? name : c->field,
                           "the container `" + std::string(c->name) + "` has no readiness probe",
                           "it receives traffic as soon as its process starts");
  if (service != nullptr) f.labels.push_back({service->root.at("spec.selector").span(), "the Service that sends it"});
  if (!c->has_accelerator() && !is_server(program_of(*c))) f.severity = Severity::info;  // it starts fast, most likely
  if (c->field.get("livenessProbe") && !c->field.get("startupProbe"))
    f.notes.push_back("it has a `livenessProbe` but no `startupProbe`, so a slow start is killed");
}

// Headless Services are for pods to find each other before they are ready; metrics are read, not served.
bool sends_traffic(const Object& service) {
  const auto ports = service.root.at("spec.ports").items();
  const bool only_metrics = !ports.empty() && std::all_of(ports.begin(), ports.end(), [](const Field& port) {
    return port.get("name").text().find("metrics") != std::string_view::npos;
  });
  return !only_metrics && service.is("", "Service") && service.root.at("spec.clusterIP").text() != "None" &&
         !service.root.at("spec.publishNotReadyAddresses").is_true();
}

bool serves_models(const PodTemplate& pods) {
  return std::any_of(pods.containers.begin(), pods.containers.end(),
                     [](const Container& c) { return !c.init && is_server(program_of(c)); });
}

// `replicas` of what the autoscaler `subject` scales, which names it at `at`.
Finding* remove_replicas(const ManifestScene& scene, const std::string& subject, Span at, const Object& target) {
  const Field replicas = target.root.at("spec.replicas");
  // 0 switches the autoscaler off, or is where KEDA begins: it is meant.
  if (!replicas || blank_in(replicas.text(), In::yaml) || replicas.text() == "0") return nullptr;
  Finding& f = scene.wrong(RuleId::replicas_with_hpa, target, replicas,
                           "`replicas` is set although an autoscaler manages it", "every apply resets it");
  f.labels.push_back({at, "`" + subject + "` scales it"});
  if (const auto edit = remove_entry(scene.context.sources, replicas)) f.fix = Fix{"remove `replicas`", true, {*edit}};
  return &f;
}

// An autoscaler in another file of the folder: whether both are applied, the files do not say.
void check_scaled_elsewhere(const ManifestScene& scene) {
  if (scene.context.related == nullptr) return;
  std::set<const Object*> here;
  for (const Autoscaler& scaler : autoscalers(scene.manifest)) here.insert(target_of(scaler, scene.manifest));
  for (const Object& object : scene.manifest.objects) {
    const Scaler* scaler = object.pods.empty() || here.contains(&object)
                               ? nullptr
                               : scene.context.related->scaler_of(object, scene.context.sources);
    if (scaler == nullptr) continue;
    Finding* f = remove_replicas(scene, scaler->subject, scaler->target, object);
    if (f == nullptr) continue;
    f->severity = Severity::warning;
    if (f->fix) f->fix->safe = false;
  }
}

void check_bounds(const ManifestScene& scene, const Autoscaler& scaler) {
  const auto low = scaler.min.whole(), high = scaler.max.whole();
  if (low && high && *low > *high) {
    Finding& f =
        scene.wrong(RuleId::autoscaler_bounds, *scaler.object, scaler.min,
                    "the lower bound " + std::to_string(*low) + " is above the upper bound " + std::to_string(*high),
                    "the API server rejects it");
    f.severity = Severity::error;
    f.labels.push_back({scaler.max.span(), "the upper bound"});
  } else if (!scaler.max && scaler.target && (scaler.min || scaler.object->root.at("spec").members().size() > 1)) {
    // With a target alone it is a stub, which a kustomization completes.
    scene.wrong(RuleId::autoscaler_bounds, *scaler.object, scaler.target, "the autoscaler has no upper bound",
                scaler.keda ? "KEDA scales up to 100 replicas" : "`maxReplicas` is required");
  }
}

void check_metrics(const ManifestScene& scene, const Object& object) {
  for (const Field& metric : object.root.at("spec.metrics").items()) {
    if (metric.get("type").text() != "Pods") continue;
    const Field type = metric.at("pods.target.type"), name = metric.at("pods.metric.name");
    // With an `averageValue` the API server takes any type, and the autoscaler reads that value.
    const bool taken = type.text() == "AverageValue" || metric.at("pods.target.averageValue");
    if (type && !taken && !blank_in(type.text(), In::yaml)) {
      scene.wrong(RuleId::autoscaler_metric, object, type,
                  "a Pods metric has a target of `" + std::string(type.text()) + "`", "only `AverageValue` is valid");
    } else if (name) {
      scene.cannot_tell(RuleId::autoscaler_metric, object, name,
                        "`" + std::string(name.text()) + "` requires a custom metrics adapter that serves it",
                        "the site decides which metrics are available");
    }
  }
}

// Groups with GPUs that grow without end.
void check_unbounded(const ManifestScene& scene, const Object& object) {
  const bool knative = object.is("serving.knative.dev", "Service");
  if (knative && object.pods.size() == 1) {
    const PodTemplate& pods = object.pods[0];
    const Container* c = main_container(pods);
    const bool bounded =
        pods.annotation("autoscaling.knative.dev/max-scale") || pods.annotation("autoscaling.knative.dev/maxScale");
    if (c != nullptr && c->has_accelerator() && !bounded && !is_trial(object))
      scene.wrong(RuleId::autoscaler_bounds, object, c->gpu_field() ? c->gpu_field() : c->resources(),
                  "a Knative Service with GPUs has no upper bound",
                  "it scales until no GPU is free; set `autoscaling.knative.dev/max-scale`");
  }
  for (const char* path : {"spec", "spec.rayClusterSpec", "spec.rayClusterConfig"}) {
    const Field cluster = object.root.at(path);
    if (object.known == nullptr || object.known->work != k8s::Work::ray ||
        !cluster.get("enableInTreeAutoscaling").is_true())
      continue;
    for (const Field& group : cluster.get("workerGroupSpecs").items())
      if (!group.get("maxReplicas") && group.get("groupName"))
        scene.wrong(RuleId::autoscaler_bounds, object, group.get("groupName"),
                    "an autoscaled worker group has no `maxReplicas`", "it scales until no node is free");
  }
}

bool asks_for_key(const Container& c) {
  for (const k8s::Word& w : c.words)
    if (w.text.starts_with("--api-key")) return true;
  for (const Field& variable : c.field.get("env").items())
    if (variable.get("name").text().ends_with("API_KEY")) return true;
  return static_cast<bool>(c.field.get("envFrom"));
}

bool is_internal(const Object& service) {
  for (const Field& f : service.root.at("metadata.annotations").members()) {
    const std::string value = lower(f.text());
    if (f.key.find("internal") != std::string_view::npos && value != "false") return true;
    if (value == "internal" || value == "private") return true;
  }
  return static_cast<bool>(service.root.at("spec.loadBalancerSourceRanges"));
}

void check_open(const ManifestScene& scene, const Object& service) {
  const Field type = service.root.at("spec.type");
  if (!service.is("", "Service") || (type.text() != "LoadBalancer" && type.text() != "NodePort") ||
      is_internal(service))
    return;
  const auto backends = backends_of(service, scene.manifest);
  for (const k8s::Backend& backend : backends) {
    const auto& all = backend.pods->containers;
    if (!serves_models(*backend.pods) || std::any_of(all.begin(), all.end(), asks_for_key)) continue;
    Finding& f = scene.wrong(RuleId::exposed_service, service, type,
                             "`" + std::string(type.text()) + "` exposes a model server without authentication",
                             "reachable from outside the cluster");
    f.labels.push_back(
        {main_container(*backend.pods)->field.get("image").span(), "`" + backend.object->subject() + "`"});
    return;
  }
  if (type.text() == "LoadBalancer" && backends.empty())
    scene.cannot_tell(RuleId::exposed_service, service, type, "`LoadBalancer` exposes pods that are not in this file",
                      "whether they authenticate, or the balancer is internal, cannot be checked");
}

}  // namespace

void check_server_degrees(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects)
    for (const PodTemplate& pods : object.pods)
      for (const Container& c : pods.containers) check_server(scene, object, c);
}

void check_readiness(const ManifestScene& scene) {
  std::set<const PodTemplate*> reported;
  for (const Object& service : scene.manifest.objects) {
    if (!sends_traffic(service)) continue;
    for (const k8s::Backend& backend : backends_of(service, scene.manifest)) {
      if (reported.count(backend.pods) != 0 || backend.object->known->work != k8s::Work::service ||
          !backend.object->known->complete)
        continue;
      reported.insert(backend.pods);
      no_readiness(scene, *backend.object, *backend.pods, &service);
    }
  }
  for (const Object& object : scene.manifest.objects) {
    const bool lone = object.is("apps", "Deployment") || object.is("apps", "StatefulSet");
    if (!lone || object.pods.empty() || !serves_models(object.pods[0])) continue;
    if (reported.count(&object.pods[0]) == 0) no_readiness(scene, object, object.pods[0], nullptr);
  }
}

void check_autoscalers(const ManifestScene& scene) {
  for (const Autoscaler& scaler : autoscalers(scene.manifest)) {
    // Of a kind without pods, which muster does not know, `replicas` may be required.
    if (const Object* target = target_of(scaler, scene.manifest); target != nullptr && !target->pods.empty())
      remove_replicas(scene, scaler.object->subject(), scaler.target.span(), *target);
    check_bounds(scene, scaler);
    if (!scaler.keda) check_metrics(scene, *scaler.object);
  }
  check_scaled_elsewhere(scene);
  for (const Object& object : scene.manifest.objects) check_unbounded(scene, object);
}

void check_exposure(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) check_open(scene, object);
}

}  // namespace muster::lint
