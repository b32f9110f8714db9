// What objects of one file say of each other: autoscalers of workloads, services of pods.
#include <algorithm>

#include "compiler/model/coupling.h"
#include "targets/kubernetes/read/manifest.h"
#include "targets/kubernetes/read/pod_text.h"

namespace muster::targets::kubernetes {
namespace {

bool selects(const Field& selector, const Field& labels) {
  const std::vector<Field> wanted = selector.members();
  return !wanted.empty() && std::all_of(wanted.begin(), wanted.end(), [&](const Field& w) {
    const Field label = labels.get(w.key);
    return label && label.text() == w.text();
  });
}

}  // namespace

std::vector<Autoscaler> autoscalers(const Manifest& manifest) {
  std::vector<Autoscaler> out;
  for (const Object& o : manifest.objects) {
    const Field spec = o.root.get("spec"), target = spec.get("scaleTargetRef");
    if (o.is("autoscaling", "HorizontalPodAutoscaler"))
      out.push_back({&o, false, target, spec.get("minReplicas"), spec.get("maxReplicas")});
    if (o.is("keda.sh", "ScaledObject"))
      out.push_back({&o, true, target, spec.get("minReplicaCount"), spec.get("maxReplicaCount")});
  }
  return out;
}

std::string target_reference(const Autoscaler& autoscaler) {
  const Field kind = autoscaler.target.get("kind");
  const std::string_view wanted = kind ? kind.text() : autoscaler.keda ? "Deployment" : "";
  const std::string_view name = autoscaler.target.get("name").text();
  return name.empty() ? std::string() : reference(autoscaler.object->name_space, wanted, name);
}

const Object* target_of(const Autoscaler& autoscaler, const Manifest& manifest) {
  const std::string wanted = target_reference(autoscaler);
  const auto found = manifest.by_name.find(wanted);
  return found == manifest.by_name.end() || wanted.empty() ? nullptr : found->second;
}

std::vector<Backend> backends_of(const Object& service, const Manifest& manifest) {
  constexpr std::size_t most = 1000;
  const Field selector = service.root.at("spec.selector");
  const std::vector<Backend>* rarest = nullptr;
  for (const Field& label : selector.members()) {
    const auto found = manifest.by_label.find(reference(service.name_space, label.key, label.text()));
    if (found == manifest.by_label.end()) return {};
    if (rarest == nullptr || found->second.size() < rarest->size()) rarest = &found->second;
  }
  std::vector<Backend> out;
  for (std::size_t i = 0; rarest != nullptr && i < std::min(rarest->size(), most); ++i)
    if (selects(selector, (*rarest)[i].pods->metadata.get("labels"))) out.push_back((*rarest)[i]);
  return out;
}

namespace {

// Whether its words start a launcher over several nodes, or something names the first pod of the object, where its
// ranks then meet.
bool meets(const Object& object, const PodTemplate& pods, const Container& container) {
  // "train-0.train" of a Job, "train-workers-0-0.train" of a JobSet.
  // A name that a variable completes is of the pod's own job, which has no other pod where it is a job of one.
  const bool is_alone = object.kind == "JobSet" && pods.holder.at("template.spec.parallelism").whole().value_or(1) < 2;
  const auto names_first = [&](std::string_view text) {
    const std::size_t at = object.name.empty() ? text.npos : text.find(object.name);
    if (at == text.npos || text.find('.', at) == text.npos) return false;
    const std::string_view host = text.substr(at, text.find('.', at) - at);
    return host.ends_with("-0") && !(is_alone && host.find('$') != host.npos);
  };
  for (const Field& variable : container.field.get("env").items()) {
    const std::string_view value = variable.get("value").text();
    if (!value.empty() && (names_first(value) || model::is_rendezvous(variable.get("name").text(), value))) return true;
  }
  return std::any_of(container.words.begin(), container.words.end(),
                     [&](const Word& word) { return names_first(word.text); }) ||
         !model::launcher_over_nodes(body_of(container)).empty();
}

}  // namespace

bool is_coupled(const Object& object) {
  if (object.known == nullptr || object.known->work == Work::service || object.known->work == Work::ray) return false;
  if (object.known->work == Work::training) return object.kind != "XGBoostJob";
  for (const PodTemplate& pods : object.pods)
    for (const Container& c : pods.containers)
      if (!c.init && (is_launcher(program_of(c)) || meets(object, pods, c))) return true;
  return false;
}

Field minimum_of_group(const Object& object) {
  if (object.is("scheduling.volcano.sh", "PodGroup") || object.is("scheduling.x-k8s.io", "PodGroup"))
    return object.root.at("spec.minMember");
  if (object.is("scheduling.k8s.io", "PodGroup")) return object.root.at("spec.schedulingPolicy.gang.minCount");
  return {};
}

}  // namespace muster::targets::kubernetes
