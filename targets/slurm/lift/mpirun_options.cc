#include "targets/slurm/lift/mpirun_options.h"

#include "compiler/base/text.h"

namespace muster::targets::slurm::lifting {

bool names_own_nodes(const LaunchOption& option) {
  if (!option.value || !is_one_of(option.name, {"hostfile", "machinefile", "f"})) return false;
  const std::string& file = option.value->text;
  return is_one_of(file, {"$PBS_NODEFILE", "${PBS_NODEFILE}", "$LSB_DJOB_HOSTFILE", "${LSB_DJOB_HOSTFILE}"});
}

bool fills_nodes(const LaunchOption& option) {
  return option.name == "map-by" && option.value && is_one_of(option.value->text, {"slot", "core"});
}

}  // namespace muster::targets::slurm::lifting
