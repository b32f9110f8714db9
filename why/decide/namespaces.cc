#include "why/decide/namespaces.h"

#include <map>
#include <set>
#include <string_view>

#include "compiler/base/text.h"

namespace muster::why {
namespace {

constexpr std::size_t most = 20;  // each has its own copy of what the cluster has

using Names = std::map<std::string, std::set<std::string>, std::less<>>;  // which namespaces have a name

bool is_of_pods(const Object& object) {
  return object.kind == Kind::object || object.kind == Kind::event || object.kind == Kind::row ||
         object.kind == Kind::absent || (object.kind == Kind::submitted && object.type == "kubectl");
}

// What an object is called where others speak of it: "train" of the event of "job/train".
std::string_view called(const Object& object) {
  const std::string_view name = object.name;
  const std::size_t slash = name.find('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

// What is of no namespace: every other object prints its own, and a list that is empty says of which it is.
bool is_of_cluster(const Object& object) {
  if (!object.name_space.empty()) return false;
  return object.kind == Kind::object || !object.get("of-cluster").empty() ||
         (object.kind == Kind::absent && !object.type.empty());
}

// What a list of a whole cluster shows beside what does not run.
bool is_listed_well(const Object& object) {
  return object.kind == Kind::row &&
         (object.type != "pod" || is_one_of(object.get("status"), {"Running", "Completed"}));
}

std::set<std::string> spaces_of(const Facts& facts) {
  std::set<std::string> out;
  for (const Object& object : facts.objects)
    if (is_of_pods(object) && !is_listed_well(object) && !object.name_space.empty() &&
        object.name_space != "kube-system")
      out.insert(object.name_space);
  // Events of nodes are in it.
  std::set<std::string> others = out;
  others.erase("default");
  return others.size() > 1 ? out : std::set<std::string>();
}

// The namespace of each output that prints none.
std::map<std::uint32_t, std::string> found_spaces(const Facts& facts) {
  Names names;
  for (const Object& object : facts.objects)
    if (is_of_pods(object) && !object.name_space.empty() && !object.name.empty())
      names[std::string(called(object))].insert(object.name_space);
  std::map<std::uint32_t, std::set<std::string>> found;
  for (const Object& object : facts.objects) {
    if (!is_of_pods(object) || !object.name_space.empty()) continue;
    const auto one = names.find(called(object));
    if (one != names.end() && one->second.size() == 1) found[object.segment].insert(*one->second.begin());
  }
  std::map<std::uint32_t, std::string> out;
  for (const auto& [segment, spaces] : found)
    if (spaces.size() == 1) out[segment] = *spaces.begin();
  return out;
}

}  // namespace

std::vector<Space> by_namespace(const Facts& facts) {
  const std::set<std::string> spaces = spaces_of(facts);
  if (spaces.empty()) return {{"", facts}};
  if (spaces.size() > most) return {};
  const auto found = found_spaces(facts);
  std::vector<Space> out;
  for (const std::string& name : spaces) {
    Space space{name, {}};
    for (const Object& object : facts.objects) {
      std::string own = object.name_space;
      if (const auto one = found.find(object.segment); own.empty() && one != found.end()) own = one->second;
      if (is_of_pods(object) && (own == name || (own.empty() && is_of_cluster(object))))
        space.facts.objects.push_back(object);
    }
    out.push_back(std::move(space));
  }
  return out;
}

}  // namespace muster::why
