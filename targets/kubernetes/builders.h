// What the registry names of planes of pods: the function of each kind (draft.h), and each target's column of what
// becomes of each key.
#pragma once

#include "targets/carriage.h"
#include "targets/kubernetes/draft.h"

namespace muster::targets::kubernetes {

void build_kubernetes(Draft& draft);  // Job, Indexed Job, Pod; Deployment with what belongs to a service
void build_jobset(Draft& draft);
void build_kuberay(Draft& draft);  // RayJob, RayService, RayCluster
void build_volcano(Draft& draft);  // a Job of Volcano, each role a task
void build_pytorchjob(Draft& draft);
void build_trainjob(Draft& draft);
void build_mpijob(Draft& draft);
void build_lws(Draft& draft);  // a LeaderWorkerSet

// Target `kueue`: the object that the workload becomes anyway, admitted by Kueue whatever the plane's `gang` says.
Lowered lower_kueue(const Target& target, const plan::Plan& plan, const LowerOptions& options,
                    Diagnostics& diagnostics);

std::span<const Carried> kubernetes_carriage();
std::span<const Carried> jobset_carriage();
std::span<const Carried> kueue_carriage();
std::span<const Carried> kuberay_carriage();
std::span<const Carried> volcano_carriage();
std::span<const Carried> pytorchjob_carriage();
std::span<const Carried> trainjob_carriage();
std::span<const Carried> mpijob_carriage();
std::span<const Carried> lws_carriage();

// Submits workloads in the order of their `depends-on`, by waiting.
std::optional<Document> submit_script(std::span<const Submission> submissions, Diagnostics& diagnostics);

}  // namespace muster::targets::kubernetes
