// A plane that declares one release, and an object that says one thing.
#pragma once

#include <string>
#include <string_view>

#include "targets/kubernetes/gates.h"
#include "targets/kubernetes/tree.h"

namespace muster::test {

inline std::string text_of(model::Version version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

// The release before: of another major version, one without a minor.
inline model::Version before(model::Version version) {
  return version.minor > 0 ? model::Version{version.major, version.minor - 1} : model::Version{version.major - 1, 99};
}

inline void declare(model::Plane& plane, std::string_view component, model::Version version) {
  if (component == "kubernetes") {
    plane.version = {version, {}};
    return;
  }
  model::Operator op;
  op.name = component;
  op.version.emplace().value = text_of(version);
  plane.pods()->operators.push_back(std::move(op));
}

inline model::Plane plane_with(std::string_view component, model::Version version) {
  model::Plane plane;
  plane.name = "main";
  plane.set_kind(model::PlaneKind::kubernetes);
  declare(plane, component, version);
  return plane;
}

// The value below a pattern: "a[].b" with "x" is {a: [{b: x}]}; `*` is a key like any other.
inline data::Node nested(std::string_view pattern, data::Node leaf) {
  using namespace targets::kubernetes;
  if (pattern.empty()) return leaf;
  const std::size_t dot = pattern.find('.');
  std::string_view step = pattern.substr(0, dot);
  data::Node below = nested(dot == std::string_view::npos ? "" : pattern.substr(dot + 1), std::move(leaf));
  const bool each = step.ends_with("[]");
  if (each) step.remove_suffix(2);
  return map({{step == "*" ? "one" : step, each ? list({std::move(below)}) : std::move(below)}});
}

inline data::Node object_with(std::string_view api_version, std::string_view kind, std::string_view pattern,
                              std::string_view value = "x") {
  using namespace targets::kubernetes;
  data::Node out = nested(pattern, text(value));
  if (!out.is_map()) out = map({});
  put(out, "apiVersion", text(api_version));
  put(out, "kind", text(kind));
  return out;
}

inline std::vector<targets::kubernetes::Lacking> lacking_of(const model::Plane& plane, const data::Node& object) {
  return targets::kubernetes::lacking(plane, targets::kubernetes::root_field(object));
}

}  // namespace muster::test
