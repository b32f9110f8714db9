#include "plan/pools/contents.h"

#include <algorithm>
#include <utility>

#include "compiler/model/attachment.h"
#include "compiler/model/marks.h"
#include "plan/demand.h"

namespace muster::plan {
namespace {

using model::Pool;

std::string gpu_of_batch(const RolePlan& role, const model::Site& site, const model::Plane& plane, const Pool& pool) {
  const std::string& gpu = pool.gpu->model;
  const model::GpuDialect* words = model::find_dialect(site, plane, gpu);
  if (role.role->resources.gpu_slice && words != nullptr && words->slice_resource) return words->slice_resource->value;
  const model::GpuWord word = model::gpu_word(site, plane, gpu);
  return word.type + "&" + word.feature;
}

std::string gpu_of_pods(const model::Site& site, const model::Plane& plane, const Pool& pool) {
  const model::GpuLabel label = model::gpu_label(site, plane, pool.gpu->model, &pool);
  std::string out = pool.gpu->vendor + " " + label.key;
  for (const std::string& value : label.values) out += "=" + value;
  const bool claimed = plane.gpu_request == model::GpuRequest::dra;
  return label.values.empty() || claimed ? out + " " + pool.gpu->model : out;
}

}  // namespace

bool asks_for_gpus(const RolePlan& role) {
  const auto asks = [](const RolePlan& one) { return one.gpus > 0 || one.role->resources.part_of_gpu(); };
  const auto programs = role.programs();
  return std::any_of(programs.begin(), programs.end(), asks);
}

Contents contents_of(const RolePlan& role, const model::Site& site, const model::Plane& plane, const Pool& pool) {
  Contents out;
  const bool of_pods = plane.pods() != nullptr;
  if (asks_for_gpus(role) && pool.gpu)
    out.gpu = of_pods ? gpu_of_pods(site, plane, pool) : gpu_of_batch(role, site, plane, pool);
  if (of_pods) out.arch = pool.arch, out.zone = pool.zone;
  if (role.uses_fabric) out.attachment = model::attachment_of(site, plane, pool);
  return out;
}

std::vector<Pools> choices_of(const RolePlan& role, const model::Site& site, const model::Plane& plane) {
  std::vector<std::pair<Contents, Pools>> found;
  for (const Pool* pool : role.allowed) {
    Contents says = contents_of(role, site, plane, *pool);
    auto same = std::find_if(found.begin(), found.end(), [&](const auto& one) { return one.first == says; });
    if (same == found.end()) same = found.insert(found.end(), {std::move(says), {}});
    same->second.push_back(pool);
  }
  std::vector<Pools> out;
  for (auto& [says, pools] : found) out.push_back(std::move(pools));
  return out;
}

Pools RolePlan::choice() const {
  const auto has = [&](const Pools& one) { return std::find(one.begin(), one.end(), pool) != one.end(); };
  const auto found = std::find_if(choices.begin(), choices.end(), has);
  return found != choices.end() ? *found : pool != nullptr ? Pools{pool} : Pools{};
}

bool wants_fabric(const RolePlan& role, const model::Workload& workload, bool tightly_coupled) {
  const model::FabricRequest asked = role.role->fabric.value;
  if (asked == model::FabricRequest::none) return false;
  if (asked == model::FabricRequest::required) return true;
  // Of roles on the same nodes the network is the first one's, unless another asks for it.
  if (!tightly_coupled || role.role->with) return false;
  if (role.nodes > 1) return true;
  std::int64_t with_gpus = 0;
  for (const model::Role& other : workload.roles) {
    const RoleDemand demand = demand_of(workload, other);
    if (!other.with && demand.gpus > 0) with_gpus += demand.nodes_together();
  }
  return role.gpus > 0 && with_gpus > role.total();
}

}  // namespace muster::plan
