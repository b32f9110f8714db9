#include "review/target_block_amounts.h"

#include <algorithm>
#include <array>
#include <map>

#include "compiler/base/units.h"
#include "compiler/data/read.h"
#include "lint/target_block/reduced.h"
#include "review/cost.h"
#include "review/describe.h"
#include "review/documents.h"
#include "review/number.h"
#include "targets/slurm/read/script.h"

namespace muster::review {
namespace {

// What a field of a document bears on.
struct Bearing {
  bool machines = false, time = false, tasks = false, where = false;
  void add(const Bearing& other) {
    machines |= other.machines, time |= other.time, tasks |= other.tasks, where |= other.where;
  }
};

// Options of sbatch, and keys of manifests, that the readers of amounts go by. What is in neither says nothing of
// amounts: two files that differ only in such fields have the same ones.
constexpr std::array machine_options = std::to_array<std::string_view>({"nodes",
                                                                        "ntasks",
                                                                        "ntasks-per-node",
                                                                        "ntasks-per-core",
                                                                        "ntasks-per-gpu",
                                                                        "ntasks-per-socket",
                                                                        "tasks-per-node",
                                                                        "cpus-per-task",
                                                                        "cpus-per-gpu",
                                                                        "mincpus",
                                                                        "mem",
                                                                        "mem-per-cpu",
                                                                        "mem-per-gpu",
                                                                        "gpus",
                                                                        "gpus-per-node",
                                                                        "gpus-per-task",
                                                                        "gpus-per-socket",
                                                                        "gres",
                                                                        "tres-per-task",
                                                                        "exclusive",
                                                                        "nodelist",
                                                                        "nodefile",
                                                                        "sockets-per-node",
                                                                        "cores-per-socket",
                                                                        "threads-per-core",
                                                                        "extra-node-info",
                                                                        "hint",
                                                                        "overcommit"});
constexpr std::array place_options = std::to_array<std::string_view>(
    {"partition", "constraint", "prefer", "qos", "reservation", "nodelist", "nodefile", "clusters"});
constexpr std::array machine_keys = std::to_array<std::string_view>(
    {"replicas", "parallelism", "completions", "minReplicas", "maxReplicas", "numOfHosts", "enableInTreeAutoscaling",
     "elasticPolicy", "numNodes", "size", "resources", "resourceClaims", "resourcesPerNode"});
constexpr std::array time_keys =
    std::to_array<std::string_view>({"activeDeadlineSeconds", "maxRestarts", "backoffLimit"});
constexpr std::array place_keys = std::to_array<std::string_view>({"nodeSelector", "affinity", "tolerations"});

template <std::size_t N>
bool is_among(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Bearing of_option(std::string_view name) {
  return {is_among(name, machine_options), name == "time" || name == "time-min", name == "array",
          is_among(name, place_options)};
}

// Of a field's path: "--nodes", "[1] --nodes" of a component, "spec.template.spec.nodeSelector[a.b/c]".
Bearing of_path(std::string_view path) {
  if (const std::size_t dashes = path.find("--"); dashes == 0 || (dashes != path.npos && path[dashes - 1] == ' '))
    return of_option(path.substr(dashes + 2));
  Bearing out;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find_first_of(".[] "), path.size());
    const std::string_view key = path.substr(0, end);
    out.add({is_among(key, machine_keys), is_among(key, time_keys), false, is_among(key, place_keys)});
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return out;
}

// What a target wrote, as it would be read if it were written by hand.
struct Read {
  Resources amounts;
  Cost cost;
  std::map<std::string, std::string> fields;  // of all objects
};

void add(const Workload& part, bool first, Read& out) {
  Resources& all = out.amounts;
  if (first) {
    all = part.resources, out.cost = part.cost;
    return;
  }
  const Resources& more = part.resources;
  all.nodes = sum(all.nodes, more.nodes), all.pods = sum(all.pods, more.pods), all.gpus = sum(all.gpus, more.gpus);
  all.cpus = sum(all.cpus, more.cpus), all.memory = sum(all.memory, more.memory);
  if (all.time_limit_ms != more.time_limit_ms) all.time_limit_ms.reset();
  if (all.tasks != more.tasks) all.tasks.reset();
  Cost& cost = out.cost;
  cost = {sum(cost.gpu_seconds, part.cost.gpu_seconds), sum(cost.micros, part.cost.micros), false,
          sum(cost.cpu_seconds, part.cost.cpu_seconds), sum(cost.node_seconds, part.cost.node_seconds)};
}

std::vector<Workload> read_document(const targets::Document& document, const plan::Plan& plan,
                                    const model::Site& site) {
  Sources sources;
  const std::uint32_t file = sources.add(document.name, document.content);
  if (targets::slurm::is_batch_script(document.content)) return {read_script(sources, file, &site, plan.fleet)};
  if (!document.name.ends_with(".yaml")) return {};
  Diagnostics ignored;
  return read_manifests(sources, file, &site, plan.fleet, ignored).value_or(std::vector<Workload>());
}

Read read(const targets::Lowered& lowered, const plan::Plan& plan, const model::Site& site) {
  Read out;
  bool first = true;
  for (const targets::Document& document : lowered.documents)
    for (const Workload& part : read_document(document, plan, site)) {
      if (part.runs) add(part, first, out), first = false;
      for (const Object& object : part.objects)
        for (const Field& field : object.fields)
          out.fields[object.kind + "\n" + object.name_space + "\n" + object.name + "\n" + field.path] = field.value;
    }
  return out;
}

// What the fields bear on that only one of the two has, or that differ.
Bearing difference_of(const Read& a, const Read& b) {
  Bearing out;
  const auto look = [&](const Read& one, const Read& other) {
    for (const auto& [name, value] : one.fields) {
      const auto found = other.fields.find(name);
      if (found == other.fields.end() || found->second != value)
        out.add(of_path(std::string_view(name).substr(name.rfind('\n') + 1)));
    }
  };
  look(a, b);
  look(b, a);
  return out;
}

void open(Workload& out, const char* row, bool was_known) {
  if (was_known && std::find(out.open.begin(), out.open.end(), row) == out.open.end()) out.open.emplace_back(row);
}

class Counter {
 public:
  Counter(const plan::Plan& plan, const Read& without, const Read& with, Workload& out)
      : plan_(plan), without_(without), with_(with), differs_(difference_of(without, with)), out_(out) {}

  void count() {
    const Resources keys = out_.resources;
    Resources& r = out_.resources;
    const Resources &a = without_.amounts, &b = with_.amounts;
    r.nodes = chosen("nodes", keys.nodes, a.nodes, b.nodes, differs_.machines || a.pods != b.pods);
    if (a.pods != b.pods) r.pods = b.pods, open(out_, "pods", !b.pods);
    r.gpus = chosen("GPUs", keys.gpus, a.gpus, b.gpus, differs_.machines);
    r.cpus = chosen("CPUs", keys.cpus, a.cpus, b.cpus, differs_.machines);
    r.memory = chosen("memory", keys.memory, a.memory, b.memory, differs_.machines);
    r.tasks = chosen("tasks", keys.tasks, a.tasks, b.tasks, differs_.tasks);
    // A time is one of the file, whoever said it.
    if (a.time_limit_ms != b.time_limit_ms || (!b.time_limit_ms && differs_.time)) {
      open(out_, "time limit", !b.time_limit_ms && (keys.time_limit_ms || a.time_limit_ms));
      r.time_limit_ms = b.time_limit_ms;
    }
    count_cost(keys);
  }

 private:
  // What the words make of an amount. A number of the file counts where the file without the words says what the keys
  // say: else it is a number of something else (of a task, with a sidecar).
  Number chosen(const char* row, Number keys, Number a, Number b, bool differs) {
    if (a == b && (a || !differs)) return keys;
    const bool same_thing = !a || a == keys;
    if (b && same_thing) return b;
    open(out_, row, keys || a || b);
    return std::nullopt;
  }

  void count_cost(const Resources& keys) {
    const Resources& r = out_.resources;
    const Cost before = out_.cost;
    const bool lost = is_open("GPUs") || is_open("time limit") || is_open("tasks");
    const bool same = r.gpus == keys.gpus && r.time_limit_ms == keys.time_limit_ms && r.tasks == keys.tasks;
    if (same && !lost && !differs_.where) return;
    out_.cost = {};
    if (r.gpus && r.time_limit_ms && !is_open("tasks")) out_.cost = cost_of(plan_, r);
    open(out_, "GPU-hours", !out_.cost.gpu_seconds && (before.gpu_seconds || lost));
    // Of other GPUs, or elsewhere, the price of the pools that were chosen says nothing.
    if (r.gpus != keys.gpus || differs_.where)
      out_.cost.micros = with_.cost.gpu_seconds == out_.cost.gpu_seconds ? with_.cost.micros : std::nullopt;
    open(out_, "cost", !out_.cost.micros && (before.micros || (lost && has_price())));
  }

  bool has_price() const {
    return std::any_of(plan_.roles.begin(), plan_.roles.end(), [](const plan::RolePlan& role) {
      return role.pool != nullptr && prices_of(*role.pool) != Prices();
    });
  }

  bool is_open(std::string_view row) const {
    return std::find(out_.open.begin(), out_.open.end(), row) != out_.open.end();
  }

  const plan::Plan& plan_;
  const Read &without_, &with_;
  const Bearing differs_;
  Workload& out_;
};

// What the words themselves bear on, read or not.
Bearing bearing_of(const plan::Plan& plan, const targets::Target& target) {
  Bearing out;
  for (const model::TargetOptions& block : plan.workload->targets) {
    if (!lint::carries(target, block)) continue;
    for (const model::RawOption& option : block.options) {
      out.add(of_option(option.name));
      Sources sources;
      const data::Documents read = data::read_yaml(sources, sources.add("words", option.value.value));
      for (const data::Document& document : read.documents)
        for (const Field& field : object_of(document.root, {}).fields) out.add(of_path(field.path));
    }
  }
  return out;
}

}  // namespace

void count_target_block(const plan::Plan& plan, const targets::Target& target, const targets::Lowered& written,
                        Workload& out) {
  if (!lint::has_block_options(*plan.workload, target)) return;
  targets::LowerOptions options;
  options.names = targets::Names::fixed;
  Diagnostics diagnostics;
  const lint::Reduced reduced(plan);
  const targets::Lowered without = targets::lower(target, reduced.plan(), options, diagnostics);
  if (diagnostics.has_errors()) return leave_open(plan, target, out);
  const model::Site site = lint::with_only(*plan.site, *plan.plane);
  const Read a = read(without, plan, site), b = read(written, plan, site);
  Counter(plan, a, b, out).count();
}

void leave_open(const plan::Plan& plan, const targets::Target& target, Workload& out) {
  if (!lint::has_block_options(*plan.workload, target)) return;
  const Bearing bears = bearing_of(plan, target);
  Resources& r = out.resources;
  const bool without_gpus = r.gpus == 0;
  const auto forget = [&](const char* row, Number& number, bool forgotten) {
    if (!forgotten) return;
    open(out, row, number.has_value());
    number.reset();
  };
  for (auto& [row, number] : {std::pair<const char*, Number*>{"nodes", &r.nodes},
                              {"GPUs", &r.gpus},
                              {"CPUs", &r.cpus},
                              {"memory", &r.memory}})
    forget(row, *number, bears.machines);
  forget("time limit", r.time_limit_ms, bears.time);
  forget("tasks", r.tasks, bears.tasks);
  forget("GPU-hours", out.cost.gpu_seconds, bears.machines || bears.time || bears.tasks);
  const bool hours = bears.machines || bears.time || bears.tasks;
  if (without_gpus) forget("CPU-hours", out.cost.cpu_seconds, hours);
  if (hours) out.cost.cpu_seconds.reset(), out.cost.node_seconds.reset();
  forget("cost", out.cost.micros, bears.machines || bears.time || bears.tasks || bears.where);
}

}  // namespace muster::review
