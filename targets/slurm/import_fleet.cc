#include "targets/slurm/import_fleet.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "compiler/base/text.h"
#include "targets/site_import/gpu_names.h"

namespace muster::targets::slurm {
namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
// The model of GPUs that no type and no feature names.
constexpr std::string_view untyped = "gpu";

std::int64_t gpus_in(const std::vector<Gres>& gres, std::string_view type) {
  std::int64_t sum = 0;
  for (const Gres& g : gres)
    if (g.name == "gpu" && g.type == type) sum += g.count;
  return sum;
}

// The GPU type that most of a node's GPUs have, that of slices only where it has no others; nullptr without GPUs.
const Gres* main_gpu(const NodeRecord& node) {
  const auto rank = [](const Gres& g) { return std::pair(!slice_name(g.type), g.count); };
  const Gres* most = nullptr;
  for (const Gres& g : node.gres)
    if (g.name == "gpu" && g.count > 0 && (most == nullptr || rank(g) > rank(*most))) most = &g;
  return most;
}

// The GPUs behind the slices of a node, by their compute slices.
std::int64_t gpus_behind(const std::vector<Gres>& gres) {
  std::int64_t sevenths = 0;
  for (const Gres& g : gres)
    if (const auto slice = slice_name(g.type); slice && g.name == "gpu")
      sevenths += std::clamp<std::int64_t>(g.count, 0, 10'000) * slice->compute;
  return (sevenths + 6) / 7;
}

// The feature of a node that names a GPU model; nullptr if none does.
const std::string* gpu_feature(const NodeRecord& node) {
  for (const std::string& feature : node.features)
    if (gpu_name(feature).known) return &feature;
  return nullptr;
}

// Whether other nodes declare the model as a type of their GPUs: Slurm gives whoever requests that type no others.
bool has_type(const std::string& model, const GpuSettings& words) {
  return std::any_of(words.model_of.begin(), words.model_of.end(), [&](const auto& t) { return t.second == model; });
}

std::string model_for(const NodeRecord& node, const Gres& gpu, const GpuSettings& words) {
  if (const auto slice = slice_name(gpu.type)) {
    const std::string* feature = gpu_feature(node);
    const GpuName before = gpu_name(slice->before);
    return before.known ? before.model : feature != nullptr ? gpu_name(*feature).model : std::string(untyped);
  }
  if (!gpu.type.empty()) return words.model_of.at(gpu.type);
  const std::string* feature = gpu_feature(node);
  const bool named = feature != nullptr && !has_type(gpu_name(*feature).model, words);
  return named ? gpu_name(*feature).model : std::string(untyped);
}

bool in_any(const NodeRecord& node, std::initializer_list<std::string_view> states) {
  return std::any_of(states.begin(), states.end(), [&](std::string_view s) { return node.is(s); });
}

// Nodes that take no job until they are repaired. A cloud node that is switched off is none of them.
bool is_drained(const NodeRecord& node) {
  if (in_any(node,
             {"DOWN", "DRAIN", "DRAINED", "DRAINING", "FAIL", "FAILING", "ERROR", "INVAL", "INVALID_REG", "FUTURE"}))
    return true;
  const bool silent = in_any(node, {"NOT_RESPONDING", "UNKNOWN"});
  return node.live && silent && !in_any(node, {"POWERING_UP", "POWERED_DOWN", "CLOUD", "REBOOT_ISSUED"});
}

void set_gpus(Machine& m, const NodeRecord& node, const GpuSettings& words) {
  const Gres* gpu = main_gpu(node);
  if (gpu == nullptr) return;
  m.gpu = model_for(node, *gpu, words);
  m.gpus = std::min<std::int64_t>(gpu->count, 1024);
  const std::string* feature = gpu_feature(node);
  const bool is_cut = slice_name(gpu->type).has_value();
  if (is_cut) {
    m.gpus = std::min<std::int64_t>(gpus_behind(node.gres), 1024);
    std::set<std::string> slices;
    for (const Gres& g : node.gres)
      if (const auto slice = slice_name(g.type); slice && g.name == "gpu") slices.insert(slice->profile);
    m.slices.assign(slices.begin(), slices.end());
  }
  const GpuName known = gpu_name(is_cut               ? slice_name(gpu->type)->before
                                 : !gpu->type.empty() ? gpu->type
                                 : feature != nullptr ? *feature
                                                      : std::string_view());
  m.gpu_memory = known.memory;
  m.gpu_vendor = known.vendor;
  m.gpu_link = known.link;
}

void set_use(Machine& m, const NodeRecord& node, bool reservations_known) {
  m.used_cpus = node.used_cpus;
  m.used_memory = {node.used_memory_mib * mebibyte};
  m.taken = in_any(node, {"MAINT", "RESERVED"}) && !reservations_known;
  m.taken |= in_any(node, {"BLOCKED"});
  const Gres* gpu = main_gpu(node);
  if (gpu != nullptr && node.used_gres)
    m.used_gpus =
        std::min(m.slices.empty() ? gpus_in(*node.used_gres, gpu->type) : gpus_behind(*node.used_gres), m.gpus);
}

Machine machine_of(const NodeRecord& node, const GpuSettings& words, bool reservations_known) {
  Machine m;
  m.name = node.name;
  m.cpus = std::min<std::int64_t>(node.cpus, 100'000);
  m.threads = node.threads;
  if (node.spec_cpus > 0) m.reserve_cpus = std::min(node.spec_cpus, m.cpus - 1);
  m.memory = {node.memory_mib * mebibyte};
  if (node.spec_memory_mib > 0) m.reserve_memory = Size{std::min(node.spec_memory_mib, node.memory_mib - 1) * mebibyte};
  m.disk = {node.disk_mib * mebibyte};
  m.arch = node.arch == "aarch64" || node.arch == "arm64" ? "arm64" : "amd64";
  m.drained = is_drained(node);
  m.drain_reason = node.reason.empty() ? "no reason given" : node.reason;
  set_gpus(m, node, words);
  if (node.live) set_use(m, node, reservations_known);
  return m;
}

// Whether jobs run on the node whose GPUs were not counted.
bool gpus_unknown(const NodeRecord& node) {
  return node.live && node.used_cpus > 0 && !node.used_gres && main_gpu(node) != nullptr;
}

// What squeue says of nodes that do not say it themselves.
void add_jobs(const Cluster& cluster, std::vector<Machine>& machines, std::vector<targets::Remark>& remarks,
              Diagnostics& diagnostics) {
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < machines.size(); ++i) index.emplace(machines[i].name, i);
  constexpr std::string_view running[] = {"RUNNING", "CONFIGURING", "COMPLETING", "R", "CF", "CG"};
  bool vague = false;
  std::size_t budget = 50 * max_nodes;  // a node runs many small jobs
  for (const JobRecord& job : cluster.jobs) {
    if (std::find(std::begin(running), std::end(running), job.state) == std::end(running)) continue;
    const auto names = expand_hosts(job.hosts, std::min(budget, max_nodes));
    if (!names)
      return diagnostics.add(Code::too_many_records, job.span, "the jobs contain too many nodes in total"), void();
    budget -= names->size();
    const std::int64_t count = std::max<std::int64_t>(1, static_cast<std::int64_t>(names->size()));
    for (const std::string& name : *names) {
      const auto found = index.find(name);
      if (found == index.end()) continue;
      Machine& m = machines[found->second];
      const NodeRecord& node = cluster.nodes[found->second];
      const Gres* gpu = main_gpu(node);
      vague |= gpu != nullptr && !job.gres_known;
      if (gpu != nullptr && !node.used_gres)
        for (const Gres& g : job.gres)
          if (g.name == "gpu") m.used_gpus = std::min(m.used_gpus + g.count, m.gpus);
      if (node.live) continue;
      m.used_cpus = std::min(m.used_cpus + (job.cpus + count - 1) / count, m.cpus);
      m.used_memory = Size{-1};  // a job's memory may be of a node or of a core: the GPUs' share
    }
  }
  if (vague)
    remarks.push_back({"",
                       "question: do jobs whose TRES_PER_NODE is N/A have GPUs? They are counted without GPUs; "
                       "see `scontrol -d show node`"});
}

// Without other information a node with jobs counts as in use: what is reported to fit then does.
void take_unknown(const Cluster& cluster, std::vector<Machine>& machines, std::vector<targets::Remark>& remarks) {
  bool any = false;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    if (!gpus_unknown(cluster.nodes[i]) || cluster.asked_jobs) continue;
    machines[i].taken = any = true;
  }
  if (any)
    remarks.push_back({"",
                       "question: which GPUs are in use? Nodes with jobs are counted as completely in use; "
                       "see `scontrol -d show node`"});
}

void add_leaves(const Cluster& cluster, std::vector<Machine>& machines) {
  std::unordered_map<std::string_view, std::string_view> leaf_of;
  for (const SwitchRecord& leaf : cluster.switches)
    for (const std::string& node : leaf.nodes) leaf_of.emplace(node, leaf.name);
  for (Machine& m : machines)
    if (const auto found = leaf_of.find(m.name); found != leaf_of.end()) m.leaf = found->second;
}

void remark_gres(const std::vector<NodeRecord>& nodes, std::vector<targets::Remark>& remarks) {
  std::set<std::string> mixed, other;
  for (const NodeRecord& node : nodes) {
    const Gres* gpu = main_gpu(node);
    for (const Gres& g : node.gres) {
      if (g.name != "gpu") other.insert(printable(g.name, 40));
      else if (gpu != nullptr && g.type != gpu->type && !(slice_name(g.type) && slice_name(gpu->type)))
        mixed.insert(printable(g.type, 40));
    }
  }
  const auto list = [](const std::set<std::string>& names) {
    std::string out;
    for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
    return printable(out, 400);
  };
  if (!mixed.empty()) remarks.push_back({"", "GPUs of a second type per node were not imported: " + list(mixed)});
  if (!other.empty()) remarks.push_back({"", "other GRES, which were not imported: " + list(other)});
}

// A fleet with some of the features says that no node has the others: it has all of them, or none.
std::string why_not_all(const Cluster& cluster, const std::map<std::string, std::vector<std::string>>& nodes_of) {
  for (const auto& [feature, nodes] : nodes_of)
    if (first_invalid_utf8(feature) || feature.find('\0') != std::string::npos)
      return "a name is not text: " + printable(feature, 60);
  const bool live = std::any_of(cluster.nodes.begin(), cluster.nodes.end(), [](const auto& node) { return node.live; });
  const std::string_view plugins = cluster.config ? cluster.config->get("NodeFeaturesPlugins") : std::string_view();
  if (live || plugins.empty() || nodes_of.empty()) return {};
  return "NodeFeaturesPlugins adds others: " + printable(plugins, 60) + "; `scontrol show node` prints them";
}

}  // namespace

void add_features(const Cluster& cluster, model::Fleet& fleet, std::vector<targets::Remark>& remarks) {
  std::map<std::string, std::vector<std::string>> nodes_of;
  for (const NodeRecord& node : cluster.nodes)
    for (const std::string& feature : node.features) {
      std::vector<std::string>& nodes = nodes_of[feature];
      if (nodes.empty() || nodes.back() != node.name) nodes.push_back(node.name);
    }
  if (const std::string why = why_not_all(cluster, nodes_of); !why.empty()) {
    remarks.push_back({"", "no feature of the nodes was imported, because " + why});
    return;
  }
  for (auto& [feature, nodes] : nodes_of)
    fleet.features.push_back({feature, {}, HostNames::read(compress_hosts(nodes)).value_or(HostNames(nodes))});
}

GpuSettings gpu_settings(const std::vector<NodeRecord>& nodes) {
  std::set<std::string> types;
  GpuSettings out;
  std::map<std::string, std::string> feature_of;   // model → feature, where types are not declared
  std::map<std::string, std::string> spelling_of;  // model → how its slices are requested
  bool nameless = false;
  for (const NodeRecord& node : nodes) {
    const Gres* gpu = main_gpu(node);
    if (gpu == nullptr) continue;
    if (const auto slice = slice_name(gpu->type))
      spelling_of.emplace(model_for(node, *gpu, out), "gpu:" + slice->before + "{slice}");
    else if (!gpu->type.empty()) types.insert(gpu->type);
  }
  std::set<std::string> used;
  // A type that is a model's very name has it before longer ones.
  for (const bool exact : {true, false})
    for (const std::string& type : types) {
      const std::string model = gpu_name(type).model;
      if ((model == type) != exact) continue;
      out.model_of[type] = used.insert(model).second ? model : muster::lower(type);
    }
  for (const NodeRecord& node : nodes) {
    const Gres* gpu = main_gpu(node);
    if (gpu == nullptr || !gpu->type.empty()) continue;
    const std::string* feature = gpu_feature(node);
    if (feature == nullptr || has_type(gpu_name(*feature).model, out)) nameless = true;
    else feature_of.emplace(gpu_name(*feature).model, *feature);
  }
  for (const auto& [type, model] : out.model_of)
    if (type != model) out.dialects.push_back({model, model::Located<std::string>{type, {}}, {}});
  for (const auto& [model, feature] : feature_of)
    out.dialects.push_back({model, {}, model::Located<std::string>{feature, {}}});
  for (const auto& [model, spelling] : spelling_of) {
    const auto same =
        std::find_if(out.dialects.begin(), out.dialects.end(), [&](const auto& d) { return d.model == model; });
    model::GpuDialect& dialect = same != out.dialects.end() ? *same : out.dialects.emplace_back();
    dialect.model = model;
    dialect.slice_resource = model::unplaced(spelling);
  }
  if (nameless) out.dialects.push_back({std::string(untyped), model::Located<std::string>{"", {}}, {}});
  return out;
}

std::vector<Machine> machines_of(const Cluster& cluster, const GpuSettings& words,
                                 std::vector<targets::Remark>& remarks, Diagnostics& diagnostics) {
  std::vector<Machine> out;
  out.reserve(cluster.nodes.size());
  for (const NodeRecord& node : cluster.nodes) out.push_back(machine_of(node, words, cluster.asked_reservations));
  add_jobs(cluster, out, remarks, diagnostics);
  take_unknown(cluster, out, remarks);
  add_leaves(cluster, out);
  remark_gres(cluster.nodes, remarks);
  return out;
}

}  // namespace muster::targets::slurm
