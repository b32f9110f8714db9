// Batch scripts and manifests that people or other tools wrote.
#include <algorithm>
#include <map>
#include <set>

#include "compiler/base/units.h"
#include "lint/fit_as_read.h"
#include "lint/overlays.h"
#include "lint/rules/slurm/job.h"
#include "review/cost.h"
#include "review/describe.h"
#include "review/documents.h"
#include "review/manifest_amounts.h"
#include "review/number.h"
#include "targets/kubernetes/read/as_read.h"
#include "targets/kubernetes/read/kustomization.h"
#include "targets/kubernetes/read/manifest.h"
#include "targets/slurm/read/amounts.h"
#include "targets/slurm/read/as_read.h"
#include "targets/slurm/read/body.h"
#include "targets/slurm/read/meaning.h"
#include "targets/slurm/read/purpose.h"

namespace muster::review {
namespace {

std::string folder_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? std::string() : file.substr(0, slash + 1);
}

// Of all its nodes.
Number memory_of(const targets::slurm::JobAmounts& asked) {
  if (!asked.memory || !asked.nodes) return std::nullopt;
  return product(asked.memory->bytes, asked.nodes->low);
}

Resources resources_of(const targets::slurm::Component& job, std::span<const model::Pool* const> pools) {
  Resources out;
  const targets::slurm::JobAmounts asked = amounts_of(job, pools);
  if (asked.unknown.empty() && asked.nodes) out.nodes = asked.nodes->low;
  out.gpus = job.gpus_in_all.value;  // a total that Slurm divides, where it is one
  if (!out.gpus && out.nodes && asked.gpus) out.gpus = product(*out.nodes, *asked.gpus);
  if (job.tasks && job.cpus_per_task) out.cpus = product(*job.tasks, *job.cpus_per_task);
  out.memory = memory_of(asked);
  if (job.time && !job.time->unlimited) out.time_limit_ms = product(job.time->seconds, 1000);
  if (job.array) out.tasks = job.array->count;
  if (job.array && job.array->throttle.value_or(0) > 0) out.at_once = std::min(*job.array->throttle, job.array->count);
  return out;
}

// Nodes of the pool that take jobs.
std::int64_t usable_nodes(const model::Pool& pool) {
  std::set<std::uint32_t> out(pool.drained.begin(), pool.drained.end());
  out.insert(pool.spare.begin(), pool.spare.end());
  return std::max<std::int64_t>(pool.node_count - static_cast<std::int64_t>(out.size()), 0);
}

// Tasks of an array that the pool takes at once, by its GPUs and CPUs: more never run.
std::int64_t tasks_on(const model::Pool& pool, const targets::slurm::Component& job) {
  const std::int64_t nodes = std::max<std::int64_t>(job.nodes->min, 1), have = usable_nodes(pool);
  if (have < nodes) return 0;
  const std::int64_t gpus = job.gpus_a_node.value.value_or(0), gpus_of_node = pool.gpu ? pool.gpu->count : 0;
  const std::int64_t cpus = job.tasks && job.cpus_per_task ? product(*job.tasks, *job.cpus_per_task).value_or(0) : 0;
  std::int64_t a_node = INT64_MAX;
  if (gpus > 0) a_node = gpus_of_node / gpus;
  if (cpus >= nodes && pool.cpus > 0)
    a_node = std::min(a_node, pool.usable_cpus(model::PlaneFamily::batch) / (cpus / nodes));
  if (job.exclusive && *job.exclusive == targets::slurm::Exclusive::node) a_node = std::min<std::int64_t>(a_node, 1);
  return product(a_node, have).value_or(INT64_MAX) / nodes;
}

// Tasks of an array that run at once: as many as fleet and queue take, as for a spec.
Number at_once_on(const std::vector<const model::Pool*>& pools, const model::Queue* queue,
                  const targets::slurm::Component& job) {
  Number out;
  if (!pools.empty() && job.nodes && job.gpus_a_node.value) {
    out = 0;
    for (const model::Pool* pool : pools) out = sum(out, tasks_on(*pool, job));
  }
  if (queue != nullptr && queue->max_jobs) out = std::min(out.value_or(INT64_MAX), queue->max_jobs->value);
  return out;
}

// The queue that a script goes to; nullptr: the site does not have it, or the script may go to several.
const model::Queue* queue_of_script(const lint::Context& context, const targets::slurm::Meaning& meaning) {
  const auto& partitions = meaning.job().partitions;
  return partitions && partitions->size() != 1 ? nullptr : lint::queue_of(context, meaning);
}

// Money where a queue of the site gets it, and all pools behind that have one price.
Cost cost_of_script(const Resources& resources, const lint::Context& context, const targets::slurm::Meaning& meaning) {
  const model::Queue* queue = queue_of_script(context, meaning);
  Number time = resources.time_limit_ms;
  const bool at_most = !time && !meaning.job().time && queue != nullptr && queue->max_time;
  if (at_most) time = queue->max_time->value.ms;
  if (!time) return {};
  const auto seconds = [&](const Number& count) {
    return product(product(count, Duration{*time}.seconds_up()), resources.tasks.value_or(1));
  };
  Cost out{seconds(resources.gpus), std::nullopt, at_most, seconds(resources.cpus), seconds(resources.nodes)};
  if (queue == nullptr || !out.gpu_seconds) return out;
  const auto& exclusive = meaning.job().exclusive;
  const bool is_alone = exclusive && *exclusive == targets::slurm::Exclusive::node;
  const Used used{out.gpu_seconds, out.cpu_seconds, is_alone ? out.node_seconds : std::nullopt};
  out.micros = money_of(used, common_prices(lint::pools_of(context, meaning)));
  return out;
}

// Whether it fits the site; nothing where that is not asked or not known.
Placement placement_of(const targets::AsRead& read, const model::Site& site, const model::Fleet& fleet,
                       plan::FleetState* state) {
  Placement out;
  if (read.plane == nullptr) return out;
  const plan::Fit fit = lint::fit_as_read(read, site, fleet, state);
  const plan::Verdict verdict = plan::startable(fit);
  if (verdict == plan::Verdict::unknown) return out;
  out.verdict = plan::name(verdict);
  for (const plan::Level* level : {&fit.policy, &fit.capacity})
    if (level->verdict == plan::Verdict::does_not_fit && level->certificate) out.certificate = level->certificate->text;
  if (verdict != plan::Verdict::fits) return out;
  if (!fit.pool.empty()) out.pools = {fit.pool};
  out.leaf_switches = fit.leaf_switches;
  return out;
}

// The objects of one manifest as workloads of a review.
class ObjectReader {
 public:
  ObjectReader(const targets::kubernetes::Manifest& manifest, const model::Site* site, const model::Fleet* fleet,
               plan::FleetState* state)
      : manifest_(manifest), site_(site), fleet_(fleet), scaled_(targets::kubernetes::scaled_objects(manifest)) {
    if (site == nullptr || fleet == nullptr) return;
    for (const auto& read : targets::kubernetes::as_read(manifest, *site, fleet))
      placed_.emplace(
          read.object,
          Placed{placement_of(read.as_read, *site, *fleet, state), read.as_read.plane->name,
                 read.as_read.workload.queues.empty() ? std::string() : read.as_read.workload.queues.front().value});
  }

  // `folder`: "" or ends in a slash.
  static Workload named(const targets::kubernetes::Object& object, const std::string& file, const std::string& folder,
                        const DigestEndings& endings) {
    Workload w;
    w.file = file;
    w.form = Form::manifest;
    w.objects.push_back(object_of(*object.root.node, endings));
    const Object& o = w.objects.front();
    w.name = o.kind + "/" + (o.name_space.empty() ? "" : o.name_space + "/") + o.name;
    w.id = folder + w.name;
    w.runs = false;
    return w;
  }

  // What it uses, and whether it fits.
  void add_amounts(const targets::kubernetes::Object& object, Workload& w) const {
    w.resources = review::resources_of(object, scaled_);
    w.resources.nodes = nodes_of(object, w.resources, site_, fleet_);
    w.cost = cost_of(object, w.resources, site_, fleet_);
    if (const auto placed = placed_.find(&object); placed != placed_.end())
      w.placement = placed->second.placement, w.plane = placed->second.plane, w.queue = placed->second.queue;
    w.runs = !object.pods.empty() || is_job_of_runtime(object);
    if (scaled_.contains(&object)) add_bounds(object, w.objects.front());
  }

 private:
  // Between what an autoscaler of the file chooses its pods: a change of that changes what it uses.
  void add_bounds(const targets::kubernetes::Object& object, Object& shown) const {
    for (const auto& scaler : targets::kubernetes::autoscalers(manifest_)) {
      if (targets::kubernetes::target_of(scaler, manifest_) != &object) continue;
      const std::string by = " of " + scaler.object->subject();
      if (scaler.min) shown.fields.push_back({"replicas at least" + by, std::string(scaler.min.text())});
      if (scaler.max) shown.fields.push_back({"replicas at most" + by, std::string(scaler.max.text())});
    }
    std::sort(shown.fields.begin(), shown.fields.end(), [](const Field& a, const Field& b) { return a.path < b.path; });
  }

  const targets::kubernetes::Manifest& manifest_;
  const model::Site* site_;
  const model::Fleet* fleet_;
  targets::kubernetes::Scaled scaled_;
  struct Placed {
    Placement placement;
    std::string plane, queue;
  };
  std::map<const targets::kubernetes::Object*, Placed> placed_;
};

}  // namespace

Workload read_script(const Sources& sources, std::uint32_t file, const model::Site* site, const model::Fleet* fleet,
                     plan::FleetState* state) {
  const auto script = targets::slurm::read_script(sources, file);
  const auto body = targets::slurm::read_body(sources, script);
  const auto meaning = targets::slurm::meaning_of(script, body, {site, fleet, std::nullopt});
  Workload out;
  out.id = out.file = sources.name(file);
  out.name = out.id.substr(folder_of(out.id).size());
  out.form = Form::script;
  // What is filled in first, or is several scripts, asks for nothing by itself.
  const targets::Purpose purpose = targets::slurm::purpose_of(sources, script, body);
  if (meaning.plane != nullptr) out.plane = meaning.plane->name;
  if (meaning.components.size() == 1 && purpose.is_complete()) {
    out.resources = resources_of(meaning.job(), lint::pools_of({sources, site, fleet}, meaning));
    const model::Queue* queue = queue_of_script({sources, site, fleet}, meaning);
    if (queue != nullptr) out.queue = queue->name;
    if (const auto& tasks = out.resources.tasks)
      if (const Number most = at_once_on(lint::pools_of({sources, site, fleet}, meaning), queue, meaning.job()))
        out.resources.at_once = std::min(out.resources.at_once.value_or(*tasks), *most);
    if (!meaning.job().time && queue != nullptr && queue->default_time)
      out.resources.time_limit_ms = queue->default_time->value.ms;
    out.cost = cost_of_script(out.resources, {sources, site, fleet}, meaning);
  }
  // What the site refuses of one option is a finding with its place.
  if (site != nullptr && fleet != nullptr && purpose.is_complete() && meaning.site_refusals.empty())
    out.placement = placement_of(targets::slurm::as_read(script, body, meaning, purpose, out.name, *site, fleet), *site,
                                 *fleet, state);
  out.objects.push_back(object_of(script, sources, out.name));
  return out;
}

std::optional<std::vector<Workload>> read_manifests(const Sources& sources, std::uint32_t file, const model::Site* site,
                                                    const model::Fleet* fleet, Diagnostics& diagnostics,
                                                    const lint::Overlays* overlays, plan::FleetState* state) {
  const auto manifest = targets::kubernetes::read_manifest(sources, file);
  for (const auto& skipped : manifest.skipped)
    if (skipped.why == targets::kubernetes::Skipped::Why::helm_template) return std::nullopt;
  for (const Diagnostic& d : manifest.diagnostics.sorted()) diagnostics.add(d);
  // A patch counts where it is merged.
  const targets::Purpose listed = overlays != nullptr ? overlays->purpose_of(sources.name(file)) : targets::Purpose();
  const bool patch = listed.kind == targets::PurposeKind::patch ||
                     std::any_of(manifest.objects.begin(), manifest.objects.end(), [](const auto& object) {
                       return targets::kubernetes::has_patch_directive(*object.root.node);
                     });
  const bool printed = !targets::kubernetes::purpose_as_printed(manifest).is_complete();
  const bool complete = !patch && !printed && (listed.is_complete() || listed.in_part);
  DigestEndings endings;
  for (const auto& object : manifest.objects) endings.add(object.name);
  const ObjectReader reader(manifest, site, fleet, state);
  std::vector<Workload> out;
  for (const auto& object : manifest.objects) {
    Workload w = reader.named(object, sources.name(file), folder_of(sources.name(file)), endings);
    if (complete) reader.add_amounts(object, w);
    out.push_back(std::move(w));
  }
  return out;
}

std::vector<Workload> read_merged(const targets::kubernetes::Manifest& manifest, const std::vector<bool>& changed,
                                  const std::string& folder, const model::Site* site, const model::Fleet* fleet,
                                  plan::FleetState* state) {
  DigestEndings endings;
  for (const auto& object : manifest.objects) endings.add(object.name);
  const ObjectReader reader(manifest, site, fleet, state);
  std::vector<Workload> out;
  for (std::size_t i = 0; i < manifest.objects.size() && i < changed.size(); ++i) {
    if (!changed[i]) continue;
    Workload w = reader.named(manifest.objects[i], folder, folder.empty() ? folder : folder + "/", endings);
    reader.add_amounts(manifest.objects[i], w);
    out.push_back(std::move(w));
  }
  return out;
}

}  // namespace muster::review
