#include "targets/variables.h"

#include "targets/given_names.h"
#include "targets/kubernetes/operator_names.h"

namespace muster::targets {
namespace {

// "differs from node to node".
std::string_view spread_text(SameIn same_in) {
  switch (same_in) {
    case SameIn::job: return {};
    case SameIn::node: return "differs from node to node";
    case SameIn::task: return "differs from task to task";
  }
  return {};
}

void add_batch(std::vector<TargetVariable>& out, BatchSystem system) {
  for (const GivenName& row : given_names(system)) {
    std::string when(row.condition);
    if (const std::string_view spread = spread_text(row.same_in); !spread.empty())
      when += (when.empty() ? "" : "; ") + std::string(spread);
    out.push_back({row.name, meaning_text(row.meaning), std::move(when)});
  }
}

void add_giver(std::vector<TargetVariable>& out, kubernetes::Giver giver, std::string_view when) {
  for (const kubernetes::OperatorName* row : kubernetes::operator_names({giver}))
    out.push_back({row->name, kubernetes::meaning_text(row->meaning), std::string(when)});
}

}  // namespace

std::vector<TargetVariable> variables_of(const Target& target) {
  std::vector<TargetVariable> out;
  if (target.capabilities.plane == model::PlaneKind::slurm) {
    add_batch(out, BatchSystem::slurm);
    return out;
  }
  for (const kubernetes::GiverOf& row : kubernetes::givers_by_target())
    if (row.target == target.name) add_giver(out, row.giver, row.when);
  add_giver(out, kubernetes::Giver::kubelet, "in every pod");
  return out;
}

std::vector<std::string_view> files_of(const Target& target) {
  std::vector<std::string_view> out;
  for (const kubernetes::OperatorThing& thing : kubernetes::operator_things())
    for (const kubernetes::GiverOf& row : kubernetes::givers_by_target())
      if (thing.is_file && row.giver == thing.giver && row.target == target.name) out.push_back(thing.name);
  return out;
}

}  // namespace muster::targets
