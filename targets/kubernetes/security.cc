#include "targets/kubernetes/security.h"

#include <algorithm>
#include <iterator>

#include "compiler/base/text.h"

namespace muster::targets::kubernetes {
namespace {

constexpr std::string_view baseline_capabilities[] = {"AUDIT_WRITE", "CHOWN",  "DAC_OVERRIDE",     "FOWNER",  "FSETID",
                                                      "KILL",        "MKNOD",  "NET_BIND_SERVICE", "SETFCAP", "SETGID",
                                                      "SETPCAP",     "SETUID", "SYS_CHROOT"};

constexpr std::string_view baseline = "baseline", privileged = "privileged";

bool is_true(const Node* node) { return node != nullptr && node->is_true(); }

std::string of(const Node& container) {
  const Node* name = container.get("name");
  return name == nullptr ? std::string() : " in container " + quoted(name->text);
}

std::optional<Excess> beyond_in_container(const Node& container, bool restricted) {
  if (const Node* ports = container.get("ports"))
    for (const Node& port : ports->items)
      if (const Node* host = port.get("hostPort"); host != nullptr && host->text != "0")
        return Excess{"hostPort " + host->text + of(container), privileged};
  const Node* own = container.get("securityContext");
  if (own == nullptr) return std::nullopt;
  if (is_true(own->get("privileged"))) return Excess{"`privileged`" + of(container), privileged};
  if (const Node* capabilities = own->get("capabilities"))
    if (const Node* added = capabilities->get("add"))
      for (const Node& one : added->items) {
        const bool usual = std::find(std::begin(baseline_capabilities), std::end(baseline_capabilities), one.text) !=
                           std::end(baseline_capabilities);
        const std::string what = "the capability " + one.text + of(container);
        if (!usual) return Excess{what, privileged};
        if (restricted && one.text != "NET_BIND_SERVICE") return Excess{what, baseline};
      }
  return std::nullopt;
}

// In a pod's spec, or a part of one that is merged into it.
std::optional<Excess> beyond_in_spec(const Node& spec, bool restricted) {
  for (const std::string_view key : {"hostNetwork", "hostPID", "hostIPC"})
    if (is_true(spec.get(key))) return Excess{quoted(key), privileged};
  if (const Node* volumes = spec.get("volumes"))
    for (const Node& volume : volumes->items)
      if (const Node* host = volume.get("hostPath")) {
        const Node* path = host->get("path");
        return Excess{"the hostPath volume" + (path == nullptr ? "" : " " + quoted(path->text)), privileged};
      }
  for (const std::string_view key : {"initContainers", "containers"})
    if (const Node* containers = spec.get(key))
      for (const Node& container : containers->items)
        if (auto found = beyond_in_container(container, restricted)) return found;
  const Node* context = spec.get("securityContext");
  const Node* user = context == nullptr ? nullptr : context->get("runAsUser");
  if (restricted && user != nullptr && user->text == "0") return Excess{"the user root", baseline};
  return std::nullopt;
}

}  // namespace

std::optional<Excess> beyond(const Node& object, std::string_view level) {
  if (object.is_map())
    if (auto found = beyond_in_spec(object, level == "restricted")) return found;
  for (const data::Member& member : object.members)
    if (auto found = beyond(member.value, level)) return found;
  for (const Node& item : object.items)
    if (auto found = beyond(item, level)) return found;
  return std::nullopt;
}

namespace {

const Node* user_of(const Node& thing) {
  const Node* context = thing.get("securityContext");
  return context == nullptr ? nullptr : context->get("runAsUser");
}

std::optional<std::string> useless_in_spec(const Node& spec) {
  const Node* containers = spec.get("containers");
  if (containers == nullptr) return std::nullopt;
  for (const Node& container : containers->items) {
    const Node* user = user_of(container) != nullptr ? user_of(container) : user_of(spec);
    const Node* added = container.at("securityContext.capabilities.add");
    if (user != nullptr && user->text != "0" && added != nullptr && !added->items.empty())
      return "user " + user->text + " cannot use the capability " + added->items.front().text + of(container);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> useless_capability(const Node& object) {
  if (object.is_map())
    if (auto found = useless_in_spec(object)) return found;
  for (const data::Member& member : object.members)
    if (auto found = useless_capability(member.value)) return found;
  for (const Node& item : object.items)
    if (auto found = useless_capability(item)) return found;
  return std::nullopt;
}

}  // namespace muster::targets::kubernetes
