// Requests and limits that a manifest leaves open.
#include <algorithm>

#include "tests/loss/reader.h"

namespace muster::loss {
namespace {

// What the workload leaves to the site is open on purpose.
struct Left {
  bool cpus = false, memory = false;

  explicit Left(const model::Workload& workload) {
    for (const model::Role& role : workload.roles) {
      cpus |= is_left_to_site(role.resources.cpus);
      memory |= is_left_to_site(role.resources.memory);
    }
  }
};

std::string open_amount(const std::string& name, const Tree& resources, const Left& left) {
  // The API server takes a limit for a request that is not there, before any LimitRange is asked.
  if (!left.cpus && !resources["limits"]["cpu"]) return name + ": limits.cpu";
  if (!left.memory && !resources["limits"]["memory"]) return name + ": limits.memory";
  return {};
}

}  // namespace

std::string open_amount(const Output& output, const model::Site& site, const model::Workload& workload) {
  const Left left(workload);
  const auto of_site = [&](const std::string& image) {
    return std::any_of(site.fabrics.begin(), site.fabrics.end(), [&](const model::FabricAttachment& fabric) {
      return fabric.pod && fabric.pod->value.find(image) != std::string::npos;
    });
  };
  std::string found;
  for (const Tree& object : output.objects) {
    if (object["kind"].text == "TrainingRuntime") continue;  // its TrainJob says what its pods get
    if (object["kind"].text == "TrainJob")
      found = open_amount("trainer", object["spec"]["trainer"]["resourcesPerNode"], left);
    each(object, "", [&](const std::string& key, const Tree& at) {
      if (key != "containers" && key != "initContainers") return;
      for (const Tree& container : at.items)  // one without an image is a patch of another
        if (found.empty() && container["image"] && !of_site(container["image"].text))
          found = open_amount(container["name"].text, container["resources"], left);
    });
    if (!found.empty()) break;
  }
  return found;
}

}  // namespace muster::loss
