#include "targets/slurm/import_site.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "compiler/base/text.h"
#include "compiler/model/license.h"
#include "targets/slurm/import_fleet.h"
#include "targets/slurm/import_limits.h"
#include "targets/slurm/read/fields.h"

namespace muster::targets::slurm {
namespace {

bool contains(std::string_view text, std::string_view word) {
  return muster::lower(text).find(muster::lower(word)) != std::string::npos;
}

// Assembles one site; the parts share the cluster, the remarks and the report.
class SiteImporter {
 public:
  SiteImporter(const Cluster& cluster, const std::string& name, const std::string& taken, Diagnostics& diagnostics)
      : cluster_(cluster), diagnostics_(diagnostics) {
    if (cluster.config) config_ = &*cluster.config;
    name_ = name.empty() ? plain_name(config("ClusterName"), "cluster") : name;
    for (const PartitionRecord& p : cluster.partitions) most_tier_ = std::max(most_tier_, p.priority_tier);
    taken_ = taken.empty() && config_ != nullptr ? config_->taken : taken;
  }

  ImportedSite import() {
    out_.site.name = name_;
    fleet();
    out_.site.planes.push_back(plane());
    queues();
    tenants();
    left_out();
    licenses();
    questions();
    return std::move(out_);
  }

 private:
  std::string_view config(std::string_view key) const {
    return config_ == nullptr ? std::string_view() : config_->get(key);
  }
  // Whether the cluster gives out memory. Where it does not say, it may.
  bool counts_memory() const {
    return config("SelectTypeParameters").empty() || contains(config("SelectTypeParameters"), "MEMORY");
  }
  std::string site(std::string_view rest) const { return "site " + name_ + std::string(rest); }
  void remark(std::string path, std::string text) { out_.remarks.push_back({std::move(path), std::move(text)}); }

  void fleet() {
    if (cluster_.nodes.empty() && !cluster_.reservations.empty())
      remark(site(""),
             "question: which nodes do the reservations hold? `scontrol -d show node` prints the nodes; "
             "without them no reservation is imported");
    if (cluster_.nodes.empty())
      return remark(site(""),
                    "question: which nodes does the cluster have? `scontrol -d show node` prints them; without them "
                    "the fit is not checked");
    GpuSettings words = gpu_settings(cluster_.nodes);
    std::vector<targets::Remark> general;
    machines_ = machines_of(cluster_, words, general, diagnostics_);
    if (!counts_memory())
      for (Machine& m : machines_) m.used_memory = Size{};  // memory is not given out here
    pools_ = pools_of(machines_);
    out_.fleet = model::Fleet{name_, {}, std::move(pools_.pools)};
    out_.site.fleet = model::unplaced(name_);
    out_.site.gpus = std::move(words.dialects);
    const std::string path = "fleet " + name_;
    for (const targets::Remark& r : general) remark(path, r.text);
    remark(path,
           "question: which network connects the nodes of each pool? network { fabric = infiniband  bandwidth = "
           "400Gbps }");
    for (const targets::Remark& r : pools_.remarks) remark(path + "." + r.path, r.text);
    std::vector<targets::Remark> about;
    add_reservations(cluster_, *out_.fleet, about, diagnostics_);
    add_features(cluster_, *out_.fleet, about);
    for (targets::Remark& r : about) remark(r.path.empty() ? path : r.path, std::move(r.text));
    if (!out_.fleet->reservations.empty()) out_.fleet->as_of = parse_instant(taken_);
    if (!out_.fleet->reservations.empty() && !out_.fleet->as_of)
      remark(path,
             "question: what time was it? as-of = \"2026-12-01T08:00\"; without it fit cannot tell which "
             "reservations hold their nodes");
    remark_time(path);
  }

  void remark_time(const std::string& path) {
    const bool any = std::any_of(out_.fleet->pools.begin(), out_.fleet->pools.end(),
                                 [](const model::Pool& p) { return !p.in_use.empty() || !p.drained.empty(); });
    const bool live =
        std::any_of(cluster_.nodes.begin(), cluster_.nodes.end(), [](const NodeRecord& n) { return n.live; });
    if (!live && !cluster_.asked_jobs)
      return remark(path, "question: what is in use? `scontrol -d show node` prints it; nothing is counted as in use");
    if (!any && taken_.empty()) return;
    remark(path,
           taken_.empty()
               ? "question: when was the output taken? The nodes in use and drained are of that time (--taken TEXT)"
               : "in use and drained: as of " + printable(taken_));
  }

  model::Plane plane() {
    model::Plane p;
    model::BatchPlane& own = *p.batch();
    p.name = plane_name;
    const std::string path = site(".plane slurm");
    if (const auto version = version_in(config("SLURM_VERSION"))) p.version = model::unplaced(*version);
    else
      remark(path,
             "question: which version of Slurm? `scontrol show config` prints it; 22.05 is assumed, whose options all "
             "later "
             "versions have");
    const bool block =
        std::any_of(cluster_.switches.begin(), cluster_.switches.end(), [](const auto& s) { return s.block; });
    if (block || contains(config("TopologyPlugin"), "block")) own.topology = model::SlurmTopology::block;
    else if (!cluster_.switches.empty() || contains(config("TopologyPlugin"), "tree"))
      own.topology = model::SlurmTopology::tree;
    if (own.topology != model::SlurmTopology::none && cluster_.switches.empty())
      remark(path, "question: which nodes are connected to which switch? `scontrol show topology` prints it");
    const std::string_view select = config("SelectType");
    if (!select.empty() && !contains(select, "cons_tres")) p.gpu_request = model::GpuRequest::gres;
    const std::string_view mpi = config("MpiDefault");
    if (contains(mpi, "pmi2")) own.mpi = model::Mpi::pmi2;
    else if (!contains(mpi, "pmix"))
      remark(path, "question: which MPI plugins are installed? `srun --mpi=list` prints them; mpi = pmix is assumed");
    if (const auto most = whole_number(config("MaxArraySize")); most && *most > 0)
      own.array_max = model::unplaced(*most - 1);
    own.user_signal = contains(config("SlurmctldParameters"), "send_user_signal") ||
                      contains(config("PreemptParameters"), "send_user_signal");
    if (const std::string_view tmp = config("TmpFS"); tmp.starts_with('/') && tmp != "/tmp")
      own.scratch = model::unplaced(std::string(tmp));
    accounting(own, path);
    remark(path,
           "question: which container runtime is installed? containers = pyxis, enroot, apptainer or singularity");
    return p;
  }

  void accounting(model::BatchPlane& p, const std::string& path) {
    const std::string_view enforced = config("AccountingStorageEnforce");
    if (enforced.empty() || equal_ignoring_case(enforced, "none")) return;
    p.accounting = cluster_.asked_associations;
    if (!p.accounting)
      remark(path, "question: which accounts exist? Slurm checks them; `sacctmgr show assoc -P` prints them");
  }

  // Pools and, where they are not whole, nodes that a partition reaches. Many partitions name the same nodes.
  struct Reach {
    std::vector<model::Located<std::string>> pools;
    std::vector<std::string> nodes;
  };

  const Reach* reach_of(const PartitionRecord& partition) {
    const std::string key = partition.all_nodes ? "ALL" : partition.hosts;
    if (const auto known = reaches_.find(key); known != reaches_.end()) return &known->second;
    if (partition.all_nodes || machines_.empty()) return &reaches_[key];
    const auto names = partition.hosts.empty() ? std::vector<std::string>() : expand_hosts(partition.hosts, max_nodes);
    if (!names || names->size() > budget_) {
      diagnostics_.add(names ? Code::too_many_records : Code::damaged_record, partition.span,
                       names ? "the partitions contain too many nodes in total" : "invalid host list");
      return nullptr;
    }
    budget_ -= names->size();
    return &(reaches_[key] = reach(*names));
  }

  Reach reach(const std::vector<std::string>& names) {
    if (places_.empty())
      for (std::uint32_t i = 0; i < machines_.size(); ++i) places_.emplace(machines_[i].name, i);
    const std::vector<model::Pool>& pools = out_.fleet->pools;
    std::vector<std::int64_t> reached(pools.size(), 0);
    Reach out;
    for (const std::string& name : names)
      if (const auto found = places_.find(name); found != places_.end()) {
        ++reached[pools_.of_machine[found->second]];
        out.nodes.push_back(name);
      }
    bool all = true, whole = true;
    for (std::size_t p = 0; p < pools.size(); ++p) {
      all &= reached[p] > 0;
      whole &= reached[p] == 0 || reached[p] == pools[p].node_count;
      if (reached[p] > 0) out.pools.push_back(model::unplaced(pools[p].name));
    }
    if (all) out.pools.clear();
    if (whole) out.nodes.clear();
    std::sort(out.nodes.begin(), out.nodes.end());
    return out;
  }

  void queues() {
    if (cluster_.partitions.empty())
      remark(site(""), "question: which partitions exist? `scontrol show partition` prints them");
    for (const PartitionRecord& partition : cluster_.partitions) {
      if (partition.root_only || equal_ignoring_case(partition.state, "INACTIVE")) {
        remark(site(""), "partition " + partition.name + " was not imported, because " +
                             (partition.root_only ? "only root can use it" : "it is inactive"));
        continue;
      }
      const Reach* reach = reach_of(partition);
      if (reach == nullptr) return;
      if (!machines_.empty() && !partition.all_nodes && reach->nodes.empty() && reach->pools.empty() &&
          partition.hosts.empty()) {
        remark(site(""), "partition " + partition.name + " was not imported, because it has no nodes");
        continue;
      }
      out_.site.queues.push_back(queue(partition, *reach));
    }
  }

  // Whether jobs of the partition are ended or requeued for others: partitions preempt by their tiers, its mode says
  // so, and one is above it.
  bool is_preemptible(const PartitionRecord& partition) const {
    const std::string_view mode =
        partition.preempt_mode.empty() ? config("PreemptMode") : std::string_view(partition.preempt_mode);
    if (!contains(mode, "REQUEUE") && !contains(mode, "CANCEL")) return false;
    return contains(config("PreemptType"), "partition_prio") && partition.priority_tier < most_tier_;
  }

  // Of jobs with GPUs alone: no key of a queue says that.
  bool memory_by_gpu(const PartitionRecord& partition) const {
    return contains(partition.job_defaults, "DefMemPerGPU") || contains(config("JobDefaults"), "DefMemPerGPU");
  }

  // The partition's own, else the cluster's; with neither a job gets all memory of its nodes.
  void default_memory(const PartitionRecord& partition, model::Queue& q) const {
    if (!contains(config("SelectTypeParameters"), "MEMORY")) return;
    if (memory_by_gpu(partition)) return;
    constexpr std::int64_t most = std::int64_t{1} << 40;
    const auto amount = [](std::optional<std::int64_t> mebibytes) -> std::optional<Size> {
      if (mebibytes.value_or(0) <= 0 || *mebibytes > most) return std::nullopt;
      return Size{*mebibytes << 20};
    };
    auto node = amount(partition.memory_a_node), cpu = amount(partition.memory_a_cpu);
    if (!node && !cpu)
      node = amount(whole_number(config("DefMemPerNode"))), cpu = amount(whole_number(config("DefMemPerCPU")));
    if (cpu) q.default_memory_cpu = model::unplaced(*cpu);
    else if (node) q.default_memory = model::unplaced(model::Amount<Size>{false, *node, *node});
    else q.default_memory = model::unplaced(model::Amount<Size>{.all = true});
  }

  model::Queue queue(const PartitionRecord& partition, const Reach& reach) {
    model::Queue q;
    q.name = q.plane_name = partition.name;
    q.pools = reach.pools;
    q.nodes = reach.nodes;
    const auto is_default = [](const model::Queue& other) { return other.is_default; };
    q.is_default = partition.is_default && std::none_of(out_.site.queues.begin(), out_.site.queues.end(), is_default);
    if (partition.max_time && partition.max_time->ms >= 60'000) q.max_time = model::unplaced(*partition.max_time);
    if (partition.default_time && partition.default_time->ms >= 1000)
      q.default_time = model::unplaced(*partition.default_time);
    default_memory(partition, q);
    if (memory_by_gpu(partition))
      left_out_.say("partition", partition.name,
                    "a job with GPUs that states no memory has DefMemPerGPU for each, so default-memory is not known");
    q.preemptible = is_preemptible(partition);
    if (partition.max_nodes) q.max_nodes = model::unplaced(*partition.max_nodes);
    q.exclusive = contains(partition.oversubscribe, "EXCLUSIVE");
    const std::string path = site(".queue " + partition.name);
    for (std::string& text : add_limits(cluster_, partition, q)) remark(path, std::move(text));
    if (const std::string why = why_closed(cluster_, partition); !why.empty()) {
      q.max_nodes = model::unplaced(std::int64_t{0});
      remark(path, why);
    }
    if (!equal_ignoring_case(partition.state, "UP"))
      remark(path, "the partition was " + printable(partition.state) + ", so jobs wait there");
    return q;
  }

  void tenants() {
    for (TenantRecord& tenant : tenants_of(cluster_, out_.site.queues, out_.fleet ? &*out_.fleet : nullptr,
                                           config("ClusterName"), left_out_)) {
      for (std::string& text : tenant.remarks) remark(site(".tenant " + tenant.tenant.name), std::move(text));
      out_.site.tenants.push_back(std::move(tenant.tenant));
    }
  }

  // What of the records no key of a site holds: one remark for all records that lack the same.
  void left_out() {
    for (const NodeRecord& node : cluster_.nodes) left_out_.add("node", node.name, node.unread);
    for (const ReservationRecord& r : cluster_.reservations) left_out_.add("reservation", r.name, r.unread);
    for (const PartitionRecord& partition : cluster_.partitions) {
      std::vector<std::string> keys = partition.unread;
      if (!partition.job_defaults.empty()) keys.push_back("JobDefaults=" + printable(partition.job_defaults, 80));
      if (partition.default_time && partition.default_time->ms < 1000) keys.emplace_back("DefaultTime=0");
      left_out_.add("partition", partition.name, std::move(keys));
    }
    leave_out_qos(cluster_, left_out_);
    for (std::string& text : left_out_.remarks()) remark(site(""), std::move(text));
  }

  // "matlab:4,ansys*2"; "(null)" where there are none. The servers' own, of which the database keeps account, have an
  // `@`.
  void licenses() {
    std::string list(config("Licenses"));
    if (list.empty() || list == "(null)") return;
    std::replace(list.begin(), list.end(), '*', ':');
    const auto have = model::read_licenses(list);
    if (!have) return remark(site(""), "Licenses was not imported: " + printable(list));
    for (const model::LicenseRequest& one : *have) out_.site.licenses.push_back({one.name, {}, one.count, {}});
  }

  void questions() {
    const bool tiers = std::any_of(cluster_.partitions.begin(), cluster_.partitions.end(),
                                   [&](const PartitionRecord& p) { return p.priority_tier < most_tier_; });
    // A slurm.conf without the key says that nothing is preempted.
    const bool not_said = config_ == nullptr || (config("PreemptType").empty() && !config_->taken.empty());
    if (not_said && tiers)
      remark(site(""),
             "question: do partitions of a higher tier preempt jobs of the others? `scontrol show config` "
             "prints PreemptType; preemptible = true");
    for (const std::string_view key : {"DownNodes", "NodeSet", "JobDefaults", "JobSubmitPlugins"})
      if (const std::string_view value = config(key); !value.empty())
        remark(site(""), std::string(key) + " was not imported: " + printable(value));
    if (contains(config("PreemptType"), "preempt/qos"))
      remark(site(""), "question: which queues are preempted? Slurm preempts by QOS here; preemptible = true");
    remark(site(""), "question: which shared folder can hold the files of jobs? job-dir = \"/shared/jobs\"");
    remark(site(""), "question: which storage do workloads mount? storage data { path = \"/shared/data\" }");
    remark(site(""), "question: which software do workloads use? software torch { modules = [\"cuda/12.6\"] }");
    remark(site(""),
           "question: how does code reach the nodes? code { by = shared-path  path = \"/shared/code\" }; without it "
           "the submit "
           "directory is used");
  }

  static constexpr std::string_view plane_name = "slurm";
  const Cluster& cluster_;
  Diagnostics& diagnostics_;
  const ConfigRecord* config_ = nullptr;
  std::string name_, taken_;
  std::int64_t most_tier_ = INT64_MIN;  // of the partitions
  ImportedSite out_;
  std::vector<Machine> machines_;
  Pools pools_;
  LeftOut left_out_;
  std::unordered_map<std::string_view, std::uint32_t> places_;
  std::unordered_map<std::string, Reach> reaches_;
  std::size_t budget_ = 20'000'000;
};

}  // namespace

ImportedSite import_site(const Cluster& cluster, const std::string& name, const std::string& taken,
                         Diagnostics& diagnostics) {
  return SiteImporter(cluster, name, taken, diagnostics).import();
}

}  // namespace muster::targets::slurm
