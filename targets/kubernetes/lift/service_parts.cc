// Ports and probes of a container.
#include <algorithm>

#include "compiler/base/text.h"
#include "targets/kubernetes/lift/object_lift.h"
#include "targets/kubernetes/names.h"

namespace muster::targets::kubernetes::lifting {
namespace {

// The port that a probe asks, by number or name; nullptr: it is none of the role's.
const model::Port* port_of(const model::Role& role, const Field& port) {
  const auto number = port.whole();
  for (const model::Port& p : role.ports)
    if (number ? p.number.value == *number : p.name == port.text()) return &p;
  return nullptr;
}

model::Optional<Duration> seconds(const Field& field) {
  const auto whole = field.whole();
  if (!whole || *whole < 0 || *whole > 1'000'000) return std::nullopt;
  return model::unplaced(Duration{*whole * 1000});
}

struct ProbeField {
  std::string_view field;
  model::Optional<Duration> model::Probe::*member;
  std::int64_t least;
};

void lift_probe(ObjectLift& lift, const Container& container, const Field& from, model::ProbeKind kind,
                model::Role& role) {
  model::Probe probe;
  probe.kind = kind;
  const Field http = from.get("httpGet"), tcp = from.get("tcpSocket"), command = from.get("exec");
  const std::string block = "probe." + std::string(model::name(kind));
  if (http || tcp) {
    const Field& action = http ? http : tcp;
    const model::Port* port = port_of(role, action.get("port"));
    if (port == nullptr || action.get("host") || action.get("httpHeaders")) return;
    if (action.get("scheme") && !equal_ignoring_case(action.get("scheme").text(), "HTTP")) return;
    const std::string path(http ? (http.get("path") ? http.get("path").text() : "/") : "");
    if (http && !path.starts_with('/')) return;
    if (http) probe.http = model::unplaced(model::Text(path));
    probe.tcp = !http;
    if (role.ports.size() > 1) probe.port = model::unplaced(port->name);
    lift.ledger.line(action, Fate::mapped, block + (http ? ".http" : ".tcp"),
                     action.get("port").whole() ? "" : "muster writes the port's number");
  } else if (command) {
    for (const Field& word : command.get("command").items())
      probe.command.push_back(model::unplaced(kubelet_text(lift, container, word.text())));
    if (probe.command.empty()) return;
    lift.ledger.line(command, Fate::mapped, block + ".command");
  } else {
    return;  // gRPC
  }
  constexpr ProbeField fields[] = {{"initialDelaySeconds", &model::Probe::after, 0},
                                   {"periodSeconds", &model::Probe::every, 1000},
                                   {"timeoutSeconds", &model::Probe::timeout, 1000}};
  for (const ProbeField& f : fields) {
    const auto value = seconds(from.get(f.field));
    if (!value || value->value.ms < f.least) continue;
    probe.*f.member = value;
    lift.ledger.line(from.get(f.field), Fate::mapped, block);
  }
  if (const auto failures = from.get("failureThreshold").whole(); failures && *failures >= 1 && *failures <= 10'000) {
    probe.failures = model::unplaced(*failures);
    lift.ledger.line(from.get("failureThreshold"), Fate::mapped, block + ".failures");
  }
  role.probes.push_back(std::move(probe));
}

}  // namespace

void lift_ports(ObjectLift& lift, const Container& container, model::Role& role) {
  for (const Field& from : container.field.get("ports").items()) {
    const auto number = from.get("containerPort").whole();
    const Field protocol = from.get("protocol");
    if (!number || *number < 1 || *number > 65'535 || from.get("hostPort") || from.get("hostIP")) continue;
    if (protocol && protocol.text() != "TCP") continue;
    std::string name(from.get("name").text());
    const bool own = !name.empty();
    if (!own) name = "port-" + std::to_string(*number);
    const bool taken = std::any_of(role.ports.begin(), role.ports.end(),
                                   [&](const model::Port& p) { return p.name == name || p.number.value == *number; });
    if (taken || !is_dns_label(name) || name.size() > 15) continue;
    model::Port port;
    port.name = name;
    port.number = model::unplaced(*number);
    role.ports.push_back(std::move(port));
    lift.ledger.line(from, Fate::mapped, "port." + name, own ? "" : "ports of the language have names");
  }
}

void lift_probes(ObjectLift& lift, const Container& container, model::Role& role) {
  constexpr std::pair<std::string_view, model::ProbeKind> kinds[] = {{"readinessProbe", model::ProbeKind::readiness},
                                                                     {"livenessProbe", model::ProbeKind::liveness},
                                                                     {"startupProbe", model::ProbeKind::startup}};
  for (const auto& [key, kind] : kinds)
    if (const Field probe = container.field.get(key)) lift_probe(lift, container, probe, kind, role);
}

}  // namespace muster::targets::kubernetes::lifting
