// Secrets that a manifest holds as they are: they become references to a secret of the site, and are copied nowhere.
// Inside targets/kubernetes/lift only.
#pragma once

#include "targets/kubernetes/lift/object_lift.h"

namespace muster::targets::kubernetes::lifting {

// Those in the variables, words, script and files of a role, by the container that it comes from. False: refused, where
// a text cannot read a variable in their place.
bool hide_secrets(ObjectLift& lift, const Container& container, model::Role& role);

// The same in YAML that is kept: an item of `env` refers to a Secret, a word to a variable. False: refused.
bool hide_secrets(ObjectLift& lift, const Field& where, Node& tree);

}  // namespace muster::targets::kubernetes::lifting
