#include "targets/lookup.h"

#include "compiler/base/text.h"
#include "compiler/model/attachment.h"

namespace muster::targets {

std::string gpu_model(const plan::RolePlan& shape) {
  if (shape.pool != nullptr && shape.pool->gpu) return shape.pool->gpu->model;
  const auto& asked = shape.role->resources.gpu;
  return asked && !asked->value.empty() ? asked->value.front() : std::string();
}

const model::SoftwareSpec* find_software(const model::Role& role, const model::Site& site, const model::Plane& plane) {
  if (!role.software) return nullptr;
  if (const auto* spec = std::get_if<model::SoftwareSpec>(&role.software->value)) return spec;
  const std::string& name = std::get<std::string>(role.software->value);
  const model::SoftwareSpec* found = nullptr;
  for (const auto& [known, spec] : site.software) {
    if (known != name) continue;
    if (spec.plane == plane.name) return &spec;
    if (spec.plane.empty()) found = &spec;
  }
  return found;
}

const model::FabricAttachment* find_fabric(const plan::Plan& plan, const plan::RolePlan& shape) {
  if (!shape.uses_fabric || shape.pool == nullptr) return nullptr;
  return model::attachment_of(*plan.site, *plan.plane, *shape.pool);
}

std::vector<std::string> texts_of(const std::vector<model::Located<std::string>>& items) {
  std::vector<std::string> out;
  for (const auto& item : items) out.push_back(item.value);
  return out;
}

std::vector<model::Text> texts_of(const std::vector<model::Located<model::Text>>& items) {
  std::vector<model::Text> out;
  for (const auto& item : items) out.push_back(item.value);
  return out;
}

FoundImage find_image(const model::Site& site, const model::Plane& plane, const std::string& given) {
  const auto* named = site.images.find(given, plane);
  FoundImage out{named != nullptr ? named->ref.value : given, {}, nullptr};
  if (out.ref.starts_with("docker://")) out.ref.erase(0, 9);
  if (is_path(out.ref)) return out;
  const std::string host = out.ref.substr(0, std::min(out.ref.find('/'), out.ref.size()));
  if (host.size() == out.ref.size()) return out;
  for (const model::Registry& registry : site.registries) {
    if (registry.host != host) continue;
    out.path = out.ref.substr(host.size() + 1);
    out.registry = &registry;
    return out;
  }
  return out;
}

std::string contract_name(std::string_view prefix, std::string_view name) {
  std::string out(prefix);
  for (const char c : name) out += c == '-' || c == '.' ? '_' : to_upper(c);
  return out;
}

}  // namespace muster::targets
