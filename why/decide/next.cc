#include "why/decide/next.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "why/decide/pods.h"

namespace muster::why {
namespace {

// "job train" of "Job/train".
std::string owner_of(const Object& pod) {
  const std::string_view described = pod.get("controlledBy");
  if (const std::size_t slash = described.find('/'); slash != std::string_view::npos)
    return lower(described.substr(0, slash)) + " " + std::string(described.substr(slash + 1));
  const std::string_view kind = pod.get("metadata.ownerReferences.kind");
  return kind.empty() ? std::string() : lower(kind) + " " + std::string(pod.get("metadata.ownerReferences.name"));
}

}  // namespace

void add_next(const Facts& facts, const std::set<std::string>& focus, Case& out) {
  std::set<std::string> spaces;
  std::set<std::string> shown;  // "job train"
  bool pods = false;
  for (const Object& object : facts.objects) {
    if (!object.name_space.empty()) spaces.insert(object.name_space);
    if (object.kind != Kind::object || !object.get("from-file").empty()) continue;
    shown.insert(object.type + " " + object.name);
    pods |= object.type == "pod";
  }
  if (spaces.size() == 1) out.set("next.space", *spaces.begin());
  if (!pods) out.set("next.pods", "1");
  for (const Object& object : facts.objects) {
    if (object.kind != Kind::object || object.type != "pod") continue;
    if (!focus.empty() && !focus.contains(set_of(object.name)) && !focus.contains(object.name)) continue;
    const std::string owner = owner_of(object);
    if (!owner.empty() && !shown.contains(owner)) out.offer("next.owner", owner, object.place);
  }
}

}  // namespace muster::why
