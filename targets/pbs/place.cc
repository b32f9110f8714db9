// Which nodes may be given, and how near each other they are.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/model/marks.h"
#include "targets/batch/selection.h"
#include "targets/lookup.h"
#include "targets/pbs/sections.h"

namespace muster::targets::pbs {
namespace {

using batch::has_one_model;
using batch::is_domain;
using batch::is_whole;

// What a chunk says of the model, where the site says how.
std::string feature_of(const Job& job, const std::string& model) {
  const model::GpuDialect* words = model::find_dialect(job.site, job.plane, model);
  if (words == nullptr || !words->feature) return {};
  const std::string& feature = words->feature->value;
  return is_torque(job) || feature.find('=') != std::string::npos ? feature : feature + "=true";
}

bool is_feature(std::string_view text) {
  const std::size_t equals = text.find('=');
  return is_word(text.substr(0, equals)) && (equals == text.npos || is_word(text.substr(equals + 1)));
}

// Whether PBS, given only what the file says, could take a node of this pool.
bool would_match(const Job& job, const model::Pool& pool) {
  const plan::RolePlan& shape = job.shape;
  if (shape.gpus > 0) {
    if (!pool.gpu || pool.gpu->count < shape.gpus) return false;
    const std::string feature = gpu_feature(job, shape);
    if (!feature.empty() && feature != feature_of(job, pool.gpu->model)) return false;
  }
  if (shape.cpus && pool.cpus > 0 && pool.cpus < shape.counted_cpus(&pool)) return false;
  return !shape.memory || pool.memory.bytes == 0 || pool.memory >= *shape.memory;
}

void refuse_unwanted(Job& job) {
  const Field field = job.wrote(Field::require) ? Field::require : Field::resources;
  if (!job.shape.not_nodes.empty())
    return job.refuse(field, "PBS has no option that excludes nodes",
                      "name the nodes that the job may have, as many as it needs, or a queue without the others");
  if (!job.shape.only_nodes.empty() && named_hosts(job.shape).empty())
    return job.refuse(field,
                      "a chunk of PBS names one host, so a job of " + counted(job.shape.nodes, "node") +
                          " cannot choose among " +
                          counted(static_cast<long long>(job.shape.only_nodes.size()), "host"),
                      "name as many nodes as the job has");
  if (job.shape.allowed.empty() || !named_hosts(job.shape).empty()) return;
  for (const model::Pool* pool : batch::reachable_pools(job)) {
    const auto& allowed = job.shape.allowed;
    if (std::find(allowed.begin(), allowed.end(), pool) != allowed.end() || !would_match(job, *pool)) continue;
    return job.refuse(field,
                      "PBS has no option that excludes pool `" + pool->name + "`, which does not meet the requirement",
                      "declare a queue without the pool, or how its GPUs are named: `gpu MODEL { feature = \"…\" }`");
  }
}

void check_words(Job& job) {
  const std::string model = gpu_model(job.shape), feature = gpu_feature(job, job.shape);
  if (job.shape.gpus > 0 && batch::names_gpu(job, job.role) && !model.empty() && feature.empty() &&
      !has_one_model(job, model))
    job.refuse(job.wrote(Field::resources_gpu) ? Field::resources_gpu : Field::resources,
               "site `" + job.site.name + "` does not declare how a job of PBS asks for the GPU `" + model + "`",
               "add it to the site: `gpu " + model + " { feature = \"gpu_model=" + model + "\" }`");
  if (!feature.empty() && !is_feature(feature))
    job.refuse(Field::resources_gpu, "site `" + job.site.name + "` names this GPU `" + printable(feature) +
                                         "`, which is not `RESOURCE=VALUE`");
  for (const std::string& host : named_hosts(job.shape))
    if (!is_word(host)) job.refuse(Field::require, "`" + printable(host) + "` is not the name of a host");
  if (job.plan.queue == nullptr || !job.plan.queue->constraint) return;
  const auto& constraint = *job.plan.queue->constraint;
  for (const std::string_view part : split(constraint.value, ':'))
    if (!is_feature(part) || (!is_torque(job) && part.find('=') == part.npos))
      return job.refuse(Field::queue,
                        "`" + printable(constraint.value) + "`, the `constraint` of queue `" + job.plan.queue->name +
                            "`, is not a part of a chunk of PBS",
                        is_torque(job) ? "write properties: `gpu:large`" : "write `RESOURCE=VALUE`");
}

void report_needs(Job& job) {
  batch::report_choice(job, named_hosts(job.shape).empty() ? gpu_feature(job, job.shape) : "host=");
}

// The resource by which nodes of a domain are told from others; nullptr: the plane declares none.
const model::TopologyLevel* level_of(const Job& job, const model::Topology& topology) {
  const model::TopologyLevel* level = job.batch.level(model::name(topology.within.value));
  return level != nullptr && level->label && !is_torque(job) ? level : nullptr;
}

bool is_grouped(const Job& job) {
  const auto& topology = job.role.topology;
  return topology && topology->required && is_domain(topology->within.value) && is_whole(job) && job.shape.nodes > 1 &&
         named_hosts(job.shape).empty() && level_of(job, *topology) != nullptr &&
         is_word(level_of(job, *topology)->label->value);
}

void near_each_other(Job& job) {
  if (!job.role.topology) return;
  const model::Topology& topology = *job.role.topology;
  const std::string within(model::name(topology.within.value));
  if (!named_hosts(job.shape).empty()) return job.exact(Field::topology, "host=");
  if (topology.segment)
    job.refuse(Field::topology_segment, "PBS cannot divide the nodes of a job into segments", "remove `segment`");
  if (const auto* level = level_of(job, topology); level != nullptr && !is_word(level->label->value))
    return job.refuse_at(level->label->span, Field::topology_within,
                         "`" + printable(level->label->value) + "` is not a valid name of a resource of PBS");
  if (is_grouped(job)) return job.exact(Field::topology, "group=" + level_of(job, topology)->label->value);
  const std::int64_t nodes = job.shape.nodes / std::max<std::int64_t>(1, job.shape.copies);
  if (!is_domain(topology.within.value) || nodes < 2) return job.read_each(Field::topology, "no constraint is needed");
  if (topology.required && !is_whole(job))
    return job.refuse(Field::topology_required, "PBS keeps a whole job in one " + within + ", not each of its parts",
                      "remove `required`");
  if (topology.required)
    return job.refuse(
        Field::topology_required,
        "plane `" + job.plane.name + "` does not declare by which resource PBS groups the nodes of a " + within,
        is_torque(job) ? "remove `required`" : "add `level " + within + " { label = \"RESOURCE\" }` to the plane");
  job.approximated(Field::topology, "nothing", "PBS groups nodes always or not at all; with `required` it is `group=`");
}

}  // namespace

const std::vector<std::string>& named_hosts(const plan::RolePlan& shape) {
  static const std::vector<std::string> none;
  if (!shape.pinned.empty()) return shape.pinned;
  return static_cast<std::int64_t>(shape.only_nodes.size()) == shape.total() ? shape.only_nodes : none;
}

std::string gpu_resource(const Job& job, const plan::RolePlan& shape) {
  const model::GpuDialect* words = model::find_dialect(job.site, job.plane, gpu_model(shape));
  return words != nullptr && words->resource ? words->resource->value : "ngpus";
}

std::string gpu_feature(const Job& job, const plan::RolePlan& shape) {
  const std::string model = gpu_model(shape);
  if (shape.gpus == 0 || model.empty() || has_one_model(job, model) || !batch::names_gpu(job, *shape.role)) return {};
  return feature_of(job, model);
}

std::string place_of(const Job& job) {
  std::int64_t nodes = 0;
  for (const plan::RolePlan& role : job.plan.roles) nodes += role.total();
  std::string out = nodes > 1 ? "scatter" : "";
  const auto add = [&](const std::string& word) { out += (out.empty() ? "" : ":") + word; };
  const auto alone = [](const plan::RolePlan& role) { return role.exclusive; };
  if (std::any_of(job.plan.roles.begin(), job.plan.roles.end(), alone)) add("excl");
  if (is_grouped(job)) add("group=" + level_of(job, *job.role.topology)->label->value);
  return out;
}

void ask_nodes(Job& job) {
  refuse_unwanted(job);
  check_words(job);
  report_needs(job);
  near_each_other(job);
}

}  // namespace muster::targets::pbs
