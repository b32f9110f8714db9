#include "targets/slurm/read/meaning.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "targets/slurm/option_table.h"
#include "targets/slurm/read/component.h"

namespace muster::targets::slurm {
namespace {

std::string_view value_of(const Script& script, std::int32_t index) {
  if (index == no_directive) return {};
  const auto& value = script.directives[static_cast<std::size_t>(index)].value;
  return value ? std::string_view(*value) : std::string_view{};
}

// Accepted, and seldom what was meant.
void time_remark(const Component& c, const Script& script, std::vector<Remark>& out) {
  if (!c.time || c.time->unlimited) return;
  const std::string text(value_of(script, c.time.by));
  const bool one_colon = std::count(text.begin(), text.end(), ':') == 1 && text.find('-') == std::string::npos;
  if (one_colon) {
    out.push_back({RemarkKind::time_unit,
                   "`" + text + "` means minutes and seconds: " + std::to_string(c.time->seconds) +
                       " seconds, which Slurm stores as " + std::to_string(c.time->minutes) + " min",
                   c.time.by});
  } else if (all_digits(text) && c.time->minutes <= 72) {
    out.push_back({RemarkKind::time_unit, "`--time=" + text + "` means " + text + " minutes, not hours", c.time.by});
  }
}

void memory_remark(const Component& c, const Script& script, std::vector<Remark>& out) {
  if (!c.memory || c.memory->all) return;
  const std::string text(value_of(script, c.memory.by));
  if (all_digits(text) && c.memory->mebibytes < 1024)
    out.push_back(
        {RemarkKind::memory_unit, "`" + text + "` without a unit means " + text + " MB of memory", c.memory.by});
}

void array_remark(const Component& c, std::vector<Remark>& out) {
  if (c.array && c.array->throttle && *c.array->throttle == 0)
    out.push_back({RemarkKind::array_blocked, "`%0` is accepted, but no task of the array ever starts", c.array.by});
  if (c.array && c.array->max > 1000)
    out.push_back({RemarkKind::array_index,
                   "index " + std::to_string(c.array->max) + " requires a larger MaxArraySize; Slurm's default is 1001",
                   c.array.by});
}

void add_remarks(const Component& c, const Script& script, std::vector<Remark>& out) {
  time_remark(c, script, out);
  memory_remark(c, script, out);
  array_remark(c, out);
  if (c.gpus_total && !c.gpus_a_node.value && !c.gpus_a_node.reason.empty())
    out.push_back({RemarkKind::gpus_uneven, "GPUs per node: " + c.gpus_a_node.reason + "; use `--gpus-per-node`",
                   c.gpus_total.by});
}

void add_questions(const Meaning& meaning, const Script& script, std::vector<OpenQuestion>& out) {
  const Component& job = meaning.job();
  if (!job.time.given()) out.push_back({"the time limit: without `--time` it is the partition's", no_directive});
  if (!job.partitions.given())
    out.push_back({"the partition: without `--partition` it is the cluster's default", no_directive});
  if (!job.memory.given()) out.push_back({"the memory: without `--mem` it is the partition's default", no_directive});
  for (const Template& t : script.templates)
    if (t.by == FilledBy::variable && t.in_directive && !script.expanded) {
      out.push_back({"sbatch does not expand variables in `#SBATCH` lines and uses `$…` literally", no_directive});
      break;
    }
}

// Conflicts of values that a site's default or a later option makes moot stay: Slurm reads every option.
void read_components(const Script& script, std::optional<model::Version> version, Meaning& meaning) {
  DirectiveIndex last;
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < std::max(1u, script.components); ++i) {
    meaning.components.push_back(i == 0 ? Component{} : inherited(meaning.components.back()));
    std::erase_if(last, [](const auto& entry) {
      const OptionRow* row = find_option(Tool::sbatch, entry.first);
      return row == nullptr || row->per_component;
    });
    Component& component = meaning.components.back();
    for (; at < script.directives.size() && script.directives[at].component == i; ++at) {
      apply(component, script, static_cast<std::int32_t>(at), version, meaning.conflicts);
      last.insert_or_assign(script.directives[at].name, static_cast<std::int32_t>(at));
    }
    complete(component);
    find_conflicts(component, script, last, i, version, meaning.conflicts);
  }
}

// Segments that do not divide the nodes that the job asks for: on a block topology the controller refuses them, since
// 26.05 the client everywhere (tried on 24.11 and 26.05).
void add_segment_conflict(const Component& c, std::uint32_t index, std::optional<model::Version> version,
                          const model::Plane* plane, std::vector<Conflict>& out) {
  constexpr model::Version client{26, 5};
  const bool asks = c.nodes && c.nodes.by != no_directive;
  if (!c.segment || *c.segment < 1 || !asks || c.nodes->min != c.nodes->max || c.nodes->min % *c.segment == 0) return;
  const bool block = plane != nullptr && plane->batch()->topology == model::SlurmTopology::block;
  if (!block && (plane != nullptr || version) && !(version && *version >= client)) return;
  Conflict conflict{ConflictKind::other, {}, "", index, client, block || version};
  conflict.message = "`--segment=" + std::to_string(*c.segment) + "` does not divide the " +
                     counted(c.nodes->min, "node") + " of the job";
  for (const std::int32_t by : {c.nodes.by, c.segment.by})
    if (by != no_directive) conflict.by.push_back(by);
  out.push_back(std::move(conflict));
}

}  // namespace

std::vector<std::string_view> partitions_of(const model::Queue& queue) {
  std::vector<std::string_view> out;
  for (const std::string_view one : split(queue.plane_name.empty() ? queue.name : queue.plane_name, ','))
    if (!one.empty()) out.push_back(one);
  return out;
}

const model::Plane* slurm_plane(const model::Site* site) {
  if (site == nullptr) return nullptr;
  for (const model::Plane& plane : site->planes)
    if (plane.kind() == model::PlaneKind::slurm) return &plane;
  return nullptr;
}

Meaning meaning_of(const Script& script, const Body& body, const MeaningOptions& options) {
  Meaning meaning;
  meaning.plane = slurm_plane(options.site);
  std::optional<model::Version> version = options.version;
  if (!version && meaning.plane != nullptr) version = meaning.plane->version.value;
  read_components(script, version, meaning);
  for (std::uint32_t i = 0; i < meaning.components.size(); ++i)
    add_segment_conflict(meaning.components[i], i, version, meaning.plane, meaning.conflicts);
  for (std::uint32_t i = 0; meaning.plane != nullptr && i < meaning.components.size(); ++i)
    check_site(meaning.components[i], i, options, meaning.plane, meaning.site_refusals);
  for (const Component& component : meaning.components) add_remarks(component, script, meaning.remarks);
  // An option that passes from component to component is one remark.
  const auto before = [](const Remark& a, const Remark& b) { return a.text < b.text; };
  const auto same = [](const Remark& a, const Remark& b) { return a.text == b.text; };
  std::stable_sort(meaning.remarks.begin(), meaning.remarks.end(), before);
  meaning.remarks.erase(std::unique(meaning.remarks.begin(), meaning.remarks.end(), same), meaning.remarks.end());
  meaning.starts = find_starts(body, meaning.components, version, meaning.remarks);
  add_questions(meaning, script, meaning.open);
  return meaning;
}

std::string_view name(ConflictKind kind) {
  switch (kind) {
    case ConflictKind::bad_value: return "bad-value";
    case ConflictKind::over_length: return "over-length";
    case ConflictKind::memory_twice: return "memory-twice";
    case ConflictKind::array_and_hetjob: return "array-and-hetjob";
    case ConflictKind::gpus_and_gres: return "gpus-and-gres";
    case ConflictKind::exclusive_and_oversubscribe: return "exclusive-and-oversubscribe";
    case ConflictKind::nodes_and_tasks: return "nodes-and-tasks";
    case ConflictKind::gpus_mismatch: return "gpus-mismatch";
    case ConflictKind::other: return "other";
  }
  return "";
}

std::string_view name(SiteKind kind) {
  switch (kind) {
    case SiteKind::unknown_partition: return "unknown-partition";
    case SiteKind::unknown_account: return "unknown-account";
    case SiteKind::unknown_qos: return "unknown-qos";
    case SiteKind::unknown_reservation: return "unknown-reservation";
    case SiteKind::over_time: return "over-time";
    case SiteKind::over_nodes: return "over-nodes";
    case SiteKind::over_gpus: return "over-gpus";
    case SiteKind::unknown_gpu_type: return "unknown-gpu-type";
    case SiteKind::gpus_per_node: return "gpus-per-node";
    case SiteKind::cpus_per_node: return "cpus-per-node";
    case SiteKind::memory_per_node: return "memory-per-node";
    case SiteKind::nodes_in_pool: return "nodes-in-pool";
  }
  return "";
}

}  // namespace muster::targets::slurm
