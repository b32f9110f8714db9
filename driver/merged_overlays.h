// What kustomizations make of the objects that they take: their patches merged into these.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/base/source.h"
#include "driver/files.h"
#include "targets/kubernetes/read/manifest.h"

namespace muster::driver {

// The objects of one kustomization that its own patches change, among all that it takes.
struct MergedOverlay {
  std::string folder;  // as the run shows it
  targets::kubernetes::Manifest manifest;
  std::vector<bool> changed;        // of each document of the manifest
  std::set<std::uint32_t> files{};  // of the sources, that its values are in
};

struct MergedOverlays {
  std::vector<MergedOverlay> overlays;
  std::set<std::string> merged{};              // files of patches of which all is merged
  std::map<std::string, std::string> apart{};  // files of patches that are not, and why
};

// The text of a file of the run; nullopt: it cannot be read.
using ReadText = std::function<std::optional<std::string>(const std::string& path)>;

// Merges what is here: no file outside of `roots` is read, through links neither, and no more than a bounded number.
// `folders` have kustomizations, as the run shows them. `roots` are whole paths without links.
MergedOverlays merge_overlays(const std::set<std::string>& folders, const std::vector<std::string>& roots,
                              const Files& from, const ReadText& read, Sources& sources);

}  // namespace muster::driver
