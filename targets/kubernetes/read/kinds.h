// Which kinds of objects have pods, where, and how many.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace muster::targets::kubernetes {

// What the pods of a workload are to each other.
enum class Work : std::uint8_t {
  service,   // replicas that serve alone
  batch,     // pods that may run one after the other
  training,  // ranks of one job: the kind exists for that
  group,     // pods that start together, for any purpose: JobSet, LeaderWorkerSet, Volcano
  ray,
};

// Where pods stand in a kind: below `holder`, a pattern (see matches(); "." is the object itself), and in
// that the path of what has `metadata` and `spec`, or of the pod spec itself where `bare`. The number of
// pods is the product of `counts`, paths below the holder joined by blanks; "" for 1.
struct PodPlace {
  std::string_view holder;  // "": unused
  std::string_view below;
  std::string_view role;  // "": the key of the holder, or its `name` or `groupName`
  std::string_view counts;
  bool bare = false;
};

struct Kind {
  std::string_view group;  // of the apiVersion: "apps", "" for v1
  std::string_view name;
  Work work;
  bool complete;  // the file says all there is of a pod; else the operator or a runtime adds to it
  std::array<PodPlace, 4> places;
};

std::span<const Kind> all_kinds();
// The kind of an object; nullptr if it has no pods that we know of.
const Kind* find_kind(std::string_view api_version, std::string_view kind);
// "batch.volcano.sh/v1alpha1" to "batch.volcano.sh", "v1" to "".
std::string_view group_of(std::string_view api_version);

}  // namespace muster::targets::kubernetes
