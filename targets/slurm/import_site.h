// A fleet and a site from what a Slurm cluster says of itself.
#pragma once

#include <string>

#include "compiler/base/diagnostic.h"
#include "targets/site_import/machines.h"
#include "targets/slurm/read/cluster.h"

namespace muster::targets::slurm {

// `name` is that of the site and the fleet; "": the cluster's own. `taken` says when the cluster was
// asked; "": what the input says itself. What is not declared is a remark with the question.
ImportedSite import_site(const Cluster& cluster, const std::string& name, const std::string& taken,
                         Diagnostics& diagnostics);

}  // namespace muster::targets::slurm
