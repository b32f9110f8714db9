#include "targets/slurm/read/amounts.h"

#include <algorithm>

namespace muster::targets::slurm {
namespace {

using Number = std::optional<std::int64_t>;

constexpr std::int64_t most = std::int64_t{1} << 40;  // counts above it are no job of any cluster

std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? most : std::clamp<std::int64_t>(out, 0, most);
}

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return b < 1 ? a : a / b + (a % b > 0); }

template <class T>
void note_unclear(const Known<T>& value, const char* what, std::string& out) {
  const bool unclear = value.state == Known<T>::State::unclear || value.state == Known<T>::State::invalid;
  if (unclear && out.empty()) out = what + (value.reason.empty() ? std::string() : " (" + value.reason + ")");
}

std::string what_is_unknown(const Component& c) {
  std::string out;
  note_unclear(c.nodes, "the number of nodes", out);
  note_unclear(c.tasks, "the number of tasks", out);
  note_unclear(c.tasks_per_node, "the number of tasks per node", out);
  note_unclear(c.cpus_per_task, "the number of CPUs per task", out);
  note_unclear(c.cpus_per_gpu, "the number of CPUs per GPU", out);
  note_unclear(c.memory, "the amount of memory", out);
  for (const auto* gpus : {&c.gpus_total, &c.gpus_per_node, &c.gpus_per_task, &c.gpus_per_socket})
    note_unclear(*gpus, "the number of GPUs", out);
  if (out.empty() && c.gpus_per_socket) out = "the number of GPUs (they are requested per socket)";
  if (out.empty() && c.sets_layout) out = "the number of tasks per node (it is requested per socket or core)";
  return out;
}

std::int64_t sum(const Known<std::vector<GpuCount>>& gpus) {
  std::int64_t out = 0;
  for (const GpuCount& g : gpus.value) out = std::min(most, out + std::clamp<std::int64_t>(g.count, 0, most));
  return out;
}

std::int64_t cpus_of_task(const Component& c) {
  return c.cpus_per_task ? std::max<std::int64_t>(*c.cpus_per_task, 1) : 1;
}

// Tasks that an empty node of the pool takes; nullopt: the fleet does not declare its CPUs.
Number tasks_on(const model::Pool& pool, const Component& c) {
  const std::int64_t cpus = pool.usable_cpus(model::PlaneFamily::batch);
  const Size memory = pool.usable_memory(model::PlaneFamily::batch);
  if (cpus < 1) return std::nullopt;
  std::int64_t out = (c.whole_cores ? cpus / pool.threads : cpus) / cpus_of_task(c);
  if (const std::int64_t gpus = sum(c.gpus_per_task); gpus > 0)
    out = std::min(out, (pool.gpu ? pool.gpu->count : 0) / gpus);
  if (c.memory && c.memory->per == MemoryPer::cpu && c.memory->mebibytes > 0 && memory.bytes > 0)
    out = std::min(out, (memory.bytes >> 20) / product(c.memory->mebibytes, cpus_of_task(c)));
  if (c.tasks_per_node) out = std::min(out, *c.tasks_per_node);
  return out;
}

// The fewest nodes of the pool that take all tasks and GPUs of the job; 1 where not even one fits a node, so that the
// misfit is that of a node.
Number nodes_on(const model::Pool& pool, const Component& c) {
  std::int64_t nodes = 1;
  if (c.tasks && *c.tasks > 1) {
    const Number each = tasks_on(pool, c);
    if (!each) return std::nullopt;
    if (*each > 0) nodes = divided_up(*c.tasks, *each);
  }
  const std::int64_t gpus = sum(c.gpus_total), have = pool.gpu ? pool.gpu->count : 0;
  if (gpus > 0 && have > 0) nodes = std::max(nodes, divided_up(gpus, have));
  return nodes;
}

bool is_chosen_by_slurm(const Component& c) {
  if (!c.nodes) return true;
  return c.nodes.by == no_directive && c.gpus_total && !c.nodelist;  // a total needs as many nodes as it needs
}

std::optional<model::Count> nodes_of(const Component& c, std::span<const model::Pool* const> pools) {
  if (!is_chosen_by_slurm(c)) {
    const std::int64_t low = std::max<std::int64_t>(c.nodes->min, 1);
    return model::Count{low, std::max(c.nodes->max, low)};
  }
  if ((!c.tasks || *c.tasks == 1) && !c.gpus_total) return model::Count{1, 1};
  Number fewest;
  for (const model::Pool* pool : pools)
    if (const Number nodes = nodes_on(*pool, c); nodes && (!fewest || *nodes < *fewest)) fewest = nodes;
  if (!fewest) return std::nullopt;
  return model::Count{*fewest, *fewest};
}

std::int64_t tasks_of(const Component& c, std::int64_t nodes) {
  if (c.tasks) return std::max<std::int64_t>(divided_up(*c.tasks, nodes), 1);
  return c.tasks_per_node ? std::max<std::int64_t>(*c.tasks_per_node, 1) : 1;
}

Number gpus_of(const Component& c, std::int64_t nodes, std::int64_t tasks) {
  if (c.gpus_per_node) return sum(c.gpus_per_node);
  if (c.gpus_per_task) return product(sum(c.gpus_per_task), tasks);
  if (c.gpus_total) return divided_up(sum(c.gpus_total), nodes);
  return c.gpus_per_socket.given() ? std::nullopt : Number(0);
}

// How Slurm may divide the tasks: it fills nodes, each with one at least. nullopt: all nodes have as many, or what
// else the job asks for decides.
std::optional<model::TasksAsRead> divided(const Component& c, const model::Count& nodes, std::int64_t cpus) {
  const bool others = c.tasks.by == no_directive || c.tasks_per_gpu || c.gpus_total || c.gpus_per_socket.given() ||
                      c.cpus_per_gpu || c.min_cpus || (c.memory && c.memory->per == MemoryPer::gpu);
  if (!c.tasks || *c.tasks < 2 || others) return std::nullopt;
  model::TasksAsRead out;
  out.count = *c.tasks, out.cpus = cpus, out.gpus = sum(c.gpus_per_task);
  const bool chosen = is_chosen_by_slurm(c);
  out.least_nodes = chosen ? 1 : std::min(nodes.low, out.count);
  out.most_nodes = chosen ? out.count : std::min(nodes.high, out.count);
  if (c.tasks_per_node) out.most_on_a_node = std::max<std::int64_t>(*c.tasks_per_node, 1);
  return out.most_nodes > 1 ? std::optional(out) : std::nullopt;
}

}  // namespace

JobAmounts amounts_of(const Component& c, std::span<const model::Pool* const> pools) {
  JobAmounts out;
  out.unknown = what_is_unknown(c);
  out.nodes = nodes_of(c, pools);
  const std::int64_t nodes = out.nodes ? out.nodes->low : 1;
  out.tasks = tasks_of(c, nodes);
  out.gpus = gpus_of(c, nodes, out.tasks);
  if (c.cpus_per_task) out.cpus = product(out.tasks, cpus_of_task(c));
  else if (c.cpus_per_gpu && out.gpus) out.cpus = product(*c.cpus_per_gpu, *out.gpus);
  if (c.min_cpus) out.cpus = std::max(out.counted_cpus(), *c.min_cpus);
  if (out.nodes && out.unknown.empty()) out.divided = divided(c, *out.nodes, cpus_of_task(c));
  if (!c.memory) return out;
  out.all_memory = c.memory->all;
  std::int64_t times = 1;
  if (c.memory->per == MemoryPer::cpu) times = out.counted_cpus();
  if (c.memory->per == MemoryPer::gpu) times = out.gpus.value_or(1);
  const std::int64_t mebibytes = product(c.memory->mebibytes, times);
  if (!c.memory->all && mebibytes > 0) out.memory = Size::of_mebibytes(mebibytes);
  return out;
}

}  // namespace muster::targets::slurm
