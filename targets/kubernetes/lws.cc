// Target `lws`: a service whose replicas are several machines each, as one LeaderWorkerSet: a group of pods a replica,
// which starts and is made anew as a whole. Rank 0, the leader, has the endpoint.
#include <algorithm>

#include "targets/kubernetes/builders.h"
#include "targets/kubernetes/gang.h"
#include "targets/kubernetes/gang_kinds.h"
#include "targets/kubernetes/gang_topology.h"
#include "targets/kubernetes/job_parts.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/own_block.h"
#include "targets/kubernetes/pod.h"
#include "targets/kubernetes/serving.h"

namespace muster::targets::kubernetes {
namespace {

using model::GangProvider;

constexpr std::string_view lws_label = "leaderworkerset.sigs.k8s.io/";

const kubernetes::Kind& lws_kind() { return kubernetes::kind_row("leaderworkerset.x-k8s.io", "LeaderWorkerSet"); }

// Under runner ray the leader starts the head, waits for the others and runs the program; the others join it.
constexpr std::string_view start_ray =
    "/bin/sh -c 'export RAY_ADDRESS=\"$MUSTER_HEAD_ADDR:6379\"; if [ \"$LWS_WORKER_INDEX\" = 0 ]; then ray start "
    "--head "
    "--port=6379; until [ \"$(ray status 2>/dev/null | grep -cE \"^ +1 node_\")\" -ge \"$MUSTER_NODES\" ]; do sleep 5; "
    "done; "
    "exec /bin/sh /job/program; fi; exec ray start --address=\"$RAY_ADDRESS\" --block'";

// The leader is `<set>-<group>`, the others `<set>-<group>-<rank>`, all under the Service that LWS makes of the set's
// name.
RunExpressions lws_run(const Draft& draft, const plan::RolePlan& role) {
  RunExpressions out;
  out.env = {field_variable("MUSTER_ID", "metadata.labels['" + std::string(lws_label) + "group-key']"),
             field_variable("MUSTER_REPLICA", "metadata.labels['" + std::string(lws_label) + "group-index']")};
  out.id = "\"$MUSTER_ID\"";
  out.replica = "\"$MUSTER_REPLICA\"";
  out.givers.push_back(Giver::lws);
  out.rank = "\"$LWS_WORKER_INDEX\"";
  out.head = "\"$LWS_LEADER_ADDRESS\"";
  out.hosts = "echo \"$LWS_LEADER_ADDRESS\"; " +
              counted_hosts(role.nodes - 1, "\"" + draft.name + "-$MUSTER_REPLICA-$((i + 1))." + draft.name + "\"");
  return out;
}

bool lws_takes(Draft& draft) {
  const std::size_t before = draft.diagnostics.size();
  const plan::RolePlan& role = draft.plan.roles.front();
  const model::Located<model::Kind>& kind = draft.workload.kind;
  if (kind.value != model::Kind::serve)
    draft.refuse_at(kind.span, model::Field::kind,
                    "a LeaderWorkerSet runs until it is deleted, but this workload runs to completion",
                    "use target `jobset` for gangs that run to completion");
  if (draft.plan.roles.size() > 1)
    draft.refuse_at(draft.plan.roles[1].role->span, model::Field::role,
                    "a LeaderWorkerSet runs one program on all machines of a group",
                    "make each role a separate workload");
  if (role.role->launch.runner.value == model::Runner::mpi)
    draft.refuse(model::Field::launch_runner, "a LeaderWorkerSet does not start MPI ranks");
  if (draft.workload.starts() == model::Gang::all && role.role->copies() > 1)
    draft.refuse(model::Field::gang, "the groups of a LeaderWorkerSet start one by one",
                 "remove `gang = all`; each replica is a gang");
  if (draft.workload.time_limit)
    draft.refuse(model::Field::time_limit, "a LeaderWorkerSet never ends, and its pods are restarted",
                 "remove `time-limit`");
  if (draft.workload.retry)
    draft.refuse(model::Field::retry, "the groups of a LeaderWorkerSet are always recreated", "remove `retry`");
  const std::size_t copies = std::to_string(role.role->copies()).size(), nodes = std::to_string(role.nodes).size();
  draft.fits(std::max<std::size_t>(copies + nodes + 2, 7), "the longest name of a pod or Service");  // -0-1, -leader
  return draft.diagnostics.size() == before;
}

// Volcano and KAI see the groups by themselves, or by LWS's configuration; the others see single pods.
void add_groups(Draft& draft, Node& object, std::span<const GangMember> members) {
  const std::string queue = queue_name(draft);
  const bool kai = draft.provider == GangProvider::kai;
  if (!kai && draft.provider != GangProvider::volcano) {
    if (needs_gang(draft) && !lws_kind().gangs.contains(draft.provider))
      return draft.refuse(
          model::Field::gang,
          "each group of a LeaderWorkerSet is a gang, which the plane's gang scheduler does not support",
          "use Kueue, Volcano or KAI");
    return add_gang(draft, object, members);
  }
  for (const GangMember& member : members)
    put(at(*member.pod_template, "spec"), "schedulerName", text(draft.gang_row().scheduler));
  if (!queue.empty() && kai) put(at(at(object, "metadata"), "labels"), draft.gang_row().queue_key, text(queue));
  if (!queue.empty() && !kai)
    put(at(at(object, "metadata"), "annotations"), "scheduling.volcano.sh/queue-name", text(queue));
  if (!kai &&
      draft.needs("lws", "schedulerProvider: volcano", "a PodGroup of Volcano for each group", model::Field::gang))
    return;
  draft.exact(model::Field::queue, "queue of the groups' PodGroups");
  if (kai) draft.exact(model::Field::gang, "PodGroup of KAI for each group");
  else
    draft.approximated(model::Field::gang, "PodGroup of LWS for each group",
                       "only if LWS runs with `gangSchedulingManagement.schedulerProvider: volcano`");
  if (!kai)
    draft.remarks.push_back(
        "LWS has to run with `gangSchedulingManagement.schedulerProvider: volcano` in its configuration");
  refuse_topology(draft, "LeaderWorkerSet does not pass a topology to the plane's gang scheduler", "use Kueue");
  remark_admission(draft, "podgroups  # Running, with all members, one for each group");
}

// Only the leader answers: the others have neither probes nor ports.
Node without_endpoint(Node pod) {
  Node& container = at(at(pod, "spec"), "containers").items.front();
  std::erase_if(container.members, [](const data::Member& m) { return m.key.ends_with("Probe") || m.key == "ports"; });
  return pod;
}

void add_endpoint(Draft& draft, const plan::RolePlan& shape) {
  for (const model::Port& port : shape.role->ports)
    draft.approximated({model::Field::port_public, port.name}, "a Service",
                       "the leaders can only be reached inside the cluster");
  // LWS makes a Service of the set's own name.
  add_service(
      draft, shape, draft.name + "-leader",
      map({{std::string(lws_label) + "name", text(draft.name)}, {std::string(lws_label) + "worker-index", text("0")}}));
}

}  // namespace

void build_lws(Draft& draft) {
  draft.keeps_name = true;
  draft.name = draft.base;
  if (!lws_takes(draft)) return;
  const plan::RolePlan& shape = draft.plan.roles.front();
  PodOptions options{.run = lws_run(draft, shape), .restart = "Always"};
  if (shape.role->launch.runner.value == model::Runner::ray) options.instead = std::string(start_ray);
  Node pod = make_pod(draft, shape, options);
  put_service_fields(draft, pod);
  report_copies(draft, shape, "groups of pods");
  report_serve(draft);
  Node object = draft.main_object(lws_kind());
  Node group = map({{"size", number(shape.nodes)},
                    {"restartPolicy", text("RecreateGroupOnPodRestart")},
                    {"leaderTemplate", own_template(draft, "leader", pod)},
                    {"workerTemplate", own_template(draft, "worker", without_endpoint(pod))}});
  put(object, "spec", map({{"replicas", number(shape.role->copies())}, {"leaderWorkerTemplate", std::move(group)}}));
  Node& placed = at(at(object, "spec"), "leaderWorkerTemplate");
  const GangMember members[] = {{&at(placed, "leaderTemplate"), "leader", 1},
                                {&at(placed, "workerTemplate"), "worker", shape.nodes - 1}};
  add_groups(draft, object, members);
  add_workload_object(draft, std::move(object));
  add_endpoint(draft, shape);
}

std::span<const Carried> lws_carriage() {
  static constexpr Carried column[] = {
      {"=",
       "role.with args command env.* file.mode file.text image labels.* port.number preflight.gpu-health probe.after "
       "probe.command probe.every probe.failures probe.http probe.port probe.tcp probe.timeout "
       "resources.disk resources.gpu resources.gpu-memory resources.gpus "
       "resources.nodes script serve.port setup stop.grace workdir"},
      {"=~-x", "target.*"},
      {"-x", "target.launch"},
      {"-", "target.srun"},
      {"=~x", "replicas"},
      {"=-", "priority queue serve.args serve.engine serve.model"},
      {"=m", "preemptible resources.cpus resources.memory"},
      {"=x", "code kind mount.mode mount.path mount.sub-path secret.env secret.file software"},
      {"~", "account depends-on.on port.public require serve.router stop.signal"},
      {"-",
       "launch.export licenses logs.append logs.error logs.output notify.email notify.on resources.smt retry title"},
      {"m", "allow.reason allow.until facts.* launch.contract parallelism.pipeline parallelism.tensor prefer"},
      {"x",
       "depends-on.each gang launch.runner retry.backoff retry.exit-codes retry.limit retry.on scale.cooldown "
       "scale.metric "
       "scale.target serve.config"},
      {"mx", "time-limit"},
      {"=~", "resources.shm"},
  };
  return column;
}

}  // namespace muster::targets::kubernetes
