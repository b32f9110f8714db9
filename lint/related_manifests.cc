#include "lint/related_manifests.h"

namespace muster::lint {
namespace {

namespace k8s = targets::kubernetes;

std::string in_folder(std::string_view folder, const std::string& reference) {
  return std::string(folder) + "\n" + reference;
}

std::string reference_of(const k8s::Object& object) {
  return k8s::reference(object.name_space, object.kind, object.name);
}

// Kinds that a scaler can name; an object of another kind is not a second one of its name.
bool is_scaled(const k8s::Object& object) { return !object.pods.empty() && !object.name.empty(); }

}  // namespace

std::string_view folder_of(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
}

bool RelatedManifests::may_scale(std::string_view text) {
  return text.find("scaleTargetRef") != std::string_view::npos;
}

void RelatedManifests::add(const Sources& sources, std::uint32_t file) {
  const k8s::Manifest manifest = k8s::read_manifest(sources, file);
  const std::string folder(folder_of(sources.name(file)));
  for (const k8s::Object& object : manifest.objects)
    if (is_scaled(object)) ++objects_[in_folder(folder, reference_of(object))];
  for (const k8s::Autoscaler& scaler : k8s::autoscalers(manifest)) {
    const std::string wanted = k8s::target_reference(scaler);
    if (wanted.empty()) continue;
    scaled_.insert(wanted);
    scalers_[in_folder(folder, wanted)].push_back({scaler.object->subject(), scaler.target.span()});
  }
}

const Scaler* RelatedManifests::scaler_of(const k8s::Object& object, const Sources& sources) const {
  const std::string key = in_folder(folder_of(sources.name(object.root.span().file)), reference_of(object));
  const auto scalers = scalers_.find(key);
  const auto objects = objects_.find(key);
  if (scalers == scalers_.end() || scalers->second.size() != 1) return nullptr;
  return objects != objects_.end() && objects->second == 1 ? &scalers->second.front() : nullptr;
}

bool RelatedManifests::scaled_somewhere(const k8s::Object& object) const {
  return scaled_.contains(reference_of(object));
}

}  // namespace muster::lint
