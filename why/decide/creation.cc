#include "why/decide/creation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "compiler/base/text.h"
#include "why/decide/kubernetes_nodes.h"
#include "why/decide/refusals.h"

namespace muster::why {

namespace {

// "requests.nvidia.com/gpu" and its amount in lists such as "limits.cpu=4,requests.nvidia.com/gpu=8".
std::optional<std::int64_t> amount_in(std::string_view list, std::string_view resource) {
  for (const std::string_view item : split(list, ','))
    if (const std::size_t equals = item.find('=');
        equals != std::string_view::npos && item.substr(0, equals) == resource)
      return amount_of(resource, item.substr(equals + 1));
  return std::nullopt;
}

// A resource of which one pod asks for more than the quota allows in all.
void add_quota(Place place, Case& out) {
  for (const std::string_view item : split(out.get("create.quota.requested"), ',')) {
    const std::string_view resource = item.substr(0, item.find('='));
    const auto asked = amount_in(item, resource), limit = amount_in(out.get("create.quota.limited"), resource);
    if (!asked || !limit || *asked <= *limit) continue;
    out.set("quota.beyond", "1", place);
    out.set("quota.resource", std::string(resource), place);
    out.set("quota.asked", *asked, place);
    out.set("quota.limit", *limit, place);
    return;
  }
}

}  // namespace

void add_creation(std::string_view text, Place place, Case& out) {
  add_messages("create", text, place, out);
  add_quota(place, out);
  const Known* account = out.find("create.service-account.account");
  const std::string value = account == nullptr ? std::string() : account->value;
  const std::size_t slash = value.find('/');
  if (slash == std::string::npos) return;
  out.set("service-account.namespace", value.substr(0, slash), place);
  out.set("service-account.name", value.substr(slash + 1), place);
}

std::vector<Subject> refused_objects(const Facts& facts) {
  std::vector<Subject> out;
  for (const Refusal& refusal : refusals_of(facts, true)) {
    Subject subject{refusal.id, "kubernetes", "refused", {}};
    for (const Object* line : refusal.lines) {
      Case here;
      const std::string text(line->get("text"));
      const bool open = line->find("at-edge") != nullptr || is_cut(text);
      add_creation(text, line->place, here);
      if (open && here.all().empty()) add_creation(text + std::string(cut), line->place, here);
      for (const auto& [key, known] : here.all()) subject.facts.offer(key, known.value, known.place);
      // What is behind may have been the reason.
      if (open) subject.facts.set("create.cut", "1", line->place);
    }
    out.push_back(std::move(subject));
  }
  return out;
}

}  // namespace muster::why
