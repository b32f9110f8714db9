// The function of each kind (draft.h), for the targets that choose among them.
#pragma once

#include "targets/kubernetes/draft.h"

namespace muster::targets::kubernetes {

void build_kubernetes(Draft& draft);  // Job, Indexed Job, Pod, Deployment
void build_jobset(Draft& draft);
void build_pytorchjob(Draft& draft);
void build_trainjob(Draft& draft);
void build_lws(Draft& draft);
void build_kuberay(Draft& draft);  // RayJob, RayService, RayCluster

}  // namespace muster::targets::kubernetes
