// Which files of a run belong to kustomizations and charts.
#pragma once

#include <vector>

#include "compiler/base/source.h"
#include "driver/discover.h"
#include "driver/files.h"
#include "lint/overlays.h"

namespace muster::driver {

// Reads the kustomizations in the folders of the run's manifests and in the two above each, and finds the charts whose
// templates are among them. Only files here are read, each at most once, and none that is large.
void read_overlays(const std::vector<FoundFile>& files, const Files& from, Sources& sources, lint::Overlays& overlays);

}  // namespace muster::driver
