#include "lint/rules/manifest/ray_gang.h"

#include <array>

#include "lint/heuristics.h"

namespace muster::lint {
namespace {

using model::GangProvider;

constexpr std::array faults = std::to_array<RayGangFault>({
    // ray-project/kuberay#1752: without a task of its own each pod is taken for a copy of the first
    {GangProvider::volcano,
     "kuberay",
     {1, 1},
     2,
     "with KubeRay before 1.1 Volcano takes the pods of all groups of workers for one shape"},
    // apache/yunikorn-site#489
    {GangProvider::yunikorn, "kuberay", {1, 2}, 1, "KubeRay before 1.2 writes no gang for YuniKorn"},
    // ray-project/ray#53846
    {GangProvider::coscheduling, "kuberay", {1, 4}, 1, "KubeRay before 1.4 writes no gang for the coscheduling plugin"},
    // kai-scheduler/KAI-Scheduler#500; ray-project/ray#58161: mended in 0.9.3, not in 0.9.4, for good in 0.10
    {GangProvider::kai, "kai", {0, 10}, 1, "KAI before 0.10 places a Ray cluster in part"},
});

}  // namespace

std::span<const RayGangFault> ray_gang_faults() { return faults; }

std::optional<model::Version> version_of(const model::Plane& plane, const RayGangFault& fault) {
  auto version = operator_version(plane, fault.component);
  // The project and its chart are called kai-scheduler, the provider kai.
  if (!version && fault.provider == GangProvider::kai) version = operator_version(plane, "kai-scheduler");
  return version;
}

bool has_fault(const model::Plane& plane, const RayGangFault& fault) {
  const auto version = version_of(plane, fault);
  return version && *version < fault.sound;
}

}  // namespace muster::lint
