#include <algorithm>

#include "tests/loss/pods.h"

namespace muster::loss {

std::string find_port(const Pods& p) {
  const model::Port* port = named(p.role.ports, p.asked.name);
  if (p.asked.key == "port.public")
    return when(object(p, "Ingress") && holds(object(p, "Ingress"), dns(port->name)), "Ingress");
  return when(says(p.container["ports"], "containerPort", port->number.value), "containerPort");
}

std::string find_probe(const Pods& p) {
  for (const model::Probe& probe : p.role.probes) {
    if (model::name(probe.kind) != p.asked.name) continue;
    const Tree& at = p.container[std::string(model::name(probe.kind)) + "Probe"];
    if (!at) return {};
    const std::string& key = p.asked.key;
    if (key == "probe.http") return when(says(at["httpGet"], "path", probe.http->value.bytes), "httpGet");
    if (key == "probe.tcp") return when(at["tcpSocket"].there(), "tcpSocket");
    if (key == "probe.command") {
      std::vector<std::string> words;
      for (const Tree& word : at["exec"]["command"].items) words.push_back(expanded(scalar(word)));
      return when(words == values_of(probe.command), "exec");
    }
    if (key == "probe.port")
      return when(says(at, "port", named(p.role.ports, probe.port->value)->number.value), "port");
    if (key == "probe.after")
      return when(says(at, "initialDelaySeconds", seconds(probe.after->value)), "initialDelaySeconds");
    if (key == "probe.every") return when(says(at, "periodSeconds", seconds(probe.every->value)), "periodSeconds");
    if (key == "probe.timeout")
      return when(says(at, "timeoutSeconds", seconds(probe.timeout->value)), "timeoutSeconds");
    return when(says(at, "failureThreshold", probe.failures->value), "failureThreshold");
  }
  return {};
}

std::string find_scale(const Pods& p) {
  const model::Scale& scale = *p.work.scale;
  for (const char* kind : {"ScaledObject", "HorizontalPodAutoscaler"}) {
    const Tree& o = object(p, kind);
    if (!o) continue;
    if (p.asked.key == "scale.cooldown")
      return when(says(o, "stabilizationWindowSeconds", seconds(scale.cooldown->value)), kind);
    if (p.asked.key == "scale.metric")
      return when(any(o,
                      [&](const std::string&, const Tree& at) {
                        return scalar(at).find(scale.metric == "cpu" ? "cpu" : "num_requests_waiting") !=
                               std::string::npos;
                      }),
                  kind);
    return when(holds(o, scale.target->value), kind);
  }
  return {};
}

std::string find_serve(const Pods& p) {
  const model::Serve& serve = *p.work.serve;
  const auto words = program_arguments(p);
  const auto has = [&](const std::string& w) { return std::find(words.begin(), words.end(), w) != words.end(); };
  if (p.asked.key == "serve.model") return when(has(serve.model->value), "args");
  if (p.asked.key == "serve.args") return when(in_a_row(words, values_of(serve.args)), "args");
  if (p.asked.key == "serve.engine")
    return when(has(serve.engine->value == model::Engine::vllm ? "vllm" : "sglang.launch_server"), "args");
  if (p.asked.key == "serve.config") return when(says(p.main, "serveConfigV2", serve.config->value), "serveConfigV2");
  const std::int64_t number = named(p.role.ports, serve.port->value)->number.value;
  if (scalar(p.main["kind"]) == "RayService")
    return when(says(p.container["ports"], "containerPort", number), "the Service that KubeRay creates");
  if (serve.engine && !p.role.program) return when(in_a_row(words, {"--port", std::to_string(number)}), "args");
  return when(object(p, "Service") && says(object(p, "Service"), "port", number), "Service");
}

}  // namespace muster::loss
