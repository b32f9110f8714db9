#include "tests/oracles/certificate_oracle.h"

#include <algorithm>

#include "compiler/base/in_one_unit.h"

namespace muster::oracles {
namespace {

std::int64_t nodes_of(const Asked& asked) { return asked.workload.roles[0].resources.nodes->value.low; }

std::int64_t gpus_of(const Asked& asked) {
  const auto& gpus = asked.workload.roles[0].resources.gpus;
  return gpus ? gpus->value : 0;
}

void add_floors(const Asked& asked, std::vector<Broken>& out) {
  const model::Resources& r = asked.workload.roles[0].resources;
  const model::Pool& pool = asked.pool;
  const auto floor = [&](std::int64_t need, std::int64_t have, const char* of) {
    if (need > have) out.push_back({"floor", need, have, {of, "per node", "pool " + pool.name}});
  };
  if (r.cpus && pool.cpus > 0) floor(r.cpus->value.high, pool.usable_cpus(model::PlaneFamily::batch), "CPU");
  if (r.memory && pool.memory.bytes > 0)
    floor(r.memory->value.high.bytes, pool.usable_memory(model::PlaneFamily::batch).bytes, "of memory");
  if (r.disk && pool.disk.bytes > 0) floor(r.disk->value.bytes, pool.disk.bytes, "of disk");
}

void add_tenant(const Asked& asked, std::vector<Broken>& out) {
  const model::Tenant* tenant = asked.tenant;
  if (tenant == nullptr) return;
  const std::int64_t nodes = nodes_of(asked), gpus = nodes * gpus_of(asked);
  const auto over = [&](std::int64_t need, std::int64_t have, const std::string& asks) {
    if (need > have) out.push_back({"quota", need, have, {asks, "tenant " + tenant->name, "pool " + asked.pool.name}});
  };
  const auto quota = [&](std::int64_t need, std::int64_t have, const char* of) {
    over(need, have, std::to_string(need) + " " + of);
  };
  for (const model::Quota& q : tenant->quotas) {
    if (q.pool.value != asked.pool.name) continue;
    if (q.nodes) quota(nodes, q.nodes->value, "node");
    if (q.gpus) quota(gpus, q.gpus->value, "GPU");
    // Of what the workload states itself, on a plane that takes the upper end of a range.
    const model::Resources& r = asked.workload.roles[0].resources;
    if (q.cpus && r.cpus) quota(nodes * r.cpus->value.high, q.cpus->value, "CPU");
    if (!q.memory || !r.memory) continue;
    const Size memory{nodes * r.memory->value.high.bytes};
    over(memory.bytes, q.memory->value.bytes, in_one_unit(memory, q.memory->value).first + " of memory");
  }
  if (asked.queue == nullptr || tenant->queues.empty()) return;
  const auto named = [&](const auto& queue) { return queue.value == asked.queue->name; };
  if (std::none_of(tenant->queues.begin(), tenant->queues.end(), named))
    out.push_back({"quota", nodes, 0, {"tenant " + tenant->name, "may not use queue " + asked.queue->name}});
}

void add_queue(const Asked& asked, std::vector<Broken>& out) {
  const model::Queue* queue = asked.queue;
  if (queue == nullptr) return;
  const auto limit = [&](std::int64_t need, std::int64_t have, const std::string& what) {
    if (need > have) out.push_back({"quota", need, have, {what, "queue " + queue->name + " allows"}});
  };
  const std::int64_t nodes = nodes_of(asked), gpus = nodes * gpus_of(asked);
  if (queue->max_nodes) limit(nodes, queue->max_nodes->value, std::to_string(nodes) + " node");
  if (queue->max_gpus) limit(gpus, queue->max_gpus->value, std::to_string(gpus) + " GPU");
  if (!queue->max_time || !asked.workload.time_limit) return;
  const std::int64_t time = asked.workload.time_limit->value.ms, most = queue->max_time->value.ms;
  const bool whole = (time + 999) / 1000 > (most + 999) / 1000;
  limit(whole ? (time + 999) / 1000 : time, whole ? (most + 999) / 1000 : most, "requests ");
}

}  // namespace

std::vector<Broken> broken_limits(const Asked& asked) {
  std::vector<Broken> out;
  add_floors(asked, out);
  add_tenant(asked, out);
  add_queue(asked, out);
  return out;
}

std::string fault_of(const Asked& asked, const plan::Certificate& c) {
  if (c.missing != c.need - c.have || c.missing <= 0) return "wrong missing";
  for (const Broken& limit : broken_limits(asked)) {
    if (limit.kind != c.kind || limit.need != c.need || limit.have != c.have) continue;
    const auto stated = [&](const std::string& word) { return c.text.find(word) != std::string::npos; };
    if (std::all_of(limit.words.begin(), limit.words.end(), stated)) return {};
  }
  return "no such limit is broken";
}

}  // namespace muster::oracles
