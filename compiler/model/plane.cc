#include "compiler/model/plane.h"

#include <algorithm>

namespace muster::model {

namespace {

// What a batch system has where the site says nothing else.
BatchPlane usual_of(PlaneKind kind) {
  BatchPlane out;
  if (kind != PlaneKind::slurm) out.mpi = Mpi::mpirun;
  if (kind == PlaneKind::pbs) out.export_all = false;
  return out;
}

}  // namespace

void Plane::set_kind(PlaneKind kind, Span where) {
  const PlaneFamily family = traits_of(kind).family;
  if (traits().family != family || family == PlaneFamily::batch) {
    if (family == PlaneFamily::batch) own_.emplace<BatchPlane>(usual_of(kind));
    if (family == PlaneFamily::pods) own_.emplace<PodPlane>();
    if (family == PlaneFamily::service) own_.emplace<ServicePlane>();
  }
  kind_ = {kind, where};
  version = {traits().version, {}};
}

LevelKey level_key(GangProvider provider) {
  switch (provider) {
    case GangProvider::kueue:
    case GangProvider::kai: return LevelKey::label;
    case GangProvider::volcano: return LevelKey::tier;
    default: return LevelKey::none;
  }
}

bool admits_whole(GangProvider provider) { return provider == GangProvider::kueue; }

const TopologyLevel* PodPlane::nearest_level(GangProvider provider) const {
  const LevelKey key = level_key(provider);
  for (const std::string_view name : {"leaf", "block"})
    for (const TopologyLevel& level : levels)
      if (level.name == name && ((key == LevelKey::label && level.label) || (key == LevelKey::tier && level.tier)))
        return &level;
  return nullptr;
}

const TopologyLevel* BatchPlane::level(std::string_view name) const {
  const auto found = std::find_if(levels.begin(), levels.end(), [&](const TopologyLevel& l) { return l.name == name; });
  return found == levels.end() ? nullptr : &*found;
}

bool Plane::owns(std::string_view pool) const {
  return pools.empty() || std::any_of(pools.begin(), pools.end(), [&](const auto& p) { return p.value == pool; });
}

bool PodPlane::has_gate(FeatureGate gate) const {
  return std::any_of(gates.begin(), gates.end(), [&](const auto& on) { return on.value == gate; });
}

bool PodPlane::has_operator(std::string_view name) const {
  return std::any_of(operators.begin(), operators.end(), [&](const Operator& o) { return o.name == name; });
}

bool Plane::starts_gangs() const {
  return traits().starts_gangs || (pods() != nullptr && pods()->gang != GangProvider::none);
}

bool Plane::admits_whole() const { return pods() != nullptr && model::admits_whole(pods()->gang); }

bool Plane::runs_images() const {
  return traits().runs_images || (batch() != nullptr && batch()->containers != Containers::none);
}

const PlaneTraits* find_plane_kind(std::string_view name) {
  const auto found =
      std::find_if(plane_kinds.begin(), plane_kinds.end(), [&](const PlaneTraits& row) { return row.name == name; });
  return found == plane_kinds.end() ? nullptr : found;
}

std::string_view control_plane_of(std::string_view kind) {
  const PlaneTraits* row = find_plane_kind(kind);
  return row == nullptr ? kind : row->control_plane;
}

std::string_view in_rules(std::string_view kind) {
  const PlaneTraits* row = find_plane_kind(kind);
  return row == nullptr ? kind : row->in_rules;
}

std::string version_text(PlaneKind kind, Version version) {
  const bool pad = traits_of(kind).padded_minor && version.minor < 10;
  return std::to_string(version.major) + (pad ? ".0" : ".") + std::to_string(version.minor);
}

}  // namespace muster::model
