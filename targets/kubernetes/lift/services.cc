// Kinds that serve, and what runs on Ray: a function each.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/model/coupling.h"
#include "targets/kubernetes/lift/object_lift.h"
#include "targets/kubernetes/names.h"

namespace muster::targets::kubernetes::lifting {
namespace {

std::optional<std::int64_t> replicas_at(const Field& field, std::int64_t least, std::int64_t most = 100'000) {
  if (!field) return 1;
  const auto count = field.whole();
  return count && *count >= least && *count <= most ? count : std::nullopt;
}

bool refuse_replicas(ObjectLift& lift, const Field& field) {
  return lift.refuse(field, "`" + printable(field.text(), 40) + "` is not a number of replicas that the language has",
                     field.text() == "0" ? "give it at least one replica" : "");
}

// Labels by which the object finds its pods: muster selects them by its own.
void drop_selector(ObjectLift& lift) {
  lift.ledger.line(lift.spec("selector"), Fate::dropped, "", "muster selects the pods by a label of its own");
}

// A Service of the file that sends traffic to these pods becomes ports; what it is for the world outside does not.
void lift_services(ObjectLift& lift, model::Role& role) {
  for (const Object& object : lift.manifest.objects) {
    if (object.kind != "Service" || group_of(object.api_version) != "") continue;
    const auto backends = backends_of(object, lift.manifest);
    const auto is_own = [&](const Backend& b) { return b.object == &lift.object; };
    if (std::none_of(backends.begin(), backends.end(), is_own)) continue;
    const std::string type(object.root.at("spec.type").text());
    const bool outside = type == "LoadBalancer" || type == "NodePort";
    if (outside && !role.ports.empty()) role.ports.front().is_public = true;
    const std::string note = role.ports.empty() ? "the pods declare no port, so muster writes no Service"
                             : outside ? "muster writes a Service inside the cluster; the plane's `expose` says "
                                         "how ports are reached from outside"
                                       : "muster writes a Service of its own for the ports";
    lift.ledger.say(object.root.span(), object.subject(), role.ports.empty() ? Fate::lost : Fate::approximated,
                    role.ports.empty() ? "" : "port", note);
  }
}

void lose_scalers(ObjectLift& lift) {
  for (const Autoscaler& scaler : autoscalers(lift.manifest))
    if (target_of(scaler, lift.manifest) == &lift.object)
      lift.ledger.say(scaler.object->root.span(), scaler.object->subject(), Fate::lost, "",
                      "its metric has no key here; write `scale` and a range of `replicas`");
}

// ---- Ray

struct RayPaths {
  std::string_view cluster;  // below spec
  std::string_view name;
};

RayPaths ray_paths(const Object& object) {
  if (object.kind == "RayJob") return {"rayClusterSpec", "RayJob"};
  if (object.kind == "RayService") return {"rayClusterConfig", "RayService"};
  return {"", "RayCluster"};
}

// A version of numbers, as the language has it.
bool is_version(std::string_view text) {
  const auto parts = split(text, '.');
  return parts.size() >= 2 && parts.size() <= 4 && std::all_of(parts.begin(), parts.end(), all_digits);
}

// Of an older version of the API the server does not fill in what it fills in now.
void say_version(ObjectLift& lift, const Field& groups) {
  if (lift.object.api_version == "ray.io/v1") return;
  lift.ledger.say(lift.object.root.get("apiVersion").span(), "apiVersion", Fate::approximated, "",
                  "muster writes ray.io/v1");
  for (const Field& group : groups.items())
    if (!group.get("numOfHosts"))
      lift.ledger.say(group.span(), group.path + ".numOfHosts", Fate::approximated, "", "1, which ray.io/v1 fills in");
}

// The workers of a group as nodes of a role.
bool count_group(ObjectLift& lift, const Field& group, model::Role& role, bool grows) {
  const Field replicas = group.get("replicas"), hosts_field = group.get("numOfHosts");
  const auto count = replicas_at(replicas ? replicas : group.get("minReplicas"), 0),
             hosts = replicas_at(hosts_field, 1);
  const auto low = group.get("minReplicas").whole(), high = group.get("maxReplicas").whole();
  if (!count) return refuse_replicas(lift, replicas);
  if (!hosts) return refuse_replicas(lift, hosts_field);
  const std::int64_t least = std::max<std::int64_t>(grows ? low.value_or(*count) : *count, 1);
  const std::int64_t most = std::min<std::int64_t>(std::max(grows ? high.value_or(least) : least, least), 100'000);
  const bool none = (grows ? low.value_or(1) : *count) == 0;
  const std::string note = none ? "a group of the language has at least one worker" : "";
  if (*hosts > 1) {
    role.resources.nodes = model::unplaced(model::Count{*hosts, *hosts});
    role.replicas = model::unplaced(model::Count{least, most});
  } else if (most > 1) {
    role.resources.nodes = model::unplaced(model::Count{least, most});
  }
  const std::string key = *hosts > 1 ? "replicas" : "resources.nodes";
  for (const char* field : {"replicas", "minReplicas", "maxReplicas"})
    lift.ledger.line(group.get(field), none ? Fate::approximated : Fate::mapped, key, note);
  lift.ledger.line(hosts_field, Fate::mapped, "resources.nodes");
  return true;
}

bool lift_groups(ObjectLift& lift, const RayPaths& paths, bool& several) {
  const Field cluster = paths.cluster.empty() ? lift.object.root.get("spec") : lift.spec(paths.cluster);
  const bool grows = cluster.get("enableInTreeAutoscaling").is_true();
  say_version(lift, cluster.get("workerGroupSpecs"));
  if (grows) lift.ledger.line(cluster.get("enableInTreeAutoscaling"), Fate::mapped, "resources.nodes");
  for (const PodTemplate& pods : lift.object.pods) {
    if (pods.role == "submitter") continue;
    model::Role& role = lift.role(pods.role);
    role.launch.runner = {model::Runner::ray, {}};
    if (pods.role != "head") {
      if (!count_group(lift, pods.holder, role, grows)) return false;
      lift.ledger.line(pods.holder.get("groupName"), Fate::mapped, "role");
      several = true;
    }
    if (const Field version = cluster.get("rayVersion"); is_version(version.text()) && pods.role == "head") {
      role.launch.version = model::unplaced(std::string(version.text()));
      lift.ledger.line(version, Fate::mapped, "launch.version");
    }
    const Container& container = container_of(pods);
    lift_pod(lift, pods, role);
    if (role.args.empty()) {
      for (const char* part : {"command", "args"})
        lift.ledger.line(container.field.get(part), Fate::approximated, "", "muster lets KubeRay start the Ray node");
    }
  }
  return true;
}

// Without a gang scheduler the workers of a range from 1 come when they can, and the cluster grows by each.
void set_gang_of_ray(ObjectLift& lift) {
  if (lift.provider != model::GangProvider::none) return;
  if (model::coupled_nodes(lift.workload()) > 1) return say_gang_of_site(lift);
  lift.workload().gang = model::unplaced(model::Gang::none);
}

}  // namespace

bool lift_deployment(ObjectLift& lift) {
  if (lift.object.pods.empty()) return lift.refuse(lift.object.root, "the Deployment has no pod template");
  const PodTemplate& pods = lift.object.pods.front();
  const Field replicas = lift.spec("replicas");
  const auto count = replicas_at(replicas, 1);
  if (!count) return refuse_replicas(lift, replicas);
  lift.workload().kind = {model::Kind::serve, {}};
  model::Role& role = lift.role("");
  if (*count > 1) role.replicas = model::unplaced(model::Count{*count, *count});
  lift.ledger.line(replicas, Fate::mapped, "replicas");
  drop_selector(lift);
  lift_resources(lift, pods, container_of(pods), role);
  lift_program(lift, container_of(pods), role, {});
  lift_pod(lift, pods, role);
  if (pods.spec.get("restartPolicy").text() == "Always")
    lift.ledger.line(pods.spec.get("restartPolicy"), Fate::mapped, "kind");
  lift_services(lift, role);
  lose_scalers(lift);
  return true;
}

bool lift_lws(ObjectLift& lift) {
  const PodTemplate* leader = nullptr;
  const PodTemplate* worker = nullptr;
  for (const PodTemplate& pods : lift.object.pods) (pods.role == "leader" ? leader : worker) = &pods;
  const bool unlike = leader != nullptr && worker != nullptr && !run_alike(*leader, *worker);
  // Counted by the template with the more GPUs; the other one is kept whole where they run different programs.
  const bool of_worker = unlike && container_of(*worker).gpus() > container_of(*leader).gpus();
  const PodTemplate* of = leader != nullptr && !of_worker ? leader : worker;
  if (of == nullptr) return lift.refuse(lift.object.root, "the LeaderWorkerSet has no pod template");
  const Field replicas = lift.spec("replicas"), size = lift.spec("leaderWorkerTemplate.size");
  const auto count = replicas_at(replicas, 1), nodes = replicas_at(size, 1);
  if (!count) return refuse_replicas(lift, replicas);
  if (!nodes) return refuse_replicas(lift, size);
  lift.workload().kind = {model::Kind::serve, {}};
  model::Role& role = lift.role("");
  if (*count > 1) role.replicas = model::unplaced(model::Count{*count, *count});
  if (*nodes > 1) role.resources.nodes = model::unplaced(model::Count{*nodes, *nodes});
  lift.ledger.line(replicas, Fate::mapped, "replicas");
  lift.ledger.line(size, Fate::mapped, "resources.nodes");
  if (*nodes > 1 && lift.provider == model::GangProvider::none) say_gang_of_site(lift);
  if (const Field policy = lift.spec("leaderWorkerTemplate.restartPolicy");
      policy.text() == "RecreateGroupOnPodRestart")
    lift.ledger.line(policy, Fate::mapped, "kind");
  lift_resources(lift, *of, container_of(*of), role);
  lift_program(lift, container_of(*of), role, {.nodes = *nodes, .has_operator = true});
  lift_pod(lift, *of, role);
  if (of_worker) lift_ports(lift, container_of(*leader), role), keep_template(lift, *leader, *worker, "leader");
  else if (unlike) keep_template(lift, *worker, *leader, "worker");
  else if (leader != nullptr && worker != nullptr) lift_twin(lift, *worker, *leader);
  lift_services(lift, role);
  return true;
}

bool lift_ray(ObjectLift& lift) {
  const RayPaths paths = ray_paths(lift.object);
  if (lift.object.pods.empty() || lift.object.pods.front().role != "head")
    return lift.refuse(lift.object.root, "the " + std::string(paths.name) + " has no head with a pod template");
  bool several = false;
  if (!lift_groups(lift, paths, several)) return false;
  if (lift.object.kind == "RayCluster") {
    lift.workload().kind = {model::Kind::dev, {}};
    lift.workload().dev.emplace().interface = {model::Interface::shell, {}};
    if (several) set_gang_of_ray(lift);
    return true;
  }
  if (lift.object.kind == "RayService") {
    lift.workload().kind = {model::Kind::serve, {}};
    if (several) set_gang_of_ray(lift);
    const Field config = lift.spec("serveConfigV2");
    if (config.text().empty())
      return lift.refuse(lift.object.root, "a RayService without `serveConfigV2` has no applications");
    std::string text(config.text());
    if (!text.ends_with('\n')) text += '\n';
    lift.workload().serve.emplace().config = model::unplaced(std::move(text));
    lift.ledger.line(config, Fate::mapped, "serve.config");
    return true;
  }
  lift.workload().kind = {model::Kind::batch, {}};
  if (several) set_gang_of_ray(lift);
  const Field line = lift.spec("entrypoint");
  if (line.text().empty()) return lift.refuse(lift.object.root, "a RayJob without `entrypoint` runs no program");
  lift_line(lift, line, lift.workload().roles.front());
  take_deadline(lift, lift.spec("activeDeadlineSeconds"));
  const Field limit = lift.spec("backoffLimit");
  if (const auto whole = limit.whole(); whole && *whole >= 0 && *whole <= 1000) {
    lift.workload().retry =
        retry_of(*whole, {model::RetryOn::node_failure, model::RetryOn::preemption, model::RetryOn::failure});
    lift.ledger.line(limit, Fate::mapped, "retry.limit");
  }
  lift.ledger.line(lift.spec("submissionMode"),
                   lift.spec("submissionMode").text() == "HTTPMode" ? Fate::mapped : Fate::approximated,
                   "launch.runner", "muster lets KubeRay submit the program, without a pod for it");
  lift.ledger.line(lift.spec("submitterPodTemplate"), Fate::approximated, "launch.runner",
                   "muster lets KubeRay submit the program, without a pod for it");
  if (lift.spec("shutdownAfterJobFinishes").is_true())
    lift.ledger.line(lift.spec("shutdownAfterJobFinishes"), Fate::mapped, "kind");
  return true;
}

}  // namespace muster::targets::kubernetes::lifting
