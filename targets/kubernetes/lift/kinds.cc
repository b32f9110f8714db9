// Kinds that run to completion, a function each: what the object says around its pods.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/model/launcher.h"
#include "compiler/data/write.h"
#include "targets/kubernetes/lift/object_lift.h"
#include "targets/kubernetes/names.h"

namespace muster::targets::kubernetes::lifting {
namespace {

using model::RetryOn;

constexpr std::int64_t most_nodes = 1'000'000;
constexpr auto any_failure = {RetryOn::node_failure, RetryOn::preemption, RetryOn::failure};

// A count of pods that the language can have.
std::optional<std::int64_t> count_at(const Field& field, std::int64_t otherwise) {
  if (!field) return otherwise;
  const auto count = field.whole();
  return count && *count >= 1 && *count <= most_nodes ? count : std::nullopt;
}

bool refuse_count(ObjectLift& lift, const Field& field) {
  return lift.refuse(field, "`" + printable(field.text(), 40) + "` is not a number of pods from 1 to 1,000,000");
}

void restart_line(ObjectLift& lift, const Field& policy, std::string_view written) {
  if (policy.text() == written) lift.ledger.line(policy, Fate::mapped, "retry");
  else
    lift.ledger.line(policy, Fate::approximated, "retry",
                     "muster writes `" + std::string(written) + "`: a program that fails starts again in a new pod");
}

const Container& container_of(const PodTemplate& pods) {
  static const Container none;
  const Container* found = program_container(pods);
  return found == nullptr ? none : *found;
}

// ---- Job

// What is several pods of a Job.
enum class Several : std::uint8_t { one, ranks, points, copies };

void set_retry_of_job(ObjectLift& lift, bool gang) {
  const Field limit = lift.spec("backoffLimit");
  const auto whole = limit ? limit.whole() : std::optional<std::int64_t>(6);
  if (gang) {
    lift.ledger.line(limit, Fate::approximated, "", "a Job that starts as a gang does not start single pods again");
    if (!limit && lift.object.root)
      lift.ledger.say(lift.object.root.span(), "spec.backoffLimit", Fate::approximated, "",
                      "Kubernetes starts failed pods of this Job again 6 times; a gang has no such restart");
    return;
  }
  if (!whole || *whole < 0 || *whole > 1000) return;
  lift.workload().retry = retry_of(*whole, any_failure);
  lift.ledger.line(limit, Fate::mapped, "retry.limit");
  if (!limit)
    lift.ledger.say(lift.object.root.span(), "spec.backoffLimit", Fate::mapped, "retry.limit = 6",
                    "which is the default of a Job");
}

void make_points(ObjectLift& lift, std::int64_t points, std::int64_t at_a_time) {
  model::Sweep sweep;
  model::Axis axis{"task", {}, lift.object.root.span()};
  for (std::int64_t i = 0; i < points; ++i) axis.values.push_back(std::to_string(i));
  sweep.axes.push_back(std::move(axis));
  sweep.span = lift.object.root.span();
  if (at_a_time < points) sweep.max_parallel = model::unplaced(at_a_time);
  lift.workload().sweep = std::move(sweep);
  lift.workload().kind = {model::Kind::sweep, {}};
}

// How the pods of a Job are counted; nullopt: refused.
std::optional<Several> count_job(ObjectLift& lift, model::Role& role) {
  const Field completions = lift.spec("completions"), parallelism = lift.spec("parallelism");
  const bool indexed = lift.spec("completionMode").text() == "Indexed";
  const auto at_a_time = count_at(parallelism, 1), all = count_at(completions, indexed ? 1 : at_a_time.value_or(1));
  if (!at_a_time) return refuse_count(lift, parallelism), std::nullopt;
  if (!all) return refuse_count(lift, completions), std::nullopt;
  const auto account = [&](const std::string& as, const std::string& note = {}) {
    lift.ledger.line(completions, Fate::mapped, as);
    lift.ledger.line(parallelism, Fate::mapped, as);
    if (*all > 1 || indexed)
      lift.ledger.line(lift.spec("completionMode"), Fate::mapped, as, *all > 1 ? "" : "of one pod: index 0");
    if (!note.empty()) lift.ledger.say(lift.object.root.span(), "spec.completionMode", Fate::approximated, as, note);
  };
  if (*all == 1) return account("one pod"), Several::one;
  if (indexed && *at_a_time >= *all) {
    role.resources.nodes = model::unplaced(model::Count{*all, *all});
    account("resources.nodes");
    return Several::ranks;
  }
  if (*all > static_cast<std::int64_t>(model::Sweep::most_points)) return refuse_count(lift, completions), std::nullopt;
  if (indexed || completions) {
    make_points(lift, *all, *at_a_time);
    account("sweep", indexed ? "" : "muster writes an Indexed Job: each run has a number");
    return Several::points;
  }
  role.replicas = model::unplaced(model::Count{*all, *all});
  account("replicas", "muster writes an Indexed Job with as many completions");
  return Several::copies;
}

// Pods under the names of a headless Service of the file: muster writes one of the Job's own name.
void drop_subdomain(ObjectLift& lift, const PodTemplate& pods, bool ranks) {
  const Field subdomain = pods.spec.get("subdomain");
  if (ranks) lift.ledger.line(subdomain, Fate::dropped, "", "muster writes a headless Service of the Job's own name");
}

// ---- Kubeflow

// Which failures start a replica again by its `restartPolicy`.
void set_kubeflow_retry(ObjectLift& lift, const Field& policy, std::string_view fallback) {
  const std::string_view text = policy ? policy.text() : fallback;
  if (text == "Never") {
    lift.ledger.line(policy, Fate::mapped, "retry");
    return;
  }
  const bool codes = text == "ExitCode";
  lift.workload().retry = codes ? retry_of(model::Retry::unlimited, {RetryOn::node_failure, RetryOn::preemption})
                                : retry_of(model::Retry::unlimited, any_failure);
  if (policy)
    lift.ledger.line(policy, Fate::mapped, "retry", text == "Always" ? "muster writes `OnFailure`" : "");
  else
    lift.ledger.say(lift.object.root.span(), "spec", Fate::mapped, "retry",
                    "the operator's default restartPolicy is " + std::string(fallback));
}

const PodTemplate* template_of(const Object& object, std::string_view role) {
  for (const PodTemplate& pods : object.pods)
    if (pods.role == role) return &pods;
  return nullptr;
}

void elastic_nodes(ObjectLift& lift, const Field& elastic, model::Role& role, std::int64_t& nodes) {
  const auto low = elastic.get("minReplicas").whole(), high = elastic.get("maxReplicas").whole();
  if (low && high && *low >= 1 && *high >= *low && *high <= most_nodes) {
    role.resources.nodes = model::unplaced(model::Count{*low, *high});
    nodes = *low;
    lift.ledger.line(elastic.get("minReplicas"), Fate::mapped, "resources.nodes");
    lift.ledger.line(elastic.get("maxReplicas"), Fate::mapped, "resources.nodes");
  }
  const auto restarts = elastic.get("maxRestarts").whole();
  if (restarts && *restarts > 0 && *restarts <= 1000) {
    lift.workload().retry = retry_of(*restarts, any_failure);
    lift.ledger.line(elastic.get("maxRestarts"), Fate::mapped, "retry.limit",
                     "the operator counts it over all pods too, as `backoffLimit`");
  }
  if (const Field backend = elastic.get("rdzvBackend"); backend.text() == "c10d")
    lift.ledger.line(backend, Fate::mapped, "launch.runner");
}

// The container of a TrainJob as one of a pod.
struct TrainerPod {
  Node pod;
  Field field;
};

bool is_torch(const model::Role& role) { return role.launch.runner.value == model::Runner::torchrun; }

}  // namespace

model::Retry retry_of(std::int64_t limit, std::initializer_list<RetryOn> reasons) {
  model::Retry out;
  out.limit = model::unplaced(limit);
  if (limit == 0) return out;
  for (const RetryOn reason : reasons) out.on.push_back(model::unplaced(reason));
  return out;
}

void set_coupled(ObjectLift& lift, bool several_pods, std::string_view what) {
  const bool gang = lift.provider != model::GangProvider::none || !several_pods;
  lift.workload().kind = {gang ? model::Kind::train : model::Kind::batch, {}};
  if (gang) return;
  lift.workload().gang = model::unplaced(model::Gang::none);
  lift.question(lift.object.root.span(), "gang",
                "which gang scheduler has the cluster? The " + std::string(what) +
                    " names none, so its pods start one by one: `gang = none`. With one, set `gang` in the plane, and "
                    "write `kind = train` without `gang = none`");
}

void take_deadline(ObjectLift& lift, const Field& field) {
  const auto seconds = field.whole();
  if (!seconds || *seconds < 60 || *seconds > 1'000'000'000) return;
  auto& limit = lift.workload().time_limit;
  if (limit && limit->value.ms != *seconds * 1000) return;
  limit = model::unplaced(Duration{*seconds * 1000});
  lift.ledger.line(field, Fate::mapped, "time-limit");
}

bool lift_job(ObjectLift& lift) {
  if (lift.object.pods.empty()) return lift.refuse(lift.object.root, "the Job has no pod template");
  const PodTemplate& pods = lift.object.pods.front();
  model::Role& role = lift.role("");
  const auto several = count_job(lift, role);
  if (!several) return false;
  const bool ranks = *several == Several::ranks;
  const std::int64_t nodes = ranks ? role.nodes() : 1;
  if (ranks) set_coupled(lift, true, "Job");
  else if (*several != Several::points) lift.workload().kind = {model::Kind::batch, {}};
  if (*several == Several::copies) lift.workload().gang = model::unplaced(model::Gang::replica);
  lift_resources(lift, pods, container_of(pods), role);  // the launcher's counts are checked against the GPUs
  lift_program(lift, container_of(pods), role, {.nodes = nodes});
  lift_pod(lift, pods, role);
  restart_line(lift, pods.spec.get("restartPolicy"), "Never");
  set_retry_of_job(lift, ranks && lift.provider != model::GangProvider::none);
  if (lift.workload().retry && lift.workload().retry->limit.value == 0) take_deadline(lift, lift.spec("activeDeadlineSeconds"));
  drop_subdomain(lift, pods, ranks);
  return true;
}

// ---- JobSet

namespace {

std::int64_t pods_of_job(const Field& job) { return job.at("template.spec.parallelism").whole().value_or(1); }

bool lift_replicated_job(ObjectLift& lift, const PodTemplate& pods) {
  const Field job = pods.holder, spec = job.at("template.spec");
  const Field completions = spec.get("completions"), parallelism = spec.get("parallelism"), replicas = job.get("replicas");
  const auto nodes = count_at(parallelism, 1), all = count_at(completions, nodes.value_or(1)), copies = count_at(replicas, 1);
  if (!nodes) return refuse_count(lift, parallelism);
  if (!copies) return refuse_count(lift, replicas);
  if (!all || *all != *nodes)
    return lift.refuse(completions, "a Job of this JobSet has more completions than pods at a time, which no key expresses",
                       "import it as a Job of its own");
  model::Role& role = lift.role(job.get("name").text());
  if (*nodes > 1) role.resources.nodes = model::unplaced(model::Count{*nodes, *nodes});
  if (*copies > 1) role.replicas = model::unplaced(model::Count{*copies, *copies});
  lift.ledger.line(job.get("name"), Fate::mapped, "role");
  lift.ledger.line(replicas, Fate::mapped, "replicas");
  lift.ledger.line(parallelism, Fate::mapped, "resources.nodes");
  lift.ledger.line(completions, Fate::mapped, "resources.nodes");
  lift.ledger.line(spec.get("completionMode"), Fate::mapped, "resources.nodes");
  if (const Field limit = spec.get("backoffLimit"))
    lift.ledger.line(limit, limit.text() == "0" ? Fate::mapped : Fate::approximated, "retry",
                     limit.text() == "0" ? "" : "muster lets the JobSet start again as a whole, not single pods");
  else
    lift.ledger.say(job.span(), spec.path + ".backoffLimit", Fate::approximated, "retry",
                    "Kubernetes starts failed pods again 6 times; muster lets the JobSet start again as a whole");
  take_deadline(lift, spec.get("activeDeadlineSeconds"));
  lift_resources(lift, pods, container_of(pods), role);
  lift_program(lift, container_of(pods), role, {.nodes = *nodes});
  lift_pod(lift, pods, role);
  restart_line(lift, pods.spec.get("restartPolicy"), "Never");
  return true;
}

// Which job starts when another one has come so far.
void lift_order(ObjectLift& lift) {
  const auto jobs = lift.spec("replicatedJobs").items();
  for (std::size_t i = 0; i < jobs.size() && i < lift.workload().roles.size(); ++i)
    for (const Field& on : jobs[i].get("dependsOn").items()) {
      const std::string name(on.get("name").text());
      const auto& roles = lift.workload().roles;
      if (std::none_of(roles.begin(), roles.end(), [&](const auto& r) { return r.name == name; })) continue;
      const bool complete = on.get("status").text() == "Complete";
      lift.workload().roles[i].depends_on.push_back(
          {name, complete ? model::StartOn::complete : model::StartOn::started, {}});
      lift.ledger.line(on, Fate::mapped, "role.depends-on");
    }
}

void lift_success(ObjectLift& lift) {
  const Field policy = lift.spec("successPolicy"), targets = policy.get("targetReplicatedJobs");
  if (policy.get("operator").text() != "All" || targets.items().size() != 1 || lift.workload().roles.size() < 2) return;
  for (model::Role& role : lift.workload().roles)
    if (role.name == targets.items().front().text()) {
      role.primary = model::unplaced(true);
      lift.ledger.line(policy, Fate::mapped, "role.primary");
    }
}

}  // namespace

bool lift_jobset(ObjectLift& lift) {
  if (lift.object.pods.empty()) return lift.refuse(lift.object.root, "the JobSet has no jobs with a pod template");
  std::int64_t pods = 0;
  for (const PodTemplate& each : lift.object.pods) pods += each.count.value_or(2);
  set_coupled(lift, pods > 1, "JobSet");
  const Field restarts = lift.spec("failurePolicy.maxRestarts");
  if (const auto limit = restarts.whole(); limit && *limit >= 0 && *limit <= 1000) {
    lift.workload().retry = retry_of(*limit, {RetryOn::node_failure, RetryOn::preemption, RetryOn::failure, RetryOn::timeout});
    lift.ledger.line(restarts, Fate::mapped, "retry.limit");
  }
  for (const PodTemplate& each : lift.object.pods)
    if (!lift_replicated_job(lift, each)) return false;
  lift_order(lift);
  lift_success(lift);
  return true;
}

// ---- PyTorchJob

bool lift_pytorchjob(ObjectLift& lift) {
  const PodTemplate* master = template_of(lift.object, "Master");
  const PodTemplate* worker = template_of(lift.object, "Worker");
  const PodTemplate* of = worker != nullptr ? worker : master;
  if (of == nullptr) return lift.refuse(lift.object.root, "the PyTorchJob has neither a Master nor a Worker");
  const Field workers = worker != nullptr ? worker->holder.get("replicas") : Field{};
  const auto count = worker == nullptr ? std::optional<std::int64_t>(0) : count_at(workers, 1);
  if (!count) return refuse_count(lift, workers);
  std::int64_t nodes = *count + (master != nullptr ? 1 : 0);
  model::Role& role = lift.role("");
  if (nodes > 1) role.resources.nodes = model::unplaced(model::Count{nodes, nodes});
  lift.ledger.line(workers, Fate::mapped, "resources.nodes");
  if (master != nullptr) lift.ledger.line(master->holder.get("replicas"), Fate::mapped, "resources.nodes");
  set_coupled(lift, nodes > 1, "PyTorchJob");
  set_kubeflow_retry(lift, of->holder.get("restartPolicy"), "OnFailure");
  if (master != nullptr && worker != nullptr && master->holder.get("restartPolicy").text() == of->holder.get("restartPolicy").text())
    lift.ledger.line(master->holder.get("restartPolicy"), Fate::mapped, "retry");
  if (const Field elastic = lift.spec("elasticPolicy")) elastic_nodes(lift, elastic, role, nodes);
  lift_resources(lift, *of, container_of(*of), role);
  lift_program(lift, container_of(*of), role, {.nodes = nodes, .has_operator = true});
  const Field each = lift.spec("nprocPerNode");
  const auto processes = each.whole();
  if (is_torch(role) && processes && *processes >= 1 && *processes <= 4096) {
    if (*processes != std::max<std::int64_t>(role.gpus(), 1)) role.launch.processes = model::unplaced(*processes);
    lift.ledger.line(each, Fate::mapped, "launch.processes");
  }
  lift_pod(lift, *of, role);
  if (master != nullptr && worker != nullptr) lift_twin(lift, *master, *worker);
  take_deadline(lift, lift.spec("runPolicy.activeDeadlineSeconds"));
  const Field clean = lift.spec("runPolicy.cleanPodPolicy");
  lift.ledger.line(clean, clean.text() == "Running" ? Fate::mapped : Fate::approximated, "",
                   clean.text() == "Running" ? "" : "muster writes `Running`: what has ended keeps its logs");
  return true;
}

// ---- TrainJob

namespace {

// The image of the runtime's own container, where the file has the runtime.
std::string image_of_runtime(const ObjectLift& lift, std::string_view name) {
  for (const Object& object : lift.manifest.objects) {
    if (object.name != name || !is_one_of(object.kind, {"TrainingRuntime", "ClusterTrainingRuntime"})) continue;
    for (const PodTemplate& pods : object.pods)
      if (pods.role == "node")
        for (const Container& container : pods.containers) return std::string(container.field.get("image").text());
  }
  return {};
}

}  // namespace

bool lift_trainjob(ObjectLift& lift) {
  const Field runtime = lift.spec("runtimeRef.name"), trainer = lift.spec("trainer");
  const std::string_view name = runtime.text();
  if (!is_one_of(name, {"torch-distributed", "jax-distributed"}))
    return lift.refuse(runtime, "what runtime `" + printable(name, 60) + "` starts is not in this file",
                       "muster knows torch-distributed and jax-distributed; write the workload by hand for another");
  if (lift.spec("initializer"))
    return lift.refuse(lift.spec("initializer"), "jobs that prepare a data set or a model have no key in the language");
  model::Role& role = lift.role("");
  const auto nodes = count_at(trainer.get("numNodes"), 1);
  if (!nodes) return refuse_count(lift, trainer.get("numNodes"));
  if (*nodes > 1) role.resources.nodes = model::unplaced(model::Count{*nodes, *nodes});
  const std::string image = trainer.get("image").text().empty() ? image_of_runtime(lift, name) : "";
  if (trainer.get("image").text().empty() && image.empty())
    return lift.refuse(trainer ? trainer : lift.object.root, "the image is that of the runtime, which is not in this file",
                       "add the ClusterTrainingRuntime to the file, or set `image` in `trainer`");
  if (trainer.get("command").items().empty())
    return lift.refuse(trainer ? trainer : lift.object.root,
                       "the program is that of the runtime or of its image, because `trainer` has no `command`",
                       "set `command` in `trainer`");
  set_coupled(lift, *nodes > 1, "TrainJob");
  lift.ledger.line(trainer.get("numNodes"), Fate::mapped, "resources.nodes");
  const Container container = trainer_container(trainer);
  PodTemplate pods;
  pods.containers = {container};
  lift_resources(lift, pods, container, role);
  lift_program(lift, container, role, {.nodes = *nodes, .has_operator = true});
  if (name == "torch-distributed" && !is_torch(role)) role.launch.runner = {model::Runner::processes, {}};
  lift.ledger.line(runtime, Fate::mapped, "launch.runner");
  if (lift.spec("runtimeRef.kind").text() == "ClusterTrainingRuntime")
    lift.ledger.line(lift.spec("runtimeRef.kind"), Fate::mapped, "launch.runner");
  const Field each = trainer.get("numProcPerNode");
  const auto processes = each.whole();
  if (processes && *processes >= 1 && *processes <= 4096) {
    role.launch.processes = model::unplaced(*processes);
    lift.ledger.line(each, Fate::mapped, "launch.processes");
  } else if (!is_torch(role) && name == "torch-distributed") {
    role.launch.processes = model::unplaced<std::int64_t>(1);
  }
  if (!image.empty()) {
    role.image = model::unplaced(image);
    lift.ledger.say(trainer.span(), "spec.trainer.image", Fate::mapped, "image", "the image of the runtime in this file");
  }
  lift_pod(lift, pods, role);
  take_deadline(lift, lift.spec("activeDeadlineSeconds"));
  return true;
}

// ---- MPIJob

namespace {

// mpirun of the launcher: its options and the program.
bool lift_mpirun(ObjectLift& lift, const PodTemplate& launcher, model::Role& role, std::int64_t ranks) {
  const Container& container = container_of(launcher);
  std::vector<std::string> words;
  for (const char* part : {"command", "args"})
    for (const Field& word : container.field.get(part).items()) {
      const model::Text text = kubelet_text(container, word.text());
      if (!text.is_plain()) return lift.refuse(word, "a word of mpirun is only known in the pod");
      words.push_back(text.bytes);
    }
  if (words.empty() || !is_one_of(base_name(words[0]), {"mpirun", "mpiexec"}))
    return lift.refuse(container.field, "the launcher does not start mpirun with words, so its program is not known",
                       "write `command: [mpirun, …]` in the launcher");
  const model::LauncherRow& row = model::row_of(model::Launcher::mpirun);
  std::size_t i = 1;
  std::vector<std::string> dropped;
  while (i < words.size() && words[i].starts_with('-')) {
    const std::string name = dashed(words[i].substr(words[i].find_first_not_of('-')));
    const bool value = model::lists_name(row.values, name) || model::lists_name(row.processes, name) ||
                       is_one_of(name, {"x", "mca", "bind-to", "map-by", "hostfile", "host", "npernode"});
    const std::size_t count = name == "mca" || name == "gmca" ? 3 : value ? 2 : 1;
    if (i + count > words.size()) return lift.refuse(container.field, "an option of mpirun has no value");
    if (is_one_of(name, {"n", "np", "c"})) {
      if (whole_number(words[i + 1]) != ranks)
        return lift.refuse(container.field, "mpirun starts " + printable(words[i + 1], 20) + " ranks, but the workers have " +
                                                std::to_string(ranks) + " slots",
                           "write `-np " + std::to_string(ranks) + "`, or change `slotsPerWorker`");
      dropped.push_back(words[i]);
    } else if (is_one_of(name, {"allow-run-as-root", "hostfile"}) || (name == "bind-to" && words[i + 1] == "none")) {
      dropped.push_back(words[i]);
    } else if (name == "x" && words[i + 1].find('=') != std::string::npos) {
      const std::size_t equals = words[i + 1].find('=');
      role.env.push_back({words[i + 1].substr(0, equals), model::Text(words[i + 1].substr(equals + 1)), {}});
    } else if (name == "x") {
      dropped.push_back(words[i] + " " + words[i + 1]);  // each rank has the variables of its pod
    } else {
      for (std::size_t k = 0; k < count; ++k) role.launch.args.push_back(model::unplaced(words[i + k]));
    }
    i += count;
  }
  if (i >= words.size()) return lift.refuse(container.field, "no program follows mpirun");
  model::Argv program;
  for (; i < words.size(); ++i) program.emplace_back(words[i]);
  role.program = model::unplaced(model::Program(std::move(program)));
  const std::string note = dropped.empty() ? "" : "muster writes " + joined(dropped) + " itself";
  lift.ledger.line(container.field.get("command"), Fate::lifted, "launch, command", note);
  lift.ledger.line(container.field.get("args"), Fate::lifted, "launch, command", note);
  return true;
}

}  // namespace

bool lift_mpijob(ObjectLift& lift) {
  const PodTemplate* launcher = template_of(lift.object, "Launcher");
  const PodTemplate* worker = template_of(lift.object, "Worker");
  if (launcher == nullptr || worker == nullptr)
    return lift.refuse(lift.object.root, "an MPIJob without a Launcher and Workers has no program on other pods");
  const Field workers = worker->holder.get("replicas"), slots = lift.spec("slotsPerWorker");
  const auto nodes = count_at(workers, 1), each = count_at(slots, 1);
  if (!nodes) return refuse_count(lift, workers);
  if (!each || *each > 4096) return refuse_count(lift, slots);
  model::Role& role = lift.role("");
  if (*nodes > 1) role.resources.nodes = model::unplaced(model::Count{*nodes, *nodes});
  role.launch.runner = {model::Runner::mpi, {}};
  role.launch.processes = model::unplaced(*each);
  lift.ledger.line(workers, Fate::mapped, "resources.nodes");
  lift.ledger.line(slots, Fate::mapped, "launch.processes");
  set_coupled(lift, *nodes > 1, "MPIJob");
  if (lift.provider != model::GangProvider::none) lift.workload().kind = {model::Kind::mpi, {}};
  if (!lift_mpirun(lift, *launcher, role, *nodes * *each)) return false;
  lift_pod(lift, *worker, role);
  const Field words = container_of(*worker).field;
  for (const char* part : {"command", "args"})
    lift.ledger.line(words.get(part), Fate::dropped, "", "muster starts the ssh server of the workers");
  lift.ledger.line(launcher->holder, Fate::dropped, "launch.runner", "muster writes the launcher, which asks for little");
  lift.ledger.line(worker->holder.get("restartPolicy"), Fate::dropped, "retry", "muster writes it by `retry`");
  const Field limit = lift.spec("runPolicy.backoffLimit");
  const auto whole = limit ? limit.whole() : std::optional<std::int64_t>(6);
  if (whole && *whole >= 0 && *whole <= 1000) {
    lift.workload().retry = retry_of(*whole, any_failure);
    lift.ledger.line(limit, Fate::mapped, "retry.limit");
  }
  take_deadline(lift, lift.spec("runPolicy.activeDeadlineSeconds"));
  lift.ledger.line(lift.spec("runPolicy.cleanPodPolicy"), Fate::approximated, "", "muster writes `Running`");
  for (const char* key : {"sshAuthMountPath", "launcherCreationPolicy", "mpiImplementation"})
    if (const Field field = lift.spec(key))
      lift.ledger.line(field, Fate::approximated, "launch.runner", "muster starts Open MPI as root by its own ssh server");
  return true;
}

// ---- Volcano

bool lift_volcano_job(ObjectLift& lift) {
  if (lift.object.pods.empty()) return lift.refuse(lift.object.root, "the Job has no tasks with a pod template");
  lift.provider = model::GangProvider::volcano;
  lift.pods().gang = lift.provider;
  std::int64_t all = 0;
  for (const PodTemplate& pods : lift.object.pods) {
    const Field replicas = pods.holder.get("replicas");
    const auto nodes = count_at(replicas, 1);
    if (!nodes) return refuse_count(lift, replicas);
    all += *nodes;
    model::Role& role = lift.role(pods.role);
    if (*nodes > 1) role.resources.nodes = model::unplaced(model::Count{*nodes, *nodes});
    lift.ledger.line(pods.holder.get("name"), Fate::mapped, "role");
    lift.ledger.line(replicas, Fate::mapped, "resources.nodes");
    lift_resources(lift, pods, container_of(pods), role);
    lift_program(lift, container_of(pods), role, {.nodes = *nodes});
    lift_pod(lift, pods, role);
    restart_line(lift, pods.spec.get("restartPolicy"), "Never");
  }
  lift.workload().kind = {model::Kind::train, {}};
  const Field least = lift.spec("minAvailable");
  lift.ledger.line(least, least.whole() == all ? Fate::mapped : Fate::approximated, "gang",
                   least.whole() == all ? "" : "all pods start together; the Job starts with fewer");
  if (const Field queue = lift.spec("queue")) {
    lift.queue_name = queue.text();
    lift.ledger.line(queue, Fate::moved, "queue of the site");
  }
  if (lift.spec("schedulerName").text() == "volcano")
    lift.ledger.line(lift.spec("schedulerName"), Fate::moved, "plane.gang of the site");
  const Field retries = lift.spec("maxRetry");
  if (const auto limit = retries.whole(); limit && *limit >= 1 && *limit <= 1000) {
    lift.workload().retry = retry_of(*limit - 1, any_failure);
    lift.ledger.line(retries, Fate::mapped, "retry.limit", "its count has the last attempt in it");
  }
  return true;
}

}  // namespace muster::targets::kubernetes::lifting
