#include "targets/slurm/read/as_read.h"

#include <algorithm>
#include <set>

#include "compiler/base/text.h"
#include "compiler/model/license.h"
#include "targets/lookup.h"
#include "targets/slurm/read/amounts.h"
#include "targets/slurm/read/importer.h"

namespace muster::targets::slurm {
namespace {

using model::Located;

std::string_view partition_of(const model::Queue& queue) {
  return queue.plane_name.empty() ? std::string_view(queue.name) : std::string_view(queue.plane_name);
}

bool is_of(const model::Plane& plane, const model::Queue& queue) {
  return queue.plane.empty() || queue.plane == plane.name;
}

bool has_qos(const model::Queue& queue, const Component& job) {
  return job.qos && queue.qos && queue.qos->value == *job.qos;
}

// Of the queues on one partition: that of the job's QOS, else the one that needs none, else the first.
const model::Queue* queue_on(std::string_view partition, const Component& job, const model::Site& site,
                             const model::Plane& plane) {
  const model::Queue* found = nullptr;
  for (const model::Queue& queue : site.queues) {
    if (!is_of(plane, queue) || partition_of(queue) != partition) continue;
    if (has_qos(queue, job)) return &queue;
    if (found == nullptr || (found->qos && !queue.qos)) found = &queue;
  }
  return found;
}

// What the script asks of one component as a role, and what of that cannot be told.
class RoleReader {
 public:
  // `nodes` takes what the role has no key for.
  RoleReader(const Component& job, const model::Site& site, const model::Plane& plane, const model::Fleet* fleet,
             AsRead& out, model::NodesAsRead& nodes)
      : job_(job),
        site_(site),
        plane_(plane),
        out_(out),
        fleet_(fleet),
        pools_(pools_of(job, site, plane, fleet)),
        nodes_(nodes) {}

  model::Role read(const Script& script) {
    role_.span = script.span;
    amounts();
    gpu_types();
    features();
    node_names();
    others();
    return std::move(role_);
  }

 private:
  void open(std::string what) { out_.open.push_back(std::move(what)); }
  void unknown(std::string what) {
    if (out_.unknown.empty()) out_.unknown = std::move(what);
  }

  void amounts() {
    const JobAmounts asked = amounts_of(job_, pools_);
    model::Resources& r = role_.resources;
    if (!asked.unknown.empty()) unknown(asked.unknown);
    else if (!asked.nodes && !pools_.empty())
      unknown("the number of nodes (the fleet does not declare the CPUs of its pools)");
    r.nodes = model::unplaced(asked.nodes.value_or(model::Count{1, 1}));
    // Of tasks that Slurm divides a node has the GPUs of one at least.
    const bool by_task = asked.divided && asked.divided->gpus > 0;
    if (asked.gpus.value_or(0) > 0) r.gpus = model::unplaced(by_task ? asked.divided->gpus : *asked.gpus);
    const std::int64_t cpus = asked.counted_cpus();
    r.exclusive = model::unplaced(job_.exclusive && *job_.exclusive == Exclusive::node);
    r.cpus = model::unplaced(model::Amount<std::int64_t>{false, cpus, cpus});
    if (asked.all_memory) r.memory = model::unplaced(model::Amount<Size>{.all = true});
    else if (asked.memory) r.memory = model::unplaced(model::Amount<Size>{false, *asked.memory, *asked.memory});
    else r.memory = model::unplaced(model::Amount<Size>{.left_to_site = true});
    // Of a job that says nothing of threads Slurm counts those that the node has.
    r.smt = model::unplaced(!job_.whole_cores);
    const bool a_cpu = job_.memory && job_.memory->per == MemoryPer::cpu && !job_.memory->all;
    nodes_.tasks = asked.divided;
    if (a_cpu && asked.memory) nodes_.memory_a_cpu = Size::of_mebibytes(job_.memory->mebibytes);
  }

  // The GPU model behind a type of gres, or the slice.
  void gpu_types() {
    std::vector<std::string> types;
    for (const auto* field : {&job_.gpus_per_node, &job_.gpus_total, &job_.gpus_per_task})
      for (const GpuCount& g : field->value)
        if (std::find(types.begin(), types.end(), g.type) == types.end()) types.push_back(g.type);
    if (types.size() > 1) return unknown("how many GPUs of each type a node has to have");
    if (types.empty() || types.front().empty()) return;
    const std::string& type = types.front();
    if (const std::string slice = slice_of(type); !slice.empty()) return take_slice(slice);
    for (const model::GpuDialect& g : site_.gpus)
      if (g.gres && g.gres->value == type && (g.plane.empty() || g.plane == plane_.name)) return take_model(g.model);
    take_model(muster::lower(type));
  }

  void take_model(const std::string& model) { role_.resources.gpu = model::unplaced(std::vector<std::string>{model}); }

  // A MIG profile that the site spells as this type; "": it is none.
  std::string slice_of(const std::string& type) const {
    for (const model::GpuDialect& g : site_.gpus) {
      if (!g.slice_resource) continue;
      for (const model::Pool* pool : pools_) {
        if (!pool->gpu || !equal_ignoring_case(pool->gpu->model, g.model)) continue;
        for (const std::string& slice : pool->gpu->slices)
          if (slice_word(g.slice_resource->value, slice) == "gpu:" + type) return slice;
      }
    }
    return {};
  }

  void take_slice(const std::string& slice) {
    if (role_.resources.gpus && role_.resources.gpus->value != 1)
      return unknown("how several slices of GPUs share the GPUs of a node");
    role_.resources.gpus.reset();
    role_.resources.gpu_slice = model::unplaced(slice);
  }

  // One feature may be that of a GPU model or of the queue; of others the site says nothing.
  void features() {
    if (!job_.constraint || job_.constraint->empty()) return;
    const std::string& text = *job_.constraint;
    for (const model::GpuDialect& g : site_.gpus)
      if (g.feature && g.feature->value == text && !role_.resources.gpu) return take_model(g.model);
    for (const model::Queue& queue : site_.queues)
      if (queue.constraint && queue.constraint->value == text) return;
    if (fleet_ == nullptr || fleet_->features.empty() || !take_features(text))
      open("which nodes have the feature `" + printable(text) + "`");
  }

  // Names that `&` or `|` join, as the nodes that have them; false: it is more than that.
  bool take_features(const std::string& text) {
    const bool all = text.find('&') != std::string::npos, any = text.find('|') != std::string::npos;
    if ((all && any) || text.find_first_of("[]()*,") != std::string::npos) return false;
    std::set<std::string> nodes;
    bool first = true;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find_first_of("&|", begin), text.size());
      const std::string name = text.substr(begin, end - begin);
      const auto found = std::find_if(fleet_->features.begin(), fleet_->features.end(),
                                      [&](const model::Feature& feature) { return feature.name == name; });
      if (found == fleet_->features.end()) return refuse("no node has the feature `" + printable(name) + "`");
      const auto names = found->nodes.all();
      if (all && !first) std::erase_if(nodes, [&](const std::string& node) { return !found->nodes.find(node); });
      else nodes.insert(names.begin(), names.end());
      first = false;
      begin = end + 1;
    }
    if (nodes.empty()) return refuse("no node has the features `" + printable(text) + "`");
    model::Predicate predicate;
    predicate.term.fact = "node.name", predicate.term.compare = model::Compare::in;
    for (const std::string& node : nodes) predicate.term.values.emplace_back(node);
    role_.requires_.push_back(std::move(predicate));
    return true;
  }

  bool refuse(std::string why) {
    if (out_.refusal.empty()) out_.refusal = std::move(why);
    return true;
  }

  void node_names() {
    for (const auto& [names, compare, option] : {std::tuple{&job_.nodelist, model::Compare::in, "nodelist"},
                                                 {&job_.exclude, model::Compare::not_in, "exclude"}}) {
      if (!*names || (*names)->empty()) continue;
      const auto hosts = expand_hosts(**names);
      if (!hosts) {
        open("which nodes `--" + std::string(option) + "` names");
        continue;
      }
      const bool more =
          compare == model::Compare::in && role_.resources.nodes->value.low > static_cast<std::int64_t>(hosts->size());
      if (more) {
        open("which nodes Slurm adds to those of `--nodelist`");
        continue;
      }
      model::Predicate predicate;
      predicate.term.fact = "node.name", predicate.term.compare = compare;
      for (const std::string& host : *hosts) predicate.term.values.emplace_back(host);
      role_.requires_.push_back(std::move(predicate));
    }
  }

  void others() {
    for (const Gres& gres : job_.gres.value)
      if (gres.count > 0) open("which nodes have gres `" + printable(gres.name) + "`");
    licenses();
    if (!job_.reservation || job_.reservation->empty()) return;
    nodes_.reservation = *job_.reservation;
    const auto is_of_fleet = [&](const model::Reservation& r) { return r.name == *job_.reservation; };
    if (fleet_ != nullptr)
      if (const auto found = std::find_if(fleet_->reservations.begin(), fleet_->reservations.end(), is_of_fleet);
          found != fleet_->reservations.end())
        return enter(*found);
    const auto is_it = [&](const model::Queue& q) {
      return q.reservation && q.reservation->value == *job_.reservation;
    };
    if (std::none_of(site_.queues.begin(), site_.queues.end(), is_it))
      open("which nodes reservation `" + printable(*job_.reservation) + "` has");
  }

  void licenses() {
    if (!job_.licenses || job_.licenses->empty()) return;
    const auto asked = model::read_licenses(*job_.licenses);
    if (!asked) return open("how many licenses `" + printable(*job_.licenses) + "` there are");
    for (const std::string_view one : split(*job_.licenses, ','))
      out_.workload.licenses.push_back({std::string(one), role_.span});
  }

  // Slurm lets only its users and accounts name a reservation. Who submits the script is not known.
  void enter(const model::Reservation& r) {
    if (r.users.empty() && r.accounts.empty())
      refuse("reservation `" + r.name + "` is a maintenance, which no job may use");
    else if (!r.accounts.empty() && job_.account && !job_.account->empty() && !r.takes_account(*job_.account))
      refuse("account `" + printable(*job_.account) + "` may not use reservation `" + r.name + "`");
  }

  const Component& job_;
  const model::Site& site_;
  const model::Plane& plane_;
  AsRead& out_;
  const model::Fleet* fleet_;
  std::vector<const model::Pool*> pools_;
  model::NodesAsRead& nodes_;
  model::Role role_;
};

// Why Slurm rejects the script at this site, apart from sizes, which the plan counts.
std::string refusal_of(const Script& script, const Meaning& meaning) {
  if (!script.refusals.empty()) return "sbatch rejects the script: " + script.refusals.front().message;
  for (const Conflict& conflict : meaning.conflicts)
    if (conflict.certain) return "Slurm rejects the script: " + conflict.message;
  for (const SiteRefusal& refusal : meaning.site_refusals) switch (refusal.kind) {
      case SiteKind::unknown_partition:
      case SiteKind::unknown_account:
      case SiteKind::unknown_reservation:
      case SiteKind::unknown_gpu_type: return refusal.message;
      case SiteKind::over_time:  // without a limit there is nothing to count
        if (meaning.components[refusal.component].time->unlimited) return refusal.message;
        break;
      default: break;
    }
  return {};
}

// Of more tasks than a sweep may have points each is a replica.
void take_array(const Array& array, model::Workload& workload) {
  workload.kind.value = model::Kind::sweep;
  if (array.count > static_cast<std::int64_t>(model::Sweep::most_points)) {
    workload.kind.value = model::Kind::batch;
    workload.gang = model::unplaced(model::Gang::replica);
    workload.roles.front().replicas = model::unplaced(model::Count{array.count, array.count});
    return;
  }
  model::Sweep sweep;
  model::Axis axis{"task", {}, {}};
  for (std::int64_t task = 0; task < std::max<std::int64_t>(array.count, 1); ++task)
    axis.values.push_back(std::to_string(task));
  sweep.axes.push_back(std::move(axis));
  if (array.throttle.value_or(0) > 0) sweep.max_parallel = model::unplaced(*array.throttle);
  workload.sweep = std::move(sweep);
}

}  // namespace

std::vector<const model::Queue*> queues_of(const Component& job, const model::Site& site, const model::Plane& plane) {
  std::vector<const model::Queue*> out;
  if (job.partitions.given()) {
    for (const std::string& partition : job.partitions.value)
      if (const model::Queue* queue = queue_on(partition, job, site, plane)) out.push_back(queue);
    return out;
  }
  for (const model::Queue& queue : site.queues)
    if (is_of(plane, queue) && queue.is_default) {
      const model::Queue* found = queue_on(partition_of(queue), job, site, plane);
      return {has_qos(*found, job) ? found : &queue};
    }
  return out;
}

std::vector<const model::Pool*> pools_of(const Component& job, const model::Site& site, const model::Plane& plane,
                                         const model::Fleet* fleet) {
  std::vector<const model::Pool*> out;
  if (fleet == nullptr) return out;
  const auto queues = queues_of(job, site, plane);
  const bool gpus = job.gpus_in_all.value.value_or(0) > 0 || job.gpus_a_node.value.value_or(0) > 0;
  const auto reached = [&](const model::Pool& pool) {
    return queues.empty() || std::any_of(queues.begin(), queues.end(), [&](const model::Queue* queue) {
             const auto named = [&](const auto& name) { return name.value == pool.name; };
             return queue->pools.empty() || std::any_of(queue->pools.begin(), queue->pools.end(), named);
           });
  };
  for (const model::Pool& pool : fleet->pools)
    if (plane.owns(pool.name) && (!gpus || pool.gpu) && reached(pool)) out.push_back(&pool);
  return out;
}

AsRead as_read(const Script& script, const Body& body, const Meaning& meaning, const Purpose& purpose,
               const std::string& name, const model::Site& site, const model::Fleet* fleet) {
  AsRead out;
  model::Workload& workload = out.workload;
  workload.name = name;
  workload.span = script.span;
  workload.gang = model::unplaced(model::Gang::all);
  out.plane = slurm_plane(&site);
  if (out.plane == nullptr) return out;
  if (purpose.is_complete()) out.refusal = refusal_of(script, meaning);
  else out.unknown = "what it requests, because it is " + described(purpose);
  const auto& array_max = out.plane->batch()->array_max;
  if (out.refusal.empty() && out.unknown.empty() && meaning.job().array && array_max &&
      meaning.job().array->max > array_max->value)
    out.refusal = "the array has task id " + std::to_string(meaning.job().array->max) + "; plane " + out.plane->name +
                  " allows at most " + std::to_string(array_max->value);
  for (const Component& job : meaning.components) {
    model::NodesAsRead nodes;
    workload.roles.push_back(RoleReader(job, site, *out.plane, fleet, out, nodes).read(script));
    out.nodes.push_back(std::move(nodes));
    if (meaning.components.size() > 1)
      workload.roles.back().name = "component-" + std::to_string(workload.roles.size() - 1);
  }
  const Component& job = meaning.job();
  const auto queues = queues_of(job, site, *out.plane);
  for (const model::Queue* queue : queues) workload.queues.push_back({queue->name, script.span});
  for (std::size_t i = 1; i < meaning.components.size(); ++i)
    if (queues_of(meaning.components[i], site, *out.plane) != queues && out.unknown.empty())
      out.unknown = "how components in different partitions start together";
  if (job.account && !job.account->empty()) workload.account = model::unplaced(*job.account);
  if (job.time && !job.time->unlimited && job.time->minutes > 0)
    workload.time_limit = model::unplaced(Duration{job.time->minutes * 60'000});
  workload.kind = {kind_of(body, static_cast<bool>(job.array)), script.span};
  if (job.array && meaning.components.size() == 1) take_array(*job.array, workload);
  if (job.array.state == Known<Array>::State::unclear) out.open.emplace_back("the tasks of the array");
  for (const SiteRefusal& refusal : meaning.site_refusals)
    if (refusal.kind == SiteKind::unknown_qos) out.open.push_back("what QOS `" + printable(*job.qos) + "` allows");
  return out;
}

}  // namespace muster::targets::slurm
