// Target `mpijob`: the ranks of an MPI program as one MPIJob of the MPI operator. The workers run sshd, and mpirun in
// the launcher starts the ranks on them.
//
// What sshd starts has none of the container's environment. So a worker writes its own down when it comes up (the
// run-time contract, the user's variables, secrets), and each rank takes it from there: a program finds on every rank
// what it finds on the other targets.
#include <algorithm>

#include "compiler/model/marks.h"
#include "targets/kubernetes/builders.h"
#include "targets/kubernetes/gang.h"
#include "targets/kubernetes/gang_kinds.h"
#include "targets/kubernetes/job_parts.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/pod.h"
#include "targets/lookup.h"
#include "targets/shell.h"

namespace muster::targets::kubernetes {
namespace {

constexpr std::string_view mpi_label = "training.kubeflow.org/";
constexpr std::int64_t ssh_port = 2222;  // a server that is not root has none below 1024
constexpr std::string_view start_rank = ". /job-tmp/environment && cd \"$PWD\" && exec /bin/sh /job/program";

bool runs_as_root(const Draft& draft) {
  const auto& identity = draft.site.identity;
  return !identity || !identity->uid || identity->uid->value == 0;
}

// Where the operator mounts the keys. ssh refuses a key of its own user that others may read: the operator gives the
// mode for that at /root/.ssh alone, and a key elsewhere is root's, which another user may read.
std::string keys_of(const Draft& draft) { return runs_as_root(draft) ? "/root/.ssh" : "/job-ssh"; }

RunExpressions mpijob_run(const Draft& draft, const plan::RolePlan& role) {
  const std::string label(mpi_label), host = draft.name_word() + "-worker-", domain = "." + draft.name_word();
  RunExpressions out;
  out.env = {field_variable("MUSTER_INDEX", "metadata.labels['" + label + "replica-index']")};
  if (draft.is_generated()) out.env.push_back(draft.name_variable(kubernetes::kind_row("kubeflow.org", "MPIJob")));
  out.givers.push_back(Giver::mpijob);
  out.rank = "\"$MUSTER_INDEX\"";
  out.head = "\"" + host + "0" + domain + "\"";
  out.hosts = counted_hosts(role.nodes, "\"" + host + "$i" + domain + "\"");
  return out;
}

// The user's own, which win.
std::vector<model::Located<std::string>> mpirun_options(const Draft& draft, const plan::RolePlan& role) {
  std::vector<model::Located<std::string>> out = role.role->launch.args;
  for (const model::TargetOptions& block : draft.workload.targets)
    if (is_own_block(draft, block)) out.insert(out.end(), block.launch.begin(), block.launch.end());
  return out;
}

bool mpijob_takes(Draft& draft) {
  const std::size_t before = draft.diagnostics.size();
  const plan::RolePlan& role = draft.plan.roles.front();
  const auto& runner = role.role->launch.runner;
  if (runner.value != model::Runner::mpi)
    draft.refuse_at(runner.span.known() ? runner.span : draft.workload.span, model::Field::launch_runner,
                    "an MPIJob starts its program with mpirun, but this program runs without it",
                    "set `launch { runner = mpi }`, or use another target");
  for (const auto& option : mpirun_options(draft, role))
    if (has_nul(option.value))
      draft.refuse_as(Code::name_not_valid, option.span, model::Field::launch_args,
                      "an argument cannot contain a NUL byte");
  const model::Located<model::Kind>& kind = draft.workload.kind;
  if (kind.value == model::Kind::serve || kind.value == model::Kind::dev)
    draft.refuse_at(kind.span, model::Field::kind, "an MPIJob runs to completion",
                    "use target `kubernetes` for services and interactive pods");
  refuse_several(draft, "an MPIJob");
  refuse_never_admitted(draft, "an MPIJob");
  if (draft.workload.retry && !draft.workload.retry->exit_codes.empty())
    draft.refuse(model::Field::retry_exit_codes, "an MPIJob is retried after any failure of mpirun, for any exit code",
                 "remove `exit-codes`");
  draft.fits(8 + std::to_string(role.nodes - 1).size(), "the longest pod name");  // -worker-N
  return draft.diagnostics.size() == before;
}

// sshd with nothing of the image's configuration, so that it runs as any user and in any image that has it. Its own
// key is made anew: it is not checked inside the cluster's network.
std::string serve_ssh(const Draft& draft) {
  return "/bin/sh -c 'export PWD; export -p > /job-tmp/environment; mkdir -p /run/sshd 2>/dev/null || :; "
         "ssh-keygen -q -t ed25519 -N \"\" -f /job-tmp/host-key; exec /usr/sbin/sshd -De -f /dev/null -p " +
         std::to_string(ssh_port) +
         " -h /job-tmp/host-key -o PidFile=none -o StrictModes=no -o AuthorizedKeysFile=" + keys_of(draft) +
         "/authorized_keys'";
}

Node worker_pod(Draft& draft, const plan::RolePlan& role) {
  PodOptions options{.run = mpijob_run(draft, role), .restart = ""};
  options.instead = serve_ssh(draft);
  options.launch_args = "options of mpirun";
  Node pod = make_pod(draft, role, options);
  // The launcher comes when all workers are ready: when they can be reached.
  Node& container = at(at(pod, "spec"), "containers").items.front();
  if (container.get("readinessProbe") == nullptr)
    put(container, "readinessProbe",
        map({{"tcpSocket", map({{"port", number(ssh_port)}})}, {"periodSeconds", number(2)}}));
  return pod;
}

std::string ssh_options(const Draft& draft) {
  return "-p " + std::to_string(ssh_port) + " -i " + keys_of(draft) +
         "/id_rsa -o ConnectionAttempts=10 -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null";
}

bool retries(const Draft& draft) { return draft.workload.retry && draft.workload.retry->limit.value != 0; }

// The operator's `WaitForWorkersReady` holds for the first launcher of a job that was never suspended. It makes the
// launcher of a suspended job at once, which then starts together with the workers; and a launcher that is started
// again may find a worker that is started again too.
bool may_start_early(const Draft& draft) { return !draft.gang_row().places || retries(draft); }

// Words of sh before the command: each worker answers, or it is not there after 300 attempts, 2 s apart.
std::vector<std::string> wait_for_workers(const Draft& draft) {
  const std::string script =
      "# Wait until every worker answers: this pod may start before they are ready.\n"
      "while read -r host _; do\n"
      "  tries=300\n"
      "  until ssh " +
      ssh_options(draft) +
      " \"$host\" true < /dev/null; do\n"
      "    tries=$((tries - 1))\n"
      "    [ \"$tries\" -gt 0 ] || exit 1\n"
      "    sleep 2\n"
      "  done\n"
      "done < /etc/mpi/hostfile\n"
      "exec \"$@\"\n";
  return {"/bin/sh", "-c", expandable(script), "launch"};
}

// mpirun takes the hosts and their slots from the operator's hostfile.
Node mpirun_command(const Draft& draft, const plan::RolePlan& role) {
  std::vector<std::string> out;
  if (may_start_early(draft)) out = wait_for_workers(draft);
  out.insert(out.end(), {"mpirun", "-np", std::to_string(role.processes_of_replica()), "--bind-to", "none"});
  if (runs_as_root(draft)) out.emplace_back("--allow-run-as-root");
  out.insert(out.end(), {"--mca", "plm_rsh_args", ssh_options(draft)});
  for (const auto& option : mpirun_options(draft, role)) out.push_back(expandable(option.value));
  out.insert(out.end(), {"/bin/sh", "-c", expandable(start_rank)});
  return texts(out);
}

// What a pod requires of nodes by affinity: muster writes one term.
const std::vector<Node>& required_of(const Node& pod) {
  return pod.at("affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms")
      ->first()
      .get("matchExpressions")
      ->items;
}

// Whether nodes of the plane do not have the label of the workers' GPUs: those without any, or of another vendor.
bool some_lack(const Draft& draft, const std::string& label) {
  return std::any_of(draft.plan.fleet->pools.begin(), draft.plan.fleet->pools.end(), [&](const model::Pool& pool) {
    return draft.plane.owns(pool.name) &&
           (!pool.gpu || model::gpu_label(draft.site, draft.plane, pool.gpu->model, &pool).key != label);
  });
}

// Kueue gives the launcher a flavor of its own, before it looks at nodes: the first of the queue whose labels do not
// contradict what the pod selects. What a flavor may not have as a label is left out: zones, names, and the GPUs where
// some nodes do not have their label. What the image or the site asks for stays.
void select_wider(const Draft& draft, const plan::RolePlan& role, const Node& workers, Node& spec) {
  const model::GpuLabel label = model::gpu_label(draft.site, draft.plane, gpu_model(role), role.pool);
  const bool lacking = some_lack(draft, label.key);
  bool by_gpu = false;
  const auto stays = [&](std::string_view key) {
    if (lacking && key == label.key) return by_gpu = true, false;
    return key != "topology.kubernetes.io/zone" && key != "kubernetes.io/hostname";
  };
  Node selector = map({}), kept = list({}), terms = list({});
  for (const data::Member& one : workers.get("nodeSelector")->members)
    if (stays(one.key)) put(selector, one.key, one.value);
  for (const Node& one : required_of(workers))
    if (stays(one.get("key")->text)) kept.items.push_back(one);
  const auto add_term = [&](std::string_view op, Node values) {
    Node term = kept;
    term.items.push_back(map({{"key", text(label.key)}, {"operator", text(op)}, {"values", std::move(values)}}));
    terms.items.push_back(map({{"matchExpressions", std::move(term)}}));
  };
  if (by_gpu) add_term("In", texts(label.values)), add_term("DoesNotExist", nothing());
  else if (!kept.items.empty()) terms.items.push_back(map({{"matchExpressions", kept}}));
  if (!selector.members.empty()) put(spec, "nodeSelector", std::move(selector));
  if (terms.items.empty()) return;
  put(at(spec, "affinity"), "nodeAffinity",
      map({{"requiredDuringSchedulingIgnoredDuringExecution", map({{"nodeSelectorTerms", std::move(terms)}})}}));
}

// Which nodes the launcher may have: those of the workers, and it may be on one with any of them.
void select_nodes(const Draft& draft, const plan::RolePlan& role, const Node& workers, Node& spec) {
  if (draft.pods.gang == model::GangProvider::kueue && draft.plan.fleet != nullptr)
    return select_wider(draft, role, workers, spec);
  if (const Node* selector = workers.get("nodeSelector")) put(spec, "nodeSelector", *selector);
  if (const Node* affinity = workers.get("affinity"); affinity != nullptr && affinity->get("nodeAffinity") != nullptr)
    put(at(spec, "affinity"), "nodeAffinity", *affinity->get("nodeAffinity"));
}

// The launcher's pod is the workers' without what it does not need: their amounts, volumes and network. It asks for
// nothing, so that it finds a place beside a worker of any size.
Node launcher_pod(const Draft& draft, const plan::RolePlan& role, const Node& worker) {
  constexpr std::string_view shared[] = {"imagePullSecrets",   "tolerations",       "securityContext",
                                         "serviceAccountName", "priorityClassName", "terminationGracePeriodSeconds"};
  const Node& from = *worker.get("spec");
  const Node& program = from.get("containers")->first();
  Node spec = map({});
  select_nodes(draft, role, from, spec);
  for (const data::Member& member : from.members)
    if (std::find(std::begin(shared), std::end(shared), member.key) != std::end(shared))
      put(spec, member.key, member.value);
  Node container = map({{"name", text("mpirun")}});
  if (const Node* image = program.get("image")) put(container, "image", *image);
  if (const Node* context = program.get("securityContext")) put(container, "securityContext", *context);
  put(container, "command", mpirun_command(draft, role));
  // What a LimitRange would fill in could be more than a node has left beside a worker.
  put(container, "resources",
      map({{"requests", map({{"cpu", number(0)}, {"memory", number(0)}})},
           {"limits", map({{"cpu", number(1)}, {"memory", text("1Gi")}})}}));
  put(spec, "containers", list({std::move(container)}));
  return map({{"metadata", map({{"labels", draft.labels_for("launcher")}})}, {"spec", std::move(spec)}});
}

Node add_run_policy(Draft& draft) {
  const auto& retry = draft.workload.retry;
  const std::int64_t limit = retry ? retry->limit.value : 0;
  const bool unlimited = limit == model::Retry::unlimited;
  // Workers that the launcher leaves behind would hold their GPUs.
  Node out = map({{"cleanPodPolicy", text("Running")}});
  if (const auto& time = draft.limit) put(out, "activeDeadlineSeconds", number(time->value.seconds_up()));
  put(out, "backoffLimit", number(unlimited ? 2'147'483'647 : limit));
  draft.report_limit("activeDeadlineSeconds",
                     "applies to the launcher, from its first start, over all attempts together");
  if (!retry) return out;
  if (unlimited)
    draft.approximated(model::Field::retry_limit, "a very large backoffLimit",
                       "Kubernetes cannot express an unlimited number of retries");
  else draft.exact(model::Field::retry_limit, "backoffLimit, which restarts mpirun and all its ranks");
  if (limit == 0) {
    report_no_retry(draft);
    return out;
  }
  draft.approximated(model::Field::retry_on, "backoffLimit", "mpirun is restarted after any failure");
  draft.approximated(model::Field::retry_backoff, "nothing",
                     "the Job controller's backoff: 10 s, doubled each time, at most 10 minutes");
  return out;
}

Node replicas(std::int64_t count, std::string_view restart, Node pod) {
  return map({{"replicas", number(count)}, {"restartPolicy", text(restart)}, {"template", std::move(pod)}});
}

// What the image must have beside the program. ssh, sshd and ssh-keygen refuse to run as a user that has no entry in
// /etc/passwd.
std::string image_needs(const Draft& draft) {
  const auto& identity = draft.site.identity;
  std::string out = "the image needs Open MPI, sshd, ssh and ssh-keygen";
  if (!identity || !identity->uid) return out + ", and must run as root";
  if (runs_as_root(draft)) return out;
  return out + ", and a user " + std::to_string(identity->uid->value) + " in its /etc/passwd";
}

// It would make a PodGroup of its own, which waits for the launcher, and the launcher waits for the workers.
bool refuse_operators_group(Draft& draft, const kubernetes::Kind& kind) {
  for (const char* flag : {"--gang-scheduling=volcano", "--gang-scheduling=scheduler-plugins-scheduler"}) {
    if (!draft.has_flag(kind.operator_name, flag)) continue;
    draft.refuse(model::Field::gang,
                 "the PodGroup of the MPI operator waits for the launcher, which waits for the workers",
                 "run the operator without `" + std::string(flag) + "`; muster then writes the PodGroup");
    return true;
  }
  return false;
}

}  // namespace

void build_mpijob(Draft& draft) {
  const kubernetes::Kind& kind = kubernetes::kind_row("kubeflow.org", "MPIJob");
  if (!mpijob_takes(draft) || refuse_operators_group(draft, kind)) return;
  const plan::RolePlan& role = draft.plan.roles.front();
  for (const model::Field field : {model::Field::stop_signal, model::Field::stop_lead})
    draft.approximated(field, "nothing", "mpirun ends its ranks with TERM and then with KILL");
  Node worker = worker_pod(draft, role);
  if (worker.get("spec")->get("containers") == nullptr) return;
  Node launcher = launcher_pod(draft, role, worker);
  report_copies(draft, role, "one gang");
  Node object = draft.main_object(kind);
  // The operator does not replace a worker that failed: the next attempt of mpirun needs it back.
  const std::string_view worker_restart = retries(draft) ? "OnFailure" : "Never";
  put(object, "spec",
      map({{"slotsPerWorker", number(role.processes)},
           {"sshAuthMountPath", runs_as_root(draft) ? nothing() : text(keys_of(draft))},
           {"launcherCreationPolicy", text("WaitForWorkersReady")},
           {"runPolicy", add_run_policy(draft)},
           {"mpiReplicaSpecs", map({{"Launcher", replicas(1, "Never", std::move(launcher))},
                                    {"Worker", replicas(role.nodes, worker_restart, std::move(worker))}})}}));
  const GangMember member{&at(at(at(at(object, "spec"), "mpiReplicaSpecs"), "Worker"), "template"), "worker",
                          role.nodes};
  add_gang(draft, object, {&member, 1});
  draft.remarks.push_back(image_needs(draft));
  add_workload_object(draft, std::move(object));
}

std::span<const Carried> mpijob_carriage() {
  static constexpr Carried column[] = {
      {"=m", "checkpoint.path resources.cpus resources.memory"},
      {"=",
       "args command env.* file.mode file.text image labels.* launch.args launch.compat "
       "launch.processes port.number preflight.gpu-health probe.after probe.command probe.every "
       "probe.failures probe.http probe.port probe.tcp probe.timeout resources.disk "
       "resources.gpu-memory resources.gpu-slice resources.gpus script "
       "script-flags setup stop.grace"},
      {"=~", "resources.gpu resources.nodes resources.shm retry.limit"},
      {"=~-x", "target.*"},
      {"=-x", "target.launch"},
      {"-", "target.srun"},
      {"=~x", "kind resources.gpu-share"},
      {"=-", "priority queue topology.segment topology.segment-within topology.within"},
      {"=-x", "code"},
      {"=m", "preemptible"},
      {"=mx", "fabric"},
      {"=x",
       "code.git.rev code.git.url launch.runner mount.mode mount.path mount.sub-path secret.env "
       "secret.file software software.prelude topology.required workdir"},
      {"~", "account depends-on.on port.public preflight.nccl require"},
      {"~-", "retry.on"},
      {"~x", "resources.exclusive software.modules software.purge"},
      {"-",
       "checkpoint.async launch.export launch.version licenses logs.append logs.error logs.output notify.email "
       "notify.on resources.smt retry retry.backoff stop.lead stop.signal title"},
      {"m",
       "allow.reason allow.until any-of checkpoint.every checkpoint.write-time facts.* launch.contract "
       "parallelism.context parallelism.data parallelism.expert parallelism.pipeline parallelism.tensor "
       "prefer"},
      {"x",
       "depends-on.each role.with replicas retry.exit-codes software.conda software.module-use software.venv "
       "sweep.axes.* "
       "sweep.max-parallel sweep.zip"},
      {"mx", "gang"},
      {"~m", "time-limit"},
  };
  return column;
}

}  // namespace muster::targets::kubernetes
