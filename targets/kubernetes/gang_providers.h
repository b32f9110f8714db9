// The gang schedulers of Kubernetes planes, one row each: what lowering writes, what readers recognize, what lint asks.
// A further provider is a word of model::GangProvider, a row, and its function in gang.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "compiler/model/site.h"

namespace muster::targets::kubernetes {

// The key of a label or an annotation that hands an object or a pod to the provider.
struct ProviderMark {
  std::string_view key;
  bool gang;  // its pods start together, or belong to a group that does
};

// The object by which a provider recognizes a gang, and the key by which pods name their group.
struct PodGroup {
  std::string_view api_version, key;
  bool annotated = false;  // the key is an annotation, else a label
};

// Releases that do not start a Ray cluster as a whole.
struct RayGangFault {
  std::string_view component;  // whose version counts: an operator of the plane
  model::Version sound;        // the first release without the fault
  std::size_t groups = 1;      // of workers, from which on it shows
  std::string_view what;
};

// What KubeRay reads of a Ray cluster's labels and hands on to the provider; "": the provider has no such label.
struct RayLabels {
  std::string_view application{};  // the name of the cluster
  std::string_view queue{};
  std::string_view priority{};
  std::string_view topology{};  // how the two labels of the network topology begin
  bool enables = false;         // the gang needs `ray.io/gang-scheduling-enabled`
};

struct GangProviderRow {
  model::GangProvider provider;
  std::string_view title;        // in sentences
  std::string_view scheduler{};  // the `schedulerName` of its installation; "": it is not a scheduler
  std::string_view fork{};       // the same of a product that is built on it
  bool renamed_often = false;    // sites install it under names of their own
  bool groups_by_owner = false;  // it makes a gang of what owns the pods; else the group must be written
  bool places = true;            // the gang starts when there is room for all; false: when there is quota for all
  bool waits_for_all = false;    // it starts none of a gang's pods before all of them are there
  bool has_queues = true;
  bool needs_queue = false;           // it takes no pods that name no queue
  bool takes_what_is_marked = false;  // jobs without its mark run beside it
  bool fixed_size = false;            // its gangs never have more pods than they start with
  std::span<const ProviderMark> marks{};
  std::string_view queue_key{};           // of the label of an object that names its queue
  std::string_view queue_priority_key{};  // of the label of an object that names its priority in the queue
  std::string_view fewer_pods_key{};      // of the annotation by which a Job starts with fewer pods than it may have
  std::string_view growing_key{};         // of the annotation of an object that changes its size while it runs
  std::string_view gpu_share_key{};       // of the annotation of pods that share a GPU
  PodGroup group{};
  std::string_view kuberay{};  // in `--batch-scheduler` of KubeRay; "": KubeRay does not know it
  RayLabels ray_labels{};
  std::string_view training_operator{};  // in `--gang-scheduler-name` of the training operator; "": it is not known
  std::optional<RayGangFault> ray_fault{};
};

// The row of a provider; `none` has one too.
const GangProviderRow& gang_provider(model::GangProvider provider);
// The row of a scheduler's name or mark; nullptr if no provider has it.
const GangProviderRow* provider_of_scheduler(std::string_view scheduler_name);
// All rows, in the order of the enumeration.
std::span<const GangProviderRow> gang_providers();

}  // namespace muster::targets::kubernetes
