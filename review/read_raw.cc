// Batch scripts and manifests that people or other tools wrote.
#include <algorithm>

#include "compiler/base/units.h"
#include "review/cost.h"
#include "review/describe.h"
#include "review/documents.h"
#include "targets/kubernetes/read/cluster.h"
#include "targets/kubernetes/read/manifest.h"
#include "targets/slurm/read/body.h"
#include "targets/slurm/read/meaning.h"

namespace muster::review {
namespace {

using Number = std::optional<std::int64_t>;

std::string folder_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? std::string() : file.substr(0, slash + 1);
}

Number memory_of(const targets::slurm::Component& job) {
  if (!job.memory || job.memory->all || job.memory->per != targets::slurm::MemoryPer::node || !job.nodes)
    return std::nullopt;
  return product(product(job.memory->mebibytes, std::int64_t{1} << 20), job.nodes->min);
}

Resources resources_of(const targets::slurm::Component& job) {
  Resources out;
  if (job.nodes) out.nodes = job.nodes->min;
  out.gpus = job.gpus_in_all.value;
  if (job.tasks && job.cpus_per_task) out.cpus = product(*job.tasks, *job.cpus_per_task);
  out.memory = memory_of(job);
  if (job.time && !job.time->unlimited) out.time_limit_ms = product(job.time->seconds, 1000);
  if (job.array) out.tasks = job.array->count;
  return out;
}

// The most of a resource that the containers of a pod hold at a time: the sum of those that run together, or one that
// runs before them.
Number held(const targets::kubernetes::PodTemplate& pods, std::string_view resource, bool gpus) {
  std::int64_t together = 0, before = 0;
  for (const targets::kubernetes::Container& c : pods.containers) {
    Number amount = c.gpus();
    if (!gpus) {
      const auto field = c.request(resource) ? c.request(resource) : c.limit(resource);
      amount = targets::kubernetes::read_quantity(field.text());
    }
    if (!amount) return std::nullopt;
    if (c.init) before = std::max(before, *amount);
    else together += *amount;
  }
  return std::max(before, together);
}

Resources resources_of(const targets::kubernetes::Object& object) {
  Resources out;
  if (object.pods.empty()) return out;
  out.pods = out.gpus = 0;
  Number cpus = 0, memory = 0;
  const auto add = [](Number& total, Number more) {
    std::int64_t sum = 0;
    if (!total || !more || __builtin_add_overflow(*total, *more, &sum)) total.reset();
    else total = sum;
  };
  for (const targets::kubernetes::PodTemplate& pods : object.pods) {
    add(out.pods, pods.count);
    add(out.gpus, product(pods.count, held(pods, {}, true)));
    add(cpus, product(pods.count, held(pods, "cpu", false)));
    add(memory, product(pods.count, held(pods, "memory", false)));
  }
  if (cpus) out.cpus = (*cpus + 999) / 1000;
  if (memory) out.memory = *memory / 1000;
  const Number seconds = object.root.at("spec.activeDeadlineSeconds").whole();
  out.time_limit_ms = product(seconds, 1000);
  return out;
}

Cost cost_of(const Resources& resources) {
  if (!resources.time_limit_ms) return {};
  const Number once = product(resources.gpus, Duration{*resources.time_limit_ms}.seconds_up());
  return {product(once, resources.tasks.value_or(1)), std::nullopt};
}

}  // namespace

Workload read_script(const Sources& sources, std::uint32_t file, const model::Site* site, const model::Fleet* fleet) {
  const auto script = targets::slurm::read_script(sources, file);
  const auto body = targets::slurm::read_body(sources, script);
  const auto meaning = targets::slurm::meaning_of(script, body, {site, fleet, std::nullopt});
  Workload out;
  out.id = out.file = sources.name(file);
  out.form = Form::script;
  if (meaning.components.size() == 1) out.resources = resources_of(meaning.job());
  out.cost = cost_of(out.resources);
  out.objects.push_back(object_of(script, sources, out.id.substr(folder_of(out.id).size())));
  return out;
}

std::vector<Workload> read_manifests(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics) {
  const auto manifest = targets::kubernetes::read_manifest(sources, file);
  for (const Diagnostic& d : manifest.diagnostics.sorted()) diagnostics.add(d);
  for (const Diagnostic& d : manifest.documents.diagnostics.sorted()) diagnostics.add(d);
  for (const auto& document : manifest.documents.documents)
    for (const Diagnostic& d : document.diagnostics.sorted()) diagnostics.add(d);
  DigestEndings endings;
  for (const auto& object : manifest.objects) endings.add(object.name);
  std::vector<Workload> out;
  for (const auto& object : manifest.objects) {
    Workload w;
    w.file = sources.name(file);
    w.form = Form::manifest;
    w.objects.push_back(object_of(*object.root.node, endings));
    const Object& o = w.objects.front();
    w.id = folder_of(w.file) + o.kind + "/" + (o.name_space.empty() ? "" : o.name_space + "/") + o.name;
    w.resources = resources_of(object);
    w.cost = cost_of(w.resources);
    out.push_back(std::move(w));
  }
  return out;
}

}  // namespace muster::review
