// Small models for the tests of plan/, built by hand so that no parser stands between.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/text.h"
#include "compiler/model/fleet.h"
#include "compiler/model/site.h"
#include "compiler/model/workload.h"

namespace muster::test {

constexpr std::int64_t GB = 1'000'000'000;

template <class T>
model::Optional<T> stated(T value, Span span = {}) {
  return model::Located<T>{std::move(value), span};
}

inline model::Predicate term(std::string fact, model::Compare compare, std::vector<model::FactValue> values) {
  model::Predicate p;
  p.term = {std::move(fact), compare, std::move(values), {}, {}};
  return p;
}

inline model::Predicate combine(model::Predicate::Kind kind, std::vector<model::Predicate> operands) {
  model::Predicate p;
  p.kind = kind;
  p.operands = std::move(operands);
  return p;
}

inline const model::Site no_site;  // a role of a plan points into its site

// `count` nodes "<name>001"… with 8 GPUs, 192 CPUs and 2 TB, of which 4 and 32 GB are reserved.
inline model::Pool gpu_pool(std::string name, std::string gpu, std::int64_t gpu_memory, std::int64_t count) {
  model::Pool pool;
  pool.name = name;
  pool.node_count = count;
  pool.node_names = *expand_hosts(name + "[001-" + std::to_string(1000 + count).substr(1) + "]");
  pool.gpu = model::Gpu{std::move(gpu), Size{gpu_memory}, 8, "nvswitch", "nvidia", {}};
  pool.cpus = 192, pool.reserve_cpus = 4;
  pool.memory = Size{2000 * GB}, pool.reserve_memory = Size{32 * GB};
  pool.fabric = "infiniband";
  return pool;
}

inline model::Pool cpu_pool(std::string name, std::int64_t count) {
  model::Pool pool = gpu_pool(std::move(name), "", 0, count);
  pool.gpu.reset();
  pool.fabric = "ethernet";
  return pool;
}

// Leaves of `size` nodes each, named l1, l2…
inline void add_leaves(model::Pool& pool, std::int64_t size) {
  for (std::int64_t first = 0; first < pool.node_count; first += size) {
    model::Leaf leaf{"l" + std::to_string(pool.leaves.size() + 1), {}};
    for (std::int64_t n = first; n < first + size && n < pool.node_count; ++n)
      leaf.nodes.push_back(static_cast<std::uint32_t>(n));
    pool.leaves.push_back(std::move(leaf));
  }
}

inline model::Workload workload(model::Kind kind, std::int64_t nodes, std::int64_t gpus) {
  model::Workload w;
  w.name = "job";
  w.kind = {kind, {}};
  w.roles.resize(1);
  w.roles[0].resources.nodes = stated(model::Count{nodes, nodes});
  if (gpus > 0) w.roles[0].resources.gpus = stated(gpus);
  return w;
}

inline model::Plane plane(std::string name, model::PlaneKind kind, std::vector<std::string> pools = {}) {
  model::Plane p;
  p.name = std::move(name);
  p.set_kind(kind);
  for (std::string& pool : pools) p.pools.push_back({std::move(pool), {}});
  return p;
}

inline model::Queue queue(std::string name, bool is_default = false) {
  model::Queue q;
  q.name = q.plane_name = std::move(name);
  q.is_default = is_default;
  return q;
}

// Every diagnostic: its message, then its notes and fixes, a line each.
inline std::string messages_of(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics.sorted()) {
    out += d.message + "\n";
    for (const std::string& note : d.notes) out += "  " + note + "\n";
    for (const FixIt& fix : d.fixes) out += "  fix: " + fix.text + "\n";
  }
  return out;
}

}  // namespace muster::test
