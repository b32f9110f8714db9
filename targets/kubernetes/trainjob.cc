// Target `trainjob`: one gang of machines as a TrainJob of Kubeflow Trainer, over a runtime that the cluster has.
//
// The runtime's JobSet has the pods. A TrainJob says the program and its amounts itself and lays the rest over the
// runtime's pods as a patch, which has fewer fields than a pod: what it has no field for is refused.
#include <algorithm>

#include "targets/kubernetes/builders.h"
#include "targets/kubernetes/gang.h"
#include "targets/kubernetes/gang_kinds.h"
#include "targets/kubernetes/job_parts.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/pod.h"
#include "targets/shell.h"

namespace muster::targets::kubernetes {
namespace {

constexpr std::string_view node = "node";  // its replicated Job, and the container in it

// A runtime of Trainer's own (manifests/base/runtimes of kubeflow/trainer): by its policy for torch it starts p
// processes a node, by its policy for JAX one, as a program does that starts by itself.
struct Runtime {
  std::string_view name;
  std::string_view framework;  // its policy
  Giver giver;                 // of variables, over those of the same name
  bool has_processes;
};

Runtime runtime_of(const plan::RolePlan& role) {
  if (role.role->launch.runner.value == model::Runner::none) return {"jax-distributed", "jax", Giver::jax, false};
  return {"torch-distributed", "torch", Giver::trainjob, true};
}

// The runtime is a JobSet of one Job: `<job>-node-0-<rank>.<job>`.
std::string trainjob_host(const Draft& draft, std::string_view rank) {
  return "\"" + draft.name_word() + "-node-0-" + std::string(rank) + "." + draft.name_word() + "\"";
}

bool retries(const Draft& draft) { return draft.workload.retry && draft.workload.retry->limit.value != 0; }

RunExpressions trainjob_run(const Draft& draft, const plan::RolePlan& role) {
  RunExpressions out;
  if (draft.is_generated()) out.env = {draft.name_variable(kubernetes::kind_row("trainer.kubeflow.org", "TrainJob"))};
  if (retries(draft)) {
    out.env.push_back(field_variable("MUSTER_ATTEMPT", "metadata.annotations['jobset.sigs.k8s.io/restart-attempt']"));
    out.attempt = "\"$MUSTER_ATTEMPT\"";
  }
  out.rank = "\"$JOB_COMPLETION_INDEX\"";
  out.givers.push_back(Giver::indexed);
  out.givers.push_back(runtime_of(role).giver);
  out.head = trainjob_host(draft, "0");
  out.hosts = counted_hosts(role.nodes, trainjob_host(draft, "$i"));
  out.operator_sets_launcher = runtime_of(role).has_processes;
  return out;
}

bool trainjob_takes(Draft& draft) {
  const std::size_t before = draft.diagnostics.size();
  const plan::RolePlan& role = draft.plan.roles.front();
  refuse_other_kinds(draft, *role.role, "a TrainJob");
  refuse_several(draft, "a TrainJob");
  refuse_never_admitted(draft, "a TrainJob");
  refuse_taken(draft, *role.role, {runtime_of(role).giver}, "Kubeflow Trainer");
  if (model::runs_entrypoint(draft.workload, *role.role))
    draft.refuse(model::Field::image,
                 "a TrainJob without a command starts that of its runtime, not the image's own entrypoint",
                 "write `command`, or use target `jobset`");
  const std::string_view runtime = runtime_of(role).name;
  draft.needs("trainer", runtime, "the runtime `" + std::string(runtime) + "`", model::Field::launch_runner);
  if (retries(draft) && retries_on(*draft.workload.retry, model::RetryOn::timeout))
    draft.refuse(model::Field::retry_on, "a TrainJob that exceeds its deadline fails permanently",
                 "remove `timeout`, or use target `jobset`");
  draft.fits(8 + std::to_string(role.nodes).size() + 6, "the longest pod name");  // -node-0-N-abcde
  return draft.diagnostics.size() == before;
}

using KeyWords = std::span<const std::string_view>;

// What lays a pod over the runtime's: the field of a release, and what it has of a pod and of its container
// (trainer.kubeflow.org_trainjob.yaml).
struct PatchForm {
  std::string_view path;
  KeyWords pod_fields, container_fields;
};

constexpr std::string_view pod_of_patches[] = {"affinity",           "imagePullSecrets",
                                               "nodeSelector",       "securityContext",
                                               "serviceAccountName", "terminationGracePeriodSeconds",
                                               "tolerations",        "volumes"};
constexpr std::string_view pod_of_templates[] = {"affinity",           "imagePullSecrets", "nodeSelector",
                                                 "serviceAccountName", "tolerations",      "volumes"};
constexpr std::string_view pod_of_specs[] = {"nodeSelector", "serviceAccountName", "tolerations", "volumes"};
constexpr std::string_view container_of_patches[] = {"securityContext", "volumeMounts"};
constexpr std::string_view container_of_overrides[] = {"volumeMounts"};

// The newest first: that is the form where the site declares no release.
constexpr PatchForm patch_forms[] = {{"spec.runtimePatches", pod_of_patches, container_of_patches},
                                     {"spec.podTemplateOverrides", pod_of_templates, container_of_overrides},
                                     {"spec.podSpecOverrides", pod_of_specs, container_of_overrides}};

const Gate& gate_of(std::string_view path) { return object_gate("trainer.kubeflow.org", "TrainJob", path); }

const PatchForm& form_of(const Draft& draft) {
  const auto found = std::find_if(std::begin(patch_forms), std::end(patch_forms),
                                  [&](const PatchForm& form) { return !draft.lacks(gate_of(form.path)); });
  return found == std::end(patch_forms) ? patch_forms[0] : *found;
}

// Which field of the workload, or else of the site, a part of the pod came from.
model::Field origin_of(std::string_view part) {
  if (part == "priorityClassName") return model::Field::priority;
  if (part == "schedulerName") return model::Field::gang;
  if (part == "affinity" || part == "nodeSelector") return model::Field::resources_gpu;
  if (part == "terminationGracePeriodSeconds") return model::Field::stop_grace;
  if (part == "imagePullSecrets") return model::Field::image;
  if (part.ends_with("Probe")) return model::Field::probe;
  if (part == "resourceClaims" || part == "hostNetwork" || part == "dnsPolicy") return model::Field::fabric;
  if (part == "initContainers") return model::Field::code;
  return model::Field::workload;
}

bool has_field(KeyWords fields, std::string_view name) {
  return std::find(fields.begin(), fields.end(), name) != fields.end();
}

// The first release that has a part of a pod in a form of the patch.
model::Version since_of(const PatchForm& form, const std::string& part) {
  for (const Gate& gate : object_gates())
    if (gate.kind == "TrainJob" && gate.path.ends_with("." + part) && gate.path.starts_with(form.path))
      return gate.in.since;
  return gate_of(form.path).in.since;
}

// A part of a pod that the declared release has no field for: a later one may have it.
void refuse_part(Draft& draft, const std::string& part, KeyWords PatchForm::*fields) {
  const model::Field origin = origin_of(part);
  const auto later = std::find_if(std::rbegin(patch_forms), std::rend(patch_forms),
                                  [&](const PatchForm& form) { return has_field(form.*fields, part); });
  if (later == std::rend(patch_forms))
    return draft.refuse(origin, "a TrainJob cannot change `" + part + "` of its runtime's pods",
                        "set it in the runtime, or use target `jobset`");
  const Releases in{since_of(*later, part), {}};
  draft.refuse(origin, sentence(draft.plane, "`" + part + "` for the pods of a TrainJob", "trainer", in),
               "install that version, set it in the runtime, or use target `jobset`");
}

// The members of a pod or a container that a patch has. `elsewhere`: those that the TrainJob itself says.
Node kept(Draft& draft, const Node& from, KeyWords PatchForm::*fields, KeyWords elsewhere) {
  Node out = map({});
  for (const data::Member& member : from.members) {
    const bool empty = member.value.items.empty() && member.value.members.empty() && member.value.text.empty();
    if (empty || has_field(elsewhere, member.key)) continue;
    if (has_field(form_of(draft).*fields, member.key)) put(out, member.key, member.value);
    else refuse_part(draft, member.key, fields);
  }
  return out;
}

// The pods' own spec, as far as a patch has it.
Node patched_spec(Draft& draft, const Node& pod) {
  constexpr std::string_view given_in_pod[] = {"containers", "restartPolicy"};
  constexpr std::string_view given_in_container[] = {"name", "image",     "command",    "args",
                                                     "env",  "resources", "workingDir", "ports"};
  Node spec = kept(draft, *pod.get("spec"), &PatchForm::pod_fields, given_in_pod);
  Node container = kept(draft, pod.at("spec.containers")->first(), &PatchForm::container_fields, given_in_container);
  if (container.members.empty()) return spec;
  Node named = map({{"name", text(node)}});
  for (data::Member& member : container.members) put(named, member.key, std::move(member.value));
  put(spec, "containers", list({std::move(named)}));
  return spec;
}

// Pods get labels and annotations since Trainer 2.1. Muster's own labels can be missed, what the user wrote cannot.
void refuse_metadata(Draft& draft, const Node& metadata) {
  const Releases& in = gate_of("spec.podTemplateOverrides").in;
  const auto refuse = [&](const FieldRef& field, const std::string& what) {
    draft.refuse(field, sentence(draft.plane, what, "trainer", {in.since, {}}),
                 "install that version, set it in the runtime, or use target `jobset`");
  };
  if (!draft.workload.labels.empty()) refuse(model::Field::labels, "labels for the pods of a TrainJob");
  if (metadata.get("annotations") != nullptr) refuse(model::Field::topology, "annotations for the pods of a TrainJob");
}

// The runtime's pods with ours laid over them.
void put_patch(Draft& draft, Node& spec, const Node& pod) {
  const std::string_view form = form_of(draft).path;
  const Node& metadata = *pod.get("metadata");
  Node ours = patched_spec(draft, pod);
  if (form == "spec.runtimePatches") {
    Node job = map(
        {{"name", text(node)},
         {"template", map({{"spec", map({{"template", map({{"metadata", metadata}, {"spec", std::move(ours)}})}})}})}});
    Node jobs = map({{"spec", map({{"replicatedJobs", list({std::move(job)})}})}});
    Node patch =
        map({{"manager", text("muster.dev/compile")}, {"trainingRuntimeSpec", map({{"template", std::move(jobs)}})}});
    return put(spec, "runtimePatches", list({std::move(patch)}));
  }
  Node target = list({map({{"name", text(node)}})});
  if (form == "spec.podTemplateOverrides") {
    Node entry = map({{"targetJobs", std::move(target)}, {"metadata", metadata}, {"spec", std::move(ours)}});
    return put(spec, "podTemplateOverrides", list({std::move(entry)}));
  }
  refuse_metadata(draft, metadata);
  Node entry = map({{"targetJobs", std::move(target)}});
  for (data::Member& member : ours.members) put(entry, member.key, std::move(member.value));
  put(spec, "podSpecOverrides", list({std::move(entry)}));
}

// Lines of sh as the command: what they begin with is put in front of them.
bool starts_with_lines(const Node& command) {
  return command.items.size() > 2 && command.items[0].text == "/bin/sh" && command.items[1].text == "-c";
}

// The program's folder is a line or a word of its own where the runtime is not ours: a TrainJob has no workingDir.
void put_command(Node& trainer, const Node& container, bool own) {
  const Node* folder = own ? nullptr : container.get("workingDir");
  const Node* args = container.get("args");
  if (folder == nullptr) {
    put(trainer, "command", *container.get("command"));
    if (args != nullptr) put(trainer, "args", *args);
    return;
  }
  if (starts_with_lines(*container.get("command"))) {
    Node command = *container.get("command");
    std::string& lines = command.items[2].text;
    lines = "cd " + expandable(sh_text(folder->text)) + " || exit\n" + lines;
    if (!lines.ends_with('\n')) lines += '\n';
    put(trainer, "command", std::move(command));
    if (args != nullptr) put(trainer, "args", *args);
    return;
  }
  put(trainer, "command", texts(std::vector<std::string>{"/bin/sh", "-c", "cd \"$0\" && exec \"$@\""}));
  Node words = list({text(expandable(folder->text))});
  for (const Node& word : container.get("command")->items) words.items.push_back(word);
  if (args != nullptr) words.items.insert(words.items.end(), args->items.begin(), args->items.end());
  put(trainer, "args", std::move(words));
}

Node copy_of(const Node& container, std::string_view key) {
  const Node* found = container.get(key);
  return found == nullptr ? nothing() : *found;
}

// What a TrainJob says of the program. `own`: the runtime is in the file and has the image and the folder.
Node trainer_of(const plan::RolePlan& role, const Node& container, bool own) {
  Node out = map({});
  if (!own) put(out, "image", copy_of(container, "image"));
  put_command(out, container, own);
  put(out, "env", copy_of(container, "env"));
  put(out, "numNodes", number(role.nodes));
  if (runtime_of(role).has_processes) put(out, "numProcPerNode", number(role.processes));
  put(out, "resourcesPerNode", copy_of(container, "resources"));
  return out;
}

// Trainer's own runtimes start a pod that fails again, alone and up to six times, and a TrainJob cannot change that of
// its runtime. So the file has a runtime like Trainer's own in which the gang ends, or restarts, as a whole.
Node own_runtime(Draft& draft, const plan::RolePlan& role, const Node& container) {
  const std::string framework(runtime_of(role).framework);
  Node object = draft.object("trainer.kubeflow.org/v1alpha1", "TrainingRuntime", draft.name);
  put(at(at(object, "metadata"), "labels"), "trainer.kubeflow.org/framework", text(framework));
  Node started = map({{"name", text(node)}, {"image", copy_of(container, "image")}});
  put(started, "workingDir", copy_of(container, "workingDir"));
  Node pods = map({{"restartPolicy", text("Never")}, {"containers", list({std::move(started)})}});
  Node job = map({{"backoffLimit", number(0)}});
  Node jobs = map({});
  if (retries(draft)) {
    put(job, "podFailurePolicy", pod_failure_policy_of_gang(*draft.workload.retry));
    put(jobs, "failurePolicy", jobset_failure_policy(*draft.workload.retry));
  }
  put(job, "template", map({{"spec", std::move(pods)}}));
  const Node step = map({{"labels", map({{"trainer.kubeflow.org/trainjob-ancestor-step", text("trainer")}})}});
  put(jobs, "replicatedJobs",
      list({map({{"name", text(node)}, {"template", map({{"metadata", step}, {"spec", std::move(job)}})}})}));
  put(object, "spec",
      map({{"mlPolicy", map({{"numNodes", number(1)}, {framework, map({})}})},
           {"template", map({{"spec", std::move(jobs)}})}}));
  return object;
}

void report_trainjob_retry(Draft& draft) {
  const auto& retry = draft.workload.retry;
  if (retry) report_jobset_retry(draft, *retry);
  draft.report_limit("activeDeadlineSeconds", retries(draft) ? "applies to all attempts together" : "");
}

}  // namespace

void build_trainjob(Draft& draft) {
  if (!trainjob_takes(draft)) return;
  const plan::RolePlan& role = draft.plan.roles.front();
  const kubernetes::Kind& kind = kubernetes::kind_row("trainer.kubeflow.org", "TrainJob");
  if (needs_gang(draft) && !kind.gangs.contains(draft.provider))
    return draft.refuse(model::Field::gang,
                        "the runtime of a TrainJob decides in `podGroupPolicy` what starts its pods together",
                        "use Kueue, which admits TrainJobs, or target `jobset`");
  for (const model::Port& port : role.role->ports)
    for (const FieldRef& path : draft.keys_below({model::Field::port, port.name}))
      draft.loss.approximated(path, "nothing", "a TrainJob does not declare ports; they are open nevertheless");
  Node pod =
      make_pod(draft, role, {.run = trainjob_run(draft, role), .container = std::string(node), .one_container = true});
  if (pod.get("spec")->get("containers") == nullptr) return;
  Node object = draft.main_object(kind);
  GangMember member{&pod, "node", role.nodes};
  add_gang(draft, object, {&member, 1});
  const bool own = !draft.workload.retry_default;
  const Node& container = pod.at("spec.containers")->first();
  Node runtime = map({{"name", own ? text(draft.name) : text(runtime_of(role).name)}});
  if (own) {
    put(runtime, "kind", text("TrainingRuntime"));
    draft.add(own_runtime(draft, role, container));
  }
  Node spec = map({{"runtimeRef", std::move(runtime)}});
  if (const auto& limit = draft.limit) put(spec, "activeDeadlineSeconds", number(limit->value.seconds_up()));
  report_trainjob_retry(draft);
  report_copies(draft, role, "one gang");
  put(spec, "trainer", trainer_of(role, container, own));
  put_patch(draft, spec, pod);
  put(object, "spec", std::move(spec));
  if (!own)
    draft.remarks.push_back("runtime: ClusterTrainingRuntime " + std::string(runtime_of(role).name) +
                            " (Trainer's own)");
  add_workload_object(draft, std::move(object));
}

std::span<const Carried> trainjob_carriage() {
  static constexpr Carried column[] = {
      {"=m", "checkpoint.path resources.cpus resources.memory"},
      {"=",
       "args command env.* file.mode file.text labels.* launch.args launch.compat "
       "launch.processes preflight.gpu-health resources.disk resources.gpu-memory "
       "resources.gpu-slice resources.gpus script script-flags setup"},
      {"=~", "resources.gpu resources.nodes resources.shm retry.limit stop.grace"},
      {"=~-x", "retry.on target.*"},
      {"=~x", "kind"},
      {"=-x", "target.launch"},
      {"-", "target.srun"},
      {"=-", "queue retry.exit-codes topology.segment topology.segment-within topology.within"},
      {"=m", "preemptible"},
      {"=mx", "fabric"},
      {"=x",
       "code image launch.runner mount.mode mount.path mount.sub-path secret.env secret.file software "
       "software.prelude topology.required workdir"},
      {"-", "port.number port.public"},
      {"~", "account depends-on.on preflight.nccl require"},
      {"~-x", "stop.lead"},
      {"~x", "resources.exclusive resources.gpu-share software.modules software.purge stop.signal"},
      {"-",
       "checkpoint.async launch.export launch.version licenses logs.append logs.error logs.output notify.email "
       "notify.on resources.smt retry retry.backoff title"},
      {"-x", "priority"},
      {"m",
       "allow.reason allow.until any-of checkpoint.every checkpoint.write-time facts.* launch.contract "
       "parallelism.context "
       "parallelism.data parallelism.expert parallelism.pipeline parallelism.tensor prefer"},
      {"mx", "gang"},
      {"=~m", "time-limit"},
      {"x",
       "depends-on.each role.with code.git.rev code.git.url probe.after probe.command probe.every probe.failures "
       "probe.http probe.port "
       "probe.tcp probe.timeout replicas software.conda software.module-use software.venv "
       "sweep.axes.* sweep.max-parallel sweep.zip"},
  };
  return column;
}

}  // namespace muster::targets::kubernetes
