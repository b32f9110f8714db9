#include "targets/kubernetes/import_site.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/base/text.h"
#include "compiler/model/marks.h"
#include "targets/kubernetes/flavor_nodes.h"
#include "targets/kubernetes/import_fleet.h"
#include "targets/kubernetes/import_quota.h"
#include "targets/site_import/unique_names.h"

namespace muster::targets::kubernetes {
namespace {

// What a ClusterQueue leads to: the pools of its flavors, and what they tolerate.
struct Reach {
  std::set<std::string> pools;
  std::set<std::string> tolerates;
};

// Assembles one site; the parts share the objects and the remarks.
class SiteImporter {
 public:
  SiteImporter(const ClusterObjects& objects, const std::string& name, const std::string& taken,
               Diagnostics& diagnostics)
      : objects_(objects),
        diagnostics_(diagnostics),
        flavors_(objects),
        name_(name.empty() ? "cluster" : name),
        taken_(taken) {}

  ImportedSite import() {
    out_.site.name = name_;
    fleet();
    out_.site.planes.push_back(plane());
    read_reaches();
    queues();
    tenants();
    if (!objects_.left_out.empty()) {
      std::string kinds;
      for (const auto& [kind, count] : objects_.left_out)
        kinds += (kinds.empty() ? "" : ", ") + std::to_string(count) + " " + printable(kind);
      remark(site(""), "objects that were not imported: " + printable(kinds, 400));
    }
    remark(site(""), "question: which storage do workloads mount? storage data { path = \"/data\" }");
    return std::move(out_);
  }

 private:
  std::string site(std::string_view rest) const { return "site " + name_ + std::string(rest); }
  void remark(std::string path, std::string text) { out_.remarks.push_back({std::move(path), std::move(text)}); }

  void fleet() {
    if (objects_.nodes.empty())
      return remark(site(""),
                    "question: which nodes does the cluster have? `kubectl get nodes -o json` prints them; without "
                    "them the fit is not checked");
    std::vector<Remark> general;
    std::vector<Machine> machines = machines_of(objects_, general);
    flavors_.set_flavors(machines, left_out_);
    pools_ = pools_of(machines);
    out_.fleet = model::Fleet{name_, {}, std::move(pools_.pools)};
    out_.site.fleet = model::unplaced(name_);
    const std::string path = "fleet " + name_;
    for (const Remark& r : general) remark(path, r.text);
    for (model::FabricAttachment& fabric : fabrics_of(objects_)) out_.site.fabrics.push_back(std::move(fabric));
    const auto has_fabric = [](const model::Pool& pool) { return !pool.fabric.empty(); };
    if (std::none_of(out_.fleet->pools.begin(), out_.fleet->pools.end(), has_fabric))
      remark(path,
             "question: which network connects the nodes of each pool? network { fabric = infiniband  bandwidth = "
             "400Gbps }");
    for (const Remark& r : pools_.remarks) remark(path + "." + r.path, r.text);
    remark(path, std::string("reserved: resources that nodes do not offer to pods, and ") +
                     (objects_.asked_pods ? "the requests of daemons" : "0.5 CPU and 1 GiB for DaemonSets"));
    if (!objects_.asked_pods)
      remark(path, "question: what is in use? `kubectl get pods -A -o json` prints it; nothing is counted as in use");
    else
      remark(path,
             taken_.empty()
                 ? "question: when was the output taken? The nodes in use and drained are of that time (--taken TEXT)"
                 : "in use and drained: as of " + printable(taken_));
  }

  model::Plane plane() {
    model::Plane p;
    p.name = "kubernetes";
    model::PlaneKind kind = model::PlaneKind::kubernetes;
    std::optional<model::Version> oldest;
    for (const ClusterNode& node : objects_.nodes) {
      if (node.version.find("+k3s") != std::string::npos) kind = model::PlaneKind::k3s;
      const auto version = version_in(node.version);
      if (version && (!oldest || *version < *oldest)) oldest = version;
    }
    p.set_kind(kind);
    p.version = model::unplaced(oldest.value_or(p.version.value));
    model::PodPlane& own = *p.pods();
    const std::string path = site(".plane kubernetes");
    if (objects_.asked_queues) own.gang = model::GangProvider::kueue;
    else
      remark(path,
             "question: which gang scheduler is installed? gang = kueue, volcano, kai, yunikorn, coscheduling or "
             "kube-scheduler");
    if (const std::string_view label = leaf_label(objects_); !label.empty())
      own.levels.push_back({"leaf", model::unplaced(std::string(label)), {}, {}});
    std::set<std::string> spaces;
    for (const LocalQueue& queue : objects_.local_queues) spaces.insert(queue.name_space);
    if (spaces.size() == 1) own.name_space = model::unplaced(*spaces.begin());
    else remark(path, "question: in which namespace do workloads without a tenant run? namespace = \"default\"");
    return p;
  }

  // ---- Kueue ---------------------------------------------------------------------------------

  void read_reaches() {
    if (out_.fleet) pools_of_flavor_ = flavors_.pools(out_.fleet->pools, pools_.of_machine);
    for (const ResourceFlavor& flavor : objects_.flavors) tolerations_of_[flavor.name] = flavor.tolerations;
    for (const ClusterQueue& queue : objects_.cluster_queues) {
      reaches_.emplace(queue.name, reach(queue));
      if (queue.stopped) stopped_.insert(queue.name);
    }
  }

  Reach reach(const ClusterQueue& queue) {
    Reach out;
    for (const FlavorQuota& quota : queue.quotas) {
      const std::set<std::string>& pools = pools_of_flavor_[quota.flavor];
      out.pools.insert(pools.begin(), pools.end());
      const auto& keys = tolerations_of_[quota.flavor];
      out.tolerates.insert(keys.begin(), keys.end());
    }
    return out;
  }

  // The same name in several namespaces is one queue where it gives the same; else the namespace goes
  // in front.
  void queues() {
    std::map<std::string, std::vector<const LocalQueue*>> by_name;
    for (const LocalQueue& queue : objects_.local_queues) {
      if (queue.stopped || stopped_.contains(queue.cluster_queue))
        remark(site(""),
               "LocalQueue " + queue.name_space + "/" + queue.name + " was not imported, because it is stopped");
      else if (reaches_.contains(queue.cluster_queue)) by_name[queue.name].push_back(&queue);
      else
        remark(site(""), "question: which quotas does ClusterQueue " + printable(queue.cluster_queue) +
                             " have? LocalQueue " + queue.name_space + "/" + queue.name + " was not imported");
    }
    UniqueNames labels;
    for (const auto& [name, locals] : by_name)  // whole names first, so that they stay as they are
      if (give_the_same(locals)) labels.take(name);
    for (const auto& [name, locals] : by_name) {
      const bool same = give_the_same(locals);
      std::string label = name;
      for (const LocalQueue* local : locals) {
        if (!same) label = labels.take(local->name_space + "-" + name);
        if (!same || local == locals.front()) add_queue(label, name, reaches_.at(local->cluster_queue));
        uses_.push_back({local->name_space, label, local->cluster_queue});
      }
    }
  }

  bool give_the_same(const std::vector<const LocalQueue*>& locals) const {
    const Reach& first = reaches_.at(locals.front()->cluster_queue);
    return std::all_of(locals.begin(), locals.end(), [&](const LocalQueue* q) {
      const Reach& other = reaches_.at(q->cluster_queue);
      return other.pools == first.pools && other.tolerates == first.tolerates;
    });
  }

  void add_queue(const std::string& label, const std::string& name, const Reach& reach) {
    model::Queue q;
    q.name = label;
    q.plane_name = name;
    // Kueue sends what names no queue to one of this name.
    q.is_default = label == "default";
    if (out_.fleet && reach.pools.size() < out_.fleet->pools.size())
      for (const std::string& pool : reach.pools) q.pools.push_back(model::unplaced(pool));
    std::set<std::string> taints;
    if (out_.fleet)
      for (const model::Pool& pool : out_.fleet->pools)
        for (const model::Taint& taint : pool.taints)
          if (reach.tolerates.contains(taint.name) || reach.tolerates.contains("*")) taints.insert(taint.name);
    for (const std::string& taint : taints) q.tolerates.push_back(model::unplaced(taint));
    if (reach.pools.empty() && out_.fleet)
      remark(
          site(".queue " + label),
          "question: which nodes can it use? `kubectl get resourceflavors,nodes -o json` prints them; all are assumed");
    out_.site.queues.push_back(std::move(q));
  }

  void tenants() {
    ImportedQuotas quotas = import_quotas(objects_, out_.fleet ? &*out_.fleet : nullptr, pools_of_flavor_, uses_,
                                          out_.site.queues.size(), left_out_, diagnostics_);
    out_.site.planes.front().pods()->flavors = std::move(quotas.flavors);
    out_.site.cohorts = std::move(quotas.cohorts);
    out_.site.tenants = std::move(quotas.tenants);
    for (const auto& [path, text] : quotas.remarks) remark(site(path.empty() ? "" : "." + path), text);
    left_out();
    if (uses_.empty())
      remark(
          site(""),
          "question: which teams share the cluster, with which quotas? tenant lab { namespace = \"lab\"  quota h100 { "
          "gpus = 16 } }");
  }

  // Kueue compares the label of a GPU model, which a workload selects, only with flavors that have it.
  void flavors_of_any_model() {
    if (!out_.fleet) return;
    std::map<std::string, const model::Pool*> with_gpus;
    for (const model::Pool& pool : out_.fleet->pools)
      if (pool.gpu) with_gpus.emplace(pool.name, &pool);
    std::map<std::string, std::string> model_of, missing;  // one model and the label, by flavor
    for (const ResourceFlavor& flavor : objects_.flavors)
      for (const std::string& name : pools_of_flavor_[flavor.name]) {
        const auto pool = with_gpus.find(name);
        if (pool == with_gpus.end()) continue;
        const std::string& model = model_of.emplace(flavor.name, pool->second->gpu->model).first->second;
        const std::string key = model::gpu_label(out_.site, out_.site.planes.front(), model, pool->second).key;
        if (!flavor.node_labels.contains(key)) missing.emplace(flavor.name, key);
      }
    std::set<std::string> named;
    for (const ClusterQueue& queue : objects_.cluster_queues) {
      std::set<std::string> models, flavors;
      for (const FlavorQuota& quota : queue.quotas)
        if (const auto found = model_of.find(quota.flavor); found != model_of.end()) {
          models.insert(found->second);
          if (missing.contains(quota.flavor)) flavors.insert(quota.flavor);
        }
      if (models.size() > 1) named.merge(flavors);
    }
    for (const std::string& flavor : named)
      left_out_.say("ResourceFlavor", flavor,
                    "nodeLabels does not have " + missing.at(flavor) +
                        ", so Kueue may choose it for a workload that requests another GPU model; add the label");
  }

  // What of Kueue's objects no key of a site holds.
  void left_out() {
    flavors_of_any_model();
    for (const ResourceFlavor& flavor : objects_.flavors) left_out_.add("ResourceFlavor", flavor.name, flavor.unread);
    for (const CohortObject& cohort : objects_.cohorts) left_out_.add("Cohort", cohort.name, cohort.unread);
    for (const LocalQueue& queue : objects_.local_queues)
      left_out_.add("LocalQueue", queue.name_space + "/" + queue.name, queue.unread);
    for (const ClusterQueue& queue : objects_.cluster_queues) {
      left_out_.add("ClusterQueue", queue.name, queue.unread);
      if (!queue.selects_namespaces)
        left_out_.say("ClusterQueue", queue.name, "Kueue admits no workload to it, as it has no namespaceSelector");
    }
    for (std::string& text : left_out_.remarks()) remark(site(""), std::move(text));
  }

  const ClusterObjects& objects_;
  Diagnostics& diagnostics_;
  FlavorNodes flavors_;
  LeftOut left_out_;
  std::string name_, taken_;
  ImportedSite out_;
  Pools pools_;
  std::map<std::string, std::set<std::string>> pools_of_flavor_;
  std::map<std::string, std::vector<std::string>> tolerations_of_;
  std::set<std::string> stopped_;         // ClusterQueues
  std::map<std::string, Reach> reaches_;  // by ClusterQueue
  std::vector<QueueUse> uses_;
};

}  // namespace

ImportedSite import_site(const ClusterObjects& objects, const std::string& name, const std::string& taken,
                         Diagnostics& diagnostics) {
  return SiteImporter(objects, name, taken, diagnostics).import();
}

}  // namespace muster::targets::kubernetes
