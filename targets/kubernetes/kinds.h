// The kinds of objects that have pods, one row each: what lowering, readers, the script that submits, lint and review
// know of a kind is here and nowhere else.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "compiler/model/added_pods.h"
#include "compiler/model/site.h"

namespace muster::targets::kubernetes {

// What the pods of a workload are to each other.
enum class Work : std::uint8_t {
  service,   // replicas that serve alone
  batch,     // pods that may run one after the other
  training,  // ranks of one job: the kind exists for that
  group,     // pods that start together, for any purpose: JobSet, LeaderWorkerSet, Volcano
  ray,
};

// Where pods are in a kind: below `holder`, a pattern (see matches(); "." is the object itself), and in
// that the path of what has `metadata` and `spec`, or of the pod spec itself where `bare`. The number of
// pods is the product of `counts`, paths below the holder joined by blanks; "" for 1.
struct PodPlace {
  std::string_view holder;  // "": unused
  std::string_view below;
  std::string_view role;  // "": the key of the holder, or its `name` or `groupName`
  std::string_view counts;
  bool bare = false;
};

// How long an object may run.
struct Deadline {
  std::string_view path;   // a pattern; where it has several places, all must say the same
  std::string_view again;  // the path of how often the whole starts again, each time with the deadline anew; "": never
};

// How kubectl shows that an object has ended: a path of its status, and the shell patterns of that text, between
// blanks, which are a good and a bad end. Without a path it stays until it is deleted.
struct Ending {
  std::string_view path, good, bad;
};

// Gang providers that can make the kind's pods start together.
class Providers {
 public:
  constexpr Providers() = default;
  constexpr Providers(std::initializer_list<model::GangProvider> providers) {
    for (const model::GangProvider p : providers) bits_ |= bit(p);
  }
  // Without a provider there is nothing to carry.
  constexpr bool contains(model::GangProvider provider) const {
    return provider == model::GangProvider::none || (bits_ & bit(provider)) != 0;
  }

 private:
  static constexpr unsigned bit(model::GangProvider provider) { return 1u << static_cast<unsigned>(provider); }
  unsigned bits_ = 0;
};

struct Kind {
  std::string_view group;  // of the apiVersion: "apps", "" for v1
  std::string_view name;
  Work work;
  bool complete = true;  // the file says all there is of a pod; else the operator or a runtime adds to it
  std::array<PodPlace, 4> places{};
  // Where a container is that is in no pod template, as `spec.trainer` of a TrainJob: it has image, env,
  // resourcesPerNode and numNodes.
  std::string_view trainer{};
  // Of a kind whose pods come in groups, of which a leader is one: the path of the number of groups.
  std::string_view groups{};
  bool counted_elsewhere = false;  // the number of its pods is the cluster's: one on each node, or as requests come in
  std::string_view policy{};       // where a job's deadline and its time to live stand; "": it has neither
  bool ttl_deletes = true;         // false: the time to live there is that of its pods, and the object stays
  Deadline deadline{};
  Ending ending{};
  // The label by which its controller names the object on its pods; "" where it has none: then `state` is the path of
  // its status that says "Running", or its pods have the labels of its own selector.
  std::string_view pod_label{};
  std::string_view state{};
  std::string_view kueue{};  // its name among the integrations of Kueue's configuration; "": not admitted

  // Of the kinds that muster writes.
  std::string_view target{};         // the target that does
  std::string_view version{};        // of the apiVersion: "v1alpha2"
  std::string_view operator_name{};  // that a plane which lists its operators must list; "": none
  Providers gangs{};

  bool is(std::string_view other_group, std::string_view other_name) const {
    return group == other_group && name == other_name;
  }
  // What its operator adds to the pods of an object.
  std::span<const model::AddedPod> added() const { return model::added_pods(group, name); }
  std::string api_version() const;   // "jobset.x-k8s.io/v1alpha2"
  std::string kubectl_name() const;  // "jobset.jobset.x-k8s.io", "pod"
};

// "container beside the head: autoscaler, 500m CPU, 512MiB, with an autoscaler": a row of Kind::added() in words.
std::string added_sentence(const model::AddedPod& row);

std::span<const Kind> all_kinds();
// What is assumed of a kind without a row in which pod templates are found; `complete` as in Kind.
const Kind& other_kind(bool complete);
// The kind of an object; nullptr if it has no pods that we know of.
const Kind* find_kind(std::string_view api_version, std::string_view kind);
// The row of a kind that there is, by its group.
const Kind& kind_row(std::string_view group, std::string_view kind);
// The row of what kubectl_name() gives; nullptr for others.
const Kind* find_kubectl_name(std::string_view name);
// A kind that a target writes; nullptr for targets that write none of their own.
const Kind* kind_of_target(std::string_view target);
// "batch.volcano.sh/v1alpha1" to "batch.volcano.sh", "v1" to "".
std::string_view group_of(std::string_view api_version);

}  // namespace muster::targets::kubernetes
