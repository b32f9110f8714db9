// Slots and hosts, GPUs and memory. A slot is a CPU where the job says how many it needs, else a process.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/model/marks.h"
#include "targets/batch/amounts.h"
#include "targets/lookup.h"
#include "targets/lsf/sections.h"

namespace muster::targets::lsf {
namespace {

using batch::bytes_of;
using batch::cpus_of;

// "900GB", else "1500MB".
std::string lsf_size(std::int64_t bytes) {
  constexpr std::int64_t gib = std::int64_t{1} << 30;
  return bytes % gib == 0 ? std::to_string(bytes / gib) + "GB" : std::to_string(Size{bytes}.mebibytes_up()) + "MB";
}

// Processes for which a script's own mpirun reads the slots, so that a slot has to be one of them.
std::int64_t own_ranks(const Job& job) {
  const bool script = job.runner() == model::Runner::batch_script;
  return script && job.role.launch.processes ? job.shape.processes : 0;
}

struct Slots {
  std::int64_t each = 1;   // of a node
  std::int64_t cores = 1;  // of a slot
};

Slots slots_of(const Job& job) {
  const auto cpus = cpus_of(job.shape);
  const std::int64_t ranks = own_ranks(job);
  if (ranks > 0 && cpus && *cpus > ranks) return {ranks, (*cpus + ranks - 1) / ranks};
  return {std::max({cpus.value_or(1), job.tasks(), ranks}), 1};
}

// "num=8/host:mode=shared:j_exclusive=yes": no other job has the GPUs, and all processes of this one may use each.
std::string gpu_request(const Job& job) {
  const auto& slice = job.role.resources.gpu_slice;
  std::string out = "num=" + std::to_string(job.shape.gpus) + "/host:mode=shared:j_exclusive=yes";
  if (slice) out = "num=1/host:mode=shared:j_exclusive=yes:mig=" + slice->value.substr(0, slice->value.find('g'));
  const std::string gmodel = gpu_words(job, job.shape).gmodel;
  return gmodel.empty() ? out : out + ":gmodel=" + gmodel;
}

void add_slots(Job& job) {
  const auto [each, cores] = slots_of(job);
  const std::int64_t all = each * job.shape.nodes;
  job.directives.push_back("-n " + std::to_string(all));
  if (job.shape.nodes > 1) require(job, "span[ptile=" + std::to_string(each) + "]");
  else if (all > 1) require(job, "span[hosts=1]");
  if (cores > 1) require(job, "affinity[core(" + std::to_string(cores) + ")]");
}

// What is reserved on each host, said so: without it a cluster may count for each slot.
void add_reservations(Job& job) {
  const auto bytes = bytes_of(job.shape);
  if (bytes) require(job, "rusage[mem=" + lsf_size(*bytes) + "/host]");
  if (const auto& disk = job.role.resources.disk) require(job, "rusage[tmp=" + lsf_size(disk->value.bytes) + "/host]");
}

void report_cpus(Job& job) {
  const auto cpus = cpus_of(job.shape);
  const auto [each, cores] = slots_of(job);
  const std::string as = std::to_string(each) + (cores > 1 ? " slots, affinity[core]" : " slots");
  if (!batch::has_cpus(job, as)) return;
  if (!cpus || each * cores == *cpus) return job.exact(Field::resources_cpus, as);
  job.approximated(Field::resources_cpus, as, "each process has a slot, and each slot as many CPUs");
}

void report_memory(Job& job) {
  const auto bytes = bytes_of(job.shape);
  const std::string as = bytes ? "rusage[mem=" + lsf_size(*bytes) + "/host]" : std::string();
  if (batch::has_memory(job, as)) job.exact(Field::resources_memory, as);
}

// LSF names a slice by its share of the processors: of 3g.40gb the 3.
void report_gpu_part(Job& job) {
  job.read(Field::resources_gpu, "the choice of the pool, whose nodes are the only candidates");
  job.read(Field::resources_gpus, "part of one");
  if (job.role.resources.gpu_share)
    return job.refuse(Field::resources_gpu_share, "LSF gives a job whole GPUs or slices, not a share of one",
                      "write `gpus = 1`, or a `gpu-slice`");
  const std::string& slice = job.role.resources.gpu_slice->value;
  const std::size_t g = slice.find('g');
  if (g == 0 || g == slice.npos ||
      !std::all_of(slice.begin(), slice.begin() + static_cast<std::ptrdiff_t>(g), is_digit))
    return job.refuse(Field::resources_gpu_slice,
                      "LSF names a slice by its number of parts, which `" + printable(slice) + "` does not begin with",
                      "write it as `3g.40gb`");
  job.approximated(Field::resources_gpu_slice, "mig=" + slice.substr(0, g),
                   "LSF chooses by the parts of the processor, not by the memory of the slice");
}

void report_gpus(Job& job) {
  if (job.role.resources.part_of_gpu()) return report_gpu_part(job);
  if (job.shape.gpus == 0) {
    job.read(Field::resources_gpus, "no GPU is requested");
    return job.read(Field::resources_gpu, "no GPU is requested");
  }
  job.exact(Field::resources_gpus, "num=" + std::to_string(job.shape.gpus) + "/host");
  const auto& asked = job.role.resources.gpu;
  const GpuWords words = gpu_words(job, job.shape);
  const std::string as = words.gmodel.empty() ? words.select : "gmodel=" + words.gmodel;
  if (words.empty()) return job.read(Field::resources_gpu, "the choice of the queue, which has no other GPUs");
  if (asked && asked->value.size() > 1)
    return job.approximated(Field::resources_gpu, as, "an LSF job requests one type: that of the chosen pool");
  job.exact(Field::resources_gpu, as);
}

void report_nodes(Job& job) {
  const std::string as = job.shape.nodes > 1 ? "-n with span[ptile]" : "span[hosts=1]";
  if (model::is_range(job.role.resources.nodes))
    return job.approximated(Field::resources_nodes, as,
                            "uses the lower bound of the range, because what starts the program counts on it");
  job.exact(Field::resources_nodes, as);
}

}  // namespace

void ask_size(Job& job) {
  add_slots(job);
  add_reservations(job);
  if (job.shape.gpus > 0 || job.role.resources.part_of_gpu())
    job.directives.push_back("-gpu \"" + gpu_request(job) + "\"");
  if (job.shape.exclusive) job.directives.emplace_back("-x");
  report_nodes(job);
  report_cpus(job);
  report_gpus(job);
  report_memory(job);
  if (job.shape.exclusive) job.exact(Field::resources_exclusive, "-x");
  else job.read(Field::resources_exclusive, "nodes may be shared");
  job.approximated(Field::resources_smt, "nothing", "the site decides whether slots are threads or cores");
  if (const auto& disk = job.role.resources.disk)
    job.approximated(Field::resources_disk, "rusage[tmp=" + lsf_size(disk->value.bytes) + "/host]",
                     "LSF counts the free space of /tmp");
  job.approximated(Field::resources_shm, "nothing", "the node's own /dev/shm is used");
}

}  // namespace muster::targets::lsf
