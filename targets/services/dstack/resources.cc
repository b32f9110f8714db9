// `resources`: what a node has; and where the run may be.
#include <algorithm>

#include "compiler/base/text.h"
#include "targets/services/dstack/parts.h"

namespace muster::targets::dstack {
namespace {

using kubernetes::list;
using kubernetes::map;
using kubernetes::nothing;
using kubernetes::number;
using kubernetes::put;
using kubernetes::text;
using services::gib_up;
using services::is_given;

// Memories of GPUs have decimal names: an H100 has "80GB".
std::string gpu_gb(Size size) {
  constexpr std::int64_t gb = 1'000'000'000;
  return std::to_string(size.bytes % gb == 0 ? size.bytes / gb : gib_up(size)) + "GB";
}

bool same_amounts(const model::Resources& a, const model::Resources& b) {
  const auto low = [](const auto& amount) {
    return is_given(amount) ? std::optional(amount->value.low) : std::nullopt;
  };
  const auto value = [](const auto& amount) { return amount ? std::optional(amount->value) : std::nullopt; };
  return low(a.cpus) == low(b.cpus) && low(a.memory) == low(b.memory) && value(a.disk) == value(b.disk) &&
         value(a.shm) == value(b.shm) && value(a.gpu_memory) == value(b.gpu_memory);
}

// An option of the workload that differs in its models of GPUs alone.
bool is_alike(const Task& task, const plan::Plan& other) {
  if (other.roles.size() != 1) return false;
  const plan::RolePlan& role = other.roles.front();
  return role.nodes == task.shape.nodes && role.processes == task.shape.processes && role.gpus == task.shape.gpus &&
         same_amounts(role.role->resources, task.role.resources);
}

// The models of the options that dstack may choose among.
std::vector<std::string> models_of(Task& task) {
  std::vector<std::string> out = services::models_of(task.shape);
  std::string left_out;
  bool more = false;
  for (const plan::Plan& other : task.plan.others) {
    if (!is_alike(task, other)) {
      left_out += (left_out.empty() ? "" : ", ") + other.workload->option;
      continue;
    }
    more = true;
    for (const std::string& model : services::models_of(other.roles.front()))
      if (std::find(out.begin(), out.end(), model) == out.end()) out.push_back(model);
  }
  if (more && left_out.empty()) task.exact(Field::any_of, "gpu");
  else if (more)
    task.approximated(Field::any_of, "gpu",
                      "options that differ in more than their GPU models are not among them: " + left_out);
  return out;
}

std::string name_of(const Task& task, const std::string& model) {
  return services::label_of(task, model).value_or(upper(model));
}

// "80GB..": as much as is asked for. Of models that are sold with two memories, what the fleet has.
std::string gpu_memory(const Task& task, const std::vector<std::string>& models) {
  const auto& asked = task.role.resources.gpu_memory;
  if (asked) return gpu_gb(asked->value) + "..";
  const model::Pool* pool = task.shape.pool;
  const bool two = pool != nullptr && pool->gpu && is_one_of(pool->gpu->model, {"a100", "v100"});
  return two ? gpu_gb(pool->gpu->memory) + (models.size() > 1 ? ".." : "") : "";
}

data::Node gpus(Task& task) {
  const std::vector<std::string> models = models_of(task);
  task.exact(Field::resources_gpus, "gpu");
  task.exact(Field::resources_gpu, "gpu");
  task.exact(Field::resources_gpu_memory, "gpu");
  if (task.shape.gpus == 0) return number(0);
  const auto valid = [](char c) { return is_alnum(c) || c == '-' || c == '.' || c == '_'; };
  std::string out;
  for (const std::string& model : models) {
    const std::string name = name_of(task, model);
    if (name.empty() || is_digit(name.front()) || !is_alnum(name.front()) ||
        !std::all_of(name.begin(), name.end(), valid))
      task.refuse(Field::resources_gpu, "`" + printable(name) + "` is not a name of a GPU");
    out += (out.empty() ? "" : ",") + name;
  }
  for (const std::string& part : {gpu_memory(task, models), std::to_string(task.shape.gpus)})
    if (!part.empty()) out += (out.empty() ? "" : ":") + part;
  if (models.empty() && !task.role.resources.gpu_memory) return number(task.shape.gpus);
  return text(out);
}

data::Node at_least(std::int64_t gib) { return text(std::to_string(gib) + "GB.."); }

void report_default(Task& task, Field field, bool all, std::string_view what) {
  if (all) task.approximated(field, "nothing", "dstack has no value for all " + std::string(what) + " of a node");
  else task.read(field, "dstack's default");
}

// What can share a machine with others: pods, and jobs of a Slurm.
bool has_only_machines(const model::ServicePlane& plane) {
  return !plane.backends.empty() && std::none_of(plane.backends.begin(), plane.backends.end(), [](const auto& backend) {
    return is_one_of(backend.value, {"kubernetes", "slurm"});
  });
}

void report_exclusive(Task& task) {
  const auto& exclusive = task.role.resources.exclusive;
  if (!exclusive) return;
  if (!exclusive->value) return task.read(Field::resources_exclusive, "dstack's default");
  if (has_only_machines(task.service))
    return task.read(Field::resources_exclusive, "dstack, whose instances run one job unless their fleet has `blocks`");
  task.approximated(Field::resources_exclusive, "nothing",
                    "other jobs of a Kubernetes or Slurm cluster may share the nodes");
}

data::Node texts_of(const std::vector<model::Located<std::string>>& values) {
  data::Node out = list({});
  for (const auto& value : values) out.items.push_back(text(value.value));
  return out.items.empty() ? nothing() : out;
}

}  // namespace

data::Node resources_of(Task& task) {
  const model::Resources& r = task.role.resources;
  data::Node out = map({{"gpu", gpus(task)}});
  if (is_given(r.cpus)) {
    put(out, "cpu", text(std::to_string(r.cpus->value.low) + ".."));
    task.exact(Field::resources_cpus, "cpu");
  } else {
    report_default(task, Field::resources_cpus, r.cpus && r.cpus->value.all, "CPUs");
  }
  if (is_given(r.memory)) {
    put(out, "memory", at_least(gib_up(r.memory->value.low)));
    task.exact(Field::resources_memory, "memory");
  } else {
    report_default(task, Field::resources_memory, r.memory && r.memory->value.all, "memory");
  }
  if (r.shm) put(out, "shm_size", text(std::to_string(gib_up(r.shm->value)) + "GB"));
  if (r.shm) task.exact(Field::resources_shm, "shm_size");
  else
    task.approximated(Field::resources_shm, "nothing",
                      "without a size the container has the 64 MB at /dev/shm that are Docker's default");
  if (r.disk) put(out, "disk", at_least(gib_up(r.disk->value)));
  task.exact(Field::resources_disk, "disk");
  report_exclusive(task);
  return out;
}

void put_places(Task& task, data::Node& file) {
  const auto& may = task.workload.preemptible;
  if (may && may->value) {
    put(file, "spot_policy", text("auto"));
    task.exact(Field::preemptible, "spot_policy");
  } else {
    task.read(Field::preemptible, "dstack's default");
  }
  put(file, "backends", texts_of(task.service.backends));
  put(file, "regions", texts_of(task.service.regions));
  const model::Queue* queue = task.plan.queue;
  const bool named = queue != nullptr && !queue->plane_name.empty();
  put(file, "fleets", named ? list({text(queue->plane_name)}) : texts_of(task.service.fleets));
  if (named) task.exact(Field::queue, "fleets");
  else task.read(Field::queue, "dstack's default");
}

}  // namespace muster::targets::dstack
