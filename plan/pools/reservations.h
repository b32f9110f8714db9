// Nodes that others hold for a time: which reservations of the fleet keep a job from their nodes now.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/model/fleet.h"
#include "compiler/model/nodes_as_read.h"
#include "compiler/model/site.h"
#include "compiler/model/workload.h"
#include "plan/plan.h"

namespace muster::plan {

// How long a job may run: until its time limit, where none is known without end. Of a job that starts when the fleet
// is as it says. nullopt: the fleet does not say when that is.
std::optional<Instant> ends_at(const model::Fleet& fleet, const model::Workload& workload, const model::Queue* queue);

// Sets the reservations that hold nodes from the role between the fleet's time and `end`, and the one that the file
// (`own`) or the queue asks for. Without a time of the fleet each may hold them. Slurm gives the nodes of a reservation
// to those who name it; on other planes its accounts have them.
void set_reservations(const model::Fleet& fleet, const model::Workload& workload, const model::Queue* queue,
                      const model::NodesAsRead* own, std::optional<Instant> end, RolePlan& role);

// The times at which reservations that hold nodes from the roles begin, the latest first. Only those after the fleet's.
std::vector<Instant> begins_of(const model::Fleet& fleet, const std::vector<RolePlan>& roles);

// "fits until Tuesday 2026-12-01 08:00: 40h of the 72h requested".
std::string fits_until(const model::Fleet& fleet, Instant until, std::optional<Instant> end);

}  // namespace muster::plan
