#include "why/decide/slurm_nodes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "compiler/base/text.h"
#include "why/decide/amounts.h"

namespace muster::why {
namespace {

struct Node {
  std::optional<std::int64_t> cpus, cpus_used, memory, memory_used, gpus, gpus_used;
  std::string type;
  std::optional<std::string> features, state;
  bool conflict = false;
  Place place;
};

// Of what two outputs say differently nothing is known.
template <class Value>
void take(std::optional<Value>& slot, std::optional<Value> value, bool& conflict) {
  if (!value) return;
  if (slot && *slot != *value) conflict = true;
  slot = std::move(value);
}

std::string nothing_as_empty(std::string_view value) {
  return is_one_of(value, {"(null)", "N/A", "none"}) ? std::string() : std::string(value);
}

void take_node(const Object& object, Node& node) {
  if (const Field* state = object.find("State")) {
    // Summaries of a partition have a state too; which of them is the newest is not said.
    if (!node.state || object.find("Gres") != nullptr || object.find("RealMemory") != nullptr)
      node.state = lower(state->value);
  }
  if (const auto cpus = split(object.get("CPUsState"), '/'); cpus.size() == 4) {
    take(node.cpus_used, whole_number(cpus[0]), node.conflict);
    take(node.cpus, whole_number(cpus[3]), node.conflict);
  }
  take(node.cpus, whole_number(object.get(object.find("CPUEfctv") != nullptr ? "CPUEfctv" : "CPUTot")), node.conflict);
  take(node.cpus_used, whole_number(object.get("CPUAlloc")), node.conflict);
  take(node.memory, whole_number(object.get("RealMemory")), node.conflict);
  take(node.memory_used, whole_number(object.get("AllocMem")), node.conflict);
  if (const Field* gres = object.find("Gres")) {
    const auto gpus = gpus_of(nothing_as_empty(gres->value));
    take(node.gpus, std::optional(gpus ? gpus->count : std::int64_t{0}), node.conflict);
    if (gpus) node.type = gpus->type;
  }
  std::optional<std::string> used;
  if (const Field* gres = object.find("GresUsed")) used = nothing_as_empty(gres->value);
  else if (const Field* tres = object.find("AllocTRES"); tres != nullptr && object.find("CfgTRES") != nullptr)
    used = tres->value;
  if (used) {
    const auto gpus = gpus_of(*used);
    take(node.gpus_used, std::optional(gpus ? gpus->count : std::int64_t{0}), node.conflict);
  }
  for (const std::string_view key : {"AvailableFeatures", "ActiveFeatures"})
    if (const Field* features = object.find(key)) node.features = nothing_as_empty(features->value);
  node.place = object.place;
}

bool is_usable(const Node& node) {
  if (!node.state) return true;
  for (const std::string_view word :
       {"drain", "drng", "down", "fail", "maint", "resv", "reserved", "unk", "inval", "no_respond", "not_responding"})
    if (node.state->find(word) != std::string::npos) return false;
  return !node.state->ends_with("*");
}

class Nodes {
 public:
  Nodes(const Facts& facts, Case& out) : facts_(facts), out_(out) {
    for (const Object* object : facts.of(Kind::node)) {
      if (!object->type.empty()) continue;
      take_node(*object, nodes_[object->name]);
    }
    // A maximum of the partition's own nodes is only known where these are.
    for (const Object* object : facts.of(Kind::partition))
      if (object->name == out.get("ask.partition") && !object->get("Nodes").empty())
        if (const auto names = expand_hosts(object->get("Nodes"), 20000)) members_.insert(names->begin(), names->end());
    for (const auto& [name, node] : nodes_) conflict_ |= node.conflict;
    // A list of all partitions has all nodes: others are of another cluster.
    std::set<std::string> listed;
    for (const Object* object : facts.of(Kind::partition))
      if (object->get("listed") == "sinfo")
        if (const auto names = expand_hosts(object->get("Nodes"), 20000)) listed.insert(names->begin(), names->end());
    for (const auto& [name, node] : nodes_) conflict_ |= !listed.empty() && !listed.contains(name);
    for (const Object* leaf : facts.of(Kind::leaf))
      if (const auto names = expand_hosts(leaf->get("Nodes"), 20000); names && leaf->get("Level") == "0")
        for (const std::string& name : *names) leaf_of_.try_emplace(name, leaf->name);
  }

  void add() {
    if (nodes_.empty()) return;
    nodes = out_.number("ask.nodes").value_or(1);
    gpus = out_.number("ask.gpus-node").value_or(0);
    cpus = out_.number("ask.cpus-node").value_or(1);
    type = out_.get("ask.gpu-type");
    add_features();
    add_down();
    if (conflict_ || !is_whole()) return;
    add_capacity();
    add_now();
  }

 private:
  // Whether all nodes are there that the job might use: those of its partition, else those of a list. What
  // `scontrol show node` says of one node says nothing of the others.
  bool is_whole() const {
    if (!members_.empty())
      return std::all_of(members_.begin(), members_.end(),
                         [&](const std::string& name) { return nodes_.contains(name); });
    for (const Object* object : facts_.of(Kind::node))
      if (object->find("CfgTRES") == nullptr && object->find("Gres") != nullptr) return true;
    return false;
  }

  bool is_member(const std::string& name) const { return members_.empty() || members_.contains(name); }
  bool has_type(const Node& node) const {
    return gpus == 0 || type.empty() || node.type == type || (node.type.empty() && node.gpus.value_or(0) > 0);
  }
  bool has_features(const Node& node) const {
    const std::string_view asked = out_.get("ask.features");
    if (asked.empty() || !node.features) return true;
    // An expression of features is not counted by hand.
    if (asked.find_first_of("|[]*()") != std::string_view::npos) return true;
    for (const std::string_view one : split(asked, asked.find('&') != std::string_view::npos ? '&' : ',')) {
      const auto have = split(*node.features, ',');
      if (std::find(have.begin(), have.end(), one) == have.end()) return false;
    }
    return true;
  }
  std::int64_t memory_needed(const Node& node) const {
    if (!out_.get("ask.mem-default").empty() || out_.get("ask.mem-all") == "1") return node.memory.value_or(0);
    return out_.number("ask.mem-node").value_or(0);
  }

  void add_features() {
    std::set<std::string> all;
    bool known = false;
    for (const auto& [name, node] : nodes_) {
      if (!node.features) continue;
      known = true;
      for (const std::string_view one : split(*node.features, ','))
        if (!one.empty()) all.emplace(one);
    }
    if (!known) return;
    const std::vector<std::string> list(all.begin(), all.end());
    out_.set("cap.features", joined(list), nodes_.begin()->second.place);
    const std::string_view asked = out_.get("ask.features");
    if (!asked.empty())
      out_.set("cap.features-exist", all.contains(std::string(asked)) ? "1" : "", nodes_.begin()->second.place);
  }

  void add_down() {
    std::vector<std::string> names;
    std::string reason;
    Place place;
    for (const Object* object : facts_.of(Kind::drained)) {
      if (!is_member(object->name)) continue;
      names.push_back(object->name);
      reason = object->get("Reason");
      place = object->place;
    }
    if (names.empty())
      for (const auto& [name, node] : nodes_)
        if (!is_usable(node) && is_member(name)) names.push_back(name), place = node.place;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (names.empty()) return;
    out_.set("down.names", joined(names, ","), place);
    if (!reason.empty()) out_.set("down.reason", reason, place);
  }

  void add_capacity() {
    std::int64_t max_gpus = 0, max_cpus = 0, max_memory = 0, fitting = 0, usable = 0, unfeatured = 0;
    bool complete = true, exists = false;
    std::set<std::string> types;
    Place place;
    for (const auto& [name, node] : nodes_) {
      if (!is_member(name)) continue;
      place = node.place;
      complete &= node.gpus.has_value() && node.memory.has_value() && node.cpus.has_value();
      if (!node.type.empty()) types.insert(node.type);
      exists |= node.type == type || (node.type.empty() && node.gpus.value_or(0) > 0);
      if (has_type(node)) max_gpus = std::max(max_gpus, node.gpus.value_or(0));
      if (!has_type(node)) continue;
      if (node.gpus.value_or(0) < gpus) continue;
      max_cpus = std::max(max_cpus, node.cpus.value_or(0));
      max_memory = std::max(max_memory, node.memory.value_or(0));
      if (node.cpus.value_or(0) < cpus || node.memory.value_or(0) < memory_needed(node)) continue;
      ++unfeatured;
      if (!has_features(node)) continue;
      ++fitting;
      if (is_usable(node)) ++usable;
    }
    out_.set("cap.nodes-known", static_cast<std::int64_t>(nodes_.size()), place);
    if (!types.empty()) {
      const std::vector<std::string> list(types.begin(), types.end());
      out_.set("cap.types", joined(list), place);
      const std::vector<std::string_view> words(types.begin(), types.end());
      out_.set("cap.type-near", list.size() == 1 ? list[0] : closest(type, words), place);
    }
    if (!type.empty()) {
      out_.set("cap.type-exists", exists ? "1" : "", place);
      if (!exists) out_.set("cap.type-missing", "1", place);
    }
    if (!complete) return;
    out_.set("cap.complete", "1", place);
    out_.set("cap.max-gpus", max_gpus, place, "GPUs");
    out_.set("cap.max-cpus", max_cpus, place, "CPUs");
    out_.set("cap.max-mem", max_memory, place, "MB");
    out_.set("cap.nodes", fitting, place, "nodes");
    out_.set("cap.nodes-without-features", unfeatured, place, "nodes");
    out_.set("cap.usable", usable, place, "nodes");
    if (gpus > 0 && max_gpus > 0 && nodes * gpus % max_gpus == 0)
      out_.set("fix.nodes", nodes * gpus / max_gpus, place, "nodes");
  }

  void add_now() {
    std::int64_t by_gpu = 0, without_memory = 0, without_cpus = 0, all = 0, empty = 0, shared = 0;
    std::int64_t free_gpus = 0, max_gpus = 0, max_memory = 0, max_cpus = 0, named_busy = 0, others = 0;
    std::map<std::string, std::int64_t> by_leaf;
    const auto named = expand_hosts(out_.get("ask.nodelist"), 20000);
    Place place;
    for (const auto& [name, node] : nodes_) {
      if (!is_member(name)) continue;
      if (!node.cpus || !node.cpus_used || !node.memory || !node.memory_used || !node.gpus ||
          (*node.gpus > 0 && !node.gpus_used))
        return;
      place = node.place;
      if (!has_type(node) || !has_features(node) || *node.gpus < gpus || *node.cpus < cpus ||
          *node.memory < memory_needed(node))
        continue;
      const bool is_named = named && std::find(named->begin(), named->end(), name) != named->end();
      if (!is_usable(node)) continue;
      const std::int64_t gpus_free = *node.gpus - node.gpus_used.value_or(0), cpus_free = *node.cpus - *node.cpus_used;
      const std::int64_t memory_free = *node.memory - *node.memory_used;
      free_gpus += gpus_free;
      max_gpus = std::max(max_gpus, gpus_free);
      const bool gpu_fits = gpus_free >= gpus, cpu_fits = cpus_free >= cpus,
                 memory_fits = memory_free >= memory_needed(node);
      by_gpu += gpu_fits;
      if (gpu_fits && cpu_fits) ++without_memory, max_memory = std::max(max_memory, memory_free);
      if (gpu_fits && memory_fits) ++without_cpus, max_cpus = std::max(max_cpus, cpus_free);
      const bool fits = gpu_fits && cpu_fits && memory_fits;
      shared += fits;
      const bool whole = *node.cpus_used == 0;
      empty += whole;
      const bool exclusive = !out_.get("ask.exclusive").empty();
      if (!fits || (exclusive && !whole)) {
        named_busy += is_named;
        continue;
      }
      ++all;
      others += !is_named;
      if (const auto leaf = leaf_of_.find(name); leaf != leaf_of_.end()) ++by_leaf[leaf->second];
    }
    out_.set("now.by-gpu", by_gpu, place, "nodes");
    out_.set("now.without-memory", without_memory, place, "nodes");
    out_.set("now.without-cpus", without_cpus, place, "nodes");
    out_.set("now.nodes", all, place, "nodes");
    out_.set("now.shared", shared, place, "nodes");
    out_.set("now.empty", empty, place, "nodes");
    out_.set("now.free-gpus", free_gpus, place, "GPUs");
    out_.set("now.max-gpus", max_gpus, place, "GPUs");
    out_.set("now.max-mem", max_memory, place, "MB");
    out_.set("now.max-cpus", max_cpus, place, "CPUs");
    out_.set("now.named-busy", named_busy, place, "nodes");
    out_.set("now.others-free", others, place, "nodes");
    if (!leaf_of_.empty()) {
      std::int64_t most = 0;
      for (const auto& [leaf, count] : by_leaf) most = std::max(most, count);
      out_.set("now.max-leaf", most, place, "nodes");
    }
    if (gpus > 0 && max_gpus > 0 && max_gpus < gpus && nodes * gpus % max_gpus == 0)
      out_.set("fix.nodes", nodes * gpus / max_gpus, place, "nodes");
    if (max_memory > 0) out_.set("fix.mem", std::max<std::int64_t>(1, max_memory / 2), place, "MB");
  }

  const Facts& facts_;
  Case& out_;
  std::map<std::string, Node> nodes_;
  std::set<std::string> members_;
  std::map<std::string, std::string> leaf_of_;
  bool conflict_ = false;
  std::int64_t nodes = 1, gpus = 0, cpus = 1;
  std::string type;
};

}  // namespace

void add_slurm_nodes(const Facts& facts, Case& out) { Nodes(facts, out).add(); }

}  // namespace muster::why
