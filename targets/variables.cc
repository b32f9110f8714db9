#include "targets/variables.h"

#include <algorithm>

#include "targets/given_names.h"
#include "targets/kubernetes/kinds.h"
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

void add_giver(std::vector<TargetVariable>& out, kubernetes::Giver giver, const std::string& when) {
  for (const kubernetes::OperatorName* row : kubernetes::operator_names({giver}))
    out.push_back({row->name, kubernetes::meaning_text(row->meaning), when});
}

// Target `kueue` writes the object that another target would, of each kind that Kueue admits.
bool writes_object_of(const Target& target, std::string_view other) {
  const std::span<const kubernetes::Kind> kinds = kubernetes::all_kinds();
  return target.name == "kueue" && std::any_of(kinds.begin(), kinds.end(), [&](const kubernetes::Kind& kind) {
           return kind.target == other && !kind.kueue.empty();
         });
}

}  // namespace

std::vector<TargetVariable> variables_of(const Target& target) {
  std::vector<TargetVariable> out;
  if (const auto system = system_of_plane(target.capabilities.plane)) {
    add_batch(out, *system);
    return out;
  }
  for (const kubernetes::GiverOf& row : kubernetes::givers_by_target())
    if (row.target == target.name) add_giver(out, row.giver, std::string(row.when));
    else if (writes_object_of(target, row.target))
      add_giver(out, row.giver,
                "in the object of target `" + std::string(row.target) + "`" +
                    (row.when.empty() ? "" : ", " + std::string(row.when)));
  add_giver(out, kubernetes::Giver::kubelet, "in every pod");
  return out;
}

std::vector<std::string_view> files_of(const Target& target) {
  std::vector<std::string_view> out;
  for (const kubernetes::OperatorThing& thing : kubernetes::operator_things())
    for (const kubernetes::GiverOf& row : kubernetes::givers_by_target())
      if (thing.is_file && row.giver == thing.giver &&
          (row.target == target.name || writes_object_of(target, row.target)))
        out.push_back(thing.name);
  return out;
}

}  // namespace muster::targets
