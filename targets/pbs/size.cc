// Nodes, processes, CPUs, GPUs and memory: of OpenPBS chunks in `-l select`, of Torque `-l nodes`.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/model/marks.h"
#include "targets/batch/amounts.h"
#include "targets/lookup.h"
#include "targets/pbs/sections.h"

namespace muster::targets::pbs {
namespace {

using batch::bytes_of;
using batch::cpus_of;

// "900gb", else "1500mb".
std::string pbs_size(std::int64_t bytes) {
  constexpr std::int64_t gib = std::int64_t{1} << 30;
  return bytes % gib == 0 ? std::to_string(bytes / gib) + "gb" : std::to_string(Size{bytes}.mebibytes_up()) + "mb";
}

// Lines of the file of nodes for each node: the ranks that mpirun starts there, and the tasks of a script's own pbsdsh.
std::int64_t ranks_of(const plan::RolePlan& shape) {
  const model::Runner runner = shape.role->launch.runner.value;
  if (runner == model::Runner::mpi) return shape.processes;
  return runner == model::Runner::batch_script && shape.role->launch.processes ? shape.processes : 1;
}

// "ncpus=96:ngpus=8:mpiprocs=1:mem=900gb", what one node has.
std::string chunk_of(const Job& job, const plan::RolePlan& shape, bool several) {
  std::string out;
  const auto add = [&](std::string_view name, const std::string& value) {
    out += ":" + std::string(name) + "=" + value;
  };
  if (const auto cpus = cpus_of(shape)) add("ncpus", std::to_string(*cpus));
  if (shape.gpus > 0 && !shape.role->resources.part_of_gpu()) add(gpu_resource(job, shape), std::to_string(shape.gpus));
  if (const auto& slice = shape.role->resources.gpu_slice) {
    const model::GpuDialect* words = model::find_dialect(job.site, job.plane, gpu_model(shape));
    if (words != nullptr && words->slice_resource) add(slice_word(words->slice_resource->value, slice->value), "1");
  }
  if (several || ranks_of(shape) > 1) add("mpiprocs", std::to_string(ranks_of(shape)));
  if (const auto bytes = bytes_of(shape)) add("mem", pbs_size(*bytes));
  if (const std::string feature = gpu_feature(job, shape); !feature.empty()) out += ":" + feature;
  if (job.plan.queue != nullptr && job.plan.queue->constraint) out += ":" + job.plan.queue->constraint->value;
  return out;
}

// "ppn=96:gpus=8": Torque counts memory for the whole job. A file of nodes has a line for each processor.
std::string torque_chunk_of(const Job& job, const plan::RolePlan& shape) {
  std::string out;
  if (const auto cpus = cpus_of(shape)) out += ":ppn=" + std::to_string(*cpus);
  if (shape.gpus > 0) out += ":gpus=" + std::to_string(shape.gpus);
  if (const std::string feature = gpu_feature(job, shape); !feature.empty()) out += ":" + feature;
  if (job.plan.queue != nullptr && job.plan.queue->constraint) out += ":" + job.plan.queue->constraint->value;
  return out;
}

// A chunk for each named host, else one for all nodes.
std::string chunks_of(const Job& job, const plan::RolePlan& shape, std::int64_t nodes, bool several) {
  const bool torque = is_torque(job);
  const std::string chunk = torque ? torque_chunk_of(job, shape) : chunk_of(job, shape, several);
  if (named_hosts(shape).empty()) return std::to_string(nodes) + chunk;
  std::string out;
  for (const std::string& host : named_hosts(shape))
    out += (out.empty() ? "" : "+") + (torque ? host : "1:host=" + host) + chunk;
  return out;
}

// The roles of the job one after the other; of one that has no roles, its own nodes.
std::string list_of(const Job& job) {
  if (!batch::has_parts(job.plan)) return chunks_of(job, job.shape, job.shape.nodes, job.shape.nodes > 1);
  std::string out;
  for (const plan::RolePlan& role : job.plan.roles)
    out += (out.empty() ? "" : "+") + chunks_of(job, role, role.total(), true);
  return out;
}

std::int64_t total_memory(const Job& job) {
  std::int64_t sum = 0;
  const auto add = [&](const plan::RolePlan& shape, std::int64_t nodes) {
    if (const auto bytes = bytes_of(shape)) sum += *bytes * nodes;
  };
  if (!batch::has_parts(job.plan)) add(job.shape, job.shape.nodes);
  else
    for (const plan::RolePlan& role : job.plan.roles) add(role, role.total());
  return sum;
}

// Torque's `-l mem` is one amount for the whole job, whose nodes need not be alike.
bool shares_unlike_memory(const Job& job) {
  if (!is_torque(job) || !batch::has_parts(job.plan)) return false;
  return std::any_of(job.plan.roles.begin(), job.plan.roles.end(),
                     [&](const plan::RolePlan& role) { return bytes_of(role) != bytes_of(job.plan.roles.front()); });
}

void report_cpus(Job& job) {
  const auto cpus = cpus_of(job.shape);
  const std::string as = cpus ? (is_torque(job) ? "ppn=" : "ncpus=") + std::to_string(*cpus) : std::string();
  if (batch::has_cpus(job, as)) job.exact(Field::resources_cpus, as);
}

void report_memory(Job& job) {
  const auto bytes = bytes_of(job.shape);
  const std::string as = bytes && !is_torque(job) ? "mem=" + pbs_size(*bytes) : std::string("-l mem=");
  if (!batch::has_memory(job, as)) return;
  if (!shares_unlike_memory(job)) return job.exact(Field::resources_memory, as);
  job.approximated(Field::resources_memory, as, "Torque takes the sum of all nodes, not an amount for each");
}

void report_gpu_part(Job& job) {
  job.read(Field::resources_gpu, "the choice of the pool, whose nodes are the only candidates");
  job.read(Field::resources_gpus, "part of one");
  if (job.role.resources.gpu_share)
    return job.refuse(Field::resources_gpu_share, "PBS gives a job whole GPUs or slices, not a share of one",
                      "write `gpus = 1`, or a `gpu-slice`");
  const model::GpuDialect* words = model::find_dialect(job.site, job.plane, gpu_model(job.shape));
  if (words == nullptr || !words->slice_resource || is_torque(job))
    return job.refuse(Field::resources_gpu_slice,
                      "site `" + job.site.name + "` does not declare the resources of its MIG slices",
                      "add `gpu MODEL { slice-resource = \"{slice}\" }` to the site");
  const std::string name = slice_word(words->slice_resource->value, job.role.resources.gpu_slice->value);
  if (!is_word(name))
    return job.refuse(Field::resources_gpu_slice, "site `" + job.site.name + "` names this slice `" + printable(name) +
                                                      "`, which is not a valid name of a resource");
  job.exact(Field::resources_gpu_slice, name + "=1");
}

void report_gpus(Job& job) {
  if (job.role.resources.part_of_gpu()) return report_gpu_part(job);
  if (job.shape.gpus == 0) {
    job.read(Field::resources_gpus, "no GPU is requested");
    return job.read(Field::resources_gpu, "no GPU is requested");
  }
  const std::string resource = is_torque(job) ? "gpus" : gpu_resource(job, job.shape);
  if (!is_word(resource))
    return job.refuse(Field::resources_gpus, "site `" + job.site.name + "` names the resource of these GPUs `" +
                                                 printable(resource) + "`, which is not a valid name of a resource");
  job.exact(Field::resources_gpus, resource + "=" + std::to_string(job.shape.gpus));
  const auto& asked = job.role.resources.gpu;
  const std::string feature = gpu_feature(job, job.shape);
  if (feature.empty()) return job.read(Field::resources_gpu, "the choice of the queue, which has no other GPUs");
  if (asked && asked->value.size() > 1)
    return job.approximated(Field::resources_gpu, feature, "a PBS job requests one type: that of the chosen pool");
  job.exact(Field::resources_gpu, feature);
}

void report_nodes(Job& job) {
  const std::string as = (is_torque(job) ? "-l nodes=" : "-l select=") + std::to_string(job.shape.nodes);
  if (model::is_range(job.role.resources.nodes))
    return job.approximated(Field::resources_nodes, as,
                            "uses the lower bound of the range, because a PBS job has a fixed number of nodes");
  job.exact(Field::resources_nodes, as);
}

}  // namespace

void ask_size(Job& job) {
  const std::string list = list_of(job);
  job.directives.push_back((is_torque(job) ? "-l nodes=" : "-l select=") + list);
  if (is_torque(job)) {
    if (const std::int64_t bytes = total_memory(job); bytes > 0) job.directives.push_back("-l mem=" + pbs_size(bytes));
    if (job.shape.exclusive) job.directives.emplace_back("-l naccesspolicy=singlejob");
  } else if (const std::string place = place_of(job); !place.empty()) {
    job.directives.push_back("-l place=" + place);
  }
  report_nodes(job);
  report_cpus(job);
  report_gpus(job);
  report_memory(job);
  if (job.shape.exclusive) job.exact(Field::resources_exclusive, is_torque(job) ? "naccesspolicy=singlejob" : "excl");
  else job.read(Field::resources_exclusive, "nodes may be shared");
  job.approximated(Field::resources_smt, "nothing", "the site decides whether CPUs are threads or cores");
  job.approximated(Field::resources_disk, "nothing", "PBS has no resource for the disk of a node");
  job.approximated(Field::resources_shm, "nothing", "the node's own /dev/shm is used");
}

}  // namespace muster::targets::pbs
