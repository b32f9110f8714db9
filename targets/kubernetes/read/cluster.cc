#include "targets/kubernetes/read/cluster.h"

#include <algorithm>
#include <span>

#include "compiler/base/text.h"
#include "compiler/data/read.h"

namespace muster::targets::kubernetes {
namespace {

using data::Node;

std::string_view text_at(const Node& node, std::string_view path) {
  const Node* found = node.at(path);
  return found == nullptr || found->is_list() || found->is_map() ? std::string_view() : std::string_view(found->text);
}

std::span<const Node> list_at(const Node& node, std::string_view path) {
  const Node* found = node.at(path);
  return found == nullptr ? std::span<const Node>() : std::span<const Node>(found->items);
}

// What a new object has, as the API server fills it in: nothing to tell a person.
constexpr std::string_view defaults[] = {"queueingStrategy=BestEffortFIFO",
                                         "flavorFungibility.whenCanBorrow=Borrow",
                                         "flavorFungibility.whenCanBorrow=MayStopSearch",
                                         "flavorFungibility.whenCanPreempt=TryNextFlavor",
                                         "preemption.borrowWithinCohort.policy=Never",
                                         "preemption.reclaimWithinCohort=Never",
                                         "preemption.withinClusterQueue=Never",
                                         "fairSharing.weight=1",
                                         "stopPolicy=None"};

// Whether a value is empty, or all that is in it is a default.
bool says_nothing(const std::string& path, const Node& value) {
  if (value.is_list() || (value.is_scalar() && value.text.empty())) return value.items.empty();
  if (value.is_scalar())
    return std::find(std::begin(defaults), std::end(defaults), path + "=" + value.text) != std::end(defaults);
  return std::all_of(value.members.begin(), value.members.end(),
                     [&](const data::Member& member) { return says_nothing(path + "." + member.key, member.value); });
}

// The members of a map. One that is looked up is marked as read; the others are named, so that a key of a later
// release of Kueue is not swallowed.
class Keys {
 public:
  Keys(const Node& map, std::string path, std::vector<std::string>& unread)
      : map_(map), path_(std::move(path)), unread_(unread) {}
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;
  ~Keys() {
    for (const data::Member& member : map_.members)
      if (std::find(read_.begin(), read_.end(), member.key) == read_.end() && !says_nothing(member.key, member.value))
        unread_.push_back(path_ + member.key.substr(0, 60));
  }

  const Node* get(std::string_view key) {
    read_.push_back(key);
    return map_.get(key);
  }
  std::string_view text(std::string_view key) {
    const Node* found = get(key);
    return found == nullptr || !found->is_scalar() ? std::string_view() : std::string_view(found->text);
  }
  std::span<const Node> list(std::string_view key) {
    const Node* found = get(key);
    return found == nullptr ? std::span<const Node>() : std::span<const Node>(found->items);
  }

 private:
  const Node& map_;
  std::string path_;
  std::vector<std::string>& unread_;
  std::vector<std::string_view> read_;
};

// Reads objects one by one; what is damaged is reported at its place.
class ObjectReader {
 public:
  ObjectReader(ClusterObjects& objects, Diagnostics& diagnostics) : objects_(objects), diagnostics_(diagnostics) {}

  // `of_list` is the kind where the object does not say it: items of the API server's own lists.
  void read(const Node& object, std::string_view of_list) {
    if (full_) return;
    const std::string_view own = text_at(object, "kind");
    const std::string_view kind = own.empty() ? of_list : own;
    kind_ = kind;
    if (kind == "Node") node(object);
    else if (kind == "ResourceFlavor") flavor(object);
    else if (kind == "ClusterQueue") cluster_queue(object);
    else if (kind == "Cohort") cohort(object);
    else if (kind == "LocalQueue") local_queue(object);
    else if (kind == "Pod") pod(object);
    else leave_out(object, kind);
  }

 private:
  void damaged(const Node& object, std::string what) {
    if (full_) return;
    if (++damaged_ > value_of(Limit::diagnostics)) full_ = true;
    else diagnostics_.add(Code::damaged_record, object.span, std::move(what));
  }

  // Whether another value of the object may be kept. Over the limit it is reported, once, and nothing more is read.
  bool keep(const Node& object) {
    if (!full_ && ++objects_.values > value_of(Limit::cluster_values)) {
      full_ = true;
      add_over_limit(diagnostics_, Limit::cluster_values, object.span,
                     "the cluster has too many labels, amounts and objects to keep");
    }
    return !full_;
  }

  void leave_out(const Node& object, std::string_view kind) {
    const auto [entry, is_new] = objects_.left_out.try_emplace(std::string(kind.substr(0, 60)));
    if (!is_new || keep(object)) ++entry->second;
  }

  Texts texts_at(const Node& node, std::string_view path) {
    Texts out;
    if (const Node* found = node.at(path))
      for (const data::Member& member : found->members)
        if (keep(member.value)) out.emplace(member.key, member.value.text);
    return out;
  }

  // The object's name, "" and a report where it has none that can be in a host list.
  std::string name_of(const Node& object) {
    if (!keep(object)) return {};
    std::string name(text_at(object, "metadata.name"));
    const auto names = expand_hosts(name, 1);
    if (names && names->size() == 1 && name.size() <= 253) return name;
    damaged(object, "the object has no valid name");
    return {};
  }

  // Whether the object has a name that no other of its kind has; one that is there twice is reported.
  bool is_new(const Node& object, const std::string& name) {
    if (name.empty()) return false;
    const std::string_view space = text_at(object, "metadata.namespace");
    const std::string where = space.empty() ? name : std::string(space) + "/" + name;
    if (objects_.names.insert(std::string(kind_) + " " + where).second) return true;
    constexpr std::size_t most_reported = 100;
    if (++twice_ <= most_reported)
      diagnostics_.add(Code::contradiction, object.span,
                       std::string(kind_) + " `" + printable(where, 60) + "` occurs twice; the first one is used");
    return false;
  }

  Amounts amounts_at(const Node& object, std::string_view path) {
    Amounts out;
    const Node* found = object.at(path);
    if (found == nullptr) return out;
    for (const data::Member& member : found->members) {
      if (!keep(member.value)) break;
      if (const auto amount = read_quantity(member.value.text)) out.emplace(member.key, *amount);
      else damaged(member.value, "`" + printable(member.value.text, 40) + "` is not a valid quantity");
    }
    return out;
  }

  void node(const Node& object) {
    ClusterNode out;
    out.name = name_of(object);
    out.span = object.span;
    out.labels = texts_at(object, "metadata.labels");
    out.capacity = amounts_at(object, "status.capacity");
    out.allocatable = amounts_at(object, "status.allocatable");
    if (out.allocatable.empty()) out.allocatable = out.capacity;
    for (const Node& taint : list_at(object, "spec.taints"))
      if (keep(taint)) out.taints.emplace_back(text_at(taint, "key"), text_at(taint, "effect"));
    out.cordoned = object.at("spec.unschedulable")->is_true();
    for (const Node& condition : list_at(object, "status.conditions"))
      if (text_at(condition, "type") == "Ready") {
        out.ready = text_at(condition, "status") == "True";
        out.not_ready_because = text_at(condition, "message");
      }
    out.version = text_at(object, "status.nodeInfo.kubeletVersion");
    out.arch = text_at(object, "status.nodeInfo.architecture");
    if (!is_new(object, out.name)) return;
    if (out.capacity["cpu"] < 1000 || out.capacity["memory"] < 1000)
      return damaged(object, "node `" + out.name + "` has no usable `status.capacity`");
    if (objects_.nodes.size() < max_nodes) return objects_.nodes.push_back(std::move(out));
    full_ = true;
    diagnostics_.add(Code::too_many_records, object.span,
                     "the cluster has more than " + std::to_string(max_nodes) + " nodes");
  }

  void flavor(const Node& object) {
    ResourceFlavor out;
    objects_.asked_queues = true;
    out.name = name_of(object);
    out.node_labels = texts_at(object, "spec.nodeLabels");
    {
      Keys spec(*object.get("spec"), "", out.unread);
      spec.get("nodeLabels");
      for (const Node& toleration : spec.list("tolerations")) {
        const std::string_view key = text_at(toleration, "key");
        if (keep(toleration)) out.tolerations.emplace_back(key.empty() ? std::string_view("*") : key);
      }
      for (const Node& taint : spec.list("nodeTaints"))
        if (keep(taint) && text_at(taint, "effect") != "PreferNoSchedule")
          out.taints.emplace_back(text_at(taint, "key"));
    }
    if (is_new(object, out.name)) objects_.flavors.push_back(std::move(out));
  }

  // A limit of a quota, which need not be there.
  std::optional<std::int64_t> limit_of(Keys& resource, std::string_view key, const std::string& owner) {
    const Node* found = resource.get(key);
    if (found == nullptr || found->kind == Node::Kind::null) return std::nullopt;
    const auto amount = found->is_scalar() ? read_quantity(found->text) : std::nullopt;
    if (!amount) damaged(*found, "a quota of " + owner + " has no usable `" + std::string(key) + "`");
    return amount;
  }

  // The quotas of a ClusterQueue or a Cohort.
  std::vector<FlavorQuota> quotas_of(Keys& spec, const std::string& owner, std::vector<std::string>& unread) {
    std::vector<FlavorQuota> out;
    for (const Node& one : spec.list("resourceGroups")) {
      Keys group(one, "resourceGroups.", unread);
      group.get("coveredResources");
      for (const Node& of_group : group.list("flavors")) {
        Keys flavor(of_group, "resourceGroups.flavors.", unread);
        const std::string name(flavor.text("name"));
        for (const Node& resource : flavor.list("resources")) {
          if (!keep(resource)) return out;
          add_quota(resource, name, owner, unread, out);
        }
      }
    }
    return out;
  }

  void add_quota(const Node& node, const std::string& flavor, const std::string& owner,
                 std::vector<std::string>& unread, std::vector<FlavorQuota>& to) {
    Keys resource(node, "resourceGroups.flavors.resources.", unread);
    FlavorQuota quota{flavor, std::string(resource.text("name")), 0, {}, {}};
    const auto nominal = read_quantity(resource.text("nominalQuota"));
    if (!nominal) damaged(node, "a quota of " + owner + " has no usable `nominalQuota`");
    quota.nominal = nominal.value_or(0);
    quota.borrowing_limit = limit_of(resource, "borrowingLimit", owner);
    quota.lending_limit = limit_of(resource, "lendingLimit", owner);
    if (nominal) to.push_back(std::move(quota));
  }

  static bool is_stopped(Keys& spec) {
    const std::string_view stop = spec.text("stopPolicy");
    return !stop.empty() && stop != "None";
  }

  // The value of the key of one release of Kueue or of the one before.
  static std::string renamed(Keys& spec, std::string_view key, std::string_view before) {
    const std::string_view now = spec.text(key), old = spec.text(before);
    return std::string(now.empty() ? old : now);
  }

  void cluster_queue(const Node& object) {
    ClusterQueue out;
    objects_.asked_queues = true;
    out.name = name_of(object);
    {
      Keys spec(*object.get("spec"), "", out.unread);
      out.cohort = renamed(spec, "cohortName", "cohort");
      out.stopped = is_stopped(spec);
      out.quotas = quotas_of(spec, "ClusterQueue `" + printable(out.name, 40) + "`", out.unread);
    }
    out.selects_namespaces = object.at("spec.namespaceSelector")->is_map();
    if (is_new(object, out.name)) objects_.cluster_queues.push_back(std::move(out));
  }

  void cohort(const Node& object) {
    CohortObject out;
    objects_.asked_queues = true;
    out.name = name_of(object);
    out.span = object.span;
    {
      Keys spec(*object.get("spec"), "", out.unread);
      out.parent = renamed(spec, "parentName", "parent");
      out.quotas = quotas_of(spec, "Cohort `" + printable(out.name, 40) + "`", out.unread);
    }
    if (is_new(object, out.name)) objects_.cohorts.push_back(std::move(out));
  }

  void local_queue(const Node& object) {
    LocalQueue out;
    objects_.asked_queues = true;
    out.name = name_of(object);
    out.name_space = text_at(object, "metadata.namespace");
    {
      Keys spec(*object.get("spec"), "", out.unread);
      out.cluster_queue = spec.text("clusterQueue");
      out.stopped = is_stopped(spec);
    }
    if (is_new(object, out.name)) objects_.local_queues.push_back(std::move(out));
  }

  static void raise(Amounts& to, const Amounts& by) {
    for (const auto& [name, amount] : by) to[name] = std::max(to[name], amount);
  }
  static void add(Amounts& to, const Amounts& by) {
    for (const auto& [name, amount] : by)
      if (to[name] <= 4'000'000'000'000'000'000 && amount <= 4'000'000'000'000'000'000) to[name] += amount;
  }

  // Requests as the scheduler counts them: the sum of the containers and of init containers that go on
  // (sidecars), or the largest other init container, whichever is more; and the overhead.
  Amounts requests_of(const Node& object) {
    Amounts sum, first;
    for (const Node& container : list_at(object, "spec.containers")) add(sum, requested(container));
    for (const Node& container : list_at(object, "spec.initContainers")) {
      if (text_at(container, "restartPolicy") == "Always") add(sum, requested(container));
      else raise(first, requested(container));
    }
    raise(sum, first);
    add(sum, amounts_at(object, "spec.overhead"));
    return sum;
  }

  // What is limited and not requested is requested as limited: the API server fills that in.
  Amounts requested(const Node& container) {
    Amounts out = amounts_at(container, "resources.requests");
    for (const auto& [name, amount] : amounts_at(container, "resources.limits")) out.emplace(name, amount);
    return out;
  }

  void pod(const Node& object) {
    objects_.asked_pods = true;
    const std::string_view phase = text_at(object, "status.phase");
    RunningPod out;
    out.node = text_at(object, "spec.nodeName");
    if (out.node.empty() || phase == "Succeeded" || phase == "Failed" || !keep(object)) return;
    if (const std::string name(text_at(object, "metadata.name")); !name.empty() && !is_new(object, name)) return;
    out.requests = requests_of(object);
    for (const Node& owner : list_at(object, "metadata.ownerReferences"))
      out.daemon |= text_at(owner, "kind") == "DaemonSet" || text_at(owner, "kind") == "Node";  // and static pods
    objects_.pods.push_back(std::move(out));
  }

  ClusterObjects& objects_;
  Diagnostics& diagnostics_;
  std::size_t damaged_ = 0, twice_ = 0;
  std::string_view kind_;  // of the object that is being read
  bool full_ = false;      // too much is wrong or there: the rest is not read
};

}  // namespace

bool is_yaml_of_objects(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.starts_with("- ")) line.remove_prefix(2);
    if (!line.empty() && (line[0] == '"' || line[0] == '\'')) line.remove_prefix(1);
    for (const std::string_view key : {"apiVersion", "kind"})
      if (line.starts_with(key) && line.substr(key.size(), 2).find(':') != std::string_view::npos) return true;
    at = end + 1;
  }
  return false;
}

void read_cluster_yaml(const Sources& sources, std::uint32_t file, ClusterObjects& objects, Diagnostics& diagnostics) {
  data::Budget budget;
  budget.bytes = value_of(Limit::cluster_bytes);
  const data::Documents read = data::read_yaml(sources, file, budget);
  for (Diagnostic& d : read.diagnostics.sorted()) diagnostics.add(std::move(d));
  ObjectReader reader(objects, diagnostics);
  for (const data::Document& document : read.documents) {
    for (Diagnostic& d : document.diagnostics.sorted()) diagnostics.add(std::move(d));
    if (document.diagnostics.has_errors()) continue;
    std::string_view kind = text_at(document.root, "kind");
    if (!document.root.is_map() || kind.empty()) {
      diagnostics.add(Code::unknown_input, document.root.span, "this YAML document is not a Kubernetes object");
      continue;
    }
    const Node* items = document.root.get("items");
    if (items == nullptr || !items->is_list()) {
      reader.read(document.root, kind);
      continue;
    }
    if (kind.ends_with("List")) kind.remove_suffix(4);
    for (const Node& item : items->items) reader.read(item, kind);
  }
}

void read_cluster(const Sources& sources, std::uint32_t file, ClusterObjects& objects, Diagnostics& diagnostics) {
  // Twice: the kind of a list may be written behind its items, and a text with a fault is not used.
  const data::Document document = data::read_json(sources, file, data::json_budget, [](const Node&) {});
  for (Diagnostic& d : document.diagnostics.sorted()) diagnostics.add(std::move(d));
  if (document.diagnostics.has_errors()) return;
  const Node& root = document.root;
  std::string_view kind = text_at(root, "kind");
  if (!root.is_map() || kind.empty()) {
    diagnostics.add(Code::unknown_input, root.span, "this JSON is not a Kubernetes object");
    return;
  }
  ObjectReader reader(objects, diagnostics);
  const Node* items = root.get("items");
  if (items == nullptr || !items->is_list()) return reader.read(root, kind);
  if (kind.ends_with("List")) kind.remove_suffix(4);
  data::read_json(sources, file, data::json_budget, [&](const Node& item) { reader.read(item, kind); });
}

}  // namespace muster::targets::kubernetes
