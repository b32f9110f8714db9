// Target `kueue`: the object that the workload would be anyway, admitted by Kueue whatever the plane's `gang` says.
#include "targets/kubernetes/builders.h"
#include "targets/kubernetes/kinds.h"

namespace muster::targets::kubernetes {
namespace {

// A kind that Kueue admits, and the operator that it needs.
struct Admitted {
  std::string_view operator_name;
  Build build;
};

constexpr Admitted jobset = {"jobset", build_jobset};
constexpr Admitted plain = {"", build_kubernetes};

// The site's kind of coupled training, of those that Kueue admits: a Job of Volcano is not among them.
Admitted training_kind(const plan::Plan& plan) {
  const std::string kind =
      plan.plane != nullptr && plan.plane->pods() != nullptr ? plan.plane->pods()->training_kind : std::string();
  if (kind == "pytorchjob") return {"training-operator", build_pytorchjob};
  if (kind == "trainjob") return {"trainer", build_trainjob};
  return jobset;
}

bool is_one_pod_each(const plan::Plan& plan) { return plan.roles.size() == 1 && plan.roles.front().nodes == 1; }

Admitted kind_of(const plan::Plan& plan) {
  if (plan.roles.empty() || plan.roles.front().role == nullptr) return jobset;
  if (plan.roles.front().role->launch.runner.value == model::Runner::ray) return {"kuberay", build_kuberay};
  switch (plan.workload->kind.value) {
    case model::Kind::serve: return is_one_pod_each(plan) ? plain : Admitted{"lws", build_lws};
    case model::Kind::dev: return plain;
    case model::Kind::batch:
    case model::Kind::sweep: return is_one_pod_each(plan) ? plain : jobset;
    case model::Kind::train:
    case model::Kind::rl: return plan.roles.size() > 1 ? jobset : training_kind(plan);
    case model::Kind::mpi: break;
  }
  return jobset;
}

}  // namespace

Lowered lower_kueue(const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics) {
  const Admitted kind = kind_of(plan);
  return lower_pods(plan, options, diagnostics, "kueue", kind.operator_name, kind.build);
}

}  // namespace muster::targets::kubernetes
