#include "compiler/model/pods_target.h"

#include <algorithm>

namespace muster::model {

PodsShape pods_shape(const Workload& workload) {
  const auto any_role = [&](const auto& test) {
    return std::any_of(workload.roles.begin(), workload.roles.end(), test);
  };
  const auto runs_by = [&](Runner runner) {
    return any_role([&](const Role& role) { return role.launch.runner.value == runner; });
  };
  const Kind kind = workload.kind.value;
  return {.kind = kind,
          .ray = runs_by(Runner::ray),
          .mpi = kind == Kind::mpi || runs_by(Runner::mpi),
          .trains = kind == Kind::train || kind == Kind::rl,
          .spans_nodes = any_role([](const Role& role) { return role.nodes() > 1; })};
}

std::string pods_target(const PodsShape& shape, const PodPlane& plane) {
  if (shape.ray) return "kuberay";
  if (shape.mpi) return plane.mpi_kind;
  if (shape.kind == Kind::serve) return shape.spans_nodes ? "lws" : plane.serving;
  if (shape.kind == Kind::dev) return "kubernetes";
  return shape.coupled ? plane.training_kind : "kubernetes";
}

}  // namespace muster::model
