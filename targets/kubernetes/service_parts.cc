// The parts around the program while it runs: ports, probes, its end.
#include <algorithm>

#include "targets/contract/launch.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/pod_draft.h"
#include "targets/lookup.h"
#include "targets/shell.h"

namespace muster::targets::kubernetes {
namespace {

constexpr std::size_t longest_port_name = 15;

Node probe_action(const model::Probe& probe, const model::Role& role) {
  const model::Port* port = nullptr;
  for (const model::Port& p : role.ports)
    if (!probe.port || p.name == probe.port->value) port = port == nullptr ? &p : port;
  const Node number_of_port = number(port != nullptr ? port->number.value : 0);
  if (probe.http) return map({{"httpGet", map({{"path", text(probe.http->value)}, {"port", number_of_port}})}});
  if (probe.tcp) return map({{"tcpSocket", map({{"port", number_of_port}})}});
  Node words = list({});
  for (const auto& word : probe.command) words.items.push_back(text(expandable(word.value)));
  return map({{"exec", map({{"command", std::move(words)}})}});
}

}  // namespace

std::string port_name(const std::string& name) { return dns_label(name); }

void add_ports(PodDraft& pod) {
  Node ports = list({});
  for (const model::Port& port : pod.role.ports) {
    const std::string name = port_name(port.name);
    const FieldRef field{model::Field::port, port.name};
    if (!is_env_name(contract_name("MUSTER_PORT_", port.name))) continue;  // refused where it is exported
    if (name.size() > longest_port_name || !is_dns_label(name))
      pod.refuse_at(port.span, field,
                    "`" + port.name + "` is not a valid port name in a pod: letters, digits and dashes, at most 15");
    else ports.items.push_back(map({{"name", text(name)}, {"containerPort", number(port.number.value)}}));
    pod.exact({model::Field::port_number, port.name}, "containerPort");
  }
  if (!ports.items.empty()) put(pod.container, "ports", std::move(ports));
}

void add_probes(PodDraft& pod) {
  for (const model::Probe& probe : pod.role.probes) {
    Node out = probe_action(probe, pod.role);
    if (probe.after) put(out, "initialDelaySeconds", number(probe.after->value.seconds_up()));
    if (probe.every) put(out, "periodSeconds", number(probe.every->value.seconds_up()));
    if (probe.timeout) put(out, "timeoutSeconds", number(probe.timeout->value.seconds_up()));
    if (probe.failures) put(out, "failureThreshold", number(probe.failures->value));
    const std::string kind(model::name(probe.kind));
    put(pod.container, kind + "Probe", std::move(out));
    pod.exact_each({model::Field::probe, kind}, kind + "Probe");
  }
}

std::int64_t seconds_to_stop(const PodDraft& pod) {
  const auto& stop = pod.workload.stop;
  if (!stop) return 0;
  const std::int64_t lead = pod.draft.limit ? stop->lead.value.seconds_up() : 0;
  return std::max(lead, stop->grace.value.seconds_up());
}

void add_stop(PodDraft& pod) {
  const auto& stop = pod.workload.stop;
  if (!stop) return;
  const std::string torch = contract::torch_note(pod.workload, pod.runner(), seconds_to_stop(pod));
  if (pod.wrote(model::Field::stop_grace)) {
    put(pod.spec, "terminationGracePeriodSeconds", number(stop->grace.value.seconds_up()));
    if (torch.empty()) pod.exact(model::Field::stop_grace, "terminationGracePeriodSeconds");
    else pod.approximated(model::Field::stop_grace, "terminationGracePeriodSeconds", torch);
  }
  if (!pod.options.instead.empty()) return;  // the kind says what becomes of the signal
  const bool passes = stop->signal.value != "TERM" || (stop->lead.value.ms > 0 && pod.draft.limit);
  if (passes && pod.runner() == model::Runner::processes && pod.shape.processes > 1)
    return pod.refuse(pod.wrote(model::Field::stop_lead) ? model::Field::stop_lead : model::Field::stop_signal,
                      "with several processes in a pod, muster's shell only forwards TERM",
                      "use runner `torchrun`, or remove `stop { signal lead }`");
  // The shell that passes a signal on starts the program in the background, where these two are ignored from birth.
  if (stop->signal.value == "INT" || stop->signal.value == "QUIT")
    pod.refuse(model::Field::stop_signal,
               "in a pod `" + stop->signal.value +
                   "` does not reach the program, because background children of a shell ignore it",
               "use TERM, which Kubernetes sends, or USR1");
  else if (stop->signal.value == "TERM") pod.read(model::Field::stop_signal, "the signal of Kubernetes");
  else
    pod.approximated(model::Field::stop_signal, "a trap of the prelude",
                     "Kubernetes sends TERM, and the prelude forwards it as " + stop->signal.value);
  if (stop->lead.value.ms > 0 && !pod.draft.limit)
    pod.approximated(model::Field::stop_lead, "nothing", "the workload has no `time-limit`");
  else if (stop->lead.value.ms == 0) pod.read(model::Field::stop_lead, "no signal before the end");
  else
    pod.approximated(
        model::Field::stop_lead, "a timer of the prelude",
        "the time counts from the start of the pod, not of the job" + (torch.empty() ? torch : "; " + torch));
}

}  // namespace muster::targets::kubernetes
