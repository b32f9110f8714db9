#include "targets/contract/launch.h"

namespace muster::targets::contract {

bool is_torch_launcher(model::Runner runner) {
  return runner == model::Runner::torchrun || runner == model::Runner::accelerate;
}

bool torch_passes(std::string_view signal) {
  return signal == "TERM" || signal == "INT" || signal == "HUP" || signal == "QUIT";
}

std::string torch_note(const model::Workload& workload, model::Runner runner, std::int64_t seconds) {
  if (!workload.stop || !is_torch_launcher(runner) || seconds <= torch_patience) return {};
  if (torch_passes(workload.stop->signal.value))
    return "before PyTorch 2.12 the launcher kills its workers 30 s after the signal";
  return "before PyTorch 2.10 the launcher does not know " + workload.stop->signal.value;
}

}  // namespace muster::targets::contract
