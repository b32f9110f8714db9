// The hardware half of a Slurm cluster: its nodes as machines, its GPU types as models. Inside
// targets/slurm only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/model/site.h"
#include "targets/site_import/machines.h"
#include "targets/slurm/read/cluster.h"

namespace muster::targets::slurm {

// The site's word for each GPU model, and the model of each type.
struct GpuSettings {
  std::map<std::string, std::string> model_of;  // GRES type → model
  std::vector<model::GpuDialect> dialects;      // models whose word is not their name
};
GpuSettings gpu_settings(const std::vector<NodeRecord>& nodes);

// One machine a node, in their order. Remarks have paths from the site's root on.
std::vector<Machine> machines_of(const Cluster& cluster, const GpuSettings& words,
                                 std::vector<targets::Remark>& remarks, Diagnostics& diagnostics);

// The nodes that have each feature, or none of them and a remark.
void add_features(const Cluster& cluster, model::Fleet& fleet, std::vector<targets::Remark>& remarks);

// Adds the reservations to the fleet. What one says and a fleet cannot hold is a remark, with its path.
void add_reservations(const Cluster& cluster, model::Fleet& fleet, std::vector<targets::Remark>& remarks,
                      Diagnostics& diagnostics);

}  // namespace muster::targets::slurm
