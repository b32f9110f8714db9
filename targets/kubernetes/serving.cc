// A service on single nodes: Deployment, Service, PodDisruptionBudget, and an autoscaler where replicas are a range.
#include "targets/kubernetes/serving.h"

#include <algorithm>
#include <set>

#include "compiler/data/write.h"
#include "targets/kubernetes/gang.h"
#include "targets/kubernetes/job_parts.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/own_block.h"
#include "targets/kubernetes/pod.h"
#include "targets/kubernetes/scaling.h"

namespace muster::targets::kubernetes {
namespace {

constexpr std::int64_t drain_seconds = 5;  // until every proxy has heard that the pod is going

// What no Deployment can be.
bool deployment_takes(Draft& draft) {
  const std::size_t before = draft.diagnostics.size();
  const plan::RolePlan& role = draft.plan.roles.front();
  if (draft.plan.roles.size() > 1)
    draft.refuse_at(draft.plan.roles[1].role->span, model::Field::role, "a Deployment has one role",
                    "make each role a separate workload");
  if (role.nodes > 1)
    draft.refuse(model::Field::resources_nodes,
                 "a replica of " + std::to_string(role.nodes) + " nodes does not fit one pod of a Deployment",
                 "use target `lws`");
  if (role.role->launch.runner.value == model::Runner::ray || role.role->launch.runner.value == model::Runner::mpi)
    draft.refuse(model::Field::launch_runner, "a Deployment does not start Ray clusters or MPI ranks",
                 "use target `kuberay` for Ray");
  if (draft.workload.starts() == model::Gang::all && role.role->copies() > 1)
    draft.refuse(model::Field::gang, "the pods of a Deployment start one by one", "remove `gang = all`");
  if (draft.workload.time_limit)
    draft.refuse(model::Field::time_limit, "a Deployment never ends, and its pods are restarted",
                 "remove `time-limit`");
  if (draft.workload.retry)
    draft.refuse(model::Field::retry, "the pods of a Deployment are always restarted", "remove `retry`");
  return draft.diagnostics.size() == before;
}

// The labels by which a Service and a Deployment know their pods; they never change.
Node selector(const Draft& draft, const model::Role& role) {
  const Node labels = draft.labels_for(role.name);
  Node out = map({});
  for (const char* key : {"app.kubernetes.io/name", "app.kubernetes.io/component"})
    if (const Node* label = labels.get(key)) put(out, key, *label);
  return out;
}

// A port of the workload for the world outside, as the plane says.
void add_exposure(Draft& draft, const model::Role& role) {
  const auto& expose = draft.pods.expose;
  for (const model::Port& port : role.ports) {
    const FieldRef field{model::Field::port_public, port.name};
    if (!draft.wrote(field)) continue;
    if (!port.is_public) {
      draft.read(field, "reachable only inside the cluster");
    } else if (!expose || expose->value == "cluster") {
      draft.approximated(field, "a Service",
                         "plane `" + draft.plane.name + "` does not expose ports outside the cluster");
    } else {
      Node service = map({{"name", text(draft.name)}, {"port", map({{"name", text(dns_label(port.name))}})}});
      Node path =
          map({{"path", text("/")}, {"pathType", text("Prefix")}, {"backend", map({{"service", std::move(service)}})}});
      Node ingress = draft.object("networking.k8s.io/v1", "Ingress", draft.name + "-" + dns_label(port.name));
      put(ingress, "spec", map({{"rules", list({map({{"http", map({{"paths", list({std::move(path)})}})}})})}}));
      draft.add(std::move(ingress));
      draft.exact(field, "Ingress");
    }
  }
}

// Of two or more replicas one at a time may be taken away.
void add_budget(Draft& draft, const model::Role& role) {
  if (role.copies() < 2) return;
  Node budget = draft.object("policy/v1", "PodDisruptionBudget", draft.name);
  put(budget, "spec",
      map({{"maxUnavailable", number(1)}, {"selector", map({{"matchLabels", selector(draft, role)}})}}));
  draft.add(std::move(budget));
}

// Requests still come in while the endpoint is taken out: the program gets its signal after that.
void add_drain(const Draft& draft, Node& pod) {
  const std::int64_t grace = draft.workload.stop ? draft.workload.stop->grace.value.seconds_up() : 30;
  if (has_feature(draft.plane, "kubernetes", "preStop.sleep") == false || grace <= drain_seconds) return;
  Node& container = at(at(pod, "spec"), "containers").items.front();
  put(container, "lifecycle", map({{"preStop", map({{"sleep", map({{"seconds", number(drain_seconds)}})}})}}));
}

// Pods are made anew when their ConfigMap changes, which keeps its name.
void mark_config(const Draft& draft, Node& pod) {
  for (const Node& object : draft.objects)
    if (object.get("kind")->text == "ConfigMap")
      put(at(at(pod, "metadata"), "annotations"), "checksum/config", text(digest(data::to_yaml(object))));
}

Node deployment_spec(Draft& draft, const model::Role& role, Node pod) {
  Node spec = map({});
  // An autoscaler owns the number: a manifest that states it would reset it at every apply.
  if (!draft.workload.scale) put(spec, "replicas", number(role.copies()));
  put(spec, "selector", map({{"matchLabels", selector(draft, role)}}));
  if (role.gpus() > 0)
    put(spec, "strategy",
        with_comment(map({{"rollingUpdate", map({{"maxSurge", number(0)}, {"maxUnavailable", number(1)}})}}),
                     "no GPUs are kept free for a rollout: a replica stops before its replacement starts"));
  put(spec, "template", std::move(pod));
  return spec;
}

}  // namespace

void put_service_fields(const Draft& draft, Node& pod) {
  const std::vector<std::string> named = names_given(draft);
  const auto is_link = [](const std::string& name) { return operator_name({Giver::kubelet}, name) != nullptr; };
  if (std::any_of(named.begin(), named.end(), is_link)) return;
  put(at(pod, "spec"), "enableServiceLinks", truth(false));  // a Service `vllm` would set VLLM_PORT
  add_drain(draft, pod);
  mark_config(draft, pod);
}

void add_service(Draft& draft, const plan::RolePlan& shape, const std::string& name, Node selector) {
  Node ports = list({});
  std::set<std::string> names;
  for (const plan::RolePlan& program : shape.programs())
    for (const model::Port& port : program.role->ports) {
      const std::string label = dns_label(port.name), number_of = std::to_string(port.number.value);
      const bool first = names.insert(label).second;  // containers of one pod may have ports of one name
      ports.items.push_back(map({{"name", text(first ? label : "port-" + number_of)},
                                 {"port", number(port.number.value)},
                                 {"targetPort", first ? text(label) : number(port.number.value)}}));
    }
  if (ports.items.empty()) return;
  Node service = draft.object("v1", "Service", name);
  put(service, "spec", map({{"selector", std::move(selector)}, {"ports", std::move(ports)}}));
  draft.add(std::move(service));
}

void report_serve(Draft& draft) {
  if (!draft.workload.serve) return;
  const model::Serve& serve = *draft.workload.serve;
  draft.exact(model::Field::serve_port, "Service");
  report_server(draft, draft.plan.roles.front().role->program.has_value());
  if (serve.router && serve.router->value == "round-robin") draft.exact(model::Field::serve_router, "Service");
  else draft.approximated(model::Field::serve_router, "Service", "a Service only distributes connections");
  if (serve.config)
    draft.refuse_at(serve.config->span, model::Field::serve_config, "Ray Serve applications are deployed by KubeRay",
                    "use runner `ray` and target `kuberay`");
}

void build_service(Draft& draft) {
  draft.keeps_name = true;
  draft.name = draft.base;
  if (!deployment_takes(draft) || !draft.fits(17, "the longest pod name")) return;  // `-<10 of the set>-<5 of the pod>`
  const plan::RolePlan& shape = draft.plan.roles.front();
  const model::Role& role = *shape.role;
  Node pod = make_pod(draft, shape, {.run = {}, .restart = ""});
  put_service_fields(draft, pod);
  const kubernetes::Kind& deployment = kubernetes::kind_row("apps", "Deployment");
  Node object = draft.main_object(deployment);
  put(object, "spec", deployment_spec(draft, role, std::move(pod)));
  const GangMember member{&at(at(object, "spec"), "template"), dns_label(role.name), 1};
  add_gang(draft, object, {&member, 1});
  add_workload_object(draft, std::move(object));
  add_service(draft, shape, draft.name, selector(draft, role));
  add_exposure(draft, role);
  add_budget(draft, role);
  add_scaling(draft, shape);
  report_serve(draft);
}

}  // namespace muster::targets::kubernetes
