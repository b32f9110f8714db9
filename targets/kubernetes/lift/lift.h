// An object of a manifest as a workload and the words of its site, kind by kind.
//
// Three steps, for what a target writes by itself is known only when it has written:
//   1. import_object lifts what keys of the language express;
//   2. add_raw puts the rest into a `target` block, as far as it does not contradict what the target writes;
//   3. name_differences compares the object with what the target writes in the end, and gives each difference a line.
// Between them the caller compiles the workload for `target_of` the object.
#pragma once

#include <string>
#include <string_view>

#include "targets/imported.h"
#include "targets/kubernetes/read/manifest.h"

namespace muster::targets::kubernetes {

// The target that writes objects of that kind; "": objects of it are not imported.
std::string_view import_target(const Object& object);
// Whether an object is the work of people, which import reports on: one that has pods.
bool is_importable(const Object& object);

// What an import knows of an object beside the result, for the later steps.
struct LiftState {
  data::Node left;      // what no key took, in the form of the object
  data::Node left_pod;  // the same of its pods, where these are alike
};

// `name` is the workload's. What cannot be imported is reported, and the result is not to be used.
Imported import_object(const Sources& sources, const Manifest& manifest, const Object& object, const std::string& name,
                       LiftState& state, Diagnostics& diagnostics);

// `written`: the manifest that the target makes of the workload so far.
void add_raw(LiftState state, const std::string& written, Imported& imported);

// `written`: the manifest that it makes in the end.
void name_differences(const Object& object, const std::string& written, Imported& imported);

}  // namespace muster::targets::kubernetes
