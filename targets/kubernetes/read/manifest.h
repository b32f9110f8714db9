// A file of Kubernetes manifests: its objects, and the pods, autoscalers, services and signs of a
// scheduler in them, as typed facts with places.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/data/read.h"
#include "targets/kubernetes/gang_providers.h"
#include "targets/kubernetes/kinds.h"
#include "targets/kubernetes/read/field.h"
#include "targets/kubernetes/read/pod.h"

namespace muster::targets::kubernetes {

// Pods of one role of a workload.
struct PodTemplate {
  std::string role;  // "Worker", a task's or group's name, "head"; "" where there is one
  Field metadata;    // false where there is none
  Field spec;
  std::optional<std::int64_t> count;  // nullopt: the number is in a template or elsewhere
  Field count_field;                  // the first field that states it; false where it is a default
  std::vector<Container> containers;
  const PodPlace* place = nullptr;  // of the kind, and what it calls the holder
  Field holder;

  std::string_view label(std::string_view key) const { return metadata.get("labels").get(key).text(); }
  Field annotation(std::string_view key) const { return metadata.get("annotations").get(key); }
  bool has_accelerator() const;  // one of its containers requests one
};

struct Object {
  std::string_view api_version, kind, name_space, name;
  Field root;
  const Kind* known = nullptr;  // nullptr: no pods that we know of
  std::vector<PodTemplate> pods;

  // "Deployment/vllm".
  std::string subject() const { return std::string(kind) + "/" + std::string(name); }
  bool is(std::string_view group, std::string_view kind_name) const {
    return kind == kind_name && group_of(api_version) == group;
  }
  Field label(std::string_view key) const { return root.at("metadata.labels").get(key); }
  Field annotation(std::string_view key) const { return root.at("metadata.annotations").get(key); }
};

struct Backend {
  const Object* object;
  const PodTemplate* pods;
};

// Part of the file that is read no further, and why.
struct Skipped {
  enum class Why : std::uint8_t {
    helm_template,  // `{{ … }}`, `{% … %}` or `{name}/…` outside of texts: it must be rendered first
    not_an_object,  // YAML without apiVersion and kind
    unreadable,     // `diagnostics` say why
  };
  Why why;
  Span span;
};

struct Manifest {
  Manifest() = default;
  Manifest(Manifest&&) = default;
  Manifest& operator=(Manifest&&) = default;
  Manifest(const Manifest&) = delete;  // the objects point into the documents
  Manifest& operator=(const Manifest&) = delete;

  data::Documents documents;
  std::vector<Object> objects;  // in the order of the file; the items of a `v1 List` one by one
  std::vector<Skipped> skipped;
  Diagnostics diagnostics;

  // Where to look for what another object refers to, so that files with many objects stay cheap.
  std::map<std::string, const Object*> by_name;          // namespace, kind and name, a line each
  std::map<std::string, std::vector<Backend>> by_label;  // namespace, label and value, a line each
};

// Finds pod templates in an object whose kind has no row: maps with `containers`, and single containers as those of an
// Argo workflow. The objects that it holds whole, as an AppWrapper does, are returned instead of being searched.
std::vector<Field> find_pods(Object& object);

// Whether a kind is read: it has a row or a schema, belongs to Kubernetes itself, or has pods that were found.
bool is_read(const Object& object);
// Whether something in an object suggests that pods come of it: an image, a command, replicas, resources.
bool may_run_pods(const Object& object);

// Reads a file of YAML documents, or one of JSON (its first character is `{`).
Manifest read_manifest(const Sources& sources, std::uint32_t file);

// The same of objects that are in memory: each a document.
Manifest manifest_of(std::vector<data::Node> objects);

// Whether a document of the text has `apiVersion` and `kind` at its top. What has them as lines counts without being
// parsed; anything else is.
bool is_manifest(std::string_view text);

// The key of a reference: its parts, a line each.
std::string reference(std::string_view name_space, std::string_view kind_or_label, std::string_view name);

// HorizontalPodAutoscaler or KEDA ScaledObject.
struct Autoscaler {
  const Object* object;
  bool keda = false;
  Field target;  // scaleTargetRef
  Field min, max;
};
std::vector<Autoscaler> autoscalers(const Manifest& manifest);
// The key of what an autoscaler scales, as reference() makes it; "" where it names nothing.
std::string target_reference(const Autoscaler& autoscaler);
// The object of the file that an autoscaler scales; nullptr if it is elsewhere.
const Object* target_of(const Autoscaler& autoscaler, const Manifest& manifest);

// The pods of the file that a v1 Service sends traffic to: of those with its rarest label the first 1,000.
std::vector<Backend> backends_of(const Object& service, const Manifest& manifest);

// A mark that a scheduler or queueing system is meant to take the object.
struct SchedulerMark {
  const GangProviderRow* provider;  // nullptr: of the stock scheduler, or of none that we know
  bool gang;                        // it makes the pods start together, or belongs to a group that does
  bool named;                       // it is a `schedulerName`
  Field where;

  bool is_of_scheduler() const { return provider == nullptr || provider->places; }  // Kueue is none
};
// In the order of the file: of the object first, then of its pods.
std::vector<SchedulerMark> scheduler_marks(const Object& object);

// The number of pods that a PodGroup waits for; false for other objects.
Field minimum_of_group(const Object& object);

// The scheduler of Kubernetes itself, as pods name it.
inline constexpr std::string_view stock_scheduler = "default-scheduler";

// How the scheduler of its pods starts an object, as far as its file says.
struct Start {
  enum class How : std::uint8_t {
    alone,    // pod by pod
    some,     // `least` of them together, then the others
    all,      // together, or with a group whose size is not in the file
    unknown,  // an operator or a scheduler that is not known may start them together
  };
  How how = How::alone;
  std::int64_t least = 1;
  Field where{};                              // what says so
  const GangProviderRow* provider = nullptr;  // of the scheduler that the file names; nullptr: none, or Kubernetes' own
  const Object* group = nullptr;              // of the file, which has the size

  bool is_together() const { return how == How::some || how == How::all; }
};
Start start_of(const Object& object, const Manifest& manifest);

// Whether the pods of an object are ranks of one job, by its kind or by the launcher that they run.
bool is_coupled(const Object& object);

// All pods of the object that are up at the same time; nullopt where the file does not say.
// For a LeaderWorkerSet those of one group.
std::optional<std::int64_t> pod_count(const Object& object);

// The pods of each of its templates that are up at the same time, of all its groups: within what bounds a count, such
// as the `completions` beside `parallelism`, or the bounds of a group of Ray workers. nullopt as for pod_count, and
// where an autoscaler of Ray's chooses.
std::vector<std::optional<std::int64_t>> pods_up(const Object& object);

// What its operator adds to an object's pods beyond the templates that it has, as the file has it: a row for each.
struct Added {
  const model::AddedPod* row;
  std::int64_t millicpus, memory;  // bytes
  Field where;                     // what the file says about it; false where that is a default
};
std::vector<Added> added_to(const Object& object);

// How long it may run by its own deadline, in seconds; nullopt where it says none, or starts again after it.
std::optional<std::int64_t> deadline_seconds(const Object& object);

// Whether the pods of its job are a runtime's, as those of a TrainJob: the file has one container for them.
bool is_job_of_runtime(const Object& object);
// That container; false where the file or the kind has none.
Field trainer_field(const Object& object);

}  // namespace muster::targets::kubernetes
