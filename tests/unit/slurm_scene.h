// A site with one Slurm plane, a workload and the plan for it, made by hand: tests change what they
// are about and lower it.
#pragma once

#include <string>
#include <vector>

#include "targets/target.h"

namespace muster::test {

struct Scene {
  model::Workload workload;
  model::Site site;
  model::Fleet fleet;
  model::Queue queue;
  std::string account;
  plan::RolePlan shape;
  bool with_fleet = false;
  bool with_queue = false;

  Scene() {
    workload.name = "pretrain";
    workload.kind.value = model::Kind::train;
    workload.roles.emplace_back();
    model::Plane plane;
    plane.name = "batch";
    plane.set_kind(model::PlaneKind::slurm);
    site.name = "lab";
    site.planes.push_back(plane);
  }

  model::Role& role() { return workload.roles[0]; }
  model::Plane& plane() { return site.planes[0]; }

  Scene& wrote(const model::FieldRef& field) {
    workload.written.push_back({field, {}});
    return *this;
  }
  Scene& command(model::Argv argv) {
    role().program = model::Located<model::Program>{model::Program(std::move(argv)), {}};
    return wrote(model::Field::command);
  }
  Scene& script(std::string bytes, std::string interpreter = "bash") {
    role().program =
        model::Located<model::Program>{model::Program(model::Script{std::move(interpreter), std::move(bytes)}), {}};
    return wrote(model::Field::script);
  }
  Scene& size(std::int64_t nodes, std::int64_t gpus, std::int64_t cpus) {
    role().resources.nodes = model::Located<model::Count>{{nodes, nodes}, {}};
    role().resources.gpus = model::Located<std::int64_t>{gpus, {}};
    shape.nodes = nodes;
    shape.gpus = gpus;
    if (cpus > 0) shape.cpus = cpus;
    return wrote(model::Field::resources_nodes).wrote(model::Field::resources_gpus).wrote(model::Field::resources_cpus);
  }
  Scene& runner(model::Runner runner) {
    role().launch.runner.value = runner;
    return wrote(model::Field::launch_runner);
  }
  Scene& stop(std::string signal, std::int64_t lead_seconds) {
    workload.stop.emplace();
    workload.stop->signal.value = std::move(signal);
    workload.stop->lead.value.ms = lead_seconds * 1000;
    return wrote(model::Field::stop_signal).wrote(model::Field::stop_lead);
  }
  Scene& retry(std::int64_t limit, std::vector<model::RetryOn> on) {
    workload.retry.emplace();
    workload.retry->limit.value = limit;
    for (model::RetryOn reason : on) workload.retry->on.push_back({reason, {}});
    return wrote(model::Field::retry_limit).wrote(model::Field::retry_on);
  }
  model::Pool& pool(const std::string& name, const std::string& gpu, std::int64_t count,
                    const std::vector<std::string>& nodes) {
    with_fleet = true;
    model::Pool pool;
    pool.name = name;
    pool.node_count = static_cast<std::int64_t>(nodes.size());
    pool.node_names = nodes;
    pool.cpus = 128;
    pool.memory = Size{1LL << 40};
    if (count > 0) {
      pool.gpu.emplace();
      pool.gpu->model = gpu;
      pool.gpu->memory = Size{80'000'000'000};
      pool.gpu->count = count;
    }
    fleet.pools.push_back(pool);
    return fleet.pools.back();
  }

  plan::Plan plan() {
    plan::Plan p;
    p.workload = &workload;
    p.site = &site;
    p.plane = &site.planes[0];
    p.account = account;
    if (with_fleet) p.fleet = &fleet;
    if (with_queue) p.queue = &queue;
    shape.role = &role();
    shape.processes = role().processes();
    shape.uses_fabric |= role().fabric.value == model::FabricRequest::required;
    if (with_fleet && shape.allowed.empty()) {
      shape.pool = &fleet.pools[0];
      shape.allowed = {shape.pool};
    }
    p.roles = {shape};
    return p;
  }
};

struct Result {
  targets::Lowered lowered;
  Diagnostics diagnostics;

  const std::string& text() const { return lowered.documents.at(0).content; }
  bool ok() const { return !diagnostics.has_errors() && !lowered.documents.empty(); }
  bool has(std::string_view part) const { return ok() && text().find(part) != std::string::npos; }
  // The messages, one a line.
  std::string refusals() const {
    std::string out;
    for (const Diagnostic& d : diagnostics.sorted()) out += d.message + "\n";
    return out;
  }
};

inline Result lower(Scene& scene) {
  const plan::Plan plan = scene.plan();
  const bool ray = scene.role().launch.runner.value == model::Runner::ray;
  Result result;
  result.lowered = targets::lower(*targets::find_target(ray ? "ray-on-slurm" : "slurm"), plan,
                                  {.source = "pretrain.muster", .run = ""}, result.diagnostics);
  return result;
}

}  // namespace muster::test
