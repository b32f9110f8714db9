// A fleet and a site from what a Kubernetes cluster says of itself.
#pragma once

#include <string>

#include "targets/kubernetes/read/cluster.h"
#include "targets/site_import/machines.h"

namespace muster::targets::kubernetes {

// `name` is that of the site and the fleet; "": `cluster`, as no object names the cluster. `taken` says
// when it was asked; kubectl does not. What is not declared is a remark with the question.
ImportedSite import_site(const ClusterObjects& objects, const std::string& name, const std::string& taken);

}  // namespace muster::targets::kubernetes
