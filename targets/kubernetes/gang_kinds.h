// What the kinds have in common that are a gang in one object: volcano, pytorchjob, trainjob, kuberay.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "targets/kubernetes/draft.h"
#include "targets/kubernetes/operator_names.h"

namespace muster::targets::kubernetes {

// Replicas of the role that the object has.
std::int64_t count_of_copies(const Draft& draft, const plan::RolePlan& role);
// Pods of all of these.
std::int64_t count_of_pods(const Draft& draft, const plan::RolePlan& role);

// Whether a failure of that kind is retried.
bool retries_on(const model::Retry& retry, model::RetryOn reason);

// Refuses the runners that start no program on each pod, mpi and ray, and the kinds of workload that do not run to
// completion; `what` is the object: "a PyTorchJob".
void refuse_other_kinds(Draft& draft, const model::Role& role, const std::string& what);

// The same for an object that is one gang of one role: further roles and copies.
void refuse_several(Draft& draft, const std::string& what);

// Refuses variables of the user's that `who` sets in every container, whose value wins.
void refuse_taken(Draft& draft, const model::Role& role, const Givers& givers, const std::string& who);

// "uses the lower bound of the range": of those that start together, else the upper one.
std::string bound_of_range(const Draft& draft, const plan::RolePlan& role);

// Refuses pods that may start one by one, but are more in one object than are ever admitted: a provider like Kueue
// admits `what`, "a JobSet", with all of them.
void refuse_never_admitted(Draft& draft, const std::string& what);

// Accounts for `replicas` of a role as `as`; of a range it is one end.
void report_copies(Draft& draft, const plan::RolePlan& role, const std::string& as);

}  // namespace muster::targets::kubernetes
