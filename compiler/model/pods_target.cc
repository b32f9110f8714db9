#include "compiler/model/pods_target.h"

#include <algorithm>
#include <string_view>
#include <utility>

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
          .spans_nodes = any_role([](const Role& role) { return role.nodes() > 1; }),
          .grows = workload.roles.size() == 1 && any_role([](const Role& role) {
                     const auto& nodes = role.resources.nodes;
                     return nodes && nodes->value.high > nodes->value.low &&
                            role.launch.runner.value == Runner::torchrun;
                   })};
}

std::string pods_target(const PodsShape& shape, const PodPlane& plane) {
  if (shape.ray) return "kuberay";
  if (shape.mpi) return "mpijob";
  if (shape.kind == Kind::serve) return shape.spans_nodes ? "lws" : "kubernetes";
  if (shape.kind == Kind::dev) return "kubernetes";
  // Of the kinds for training one can grow from a single node.
  const bool may_grow = shape.trains && shape.grows && plane.training_kind == "pytorchjob";
  return shape.coupled || may_grow ? plane.training_kind : "kubernetes";
}

bool first_pod_is_apart(const std::string& target) {
  return target == "kuberay" || target == "lws" || target == "pytorchjob";
}

std::vector<std::string> pods_targets(const PodsShape& shape, const PodPlane& plane) {
  const bool serves = shape.kind == Kind::serve;
  const bool volcano = plane.gang == GangProvider::volcano || plane.training_kind == "volcano" ||
                       std::any_of(plane.operators.begin(), plane.operators.end(),
                                   [](const Operator& o) { return o.name == "volcano"; });
  const std::pair<std::string_view, bool> table[] = {
      {"jobset", !serves},   {"trainjob", !serves}, {"pytorchjob", !serves}, {"volcano", volcano && !serves},
      {"mpijob", shape.mpi}, {"kubernetes", true},  {"lws", serves},         {"kuberay", shape.ray}};
  std::vector<std::string> out = {pods_target(shape, plane)};
  // What is preferred for its growth alone is not coupled: without it, it is what it would be anyway.
  PodsShape fixed = shape;
  fixed.grows = false;
  if (std::string usual = pods_target(fixed, plane); usual != out.front()) out.push_back(std::move(usual));
  for (const auto& [other, suits] : table)
    if (suits && std::find(out.begin(), out.end(), other) == out.end()) out.emplace_back(other);
  return out;
}

}  // namespace muster::model
