// A service: the port that it listens on, its replicas, and how dstack asks whether they are ready.
#include <algorithm>

#include "compiler/data/read.h"
#include "targets/contract/references.h"
#include "targets/services/dstack/parts.h"

namespace muster::targets::dstack {
namespace {

using kubernetes::list;
using kubernetes::map;
using kubernetes::nothing;
using kubernetes::number;
using kubernetes::put;
using kubernetes::text;

// The port that `serve` names, else the one that the world is to reach, else the first.
const model::Port* served(const Task& task) {
  const auto& ports = task.role.ports;
  const auto& serve = task.workload.serve;
  auto found = std::find_if(ports.begin(), ports.end(), [&](const model::Port& port) {
    return serve && serve->port ? port.name == serve->port->value : port.is_public;
  });
  if (found == ports.end()) found = ports.begin();
  return found == ports.end() ? nullptr : &*found;
}

data::Node port_of(Task& task) {
  const model::Port* port = served(task);
  if (port == nullptr) return nothing();
  for (const model::Port& other : task.role.ports)
    if (&other != port)
      task.approximated_each({Field::port, other.name}, "nothing", "a service of dstack has one port");
  task.exact({Field::port_number, port->name}, "port");
  task.approximated({Field::port_public, port->name}, "port",
                    "dstack's proxy or gateway serves the port, to callers with a token of the project");
  return number(port->number.value);
}

std::string url_of(Task& task, const model::Probe& probe) {
  const FieldRef field{Field::probe_http, "readiness"};
  const auto known = contract::known_text(task, task.of_run(), probe.http->value, field,
                                          "and dstack takes no variable of the program");
  if (!known) return {};
  if (!known->starts_with('/') || known->size() > 2048)
    task.refuse_at(probe.http->span, field, "dstack probes paths that begin with `/`, of 2,048 characters at most");
  task.exact(field, "probes");
  return as_env(*known);
}

// dstack probes readiness alone, on the port of the service, from the start.
data::Node probes(Task& task) {
  const model::Port* port = served(task);
  for (const model::Probe& probe : task.role.probes) {
    if (probe.kind != model::ProbeKind::readiness || !probe.http) continue;
    const std::string url = url_of(task, probe);
    task.exact({Field::probe_every, "readiness"}, "interval");
    task.exact({Field::probe_timeout, "readiness"}, "timeout");
    const auto& asked = probe.port;
    if (asked && port != nullptr && asked->value != port->name)
      task.approximated({Field::probe_port, "readiness"}, "nothing", "dstack probes the port of the service");
    else task.read({Field::probe_port, "readiness"}, "the port of the service");
    task.approximated({Field::probe_after, "readiness"}, "nothing",
                      "dstack probes from the start, and a replica that is not ready yet is not stopped");
    task.approximated({Field::probe_failures, "readiness"}, "nothing",
                      "dstack counts the probes that succeed, and not those that fail");
    return list({map({{"type", text("http")},
                      {"url", text(url)},
                      {"interval", probe.every ? text(duration(probe.every->value)) : nothing()},
                      {"timeout", probe.timeout ? text(duration(probe.timeout->value)) : nothing()}})});
  }
  return nothing();
}

data::Node scaling(Task& task, const model::Scale& scale, bool one) {
  if (scale.metric != "requests-per-second")
    task.refuse_at(scale.span, Field::scale_metric, "dstack scales services by their requests per second only",
                   "write `scale { metric = requests-per-second  target = 10 }`");
  if (one) {
    for (const Field key : {Field::scale_metric, Field::scale_target, Field::scale_cooldown})
      task.approximated(key, "nothing", "`replicas` is one number, which leaves nothing to scale");
    return nothing();
  }
  for (const Field key : {Field::scale_metric, Field::scale_target, Field::scale_cooldown}) task.exact(key, "scaling");
  data::Node target = nothing();
  if (scale.target) {
    target.kind = data::plain_kind(scale.target->value);
    target.text = scale.target->value;
  }
  return map({{"metric", text("rps")},
              {"target", std::move(target)},
              {"scale_down_delay", scale.cooldown ? text(duration(scale.cooldown->value)) : nothing()}});
}

void put_replicas(Task& task, data::Node& file) {
  const auto& replicas = task.role.replicas;
  const model::Count range = replicas ? replicas->value : model::Count{};
  const bool one = range.low == range.high;
  const auto& scale = task.workload.scale;
  if (!one && scale) put(file, "replicas", text(std::to_string(range.low) + ".." + std::to_string(range.high)));
  else if (replicas) put(file, "replicas", number(std::max<std::int64_t>(1, range.low)));
  if (!one && !scale)
    task.approximated(Field::replicas, "replicas", "without `scale` the lower bound of the range is used");
  else task.exact(Field::replicas, "replicas");
  if (scale) put(file, "scaling", scaling(task, *scale, one));
}

}  // namespace

void check_service(Task& task) {
  if (!task.serves()) return;
  if (task.role.ports.empty())
    task.refuse(Field::kind, "a service of dstack requires the port that it listens on",
                "write `port api { number = 8000 }`");
  if (task.has_nodes())
    task.refuse(Field::resources_nodes, "a replica of a service of dstack has one node",
                "use a node with more GPUs, or target `lws`");
  if (task.workload.scale && !task.workload.scale->target)
    task.refuse_at(task.workload.scale->span, Field::scale_metric, "dstack requires the number of requests to scale by",
                   "write `target = 10`");
}

void put_service(Task& task, data::Node& file) {
  const model::Serve* serve = task.workload.serve ? &*task.workload.serve : nullptr;
  const bool engine = serve != nullptr && serve->engine && serve->model && !task.role.program;
  task.exact(Field::serve_port, engine ? "commands" : "port");
  put(file, "port", port_of(task));
  if (engine) put(file, "model", text(serve->model->value));
  put_replicas(task, file);
  put(file, "probes", probes(task));
}

}  // namespace muster::targets::dstack
