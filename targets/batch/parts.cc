#include "targets/batch/parts.h"

#include <algorithm>
#include <utility>

namespace muster::targets::batch {
namespace {

// Copies of one node that need not know where they are: a step has as many nodes as there are copies.
bool is_one_step(const Job& job, const plan::RolePlan& shape) {
  using model::Runner;
  const model::Role& role = *shape.role;
  const Runner runner = role.launch.runner.value;
  if (shape.copies < 2 || shape.nodes > 1 || runner == Runner::processes || runner == Runner::mpi) return false;
  const bool git = role.code && std::holds_alternative<model::Git>(role.code->value);
  const contract::Wanted wanted = contract::wanted_by(job.plan, shape);
  return !git && !role.setup && !role.preflight && role.probes.empty() && !wanted.has("MUSTER_HEAD_ADDR") &&
         !wanted.has("MUSTER_HOSTFILE") && !model::refers_to(role, model::RefersTo::run, "head");
}

PartPlace place_of(const Job& job, const PartOf& part, std::string first, bool is_expression) {
  return {std::move(first), is_expression, job.het ? std::optional(part.group) : std::nullopt};
}

// The words by which a part, whose replica is $1, finds its nodes.
Part part_of(const Job& job, const PartOf& part) {
  const std::string nodes = std::to_string(part.shape->nodes);
  const bool several = part.shape->copies > 1 && !part.one_step;
  const std::int64_t first = job.het ? 0 : part.first;
  const std::string offset =
      !several ? std::to_string(first) : (first > 0 ? std::to_string(first) + " + " : "") + nodes + " * $1";
  const std::string list = list_of(job, part.shape->role->name);
  Part out;
  out.hosts = "\"${" + list + "[@]:" + offset + ":" + nodes + "}\"";
  out.head = "${" + list + "[" + offset + "]}";
  out.shares_nodes = !group_of(job, part).sharing.empty();
  out.place = part.place;
  PartPlace place = place_of(job, part, offset, several);
  if (out.shares_nodes) place.share = part.shape, place.whole = &group_of(job, part);
  out.step = job.dialect.part_options(job, place);
  out.replica = several ? "$1" : part.one_step ? "" : "0";
  out.copies_of_step = part.one_step ? part.shape->copies : 1;
  out.first = job.dialect.part_options(job, place_of(job, part, std::to_string(first), false));
  return out;
}

// What would have to be known of all roles on a node for their steps to divide it; "": it is.
std::string_view unknown_of(const plan::RolePlan& group) {
  std::size_t memory = 0;
  for (const plan::RolePlan& one : group.sharing) {
    if (!one.cpus) return "cpus";
    memory += one.memory ? 1 : 0;
  }
  return memory == 0 || memory == group.sharing.size() ? "" : "memory";
}

}  // namespace

std::vector<PartOf> parts_of(const Job& job) {
  std::vector<PartOf> parts;
  std::int64_t first = 0;
  for (std::size_t group = 0; group < job.plan.roles.size(); ++group) {
    std::int64_t place = 0;
    for (const plan::RolePlan& role : job.plan.roles[group].programs())
      parts.push_back({&role, is_one_step(job, role), first, group, place++});
    first += job.plan.roles[group].total();
  }
  return parts;
}

const plan::RolePlan& group_of(const Job& job, const PartOf& part) { return job.plan.roles[part.group]; }

Job job_of(const Job& whole, const PartOf& part) {
  Job out{{whole.workload, whole.diagnostics, {}, {}, whole.written},
          whole.dialect,
          whole.plan,
          *part.shape,
          *part.shape->role,
          whole.plane,
          whole.batch,
          whole.site,
          whole.run};
  if (part.shape->role->span.known() || whole.plan.roles.size() > 1) out.role_name = part.shape->role->name;
  out.part = part_of(whole, part);
  out.het = whole.het;
  out.sources = whole.sources;
  return out;
}

std::string list_of(const Job& job, const std::string& role) {
  return job.het ? bash_name(role) + "_nodes" : "all_nodes";
}

std::string address_of(const Job& job, const PartOf& part) {
  const std::string first = std::to_string(job.het ? 0 : part.first);
  return "${" + list_of(job, part.shape->role->name) + "[" + first + "]}";
}

void refuse_shared(Job& job, const std::vector<PartOf>& parts) {
  for (const PartOf& part : parts) {
    if (part.place != 1) continue;
    Job one = job_of(job, part);
    one.refuse(Field::role_with, job.system() + " does not divide a node among the programs of one job",
               "remove `with`, so that the role has nodes of its own");
    job.take_losses(one.loss);
  }
}

void refuse_undivided(Job& job, const std::vector<PartOf>& parts) {
  for (const PartOf& part : parts) {
    if (part.place != 1) continue;
    const std::string unknown(unknown_of(group_of(job, part)));
    if (unknown.empty()) continue;
    Job one = job_of(job, part);
    one.refuse(Field::role_with, "steps that divide a node need the `" + unknown + "` of each role on it",
               "write `" + unknown + "` in all roles on these nodes");
    job.take_losses(one.loss);
  }
}

}  // namespace muster::targets::batch
