#include "cli/why_site.h"

#include <algorithm>
#include <set>

#include "compiler/base/text.h"
#include "compiler/model/marks.h"
#include "compiler/model/module.h"
#include "compiler/model/plane_traits.h"
#include "driver/planning.h"
#include "driver/session.h"
#include "lint/fit_as_read.h"
#include "plan/verdict.h"

namespace muster::cli {
namespace {

driver::Inputs inputs_of(const std::string& site) {
  driver::Inputs out;
  out.site_file = site;
  return out;
}

std::string slurm_time(Duration limit) {
  const std::int64_t seconds = limit.seconds_up();
  const auto two = [](std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  return std::to_string(seconds / 86400) + "-" + two(seconds / 3600 % 24) + ":" + two(seconds / 60 % 60) + ":" +
         two(seconds % 60);
}

// The nodes of the fleet as one plane shows them, but for those that an output shows already.
class Nodes {
 public:
  Nodes(const model::Site& site, const model::Plane& plane, why::Facts& facts, std::uint32_t file, const Sources& own)
      : site_(site), plane_(plane), facts_(facts), file_(file), own_(own) {
    for (const why::Object& object : facts.objects)
      if (object.kind == why::Kind::node || (object.kind == why::Kind::object && object.type == "node"))
        known_.insert(object.name);
  }

  void add(const model::Pool& pool, bool batch) {
    const why::Place place{file_, own_.position(pool.span.file, pool.span.begin).line};
    for (std::uint32_t i = 0; i < pool.node_count && i < 20000; ++i) {
      const std::string name = pool.node_name(i);
      if (known_.contains(name)) continue;
      why::Object node{
          batch ? why::Kind::node : why::Kind::object, batch ? "" : "node", name, {}, facts_.segments, place};
      if (batch) add_batch(pool, i, node);
      else add_pods(pool, node);
      facts_.objects.push_back(std::move(node));
    }
  }

 private:
  void add_batch(const model::Pool& pool, std::uint32_t index, why::Object& node) const {
    std::string gres = "(null)";
    if (pool.gpu) {
      const std::string type = model::gpu_word(site_, plane_, pool.gpu->model).type;
      gres = "gpu:" + (type.empty() ? std::string() : type + ":") + std::to_string(pool.gpu->count);
    }
    node.add("Gres", gres, node.place);
    node.add("CPUTot", std::to_string(pool.cpus), node.place);
    node.add("RealMemory", std::to_string(pool.memory.bytes >> 20), node.place);
    if (std::find(pool.drained.begin(), pool.drained.end(), index) != pool.drained.end())
      node.add("State", "drained", node.place);
  }

  void add_pods(const model::Pool& pool, why::Object& node) const {
    node.add("allocatable.cpu", std::to_string(pool.usable_cpus(model::PlaneFamily::pods)), node.place);
    node.add("allocatable.memory", std::to_string(pool.usable_memory(model::PlaneFamily::pods).bytes >> 20) + "Mi",
             node.place);
    if (pool.gpu && is_one_of(pool.gpu->vendor, {"nvidia", "amd"}))
      node.add("allocatable." + pool.gpu->vendor + ".com/gpu", std::to_string(pool.gpu->count), node.place);
  }

  const model::Site& site_;
  const model::Plane& plane_;
  why::Facts& facts_;
  std::uint32_t file_;
  const Sources& own_;
  std::set<std::string> known_;
};

void add_partition(const model::Queue& queue, const model::Fleet& fleet, why::Place place, why::Facts& facts) {
  const std::string name = queue.plane_name.empty() ? queue.name : queue.plane_name;
  for (const why::Object& object : facts.objects)
    if (object.kind == why::Kind::partition && object.name == name && object.find("Nodes") != nullptr) return;
  why::Object partition{why::Kind::partition, {}, name, {}, facts.segments, place};
  std::vector<std::string> nodes;
  for (const model::Pool& pool : fleet.pools) {
    const bool has = queue.pools.empty() || std::any_of(queue.pools.begin(), queue.pools.end(),
                                                        [&](const auto& one) { return one.value == pool.name; });
    for (std::uint32_t i = 0; has && i < pool.node_count && nodes.size() < 20000; ++i)
      nodes.push_back(pool.node_name(i));
  }
  if (!queue.nodes.empty()) nodes = queue.nodes.all();
  partition.add("Nodes", compress_hosts(nodes), place);
  if (queue.max_time) partition.add("MaxTime", slurm_time(queue.max_time->value), place);
  if (queue.max_nodes) partition.add("MaxNodes", std::to_string(queue.max_nodes->value), place);
  if (queue.is_default) partition.add("Default", "YES", place);
  partition.add("listed", "site", place);
  facts.objects.push_back(std::move(partition));
}

}  // namespace

WhySite::WhySite(std::string file)
    : file_(std::move(file)), session_(std::make_unique<driver::Session>(inputs_of(file_))) {}
WhySite::~WhySite() = default;

bool WhySite::load() { return session_->load() && session_->site() != nullptr; }

void WhySite::add_to(why::Facts& facts, Sources& sources) const {
  const model::Site& site = *session_->site();
  const model::Fleet* fleet = session_->fleet(site);
  if (fleet == nullptr) return;
  const Sources& own = session_->sources();
  const std::uint32_t from = fleet->span.file;
  const std::uint32_t file = sources.add(own.name(from), std::string(own.text(from)));
  const bool slurm = std::any_of(facts.objects.begin(), facts.objects.end(), [](const why::Object& one) {
    return one.kind == why::Kind::job || one.kind == why::Kind::script ||
           (one.kind == why::Kind::refused && one.type != "kubectl");
  });
  for (const model::Plane& plane : site.planes) {
    const model::PlaneFamily family = model::traits_of(plane.kind()).family;
    const bool batch = family == model::PlaneFamily::batch;
    if (family == model::PlaneFamily::service || batch != slurm) continue;
    Nodes nodes(site, plane, facts, file, own);
    for (const model::Pool& pool : fleet->pools) nodes.add(pool, batch);
    if (batch)
      for (const model::Queue& queue : site.queues)
        add_partition(queue, *fleet, {file, own.position(queue.span.file, queue.span.begin).line}, facts);
    return;
  }
}

plan::Verdict WhySite::fit(const std::string& name, const std::string& text, std::string& note) const {
  driver::Inputs inputs = inputs_of(file_);
  inputs.files = {name};
  inputs.input = text;
  inputs.existing = driver::Existing::as_read;
  driver::Session session(inputs);
  if (!session.load()) return plan::Verdict::unknown;
  const auto setting = driver::make_setting(session);
  if (!setting || setting->fleet == nullptr) return plan::Verdict::unknown;
  plan::Verdict out = plan::Verdict::fits;
  for (const model::Workload& workload : session.module().workloads) {
    const targets::AsRead* read = session.as_read(workload);
    if (read == nullptr) continue;
    const plan::Fit fit = lint::fit_as_read(*read, *setting->site, *setting->fleet);
    for (const plan::Level* level : {&fit.capacity, &fit.policy}) {
      out = plan::worse(out, level->verdict);
      if (level->verdict == plan::Verdict::does_not_fit && level->certificate && note.empty())
        note = level->certificate->text;
    }
  }
  return session.module().workloads.empty() ? plan::Verdict::unknown : out;
}

}  // namespace muster::cli
