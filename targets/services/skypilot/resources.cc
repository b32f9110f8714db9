// `resources`: what a node of the task has, and where it may be.
#include <algorithm>
#include <set>

#include "compiler/base/text.h"
#include "compiler/data/write.h"
#include "targets/services/skypilot/infra.h"

namespace muster::targets::skypilot {
namespace {

using services::gib_up;
using services::is_given;
using services::models_of;

using kubernetes::list;
using kubernetes::map;
using kubernetes::nothing;
using kubernetes::number;
using kubernetes::put;
using kubernetes::text;
using kubernetes::truth;

// How SkyPilot calls a model: as the site says, else in capitals. Of the A100 it has two, by memory.
std::string accelerator(const Task& task, const plan::RolePlan& shape, const std::string& model) {
  if (const auto label = services::label_of(task, model)) return *label;
  const model::Pool* pool = shape.pool;
  const bool large = pool != nullptr && pool->gpu && pool->gpu->model == model && gib_up(pool->gpu->memory) > 40;
  return upper(model) + (model == "a100" && large ? "-80GB" : "");
}

// One is a text, several are keys of a map, of which SkyPilot takes one for all nodes.
data::Node accelerators(Task& task, const plan::RolePlan& shape) {
  if (shape.gpus == 0) return nothing();
  const std::vector<std::string> models = models_of(shape);
  if (models.empty()) {
    task.refuse(Field::resources_gpus, "SkyPilot requests GPUs by their model, but nothing names one",
                "write `gpu = h100`, or declare the site's fleet");
    return nothing();
  }
  const auto valid = [](char c) { return is_alnum(c) || c == '-' || c == '.' || c == '_'; };
  data::Node several = map({});
  for (const std::string& model : models) {
    const std::string name = accelerator(task, shape, model);
    if (name.empty() || !std::all_of(name.begin(), name.end(), valid))
      task.refuse(Field::resources_gpu, "`" + printable(name) + "` is not a name of an accelerator");
    put(several, name, number(shape.gpus));
  }
  const std::string first = several.members.front().key + ":" + std::to_string(shape.gpus);
  return several.members.size() == 1 ? text(first) : several;
}

// What is of one option of `any-of`.
data::Node amounts_of(Task& task, const plan::RolePlan& shape) {
  const model::Resources& r = shape.role->resources;
  return map({{"accelerators", accelerators(task, shape)},
              {"cpus", is_given(r.cpus) ? text(std::to_string(r.cpus->value.low) + "+") : nothing()},
              {"memory", is_given(r.memory) ? text(std::to_string(gib_up(r.memory->value.low)) + "+") : nothing()},
              {"disk_size", r.disk ? number(gib_up(r.disk->value)) : nothing()}});
}

void report_amounts(Task& task) {
  const model::Resources& r = task.role.resources;
  task.exact(Field::resources_gpus, "accelerators");
  task.exact(Field::resources_gpu, "accelerators");
  if (task.shape.pool != nullptr) task.exact(Field::resources_gpu_memory, "accelerators");
  else if (r.gpu_memory)
    task.refuse(Field::resources_gpu_memory, "SkyPilot requests GPUs by their model, not by their memory",
                "write `gpu = h100`, or declare the site's fleet");
  if (is_given(r.cpus)) task.exact(Field::resources_cpus, "cpus");
  else if (r.cpus && r.cpus->value.all)
    task.approximated(Field::resources_cpus, "nothing", "SkyPilot has no value for all CPUs of a node");
  else task.read(Field::resources_cpus, "SkyPilot's default");
  if (is_given(r.memory)) task.exact(Field::resources_memory, "memory");
  else if (r.memory && r.memory->value.all)
    task.approximated(Field::resources_memory, "nothing", "SkyPilot has no value for all memory of a node");
  else task.read(Field::resources_memory, "SkyPilot's default");
  task.exact(Field::resources_disk, "disk_size");
}

// An option of the workload that the same text of `run` serves.
bool is_alike(const Task& task, const plan::Plan& other) {
  if (other.roles.size() != 1) return false;
  const plan::RolePlan& role = other.roles.front();
  return role.nodes == task.shape.nodes && role.processes == task.shape.processes;
}

using Alternatives = std::vector<data::Node>;

// Each of these with each of those.
Alternatives with(const Alternatives& these, const Alternatives& those) {
  if (those.empty()) return these;
  Alternatives out;
  for (const data::Node& one : these)
    for (const data::Node& other : those) {
      data::Node both = one;
      for (const data::Member& member : other.members) put(both, member.key, member.value);
      out.push_back(std::move(both));
    }
  return out;
}

Alternatives options_of(Task& task) {
  Alternatives out = {amounts_of(task, task.shape)};
  std::string left_out;
  for (const plan::Plan& other : task.plan.others)
    if (is_alike(task, other)) out.push_back(amounts_of(task, other.roles.front()));
    else left_out += (left_out.empty() ? "" : ", ") + other.workload->option;
  if (out.size() > 1 && left_out.empty()) task.exact(Field::any_of, "any_of");
  else if (out.size() > 1)
    task.approximated(Field::any_of, "any_of",
                      "options with other numbers of nodes or processes are not among them: " + left_out);
  return out;
}

// A permission to be taken back is of machines of clouds: either kind of them.
bool may_be_spot(Task& task, const Infra& infra) {
  const auto& may = task.workload.preemptible;
  if (!may) return false;
  if (!may->value) return task.read(Field::preemptible, "SkyPilot's default"), false;
  if (infra.cloud) return task.exact(Field::preemptible, "use_spot"), true;
  task.read(Field::preemptible, "a permission; only clouds have machines that can be taken back");
  return false;
}

Alternatives places_of(Task& task, const Infra& infra) {
  const bool spot = may_be_spot(task, infra);
  Alternatives out;
  const auto add = [&](data::Node place, bool cloud) {
    for (const bool taken_back : {true, false}) {
      if (taken_back && !(cloud && spot)) continue;
      data::Node one = place;
      if (cloud && spot) put(one, "use_spot", truth(taken_back));
      if (!one.members.empty()) out.push_back(std::move(one));
    }
  };
  for (const Place& place : infra.places) add(map({{"infra", text(place.name)}}), place.cloud);
  if (infra.places.empty()) add(map({}), true);
  return out;
}

data::Node job_recovery(Task& task) {
  const auto& retry = task.workload.retry;
  if (!retry || task.serves()) {
    for (const Field key : {Field::retry_limit, Field::retry_on, Field::retry_exit_codes})
      task.approximated(key, "nothing", "SkyPilot replaces replicas that fail, without a limit");
    task.read(Field::retry, "SkyPilot's default");
    return nothing();
  }
  if (retry->limit.value == 0) return report_no_retry(task), nothing();
  const auto on = [&](model::RetryOn reason) {
    return std::any_of(retry->on.begin(), retry->on.end(), [&](const auto& r) { return r.value == reason; });
  };
  constexpr std::int64_t most = 1000;
  const bool unlimited = retry->limit.value == model::Retry::unlimited, failures = on(model::RetryOn::failure);
  data::Node codes = list({});
  if (on(model::RetryOn::exit_codes))
    for (const auto& code : retry->exit_codes) codes.items.push_back(number(code.value));
  const std::string_view by = failures ? "max_restarts_on_errors" : "sky jobs launch";
  task.approximated(Field::retry_limit, by,
                    unlimited && failures ? "1,000 restarts after failures at most"
                                          : "SkyPilot recovers from lost and preempted nodes without a limit");
  task.approximated(Field::retry_on, by,
                    on(model::RetryOn::timeout) ? "SkyPilot has no time limit after which it starts a job again"
                                                : "a managed job recovers from lost and preempted nodes in any case");
  if (!codes.items.empty())
    task.approximated(Field::retry_exit_codes, "recover_on_exit_codes",
                      "a job that ends with one of these codes is started again without a limit");
  else task.read(Field::retry_exit_codes, "`on`, which does not name exit codes");
  if (!failures && codes.items.empty()) return nothing();
  return map(
      {{"max_restarts_on_errors", failures ? number(unlimited ? most : std::min(retry->limit.value, most)) : nothing()},
       {"recover_on_exit_codes", codes.items.empty() ? nothing() : std::move(codes)}});
}

data::Node ports_of(Task& task) {
  data::Node out = list({});
  for (const model::Port& port : task.role.ports) {
    const bool served = task.serves() && (!task.workload.serve || !task.workload.serve->port ||
                                          task.workload.serve->port->value == port.name);
    const FieldRef field{Field::port, port.name};
    if (port.is_public || served) {
      out.items.push_back(number(port.number.value));
      task.exact(field, "ports");
    } else {
      task.approximated_each(field, "nothing", "the nodes of a task reach all ports of each other");
    }
  }
  if (out.items.empty()) return nothing();
  return out.items.size() == 1 ? out.items.front() : out;
}

data::Node priority_class(Task& task) {
  if (!task.workload.priority) return nothing();
  const std::string& name = task.workload.priority->value;
  const auto* known = task.site.priorities.find(name, task.plane);
  if (known == nullptr || !known->priority_class) {
    task.approximated(Field::priority, "nothing",
                      "site `" + task.site.name + "` gives the priority `" + name + "` no `class` for SkyPilot");
    return nothing();
  }
  task.exact(Field::priority, "priority_class");
  return text(known->priority_class->value);
}

data::Node labels_of(Task& task) {
  data::Node out = map({});
  for (const auto& [key, value] : task.workload.labels) {
    put(out, key, text(value.value));
    task.exact({Field::labels, key}, "labels");
  }
  return out.members.empty() ? nothing() : out;
}

// The fastest network that the place has, for nodes whose GPUs compute together.
data::Node network_tier(Task& task) {
  const model::FabricRequest asked = task.role.fabric.value;
  const bool together = task.has_nodes() && task.shape.gpus > 0 && task.workload.starts() == model::Gang::all;
  if (asked == model::FabricRequest::none || (asked != model::FabricRequest::required && !together)) return nothing();
  task.exact(Field::fabric, "network_tier");
  return text("best");
}

data::Node autostop(Task& task) {
  if (!task.workload.dev || !task.workload.dev->idle_timeout) return nothing();
  const std::int64_t minutes = (task.workload.dev->idle_timeout->value.ms + 59'999) / 60'000;
  task.exact(Field::dev_idle_timeout, "autostop");
  return map({{"idle_minutes", number(minutes)}, {"down", truth(true)}});
}

}  // namespace

Infra infra_of(const model::ServicePlane& plane, const model::Queue* queue) {
  Infra out;
  const std::string partition = queue != nullptr ? queue->plane_name : std::string();
  for (const auto& place : plane.infra) {
    std::string name = place.value;
    const std::string kind = name.substr(0, name.find('/'));
    const bool slurm = kind == "slurm", pods = is_one_of(kind, {"k8s", "kubernetes", "ssh"});
    (slurm ? out.slurm : pods ? out.kubernetes : out.cloud) = true;
    if (slurm && std::count(name.begin(), name.end(), '/') == 1 && !partition.empty()) name += "/" + partition;
    out.places.push_back({std::move(name), !slurm && !pods});
  }
  if (out.places.empty()) out.slurm = out.kubernetes = out.cloud = true;
  return out;
}

data::Node resources_of(Task& task, const Infra& infra) {
  report_amounts(task);
  Alternatives all = with(options_of(task), places_of(task, infra));
  // What is the same in all is not in the list.
  data::Node out = map({});
  for (const data::Member& member : data::Node(all.front()).members) {
    const auto has_it = [&](const data::Node& one) {
      const data::Node* other = one.get(member.key);
      return other != nullptr && data::to_json(*other) == data::to_json(member.value);
    };
    if (!std::all_of(all.begin(), all.end(), has_it)) continue;
    put(out, member.key, member.value);
    for (data::Node& one : all) std::erase_if(one.members, [&](const auto& own) { return own.key == member.key; });
  }
  if (all.size() > 1) put(out, "any_of", list(std::move(all)));
  put(out, "image_id", task.image.empty() ? nothing() : text("docker:" + task.image));
  put(out, "network_tier", network_tier(task));
  put(out, "ports", ports_of(task));
  put(out, "priority_class", priority_class(task));
  put(out, "labels", labels_of(task));
  put(out, "autostop", autostop(task));
  put(out, "job_recovery", job_recovery(task));
  return out.members.empty() ? nothing() : out;
}

}  // namespace muster::targets::skypilot
