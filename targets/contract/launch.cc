#include "targets/contract/launch.h"

namespace muster::targets::contract {

std::string_view launcher_command(model::Runner runner) {
  switch (runner) {
    case model::Runner::torchrun: return "torchrun";  // the rest is in PET_*
    case model::Runner::accelerate:
      return "accelerate launch --num_machines \"$MUSTER_NODES\" --num_processes \"$MUSTER_WORLD_SIZE\" "
             "--machine_rank \"$MUSTER_NODE_RANK\" --main_process_ip \"$MUSTER_HEAD_ADDR\" --main_process_port "
             "\"$MUSTER_PORT\"";
    default: return "";
  }
}

}  // namespace muster::targets::contract
