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

namespace {

// Whether the role exchanges data with pods on other nodes at each step: its own, or those of other roles with GPUs.
bool spans_nodes(const plan::Plan& plan, const plan::RolePlan& shape) {
  if (shape.nodes > 1) return true;
  std::int64_t with_gpus = 0;
  for (const plan::RolePlan& role : plan.roles) with_gpus += role.gpus > 0 ? role.total() : 0;
  return shape.gpus > 0 && with_gpus > shape.total();
}

}  // namespace

const model::FabricAttachment* find_fabric(const plan::Plan& plan, const plan::RolePlan& shape) {
  const model::FabricRequest request = shape.role->fabric.value;
  if (request == model::FabricRequest::none || shape.pool == nullptr) return nullptr;
  const plan::Fact* coupled = plan.facts.find("tightly-coupled");
  // Of roles on the same nodes the network is the first one's, unless another asks for it.
  const bool wanted =
      request == model::FabricRequest::required ||
      (!shape.role->with && spans_nodes(plan, shape) && coupled != nullptr && coupled->value == model::FactValue(true));
  return wanted ? model::attachment_of(*plan.site, *plan.plane, *shape.pool) : nullptr;
}

const model::GpuDialect* find_dialect(const model::Site& site, const model::Plane& plane, std::string_view model) {
  const model::GpuDialect* found = nullptr;
  for (const model::GpuDialect& dialect : site.gpus) {
    if (!equal_ignoring_case(dialect.model, model)) continue;
    if (dialect.plane == plane.name) return &dialect;
    if (dialect.plane.empty()) found = &dialect;
  }
  return found;
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
