// What operators add to the pods that an object describes, one row each: pods of their own, and containers beside those
// of the object. Whoever counts pods or amounts reads it here.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "compiler/base/units.h"
#include "compiler/model/plane.h"
#include "compiler/model/workload.h"

namespace muster::model {

// How it is added. What an init container requests counts only where the pod's other containers request less.
enum class AddedAs : std::uint8_t { pod, container, init_container };

// When it is: always, where a Ray cluster has an autoscaler, where a RayJob is submitted by a pod or from the head's
// pod, where a PyTorchJob has a Master.
enum class AddedWhen : std::uint8_t { always, grows, submits, submits_from_head, has_master };

struct AddedPod {
  std::string_view name;  // "launcher"
  AddedAs as;
  std::string_view beside;  // the pods whose container it is; "": a pod of its own
  AddedWhen when;
  std::int64_t millicpus;  // its requests
  Size memory;
  std::string_view written;  // what muster writes so that it gets a place
};

// By the kind's own name; none for kinds whose operators add nothing.
std::span<const AddedPod> added_pods(std::string_view group, std::string_view kind);

// "container beside the head's", "pod".
std::string_view name(AddedAs as);
// "where the cluster has an autoscaler"; "" for always.
std::string_view name(AddedWhen when);

// Whether a Ray cluster of the workload changes its size while it runs: then its head has an autoscaler beside it.
bool grows(const Workload& workload);

// The row of that autoscaler.
const AddedPod& autoscaler_row();

// CPUs and memory that the head of such a cluster leaves of its own to the autoscaler: Ray counts whole CPUs.
struct HeadRoom {
  std::int64_t cpus = 0;
  Size memory{};
};
HeadRoom room_for_autoscaler();

// The pods of their own that a workload gets on a plane, all together.
struct AddedDemand {
  std::int64_t pods = 0, millicpus = 0;
  Size memory{};
};
AddedDemand added_demand(const Workload& workload, const Plane& plane);

}  // namespace muster::model
