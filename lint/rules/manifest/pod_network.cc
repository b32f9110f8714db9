// K8S012 host-network-dns, NET004 mixed-fabric, NET005 nccl-loopback, NET006 rendezvous-not-ready: how the pods of a
// job find and reach each other.
#include <algorithm>
#include <map>
#include <set>

#include "compiler/base/text.h"
#include "lint/heuristics.h"
#include "lint/rules/manifest/scene.h"
#include "lint/yaml_edit.h"

namespace muster::lint {
namespace {

using k8s::Work;

// ---- K8S012 ------------------------------------------------------------------------------------------

// A name of the cluster among the words and variables of the pods.
bool names_a_service(const PodTemplate& pods) {
  const auto has = [](std::string_view text) { return text.find(".svc") != std::string_view::npos; };
  for (const Container& c : pods.containers) {
    if (std::any_of(c.words.begin(), c.words.end(), [&](const k8s::Word& w) { return has(w.text); })) return true;
    for (const Field& variable : c.field.get("env").items())
      if (has(variable.get("value").text())) return true;
  }
  return false;
}

void check_dns(const ManifestScene& scene, const Object& object, const PodTemplate& pods) {
  const Field host = pods.spec.get("hostNetwork"), policy = pods.spec.get("dnsPolicy");
  if (!host.is_true() || (policy && policy.text() != "ClusterFirst")) return;
  Finding& f = scene.wrong(RuleId::host_network_dns, object, host,
                           "pods on the host's network cannot resolve names of the cluster",
                           policy ? "`ClusterFirst` has no effect there" : "`dnsPolicy` is not set");
  // Agents and programs that only use outside addresses need no names of the cluster.
  if (!needs_gang(object) && !names_a_service(pods)) f.severity = Severity::info, f.since = Profile::strict;
  const auto edit = policy.node != nullptr
                        ? std::optional(Edit{policy.span(), "ClusterFirstWithHostNet"})
                        : add_to_map(scene.context.sources, pods.spec, {"dnsPolicy: ClusterFirstWithHostNet"});
  if (edit && !host.aliased && !policy.aliased) f.fix = Fix{"use the cluster's DNS", false, {*edit}};
}

// ---- NET004 ------------------------------------------------------------------------------------------

// The first container of a template that asks for GPUs; false if none does.
Field gpus_at(const PodTemplate& pods) {
  for (const Container& c : pods.containers)
    if (!c.init && c.gpu_field()) return c.gpu_field();
  return {};
}

// A resource that is a network adapter by its name: rdma/hca, vpc.amazonaws.com/efa, openshift.io/sriov-ib.
bool requests_adapter(const PodTemplate& pods) {
  constexpr std::string_view names[] = {"rdma", "efa", "infiniband", "roce", "hca", "sriov", "/ib"};
  for (const Container& c : pods.containers)
    for (const Field& f : c.resources().get("limits").members())
      if (k8s::is_extended_resource(f.key) &&
          std::any_of(std::begin(names), std::end(names),
                      [&](std::string_view name) { return f.key.find(name) != std::string_view::npos; }))
        return true;
  return false;
}

void check_mixed(const ManifestScene& scene, const Object& object) {
  if (object.known == nullptr || object.known->work == Work::service || !object.known->complete) return;
  const PodTemplate *with = nullptr, *without = nullptr;
  for (const PodTemplate& pods : object.pods) {
    if (!gpus_at(pods)) continue;
    if (requests_adapter(pods)) with = &pods;
    else if (!attaches_fabric(pods)) without = &pods;
  }
  if (with == nullptr || without == nullptr) return;
  const auto role = [](const PodTemplate& pods) {
    return pods.role.empty() ? std::string("some") : muster::quoted(pods.role);
  };
  Finding& f = scene.wrong(
      RuleId::mixed_fabric, object, gpus_at(*without),
      "the pods of " + role(*without) + " do not request the fabric that those of " + role(*with) + " request",
      "NCCL fails at start, or uses TCP for all");
  f.labels.push_back({gpus_at(*with).span(), "these pods have it"});
  // Groups of a Ray cluster may run programs that never talk to each other.
  if (object.known->work == Work::ray) f.severity = Severity::info;
}

// ---- NET005 ------------------------------------------------------------------------------------------

void check_loopback(const ManifestScene& scene, const Object& object) {
  if (!needs_gang(object) || pod_count(object).value_or(0) < 2) return;
  for (const PodTemplate& pods : object.pods)
    for (const Container& c : pods.containers)
      for (const Field& variable : c.field.get("env").items()) {
        const Field value = variable.get("value");
        if (is_local_interface(variable.get("name").text(), value.text()))
          scene.wrong(RuleId::nccl_loopback, object, value,
                      quoted(variable.get("name").text()) + " selects " + quoted(value.text()) +
                          ", which the other pods of the job cannot reach");
      }
}

// ---- NET006 ------------------------------------------------------------------------------------------

bool is_probed(const PodTemplate& pods) {
  return std::any_of(pods.containers.begin(), pods.containers.end(),
                     [](const Container& c) { return static_cast<bool>(c.field.get("readinessProbe")); });
}

// The pods of the file that are ranks of a job, and those of them by the Service that they name as their subdomain.
struct Ranks {
  std::set<const Object*> objects;
  std::map<std::string, k8s::Backend> by_subdomain;

  explicit Ranks(const ManifestScene& scene) {
    for (const Object& object : scene.manifest.objects) {
      if (!needs_gang(object)) continue;
      objects.insert(&object);
      for (const PodTemplate& pods : object.pods)
        if (const Field name = pods.spec.get("subdomain"))
          by_subdomain.try_emplace(k8s::reference(object.name_space, "Service", name.text()),
                                   k8s::Backend{&object, &pods});
    }
  }

  // Those whose names a headless Service gives.
  std::optional<k8s::Backend> behind(const Object& service, const ManifestScene& scene) const {
    for (const k8s::Backend& backend : backends_of(service, scene.manifest))
      if (objects.contains(backend.object)) return backend;
    const auto named = by_subdomain.find(k8s::reference(service.name_space, "Service", service.name));
    return named == by_subdomain.end() ? std::nullopt : std::optional(named->second);
  }
};

void check_headless(const ManifestScene& scene, const Object& service, const Ranks& ranks) {
  const Field address = service.root.at("spec.clusterIP");
  if (!service.is("", "Service") || address.text() != "None" ||
      service.root.at("spec.publishNotReadyAddresses").is_true())
    return;
  const auto found = ranks.behind(service, scene);
  if (!found) return;
  Finding& f =
      scene.wrong(RuleId::rendezvous_not_ready, service, address,
                  "the names of the pods of `" + found->object->subject() + "` resolve only once they are ready");
  if (is_probed(*found->pods)) f.primary_label = "they have a readiness probe, and may wait for each other";
  else f.severity = Severity::info, f.since = Profile::strict;  // they are ready as soon as they run
  if (const auto edit = add_to_map(scene.context.sources, service.root.get("spec"), {"publishNotReadyAddresses: true"}))
    f.fix = Fix{"publish the names at once", false, {*edit}};
}

}  // namespace

void check_pod_network(const ManifestScene& scene) {
  const Ranks ranks(scene);
  for (const Object& object : scene.manifest.objects) {
    for (const PodTemplate& pods : object.pods)
      if (object.kind != "DaemonSet" && object.kind != "MPIJob") check_dns(scene, object, pods);
    check_mixed(scene, object);
    check_loopback(scene, object);
    if (!ranks.objects.empty()) check_headless(scene, object, ranks);
  }
}

}  // namespace muster::lint
