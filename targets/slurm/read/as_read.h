// A batch script as what it asks of the machines of a site.
#pragma once

#include <vector>

#include "compiler/model/fleet.h"
#include "targets/as_read.h"
#include "targets/purpose.h"
#include "targets/slurm/read/meaning.h"

namespace muster::targets::slurm {

// The queues of the site that a job may run in: those of its partitions, else the default one; of several on one
// partition the one of its QOS. Empty: the site has none for it, and what it does not declare is not refused.
std::vector<const model::Queue*> queues_of(const Component& job, const model::Site& site, const model::Plane& plane);

// The pools of the plane that those queues reach, with GPUs where the job asks for some. `fleet` may be nullptr.
std::vector<const model::Pool*> pools_of(const Component& job, const model::Site& site, const model::Plane& plane,
                                         const model::Fleet* fleet);

// `meaning` is that of the script at this site and fleet. The components of a heterogeneous job are roles, which start
// together. Of what is not submitted as it is, the size is unknown. `name` is the workload's.
AsRead as_read(const Script& script, const Body& body, const Meaning& meaning, const Purpose& purpose,
               const std::string& name, const model::Site& site, const model::Fleet* fleet);

}  // namespace muster::targets::slurm
