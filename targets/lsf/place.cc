// Which hosts may be given, and how near each other they are.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/model/marks.h"
#include "targets/batch/selection.h"
#include "targets/lookup.h"
#include "targets/lsf/sections.h"

namespace muster::targets::lsf {
namespace {

// The hosts among which LSF chooses; empty: any.
const std::vector<std::string>& candidates(const plan::RolePlan& shape) {
  return shape.pinned.empty() ? shape.only_nodes : shape.pinned;
}

// How the site names the model: `gres` is LSF's own name, a feature is a resource of hosts.
GpuWords words_of(const Job& job, const std::string& model) {
  const model::GpuDialect* words = model::find_dialect(job.site, job.plane, model);
  if (words == nullptr) return {};
  if (words->gres) return {words->gres->value, ""};
  return {"", words->feature ? words->feature->value : ""};
}

// Whether LSF, given only what the file says, could take a node of this pool.
bool would_match(const Job& job, const model::Pool& pool) {
  const plan::RolePlan& shape = job.shape;
  if (shape.gpus > 0) {
    if (!pool.gpu || pool.gpu->count < shape.gpus) return false;
    const GpuWords words = gpu_words(job, shape);
    if (!words.empty() && words != words_of(job, pool.gpu->model)) return false;
  }
  if (shape.cpus && pool.cpus > 0 && pool.cpus < shape.counted_cpus(&pool)) return false;
  return !shape.memory || pool.memory.bytes == 0 || pool.memory >= *shape.memory;
}

void refuse_unwanted(Job& job) {
  if (job.shape.allowed.empty() || !candidates(job.shape).empty()) return;
  for (const model::Pool* pool : batch::reachable_pools(job)) {
    const auto& allowed = job.shape.allowed;
    if (std::find(allowed.begin(), allowed.end(), pool) != allowed.end() || !would_match(job, *pool)) continue;
    return job.refuse(job.wrote(Field::require) ? Field::require : Field::resources,
                      "LSF has no option that excludes pool `" + pool->name + "`, which does not meet the requirement",
                      "declare a queue without the pool, or how its GPUs are named: `gpu MODEL { gres = \"…\" }`");
  }
}

// A condition of `select`: nothing ends the section or the quotes of the directive.
bool is_condition(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alnum(c) || std::string_view(" _-.=!<>&|()'").find(c) != std::string::npos;
  });
}

void check_words(Job& job) {
  const std::string model = gpu_model(job.shape);
  const GpuWords words = gpu_words(job, job.shape);
  const Field field = job.wrote(Field::resources_gpu) ? Field::resources_gpu : Field::resources;
  if (job.shape.gpus > 0 && batch::names_gpu(job, job.role) && !model.empty() && words.empty() &&
      !batch::has_one_model(job, model))
    job.refuse(field, "site `" + job.site.name + "` does not declare how a job of LSF asks for the GPU `" + model + "`",
               "add it to the site, as `lshosts -gpu` prints it: `gpu " + model + " { gres = \"MODEL\" }`");
  if ((!words.gmodel.empty() && !is_word(words.gmodel)) || (!words.select.empty() && !is_condition(words.select)))
    job.refuse(field, "site `" + job.site.name + "` names this GPU `" + printable(words.gmodel + words.select) +
                          "`, which is not a model or a resource of LSF");
  for (const auto* hosts : {&candidates(job.shape), &job.shape.not_nodes})
    for (const std::string& host : *hosts)
      if (!is_word(host)) return job.refuse(Field::require, "`" + printable(host) + "` is not the name of a host");
  if (job.plan.queue != nullptr && job.plan.queue->constraint && !is_condition(job.plan.queue->constraint->value))
    job.refuse(Field::queue,
               "`" + printable(job.plan.queue->constraint->value) + "`, the `constraint` of queue `" +
                   job.plan.queue->name + "`, is not a condition of LSF",
               "write it as in `select[…]`: `gpu_large || mem > 500`");
}

void add_select(Job& job) {
  std::string out;
  const auto add = [&](const std::string& condition) { out += (out.empty() ? "" : " && ") + condition; };
  if (job.plan.queue != nullptr && job.plan.queue->constraint) {
    const std::string& own = job.plan.queue->constraint->value;
    add(own.find('|') == own.npos ? own : "(" + own + ")");
  }
  if (const std::string select = gpu_words(job, job.shape).select; !select.empty()) add(select);
  for (const std::string& host : job.shape.not_nodes) add("hname!='" + host + "'");
  if (!out.empty()) require(job, "select[" + out + "]");
  std::string hosts;
  for (const std::string& host : candidates(job.shape)) hosts += (hosts.empty() ? "" : " ") + host;
  if (!hosts.empty()) add_option(job, "-m", hosts, Field::require);
}

void report_needs(Job& job) {
  const bool named = !candidates(job.shape).empty() || !job.shape.not_nodes.empty();
  const GpuWords words = gpu_words(job, job.shape);
  batch::report_choice(job, named ? "the names of hosts" : words.gmodel + words.select);
}

// Compute units: a hard limit of one, or the emptiest first.
void near_each_other(Job& job) {
  if (!job.role.topology) return;
  const model::Topology& topology = *job.role.topology;
  const std::string within(model::name(topology.within.value));
  if (topology.segment)
    job.refuse(Field::topology_segment, "muster does not divide the nodes of an LSF job into segments",
               "remove `segment`");
  const std::int64_t nodes = job.shape.nodes / std::max<std::int64_t>(1, job.shape.copies);
  if (!batch::is_domain(topology.within.value) || nodes < 2)
    return job.read_each(Field::topology, "no constraint is needed");
  const model::TopologyLevel* level = job.batch.level(within);
  if (level != nullptr && level->label && !is_word(level->label->value))
    return job.refuse_at(level->label->span, Field::topology_within,
                         "`" + printable(level->label->value) + "` is not a valid name of a type of compute unit");
  const bool known = level != nullptr && level->label;
  if (topology.required && !batch::is_whole(job))
    return job.refuse(Field::topology_required, "LSF keeps a whole job in one " + within + ", not each of its parts",
                      "remove `required`");
  if (topology.required && !known)
    return job.refuse(Field::topology_required,
                      "plane `" + job.plane.name + "` does not declare the type of compute unit of a " + within,
                      "add `level " + within + " { label = \"TYPE\" }` to the plane");
  if (!known)
    return job.approximated(Field::topology, "nothing",
                            "the plane does not declare the type of compute unit of a " + within);
  const std::string unit = "cu[type=" + level->label->value;
  require(job, unit + (topology.required ? ":maxcus=1]" : ":pref=maxavail]"));
  if (topology.required) return job.exact(Field::topology, unit + ":maxcus=1]");
  job.approximated(Field::topology, unit + ":pref=maxavail]",
                   "LSF fills the emptiest compute units first, and may use several");
}

}  // namespace

GpuWords gpu_words(const Job& job, const plan::RolePlan& shape) {
  const std::string model = gpu_model(shape);
  if (shape.gpus == 0 || model.empty() || batch::has_one_model(job, model) || !batch::names_gpu(job, *shape.role))
    return {};
  return words_of(job, model);
}

void ask_nodes(Job& job) {
  refuse_unwanted(job);
  check_words(job);
  add_select(job);
  report_needs(job);
  near_each_other(job);
}

}  // namespace muster::targets::lsf
