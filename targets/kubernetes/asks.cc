// What YAML of a `target` block asks for.
#include "targets/asks.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/data/read.h"
#include "targets/kubernetes/kinds.h"
#include "targets/kubernetes/read/cluster.h"
#include "targets/kubernetes/read/pod.h"

namespace muster::targets::kubernetes {
namespace {

void add(std::vector<Asks>& out, Asks asks) {
  if (std::find(out.begin(), out.end(), asks) == out.end()) out.push_back(asks);
}

// Every job has one CPU.
bool is_part_of_cpu(std::string_view text) {
  const auto amount = read_quantity(text);  // in thousandths
  return amount && *amount <= 1000;
}

void add_amounts(std::vector<Asks>& out, const Field& resources) {
  for (const char* part : {"limits", "requests"})
    for (const Field& amount : resources.get(part).members()) {
      if (amount.text() == "0") continue;
      if (is_accelerator(amount.key)) add(out, Asks::gpus);
      else if (amount.key == "cpu" && !is_part_of_cpu(amount.text())) add(out, Asks::cpus);
      else if (amount.key == "memory") add(out, Asks::memory);
      else if (amount.key == "ephemeral-storage") add(out, Asks::disk);
    }
}

// Of the program's containers: what is beside them goes with them, and has an entry of its own in the loss report.
void add_containers(std::vector<Asks>& out, const Field& pod) {
  for (const Field& container : pod.at("spec.containers").items())
    if (container.get("name").text() == "*") add_amounts(out, container.get("resources"));
  if (pod.at("spec.activeDeadlineSeconds")) add(out, Asks::time);
}

void add_object(std::vector<Asks>& out, std::string_view target, const Field& object) {
  for (const Kind& kind : all_kinds()) {
    if (kind.target != target) continue;
    if (!kind.deadline.path.empty() && object.at(kind.deadline.path)) add(out, Asks::time);
    if (!kind.trainer.empty()) add_amounts(out, object.at(kind.trainer).get("resourcesPerNode"));
    for (const PodPlace& place : kind.places) {
      if (place.holder.empty()) continue;
      for (const Field& holder : matches(object, place.holder)) {
        add_containers(out, holder.at(place.below));
        for (const std::string_view count : split(place.counts, ' '))
          if (!count.empty() && holder.at(count) && holder.at(count).text() != "1") add(out, Asks::nodes);
      }
    }
  }
}

}  // namespace

std::vector<Asks> asks_of(std::string_view target, const model::RawOption& option) {
  std::vector<Asks> out;
  Sources sources;
  const data::Documents read = data::read_yaml(sources, sources.add("block", option.value.value));
  if (read.documents.empty() || !read.documents[0].root.is_map()) return out;
  const Field root = root_field(read.documents[0].root);
  if (option.name == "pod") add_containers(out, root);
  else if (option.name == "object") add_object(out, target, root);
  return out;
}

}  // namespace muster::targets::kubernetes
