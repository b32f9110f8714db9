#include "plan/steps/tpu.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "compiler/base/text.h"

namespace muster::plan {
namespace {

bool is_tpu(std::string_view model) { return lower(model).starts_with("tpu"); }

void refuse_tpu(const std::string& gpu, Span where, Diagnostics& diagnostics) {
  diagnostics.add(Code::tpu, where, "TPUs (`" + gpu + "`) are requested by topology, which the language cannot express")
      .notes.push_back("use GPUs, or write the manifest by hand");
}

}  // namespace

bool asks_no_tpu(const model::Workload& workload, Diagnostics& diagnostics) {
  for (const model::Role& role : workload.roles) {
    const auto& gpu = role.resources.gpu;
    if (!gpu) continue;
    const auto found = std::find_if(gpu->value.begin(), gpu->value.end(), is_tpu);
    if (found == gpu->value.end()) continue;
    refuse_tpu(*found, gpu->span, diagnostics);
    return false;
  }
  return true;
}

bool gets_no_tpu(const Plan& plan, Diagnostics& diagnostics) {
  for (const RolePlan& role : plan.roles) {
    if (role.gpus == 0 || role.pool == nullptr || !role.pool->gpu) continue;
    const model::Gpu& gpu = *role.pool->gpu;
    if (!is_tpu(gpu.model)) continue;
    const auto& asked = role.role->resources.gpus;
    refuse_tpu(gpu.model, asked ? asked->span : plan.workload->span, diagnostics);
    return false;
  }
  return true;
}

}  // namespace muster::plan
