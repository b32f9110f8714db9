// What a declared site says to a job: partitions, limits, GPU types.
#include <algorithm>

#include "compiler/base/in_one_unit.h"
#include "compiler/base/text.h"
#include "targets/lookup.h"
#include "targets/slurm/read/component.h"

namespace muster::targets::slurm {
namespace {

class SiteCheck {
 public:
  SiteCheck(const Component& c, std::uint32_t index, const MeaningOptions& options, const model::Plane* plane,
            std::vector<SiteRefusal>& out)
      : c_(c), index_(index), site_(*options.site), fleet_(options.fleet), plane_(*plane), out_(out) {}

  void run() {
    partitions();
    for (const model::Queue* queue : queues()) limits(*queue);
    accounts();
    qualities();
    gpu_types();
    machines();
  }

 private:
  void refuse(SiteKind kind, std::int32_t by, std::string message, std::string nearest = {}) {
    out_.push_back({kind, by, std::move(message), std::move(nearest), index_});
  }
  std::string site() const { return "site `" + site_.name + "`"; }

  static std::string_view partition_of(const model::Queue& q) {
    return q.plane_name.empty() ? std::string_view(q.name) : std::string_view(q.plane_name);
  }

  void unknown_name(SiteKind kind, std::int32_t by, std::string_view what, const std::string& name,
                    const std::vector<std::string_view>& have) {
    if (have.empty() || std::find(have.begin(), have.end(), name) != have.end()) return;
    refuse(kind, by, site() + " has no " + std::string(what) + " `" + name + "`; known are " + quoted_list(have),
           closest(name, have));
  }

  void partitions() {
    if (!c_.partitions) return;
    std::vector<std::string_view> have;
    for (const model::Queue& q : site_.queues)
      for (const std::string_view one : partitions_of(q)) have.push_back(one);
    for (const std::string& name : *c_.partitions)
      unknown_name(SiteKind::unknown_partition, c_.partitions.by, "partition", name, have);
  }

  // The queues that the job may run in: those it names, else the default one.
  std::vector<const model::Queue*> queues() const {
    std::vector<const model::Queue*> out;
    for (const model::Queue& q : site_.queues) {
      const auto own = partitions_of(q);
      const bool named = c_.partitions && std::all_of(own.begin(), own.end(), [&](std::string_view one) {
                           return std::find(c_.partitions->begin(), c_.partitions->end(), one) != c_.partitions->end();
                         });
      const bool qos = !q.qos || (c_.qos && q.qos->value == *c_.qos);
      if (c_.partitions.given() ? named && (qos || !c_.qos) : q.is_default) out.push_back(&q);
    }
    // Of several queues on one partition, a job without QOS meets the one that needs none.
    return out.size() == 1 ? out : std::vector<const model::Queue*>{};
  }

  void limits(const model::Queue& q) {
    const std::string name = "partition `" + std::string(partition_of(q)) + "`";
    if (q.max_time && c_.time) {
      const std::int64_t limit = q.max_time->value.ms / 60000;
      const auto [most, asked] = in_one_unit(q.max_time->value, Duration{c_.time->minutes * 60000});
      if (c_.time->unlimited || c_.time->minutes > limit)
        refuse(SiteKind::over_time, c_.time.by,
               name + " allows " + (c_.time->unlimited ? to_string(q.max_time->value) : most) +
                   ", but the job requests " + (c_.time->unlimited ? "no limit" : asked),
               slurm_time(q.max_time->value));
    }
    if (q.max_nodes && c_.nodes && c_.nodes->min > q.max_nodes->value)
      refuse(SiteKind::over_nodes, c_.nodes.by,
             name + " allows " + counted(q.max_nodes->value, "node") + ", but the job requests " +
                 std::to_string(c_.nodes->min));
    if (q.max_gpus && c_.gpus_in_all.value && *c_.gpus_in_all.value > q.max_gpus->value)
      refuse(SiteKind::over_gpus, no_directive,
             name + " allows " + counted(q.max_gpus->value, "GPU") + ", but the job requests " +
                 std::to_string(*c_.gpus_in_all.value));
  }

  void accounts() {
    if (!c_.account) return;
    std::vector<std::string_view> have;
    for (const model::Tenant& t : site_.tenants)
      for (const auto& a : t.accounts) have.push_back(a.value);
    unknown_name(SiteKind::unknown_account, c_.account.by, "account", *c_.account, have);
  }

  // A site names the QOS that its queues need; Slurm may have others.
  void qualities() {
    if (!c_.qos || c_.qos->empty()) return;
    std::vector<std::string_view> have;
    for (const model::Queue& q : site_.queues)
      if (q.qos) have.push_back(q.qos->value);
    for (const model::Priority& priority : site_.priorities)
      if (priority.qos) have.push_back(priority.qos->value);
    if (have.empty() || std::find(have.begin(), have.end(), *c_.qos) != have.end()) return;
    refuse(SiteKind::unknown_qos, c_.qos.by,
           "no queue of " + site() + " has QOS `" + *c_.qos + "`, so what it allows is not known; known are " +
               quoted_list(have),
           closest(*c_.qos, have));
  }

  // The words that the site's Slurm has for GPU types.
  std::vector<std::string_view> types() const {
    std::vector<std::string_view> out;
    for (const model::GpuDialect& g : site_.gpus)
      out.push_back(g.gres ? std::string_view(g.gres->value) : std::string_view(g.model));
    const auto named = [&](const std::string& model) {
      return std::any_of(site_.gpus.begin(), site_.gpus.end(), [&](const auto& g) { return g.model == model; });
    };
    if (fleet_ != nullptr)
      for (const model::Pool& pool : fleet_->pools)
        if (pool.gpu && plane_.owns(pool.name) && !named(pool.gpu->model)) out.push_back(pool.gpu->model);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  // Of slices, as `--gres=gpu:1g.10gb:1` names them: they count as types of their own.
  std::vector<std::string> slice_types() const {
    std::vector<std::string> out;
    if (fleet_ == nullptr) return out;
    for (const model::GpuDialect& g : site_.gpus)
      for (const model::Pool& pool : fleet_->pools) {
        if (!g.slice_resource || !pool.gpu || muster::lower(pool.gpu->model) != g.model) continue;
        for (const std::string& slice : pool.gpu->slices)
          if (const std::string word = slice_word(g.slice_resource->value, slice); word.starts_with("gpu:"))
            out.push_back(word.substr(4));
      }
    return out;
  }

  void gpu_types() {
    auto have = types();
    const std::vector<std::string> slices = slice_types();
    if (!have.empty()) have.insert(have.end(), slices.begin(), slices.end());
    for (const auto* field : {&c_.gpus_per_node, &c_.gpus_total, &c_.gpus_per_task, &c_.gpus_per_socket})
      for (const GpuCount& g : field->value)
        if (!g.type.empty()) unknown_name(SiteKind::unknown_gpu_type, field->by, "GPU type", g.type, have);
  }

  // Against the machines of the fleet, where it is given.
  void machines() {
    if (fleet_ == nullptr) return;
    std::int64_t gpus = 0, cpus = 0, nodes = 0;
    Size memory{};
    for (const model::Pool& pool : fleet_->pools) {
      if (!plane_.owns(pool.name)) continue;
      gpus = std::max(gpus, pool.gpu ? pool.gpu->count : 0);
      cpus = std::max(cpus, pool.usable_cpus(model::PlaneFamily::batch));
      memory = std::max(memory, pool.usable_memory(model::PlaneFamily::batch));
      nodes += pool.node_count;
    }
    if (nodes == 0) return;
    if (c_.gpus_a_node.value && *c_.gpus_a_node.value > gpus)
      refuse(SiteKind::gpus_per_node, c_.gpus_per_node.by,
             "no node of " + site() + " has " + counted(*c_.gpus_a_node.value, "GPU") + "; the maximum is " +
                 std::to_string(gpus));
    if (c_.nodes && c_.nodes->min > nodes)
      refuse(SiteKind::nodes_in_pool, c_.nodes.by,
             site() + " has " + counted(nodes, "node") + ", but the job requests " + std::to_string(c_.nodes->min));
    if (c_.cpus_per_task && *c_.cpus_per_task > cpus)
      refuse(SiteKind::cpus_per_node, c_.cpus_per_task.by,
             "no node of " + site() + " has " + counted(*c_.cpus_per_task, "CPU") + " for one task; the maximum is " +
                 std::to_string(cpus));
    const bool node_memory = c_.memory && c_.memory->per == MemoryPer::node && !c_.memory->all;
    if (node_memory && memory.bytes > 0 && c_.memory->mebibytes > memory.mebibytes_up()) {
      const auto [asked, most] = in_one_unit(Size::of_mebibytes(c_.memory->mebibytes), memory);
      refuse(SiteKind::memory_per_node, c_.memory.by,
             "no node of " + site() + " has " + asked + " of memory; the maximum is " + most);
    }
  }

  const Component& c_;
  std::uint32_t index_;
  const model::Site& site_;
  const model::Fleet* fleet_;
  const model::Plane& plane_;
  std::vector<SiteRefusal>& out_;
};

}  // namespace

void check_site(const Component& component, std::uint32_t index, const MeaningOptions& options,
                const model::Plane* plane, std::vector<SiteRefusal>& refusals) {
  SiteCheck(component, index, options, plane, refusals).run();
}

}  // namespace muster::targets::slurm
