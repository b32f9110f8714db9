#include "targets/kubernetes/gang_kinds.h"

#include <algorithm>

#include "targets/kubernetes/job_parts.h"

namespace muster::targets::kubernetes {

std::int64_t count_of_copies(const Draft& draft, const plan::RolePlan& role) {
  return plan::demand_of(draft.workload, *role.role).written;
}

std::int64_t count_of_pods(const Draft& draft, const plan::RolePlan& role) {
  plan::RolePlan all = role;
  all.copies = count_of_copies(draft, role);
  return all.total();
}

bool retries_on(const model::Retry& retry, model::RetryOn reason) {
  return std::any_of(retry.on.begin(), retry.on.end(), [&](const auto& on) { return on.value == reason; });
}

void refuse_other_kinds(Draft& draft, const model::Role& role, const std::string& what) {
  const model::Runner runner = role.launch.runner.value;
  const bool mpi = runner == model::Runner::mpi;
  if (mpi || runner == model::Runner::ray)
    draft.refuse_at(role.launch.runner.span, model::Field::launch_runner,
                    what + " does not start " + (mpi ? "MPI ranks" : "a Ray cluster"),
                    mpi ? "use target `mpijob`" : "use target `kuberay`");
  if (draft.workload.kind.value == model::Kind::serve || draft.workload.kind.value == model::Kind::dev)
    draft.refuse_at(draft.workload.kind.span, model::Field::kind, what + " runs to completion",
                    "use target `kubernetes` for services and interactive pods");
}

void refuse_several(Draft& draft, const std::string& what) {
  if (draft.plan.roles.size() > 1)
    draft.refuse_at(draft.plan.roles[1].role->span, model::Field::role, what + " runs one program on all its machines",
                    "use target `jobset` or `volcano` for several roles");
  const auto& replicas = draft.plan.roles.front().role->replicas;
  if (replicas && replicas->value.high > 1)
    draft.refuse(model::Field::replicas, what + " is one gang, not several",
                 "use target `jobset` for replicas, or make each a separate workload");
}

void refuse_taken(Draft& draft, const model::Role& role, const Givers& givers, const std::string& who) {
  for (const model::EnvVar& variable : role.env)
    if (operator_name(givers, variable.name) != nullptr && !says_the_same(givers, variable))
      draft.refuse_as(Code::name_not_valid, variable.span, {model::Field::env, variable.name},
                      "`" + variable.name + "` is set by " + who + ", which overrides `env`", "remove it from `env`");
}

std::string bound_of_range(const Draft& draft, const plan::RolePlan& role) {
  const model::Count& range = role.role->replicas->value;
  const bool upper = count_of_copies(draft, role) == std::max<std::int64_t>(range.high, 1);
  return std::string("uses the ") + (upper ? "upper" : "lower") + " bound of the range";
}

void refuse_never_admitted(Draft& draft, const std::string& what) {
  if (!model::admits_whole(draft.provider) || draft.workload.starts() == model::Gang::all) return;
  const bool nodes = draft.plan.demand.unit == plan::Unit::node;
  std::int64_t count = 0;
  for (const plan::RolePlan& role : draft.plan.roles)
    count += nodes ? count_of_pods(draft, role) : count_of_copies(draft, role);
  const plan::AtOnce& known = draft.plan.fit.at_once;
  for (const std::optional<std::int64_t>& most : {known.room, known.allowed})
    if (most && *most < count)
      return draft.refuse(nodes ? model::Field::resources_nodes : model::Field::replicas,
                          std::string(draft.gang_row().title) + " admits " + what + " with all its " +
                              (nodes ? "pods" : "replicas") + " or not at all, but the fleet and the quota take " +
                              std::to_string(*most) + " of " + std::to_string(count) + " at once",
                          nodes ? "use target `kubernetes`, or fewer nodes"
                                : "set `replicas = " + std::to_string(*most) + "`, or make each a separate workload");
}

void report_copies(Draft& draft, const plan::RolePlan& role, const std::string& as) {
  const bool range = role.role->replicas && role.role->replicas->value.high > role.role->replicas->value.low;
  for (const FieldRef& path : replica_fields(draft, *role.role)) {
    if (range) draft.loss.approximated(path, as, bound_of_range(draft, role));
    else draft.loss.exact(path, as);
  }
}

}  // namespace muster::targets::kubernetes
