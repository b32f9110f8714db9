// The checks of what a container runs, as of a job's script.
#pragma once

#include "compiler/shell/body.h"
#include "lint/rules/manifest/scene.h"

namespace muster::lint {

// What it starts against what its pod has, over `lint/rules/launch`.
void check_container_launch(const ManifestScene& scene, const k8s::Object& object, const k8s::PodTemplate& pods,
                            const k8s::Container& c, const shell::Body& body);

}  // namespace muster::lint
