// Which queues a workload tries, and why it gets the one it gets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/model/site.h"
#include "compiler/model/workload.h"

namespace muster::plan {

inline constexpr std::string_view any_queue = "any";

struct QueueChoice {
  std::vector<const model::Queue*> queues;  // to try, in order; nullptr: the cluster's default
  bool searched = false;                    // the workload leaves the choice to the site's order
};

// The queues to try, in order: those that the workload names and `plane` (nullptr: any) has; without a
// name the default, else the only one, else nullptr, the cluster's default. Empty: it has none of the
// named ones, reported. Who may use capacity that is taken back gets a preemptible queue where there is
// one, the others never by default.
std::vector<const model::Queue*> choose_queues(const model::Workload& workload, const model::Site& site,
                                               const model::Plane* plane, Diagnostics& diagnostics);

// The queues that the workload names and `plane` (nullptr: any) has. `queue = any`, and no name at a site without a
// default: all that suit it, in the site's order. `as_read`: a file that is submitted as it is names its queue or has
// the cluster's default. Reports a name that the site does not have; then there are none.
QueueChoice queues_to_try(const model::Workload& workload, const model::Site& site, const model::Plane* plane,
                          bool as_read, Diagnostics& diagnostics);

// The queues of the plane that are not among the tried ones and may take the workload, in the site's order.
std::vector<const model::Queue*> other_queues(const model::Workload& workload, const model::Site& site,
                                              const model::Plane& plane, const std::vector<const model::Queue*>& tried);

}  // namespace muster::plan
