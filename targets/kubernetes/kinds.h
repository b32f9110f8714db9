// The kinds of objects on planes of pods, one function each.
#pragma once

#include "targets/target.h"

namespace muster::targets::kubernetes {

// Pod, Job, Indexed Job; Deployment with what belongs to a service.
Lowered lower_kubernetes(const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics);

// A JobSet with the plane's gang provider.
Lowered lower_jobset(const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics);

// Whatever the workload becomes, admitted by Kueue.
Lowered lower_kueue(const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics);

// One gang: a TrainJob of Kubeflow Trainer, a PyTorchJob of the training operator.
Lowered lower_trainjob(const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics);
Lowered lower_pytorchjob(const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics);

// A Job of Volcano, each role a task.
Lowered lower_volcano(const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics);

// RayJob, RayService, RayCluster of KubeRay.
Lowered lower_kuberay(const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics);

// A LeaderWorkerSet: a service whose replicas are several machines each.
Lowered lower_lws(const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics);

// Submits workloads in the order of their `depends-on`, by waiting.
std::optional<Document> submit_script(std::span<const Submission> submissions, Diagnostics& diagnostics);

}  // namespace muster::targets::kubernetes
