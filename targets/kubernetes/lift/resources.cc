// What a container asks of its node.
#include <algorithm>

#include "compiler/base/text.h"
#include "targets/kubernetes/lift/object_lift.h"
#include "targets/kubernetes/read/cluster.h"

namespace muster::targets::kubernetes::lifting {
namespace {

struct Asked {
  Field request, limit;
  std::optional<std::int64_t> low, high;  // thousandths
};

Asked asked_for(const Container& container, std::string_view resource) {
  Asked out{container.request(resource), container.limit(resource), {}, {}};
  if (out.request) out.low = read_quantity(out.request.text());
  if (out.limit) out.high = read_quantity(out.limit.text());
  return out;
}

void map_both(ObjectLift& lift, const Asked& asked, const std::string& key, const std::string& note = {}) {
  lift.ledger.line(asked.request, Fate::mapped, key, asked.limit ? "" : note);
  lift.ledger.line(asked.limit, Fate::mapped, key);
}

constexpr std::string_view also_limit = "muster writes the request as the limit too";

void lift_cpus(ObjectLift& lift, const Container& container, model::Role& role) {
  const Asked asked = asked_for(container, "cpu");
  if (!asked.request && !asked.limit) return;
  const std::int64_t high = asked.high.value_or(asked.low.value_or(0)), low = asked.low.value_or(high);
  const bool whole = low % 1000 == 0 && high % 1000 == 0 && low >= 1000 && low <= high && high / 1000 <= 1'000'000;
  const bool read = (!asked.request || asked.low) && (!asked.limit || asked.high);
  if (!whole || !read) return;
  role.resources.cpus = model::unplaced(model::Amount<std::int64_t>{false, low / 1000, high / 1000});
  map_both(lift, asked, "resources.cpus", std::string(also_limit));
}

void lift_memory(ObjectLift& lift, const Container& container, model::Role& role) {
  const Asked asked = asked_for(container, "memory");
  if (!asked.request && !asked.limit) return;
  const std::int64_t high = asked.high.value_or(asked.low.value_or(0)), low = asked.low.value_or(high);
  const bool good = low % 1000 == 0 && high % 1000 == 0 && low / 1000 >= (1 << 20) && low <= high;
  const bool read = (!asked.request || asked.low) && (!asked.limit || asked.high);
  if (!good || !read) return;
  role.resources.memory = model::unplaced(model::Amount<Size>{false, Size{low / 1000}, Size{high / 1000}});
  map_both(lift, asked, "resources.memory", std::string(also_limit));
}

void lift_disk(ObjectLift& lift, const Container& container, model::Role& role) {
  const Asked asked = asked_for(container, "ephemeral-storage");
  if (!asked.low || !asked.high || *asked.low != *asked.high || *asked.low % 1000 != 0 || *asked.low < 1000) return;
  role.resources.disk = model::unplaced(Size{*asked.low / 1000});
  map_both(lift, asked, "resources.disk");
}

void lift_gpus(ObjectLift& lift, const Container& container, model::Role& role) {
  const Asked asked = asked_for(container, "nvidia.com/gpu");
  const auto count = asked.high ? asked.high : asked.low;
  if (!count || *count % 1000 != 0 || *count < 0 || *count / 1000 > 1024) return;
  if (asked.low && asked.high && *asked.low != *asked.high) return;
  if (*count > 0) role.resources.gpus = model::unplaced(*count / 1000);
  map_both(lift, asked, *count > 0 ? "resources.gpus" : "no GPU", "muster writes GPUs as the limit, which is the same");
}

// A MIG slice, where the container has one.
void lift_slice(ObjectLift& lift, const Container& container, model::Role& role) {
  if (role.resources.gpus) return;
  constexpr std::string_view prefix = "nvidia.com/mig-";
  for (const Field& limit : container.resources().get("limits").members()) {
    if (!limit.key.starts_with(prefix) || limit.text() != "1") continue;
    role.resources.gpu_slice = model::unplaced(std::string(limit.key.substr(prefix.size())));
    lift.ledger.line(limit, Fate::mapped, "resources.gpu-slice");
    const Field request = container.request(limit.key);
    if (request.text() == "1") lift.ledger.line(request, Fate::mapped, "resources.gpu-slice");
    return;
  }
}

// Devices of a network, and whatever else only the nodes of one site have.
void move_devices(ObjectLift& lift, const Container& container) {
  Node moved = map({});
  for (const char* part : {"limits", "requests"})
    for (const Field& amount : container.resources().get(part).members()) {
      if (lift.ledger.has(*amount.node) || !is_extended_resource(amount.key) || is_accelerator(amount.key)) continue;
      put(at(moved, part), amount.key, *amount.node);
      lift.ledger.line(amount, Fate::moved, "`pod` of the queue in the site", "only nodes of this cluster have it");
    }
  if (moved.members.empty()) return;
  Node item = map({{"name", text("*")}, {"resources", std::move(moved)}});
  merge(lift.queue_pod, map({{"spec", map({{"containers", list({std::move(item)})}})}}));
}

}  // namespace

void lift_resources(ObjectLift& lift, const PodTemplate&, const Container& container, model::Role& role) {
  lift_gpus(lift, container, role);
  lift_slice(lift, container, role);
  lift_cpus(lift, container, role);
  lift_memory(lift, container, role);
  lift_disk(lift, container, role);
  move_devices(lift, container);
}

}  // namespace muster::targets::kubernetes::lifting
