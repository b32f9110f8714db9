// A kustomization: which files it takes as they are, and which only change others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "targets/kubernetes/read/manifest.h"
#include "targets/purpose.h"

namespace muster::targets::kubernetes {

struct Kustomization {
  // Paths as written, from its folder: files that change others, and files and folders that it takes.
  std::vector<std::string> patches, resources;
  std::vector<std::string> images;  // names to which it gives another name, tag or digest
};

// The names that kustomize looks for in a folder, in its order.
inline constexpr std::string_view kustomization_names[] = {"kustomization.yaml", "kustomization.yml", "Kustomization"};

// Reads the file of one. Patches that are written in it are no files, so they are left out.
Kustomization read_kustomization(const Sources& sources, std::uint32_t file);

// Whether a text has a directive of strategic merge patches.
bool has_patch_directive(const Sources& sources, std::uint32_t file);

// Whether a file is a patch though no kustomization that is known says so: it has `$patch`, or all of its workloads
// lack the selector without which none could be created.
Purpose purpose_of(const Manifest& manifest, const Sources& sources, std::uint32_t file);

}  // namespace muster::targets::kubernetes
