// The checks of what a container runs, as of a job's script.
#pragma once

#include "lint/rules/manifest/scene.h"
#include "targets/kubernetes/read/pod_text.h"

namespace muster::lint {

// What it starts against what its pod has, over `lint/rules/launch`. `text`: what it gives to a shell.
void check_container_launch(const ManifestScene& scene, const k8s::Object& object, const k8s::PodTemplate& pods,
                            const k8s::Container& c, const std::optional<k8s::ContainerText>& text);

}  // namespace muster::lint
