#include "lint/target_block/reduced.h"

#include <algorithm>
#include <set>

namespace muster::lint {

using model::TargetOptions;

bool carries(const targets::Target& target, const TargetOptions& block) {
  return block.target == target.name || block.target == target.capabilities.plane_name();
}

bool has_block_options(const model::Workload& workload, const targets::Target& target) {
  return std::any_of(workload.targets.begin(), workload.targets.end(),
                     [&](const TargetOptions& block) { return !block.options.empty() && carries(target, block); });
}

Reduced::Reduced(const plan::Plan& plan, const Keep& keep) : workload_(*plan.workload), plan_(plan) {
  for (std::size_t i = 0; i < workload_.targets.size(); ++i) {
    const TargetOptions& all = plan.workload->targets[i];
    std::set<std::string_view> kept;
    for (const model::RawOption& given : all.options)
      if (keep(all, given)) kept.insert(given.name);
    std::erase_if(workload_.targets[i].options, [&](const model::RawOption& o) { return !kept.contains(o.name); });
  }
  std::erase_if(workload_.written, [&](const model::WrittenField& field) { return is_gone(field.field); });
  std::erase_if(workload_.targets, [](const TargetOptions& block) {
    return block.options.empty() && block.srun.empty() && block.launch.empty();
  });
  plan_.workload = &workload_;
}

Reduced::Reduced(const plan::Plan& plan)
    : Reduced(plan, [](const TargetOptions&, const model::RawOption&) { return false; }) {}

bool Reduced::is_gone(const model::FieldRef& field) const {
  if (field.field != model::Field::target) return false;
  return std::none_of(workload_.targets.begin(), workload_.targets.end(), [&](const TargetOptions& block) {
    return std::any_of(block.options.begin(), block.options.end(),
                       [&](const model::RawOption& o) { return field.detail == block.target + "." + o.name; });
  });
}

model::Site with_only(const model::Site& site, const model::Plane& plane) {
  model::Site out = site;
  std::erase_if(out.planes, [&](const model::Plane& other) { return other.name != plane.name; });
  return out;
}

}  // namespace muster::lint
