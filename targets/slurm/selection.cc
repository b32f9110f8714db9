#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/model/marks.h"
#include "targets/batch/selection.h"
#include "targets/slurm/options.h"
#include "targets/slurm/sections.h"

namespace muster::targets::slurm {
namespace {

using batch::names_gpu;
using batch::reachable_pools;
using batch::requires_any;
using model::GpuWord;

// The word by which a role asks for its GPUs; empty where any will do.
GpuWord asked_request(const Job& job, const plan::RolePlan& shape) {
  if (shape.gpus == 0 || !names_gpu(job, *shape.role)) return {};
  const std::string model = gpu_model(shape);
  return model.empty() ? GpuWord{} : model::gpu_word(job.site, job.plane, model);
}
GpuWord asked_request(const Job& job) { return asked_request(job, job.shape); }

// Whether Slurm, given only what the file says, could take a node of this pool.
bool would_match(const Job& job, const model::Pool& pool) {
  if (job.shape.gpus > 0) {
    if (!pool.gpu || pool.gpu->count < job.shape.gpus) return false;
    const GpuWord word = asked_request(job);
    if (word != GpuWord{} && word != model::gpu_word(job.site, job.plane, pool.gpu->model)) return false;
  }
  if (job.shape.cpus && pool.cpus > 0 && pool.cpus < job.shape.counted_cpus(&pool)) return false;
  return !job.shape.memory || pool.memory.bytes == 0 || pool.memory >= *job.shape.memory;
}

// Nodes that Slurm might give and the workload does not want.
std::vector<std::string> unwanted_nodes(Job& job) {
  std::vector<std::string> names = job.shape.not_nodes;
  if (job.shape.allowed.empty()) return names;
  for (const model::Pool* pool : reachable_pools(job)) {
    const bool allowed = std::find(job.shape.allowed.begin(), job.shape.allowed.end(), pool) != job.shape.allowed.end();
    if (allowed || !would_match(job, *pool)) continue;
    if (pool->node_names.empty())
      job.refuse(job.wrote(Field::require) ? Field::require : Field::resources,
                 "a Slurm job cannot exclude pool `" + pool->name + "`, which does not meet the requirement",
                 "declare the pool's node names in the fleet (`nodes = \"n[001-064]\"`), or a separate GPU type for it "
                 "in the site");
    const std::vector<std::string> all = pool->node_names.all();
    names.insert(names.end(), all.begin(), all.end());
  }
  return names;
}

// `--nodelist` means "at least these": with more candidates than nodes, the others are excluded.
void add_only_nodes(Job& job, std::vector<std::string>& exclude) {
  const std::vector<std::string>& only = job.shape.only_nodes;
  if (only.empty()) return;
  if (static_cast<std::int64_t>(only.size()) <= job.shape.nodes)
    return add_option(job, "--nodelist", compress_hosts(only), Field::require);
  for (const model::Pool* pool : reachable_pools(job)) {
    if (pool->node_names.empty())
      job.refuse(Field::require, "`" + pool->name + "` has no node names, so Slurm cannot be restricted to " +
                                     counted(static_cast<long long>(only.size()), "node"));
    for (const std::string& name : pool->node_names.all())
      if (std::find(only.begin(), only.end(), name) == only.end()) exclude.push_back(name);
  }
}

void report_needs(Job& job) {
  const auto not_a_node = [](const model::Term& term) { return term.fact != "node.name"; };
  if (job.shape.pool == nullptr && (job.role.resources.gpu_memory || requires_any(job.role, not_a_node)))
    job.refuse(job.role.resources.gpu_memory ? Field::resources_gpu_memory : Field::require,
               "without a fleet it is not known which nodes meet this", "add `fleet = NAME` to the site");
  std::string as = "pool " + (job.shape.pool ? job.shape.pool->name : std::string("of the partition"));
  for (const std::string_view option : {"--constraint", "--exclude", "--nodelist"})
    if (has_option(job, option)) as += ", " + std::string(option);
  // Without a directive the partition has nothing else to give.
  const bool stated = as.find("--") != std::string::npos || asked_request(job) != GpuWord{};
  for (const Field field : {Field::require, Field::resources_gpu_memory}) {
    if (stated) job.exact(field, as);
    else job.read(field, "the choice of the pool; no other is available");
  }
  const std::size_t choices = job.shape.allowed.size();
  if (job.shape.pool == nullptr) job.approximated(Field::prefer, as, "without a fleet the scheduler chooses");
  else if (choices > 1 && asked_request(job) == GpuWord{})
    job.approximated(Field::prefer, as,
                     "the scheduler can use any of " + counted(static_cast<long long>(choices), "pool"));
  else job.read(Field::prefer, "the choice of " + as);
}

void add_constraint(Job& job, const std::string& feature) {
  // The queue may ask for features of its own; a job has one --constraint.
  const auto found = std::find_if(job.directives.begin(), job.directives.end(),
                                  [](const std::string& d) { return d.starts_with("--constraint="); });
  if (found == job.directives.end()) return add_option(job, "--constraint", feature, Field::resources_gpu);
  job.directives.erase(found);
  add_option(job, "--constraint", "(" + job.plan.queue->constraint->value + ")&" + feature, Field::resources_gpu);
}

// Slurm's segments lie each within a block of the topology; of the domain that holds them all it has no word.
void report_segments(Job& job, const model::Topology& topology, std::int64_t replica, const std::string& as) {
  job.exact(Field::topology_segment, as);
  job.exact(Field::topology_required, as);
  const bool whole = !topology.segment || topology.segment->value == replica;
  if (whole) job.exact(Field::topology_within, as);
  else if (topology.within.value == model::Within::fleet) job.read(Field::topology_within, "no constraint is needed");
  else job.approximated(Field::topology_within, "nothing", "Slurm keeps each segment together, but not all segments");
  if (topology.segment_within.value == model::Within::block) job.exact(Field::topology_segment_within, as);
  else job.approximated(Field::topology_segment_within, as, "a segment is inside one block of Slurm's topology");
}

// Slurm reads a list there: `h100:1,gpu:a100` would ask for something else.
bool is_one_name(Job& job, const GpuWord& word) {
  const auto plain = [](unsigned char c) { return is_alnum(c) || c == '_' || c == '-' || c == '.'; };
  if (std::all_of(word.type.begin(), word.type.end(), plain)) return true;
  job.refuse(Field::resources_gpu, "site `" + job.site.name + "` names this GPU `" + printable(word.type) +
                                       "`; a GPU type in Slurm can contain letters, digits and `_ - .`");
  return false;
}

void select_nodes(Job& job) {
  if (!job.shape.pinned.empty()) {  // as many as the job has: nothing else can be given
    add_option(job, "--nodelist", compress_hosts(job.shape.pinned), Field::require);
    return report_needs(job);
  }
  if (const std::string feature = asked_request(job).feature; !feature.empty()) add_constraint(job, feature);
  std::vector<std::string> exclude = unwanted_nodes(job);
  add_only_nodes(job, exclude);
  std::sort(exclude.begin(), exclude.end());
  exclude.erase(std::unique(exclude.begin(), exclude.end()), exclude.end());
  if (!exclude.empty()) add_option(job, "--exclude", compress_hosts(exclude), Field::require);
  report_needs(job);
}

void near_each_other(Job& job) {
  if (!job.role.topology) return;
  if (!job.shape.pinned.empty()) return job.exact(Field::topology, "--nodelist with the nodes of the placement");
  const model::Topology& topology = *job.role.topology;
  const model::Within within = topology.within.value;
  const bool block = job.batch.topology == model::SlurmTopology::block;
  // Where several copies share the job, each has its own domain: that of its nodes, one after the other.
  const std::int64_t replica = job.shape.nodes / job.shape.copies;
  const bool domain =
      (within == model::Within::leaf || within == model::Within::block || within == model::Within::nvlink_domain) &&
      replica > 1;
  std::int64_t segment = topology.segment ? topology.segment->value : 0;
  if (segment > 0 && !block)
    job.refuse(Field::topology_segment,
               "plane `" + job.plane.name + "` has no block topology, so Slurm cannot segment a job",
               "remove `segment`, or set `topology = block` in the site if the cluster has it");
  const std::int64_t own = job.role.nodes();
  if (segment > 0 && own % segment != 0)
    job.refuse(Field::topology_segment,
               "`--segment=" + std::to_string(segment) + "` must divide the " + counted(own, "node"));
  // One block holds all of a copy. Slurm never divides a segment, so a mere preference is not one.
  if (domain && block && segment == 0 && topology.required) segment = replica;
  if (segment > 0 && block) {
    add_option(job, "--segment", std::to_string(segment),
               topology.segment ? Field::topology_segment : Field::topology_within);
    return report_segments(job, topology, replica, "--segment=" + std::to_string(segment));
  }
  const bool leaf = within == model::Within::leaf;
  if (domain && topology.required) {
    job.refuse(Field::topology_required,
               "plane `" + job.plane.name + "` cannot guarantee one " + std::string(model::name(within)) +
                   (leaf ? " switch; `--switches` waits and then uses more" : ", because it has no block topology"),
               "remove `required`, or use a plane with block topology");
    job.loss.refused(Field::topology_within, "Slurm has no option that guarantees it");
  } else if (domain && leaf && job.batch.topology == model::SlurmTopology::tree) {
    const std::string most = std::to_string(job.shape.copies);
    add_option(job, "--switches", most, Field::topology_within);
    job.approximated(Field::topology, "--switches=" + most,
                     "not a guarantee: after the site's max_switch_wait Slurm uses more switches");
  } else if (domain && block) {
    job.approximated(
        Field::topology, "nothing",
        "Slurm chooses few blocks of its topology, without a guarantee; with `required` it is `--segment`");
  } else if (domain) {
    job.approximated(Field::topology, "nothing", "the plane does not declare such a topology");
  } else if (within == model::Within::zone && (job.shape.pool == nullptr || job.shape.pool->zone.empty())) {
    job.approximated(Field::topology, "nothing", "the fleet does not declare the nodes of a zone");
  } else {
    job.read_each(Field::topology, "no constraint is needed");
  }
}

}  // namespace

std::string counted_gpus(const Job& job, const plan::RolePlan& shape) {
  const std::string type = asked_request(job, shape).type;
  return (type.empty() ? "" : type + ":") + std::to_string(shape.gpus);
}

void add_gpus(Job& job) {
  if (job.role.resources.part_of_gpu()) return add_gpu_part(job);
  if (job.shape.gpus == 0) {
    job.read(Field::resources_gpus, "no GPU is requested");
    return job.read(Field::resources_gpu, "no GPU is requested");
  }
  const GpuWord word = asked_request(job);
  if (!is_one_name(job, word)) return;
  const std::string count = counted_gpus(job, job.shape);
  if (job.plane.gpu_request == model::GpuRequest::gres)
    add_option(job, "--gres", "gpu:" + count, Field::resources_gpus);
  else add_option(job, "--gpus-per-node", count, Field::resources_gpus);
  job.exact(Field::resources_gpus, job.directives.back());
  const auto& asked = job.role.resources.gpu;
  const std::string as = word.feature.empty() ? job.directives.back() : "--constraint=" + word.feature;
  const std::string which =
      job.shape.pool != nullptr ? "that of the chosen pool" : "the first of the list, as the site has no fleet";
  if (asked && asked->value.size() > 1)
    job.approximated(Field::resources_gpu, as, "a Slurm job requests one type: " + which);
  else job.exact(Field::resources_gpu, as);
}

void ask_nodes(Job& job) {
  select_nodes(job);
  near_each_other(job);
}

void check_pin(Job& job) {
  if (job.shape.pinned.empty()) return;
  for (const std::string& option :
       {"--nodelist=" + compress_hosts(job.shape.pinned), "--nodes=" + std::to_string(job.shape.nodes)})
    if (std::find(job.directives.begin(), job.directives.end(), option) == job.directives.end())
      job.refuse(Field::target, "an option in `target slurm` conflicts with `--pin`, which writes `" + option + "`",
                 "remove it, or compile without `--pin`");
}

}  // namespace muster::targets::slurm
