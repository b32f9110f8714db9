// What came and went with the releases of Kubernetes and its operators: fields of objects and of pods, versions of
// APIs, flags and defaults, and pairs of releases that do not work together. One row each; lowering, lint and the rules
// of sites ask here and compare no versions themselves.
//
// An operator whose version the site does not declare is taken as the newest: nothing is missing from it, and nothing
// is said about it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/model/plane.h"
#include "targets/kubernetes/gang_providers.h"
#include "targets/kubernetes/read/field.h"

namespace muster::targets::kubernetes {

// From the first release that has something to the first that has it no more; {}: there is no such release.
struct Releases {
  model::Version since{}, until{};

  constexpr bool contains(model::Version version) const {
    return version >= since && (until == model::Version{} || version < until);
  }
};

// A field of an object, one of its values, a label or annotation, or the object as such.
struct Gate {
  std::string_view component;  // the operator whose release counts; "kubernetes": the plane itself
  std::string_view group;      // of the apiVersion, or all of it: "ray.io", "scheduling.k8s.io/v1alpha2"; "": any
  std::string_view kind;       // "": any
  std::string_view path;       // a pattern (see matches()); "": the object as such
  Releases in;
  std::string_view value{};  // of the field; "": any
  std::string_view mark{};   // of `metadata.labels` or `metadata.annotations`: the key
  // The fields of which each release has one, joined by blanks; "": nothing stands for it.
  std::string_view forms{};
};

// A field of a pod's spec, by the release of Kubernetes. An operator's schema repeats that of pods as it was.
struct PodGate {
  std::string_view path;  // `containers[]` stands for those that only start the pod, too
  Releases in;
};

// Which Kubernetes' pods a release of an operator has in its schema; later releases have it until the next row.
struct PodSchema {
  std::string_view component;
  model::Version release, kubernetes;
};

// Flags, defaults and abilities that are no field.
struct Feature {
  std::string_view component, name;
  Releases in;
};

// Two components that do not work together in some of their releases. With a flag: only where it is declared.
struct Clash {
  std::string_view first;
  Releases of_first;
  std::string_view second;
  Releases of_second;
  std::string_view what;  // happens
  std::string_view flag{};
};

std::span<const Gate> object_gates();
std::span<const PodGate> pod_gates();
std::span<const PodSchema> pod_schemas();
std::span<const Feature> features();
std::span<const Clash> clashes();

// The row of a field of a kind that has one, of a label or annotation, and of a feature.
const Gate& object_gate(std::string_view group, std::string_view kind, std::string_view path);
const Gate& mark_gate(std::string_view mark);
const Feature& feature_row(std::string_view component, std::string_view name);

// The row of a field of an object, whose place `path` is without positions in lists; nullptr: none.
const Gate* find_gate(std::string_view api_version, std::string_view kind, std::string_view path);

// Whose release counts for an object's fields: "jobset", "kubernetes"; "" where we know of none.
std::string_view component_of(std::string_view api_version, std::string_view kind);

// The release of a component on a plane; of an operator nullopt where the plane does not declare it.
std::optional<model::Version> version_of(const model::Plane& plane, std::string_view component);
const model::Operator* operator_of(const model::Plane& plane, std::string_view component);

// Whether the plane declares that an operator runs with a flag.
bool has_flag(const model::Plane& plane, std::string_view component, std::string_view flag);

// Whether the plane's release of a component has what a row says; true where it is not declared.
bool has(const model::Plane& plane, std::string_view component, const Releases& in);
// The same of a feature; nullopt where the release is not declared. Without a row every release has it.
std::optional<bool> has_feature(const model::Plane& plane, std::string_view component, std::string_view name);

// What does not work between two components of a plane, as declared; nullptr: nothing that we know of.
const Clash* clash_of(const model::Plane& plane, std::string_view first, std::string_view second);
// All of a plane, flags included.
std::vector<const Clash*> clashes_of(const model::Plane& plane);

// What an object says that the declared releases do not have.
struct Lacking {
  Field where;
  std::string_view component;
  Releases in;            // of the component
  bool never = false;     // no release of the component has it
  bool by_text = false;   // the text of the field is what is missing: a value, a kind
  std::string instead{};  // the field that the declared release has for it
};
std::vector<Lacking> lacking(const model::Plane& plane, const Field& object);

// "`networkTopology` requires version 1.12 of `volcano`, but plane `pods` declares 1.11".
std::string sentence(const model::Plane& plane, std::string_view what, std::string_view component, const Releases& in);
std::string sentence(const model::Plane& plane, const Lacking& lacking);
// What to do about it.
std::string way_out(const Lacking& lacking);

// ---- Kueue

// Whether it waits for the pods of what it admitted, by the site or by the default of its release; nullopt: unknown.
std::optional<bool> waits_for_pods(const model::Plane& plane);
// Whether it admits a kind, named as in its configuration, by default or by the flags that the site declares.
bool kueue_admits(const model::Plane& plane, std::string_view integration);
// How many kinds of pods it admits together.
std::int64_t most_pod_sets(const model::Plane& plane);

// ---- KubeRay

// Whether the plane declares a release that does not start a Ray cluster as a whole.
bool has_fault(const model::Plane& plane, const RayGangFault& fault);

}  // namespace muster::targets::kubernetes
