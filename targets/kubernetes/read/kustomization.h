// A kustomization: which files it takes as they are, and which only change others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "targets/kubernetes/read/manifest.h"
#include "targets/purpose.h"

namespace muster::targets::kubernetes {

// Which objects a patch is for: each field is a name or, with `.*` and `|`, a pattern; "": it is not asked for.
struct PatchTarget {
  std::string group, version, kind, name, name_space;

  bool empty() const { return kind.empty() && name.empty() && group.empty() && version.empty() && name_space.empty(); }
};

// A change of objects that a kustomization takes.
struct KustomizePatch {
  std::string path;    // of a file, from its folder; "": it is written in the kustomization
  std::string text{};  // then: what is written there
  Span where{};        // of the path, or of that text with its quotes
  PatchTarget target{};
  std::string unread{};  // a part of it that is not read: "`labelSelector`"
};

// `replicas` of a kustomization.
struct ReplicaCount {
  std::string name;
  data::Node count;
};

struct Kustomization {
  // Paths as written, from its folder: files that change others, and files and folders that it takes.
  std::vector<std::string> patches, resources;
  std::vector<std::string> images;  // names to which it gives another name, tag or digest
  std::vector<KustomizePatch> changes{};
  std::vector<ReplicaCount> replicas{};
  std::string prefix{}, suffix{}, name_space{};  // that it gives to names, and the namespace of all
  std::string unread{};                          // a key whose effect is not known here: "`components`"; "": none
};

// The names that kustomize looks for in a folder, in its order.
inline constexpr std::string_view kustomization_names[] = {"kustomization.yaml", "kustomization.yml", "Kustomization"};

// Reads the file of one.
Kustomization read_kustomization(const Sources& sources, std::uint32_t file);

// Whether an object has a directive of strategic merge patches.
bool has_patch_directive(const data::Node& object);

// Whether a file is a patch though no kustomization that is known says so: each of its workloads has `$patch`, or lacks
// the selector or the images without which none could be created. Or whether a program fills it in first, in part.
Purpose purpose_of(const Manifest& manifest, const Sources& sources, std::uint32_t file);
// Whether it is what `kubectl get -o yaml` printed: pods that ran, or several objects, each with its state.
Purpose purpose_as_printed(const Manifest& manifest);
// Whether the head of a file says that it is deprecated. Whoever applies it applies it all the same.
Purpose purpose_as_deprecated(const Sources& sources, std::uint32_t file);

}  // namespace muster::targets::kubernetes
