// Where SkyPilot may run a task, and what that decides. Inside targets/services/skypilot only.
#pragma once

#include <string>
#include <vector>

#include "targets/services/task.h"

namespace muster::targets::skypilot {

using services::Task;

struct Place {
  std::string name;    // with the partition of the queue: "slurm/lab/gpu"
  bool cloud = false;  // neither Slurm nor Kubernetes
};

// The places of the plane, in SkyPilot's words; of one without a list, every place is possible.
struct Infra {
  std::vector<Place> places;
  bool slurm = false, kubernetes = false, cloud = false;

  bool only_slurm() const { return slurm && !kubernetes && !cloud; }
  bool only_kubernetes() const { return kubernetes && !slurm && !cloud; }
};
Infra infra_of(const model::ServicePlane& plane, const model::Queue* queue);

// `resources` of the file, with the keys that are one value of several in `any_of`.
data::Node resources_of(Task& task, const Infra& infra);

}  // namespace muster::targets::skypilot
