// The parts around the program while it runs: ports, probes, its end.
#include <algorithm>

#include "compiler/base/text.h"
#include "targets/contract/launch.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/pod_draft.h"
#include "targets/lookup.h"
#include "targets/shell.h"

namespace muster::targets::kubernetes {
namespace {

constexpr std::size_t longest_port_name = 15;

// Whether a probe finds the variable: it starts in the container, with `env`, but not behind the lines of sh that start
// the program.
bool is_in_container(const PodDraft& pod, const contract::Piece& piece) {
  const auto is_own = [&](const model::EnvVar& variable) { return variable.name == piece.variable; };
  const auto is_it = [&](const Node& variable) { return variable.get("name")->text == piece.variable; };
  const bool of_image = !piece.variable.starts_with("MUSTER_") && piece.of_environment &&
                        std::none_of(pod.role.env.begin(), pod.role.env.end(), is_own);
  return of_image || std::any_of(pod.variables.begin(), pod.variables.end(), is_it);
}

// The kubelet fills in only what is text in `env`: a shell in the container knows all of it.
Node probe_command(PodDraft& pod, const model::Probe& probe) {
  Node words = list({});
  std::string line = "exec";
  bool in_shell = false;
  for (const auto& word : probe.command) {
    const contract::Pieces pieces = pieces_of(pod, word.value);
    in_shell = in_shell || contract::has_variables(pieces);
    for (const contract::Piece& piece : pieces)
      if (piece.is_variable() && !is_in_container(pod, piece))
        pod.refuse_at(piece.span, {model::Field::probe_command, std::string(model::name(probe.kind))},
                      "only the shell in front of the program knows this value, and a probe starts beside it");
    words.items.push_back(text(expandable(contract::bytes_of(pieces))));
    line += " " + sh_word_of(pieces);
  }
  return in_shell ? texts(std::vector<std::string>{"/bin/sh", "-c", expandable(line)}) : words;
}

Node probe_action(PodDraft& pod, const model::Probe& probe) {
  const model::Port* port = nullptr;
  for (const model::Port& p : pod.role.ports)
    if (!probe.port || p.name == probe.port->value) port = port == nullptr ? &p : port;
  const Node number_of_port = number(port != nullptr ? port->number.value : 0);
  const FieldRef field{model::Field::probe_http, std::string(model::name(probe.kind))};
  if (probe.http) {
    const contract::Run run{pod.workload, pod.role, pod.shape, pod.names};
    const auto path = contract::known_text(pod, run, probe.http->value, field, "and `httpGet` takes no variable");
    return map({{"httpGet", map({{"path", text(path.value_or(""))}, {"port", number_of_port}})}});
  }
  if (probe.tcp) return map({{"tcpSocket", map({{"port", number_of_port}})}});
  return map({{"exec", map({{"command", probe_command(pod, probe)}})}});
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
    Node out = probe_action(pod, probe);
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
    pod.approximated(model::Field::stop_lead, stop->signal.value == "TERM" ? "timeout" : "a timer of the prelude",
                     std::string("the time counts from the start of the pod, not of the job") +
                         (stop->signal.value == "TERM" ? "; the image must have `timeout` of GNU coreutils" : "") +
                         (torch.empty() ? torch : "; " + torch));
}

}  // namespace muster::targets::kubernetes
