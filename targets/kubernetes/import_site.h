// A fleet and a site from what a Kubernetes cluster says of itself.
#pragma once

#include <string>

#include "compiler/base/diagnostic.h"
#include "targets/kubernetes/read/cluster.h"
#include "targets/site_import/machines.h"

namespace muster::targets::kubernetes {

// `name` is that of the site and the fleet; "": `cluster`, as no object names the cluster. `taken` says
// when it was asked; kubectl does not. What is not declared is a remark with the question. What cannot be so, such as
// cohorts that are above each other, is reported.
ImportedSite import_site(const ClusterObjects& objects, const std::string& name, const std::string& taken,
                         Diagnostics& diagnostics);

}  // namespace muster::targets::kubernetes
