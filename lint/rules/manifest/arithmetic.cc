// Numbers that must agree: elastic bounds with replicas, ranks with pods and GPUs.
#include <array>

#include "compiler/base/text.h"
#include "lint/rules/manifest/scene.h"

namespace muster::lint {
namespace {

using k8s::Program;

const PodTemplate* role(const Object& object, std::string_view name) {
  for (const PodTemplate& pods : object.pods)
    if (pods.role == name) return &pods;
  return nullptr;
}

Finding& bounds(const ManifestScene& scene, const Object& object, const Field& where, std::string message,
                const Field& other, std::string label) {
  Finding& f = scene.wrong(RuleId::elastic_bounds, object, where, std::move(message));
  if (other) f.labels.push_back({other.span(), std::move(label)});
  return f;
}

// lower ≤ value ≤ upper, of those that are there. Says so once.
void check_range(const ManifestScene& scene, const Object& object, const Field& lower, const Field& value,
                 const Field& upper) {
  const auto low = lower.whole(), n = value.whole(), high = upper.whole();
  if (low && high && *low > *high) {
    bounds(scene, object, lower,
           "the lower bound " + std::to_string(*low) + " is above the upper bound " + std::to_string(*high), upper,
           "the upper bound");
  } else if (low && n && *n < *low) {
    bounds(scene, object, value,
           std::to_string(*n) + " replicas are fewer than the lower bound " + std::to_string(*low), lower,
           "the lower bound");
  } else if (high && n && *n > *high) {
    bounds(scene, object, value,
           std::to_string(*n) + " replicas are more than the upper bound " + std::to_string(*high), upper,
           "the upper bound");
  }
}

void check_pytorch_elastic(const ManifestScene& scene, const Object& object) {
  const Field policy = object.root.at("spec.elasticPolicy");
  if (!policy) return;
  const Field low = policy.get("minReplicas"), high = policy.get("maxReplicas");
  const PodTemplate* worker = role(object, "Worker");
  const PodTemplate* master = role(object, "Master");
  const std::size_t before = scene.report.findings.size();
  check_range(scene, object, low, worker != nullptr ? worker->count_field : Field{}, high);
  if (master == nullptr || scene.report.findings.size() != before || (!low && !high)) return;
  const std::int64_t pods = pod_count(object).value_or(0);
  const bool over = high.whole() && pods > *high.whole();
  Finding& f = scene.wrong(RuleId::elastic_bounds, object, high ? high : low,
                           over ? "the Master and its workers are " + std::to_string(pods) +
                                      " nodes, but the rendezvous takes at most " + std::to_string(*high.whole())
                                : "the bounds count only workers, but the job also has a Master",
                           "the job with `maxReplicas` workers has one node more than its rendezvous takes");
  if (master->count_field) f.labels.push_back({master->count_field.span(), "the Master"});
  if (!over) f.severity = Severity::warning;
}

void check_ray_groups(const ManifestScene& scene, const Object& object) {
  for (const char* cluster : {"spec", "spec.rayClusterSpec", "spec.rayClusterConfig"})
    for (const Field& group : object.root.at(cluster).get("workerGroupSpecs").items()) {
      const std::size_t before = scene.report.findings.size();
      check_range(scene, object, group.get("minReplicas"), group.get("replicas"), group.get("maxReplicas"));
      // The operator clamps replicas to the bounds; crossed bounds it cannot.
      const bool crossed =
          group.get("minReplicas").whole().value_or(0) > group.get("maxReplicas").whole().value_or(INT64_MAX);
      if (scene.report.findings.size() != before && !crossed) scene.report.findings.back().severity = Severity::warning;
    }
}

void check_volcano_bounds(const ManifestScene& scene, const Object& object) {
  const Field minimum = object.root.at("spec.minAvailable");
  const auto pods = pod_count(object), n = minimum.whole();
  if (pods && n && *n > *pods)
    bounds(scene, object, minimum,
           "`minAvailable` is " + std::to_string(*n) + ", but the tasks have " + counted(*pods, "pod"), {}, "");
  for (const Field& task : object.root.at("spec.tasks").items()) {
    const Field least = task.get("minAvailable"), replicas = task.get("replicas");
    if (least.whole() && replicas.whole() && *least.whole() > *replicas.whole())
      bounds(scene, object, least, "`minAvailable` of the task is above its replicas", replicas, "the replicas");
  }
}

void check_kueue_partial(const ManifestScene& scene, const Object& object) {
  const Field least = object.annotation("kueue.x-k8s.io/job-min-parallelism"), all = object.root.at("spec.parallelism");
  if (least.whole() && *least.whole() >= all.whole().value_or(1))
    bounds(scene, object, least,
           "the minimum parallelism " + std::to_string(*least.whole()) + " is not below the job's parallelism", all,
           "the parallelism");
}

// --nproc-per-node (or the field that stands for it) against the GPUs of the container.
template <class Where>
void check_processes(const ManifestScene& scene, const Object& object, const Container& c, const Where& where,
                     std::int64_t processes) {
  const std::int64_t gpus = c.gpus();
  if (gpus == 0 || processes == gpus) return;
  Finding& f =
      scene.wrong(RuleId::world_size, object, where, counted(processes, "rank") + " per pod on " + counted(gpus, "GPU"),
                  processes > gpus ? "each rank needs its own GPU" : "the other GPUs are reserved but idle");
  f.labels.push_back({c.gpu_field().span(), "the GPUs"});
  if (processes < gpus) f.severity = Severity::warning;
}

// The value of an option as it is written: a variable of a template too.
std::string as_written(const Container& c, const k8s::Option& option) {
  const std::string& text = option.word->text;
  if (const std::size_t equals = text.find('='); equals != std::string::npos) return text.substr(equals + 1);
  const std::size_t next = static_cast<std::size_t>(option.word - c.words.data()) + 1;
  return next < c.words.size() ? c.words[next].text : "";
}

// A number of nodes on the command line replaces the range that the operator sets for `elasticPolicy`. A placeholder is
// a number if it is the number of replicas too.
void check_elastic_nodes(const ManifestScene& scene, const Object& object, const PodTemplate& pods, const Container& c,
                         const std::optional<k8s::Option>& nodes) {
  const Field low = object.root.at("spec.elasticPolicy.minReplicas"),
              high = object.root.at("spec.elasticPolicy.maxReplicas");
  if (!nodes || !low.whole() || !high.whole() || *low.whole() == *high.whole()) return;
  const std::string value = as_written(c, *nodes);
  if (!nodes->whole() && (value.empty() || value != pods.count_field.text())) return;
  Finding& f = scene.wrong(RuleId::world_size, object, *nodes->word,
                           "torchrun has a fixed `--nnodes=" + (nodes->whole() ? nodes->value : value) +
                               "`, but `elasticPolicy` allows " + std::to_string(*low.whole()) + " to " +
                               std::to_string(*high.whole()) + " workers",
                           "the job is not elastic; remove the option, the operator sets the range");
  f.labels.push_back({high.span(), "the upper bound"});
  f.severity = Severity::warning;
}

// accelerate counts the nodes of the whole job.
void check_accelerate(const ManifestScene& scene, const Object& object, const Container& c) {
  const auto all = pod_count(object);
  if (program_of(c) != Program::accelerate || c.init || object.kind != "PyTorchJob" || !all ||
      object.root.at("spec.elasticPolicy"))
    return;
  const auto machines = option_of(c, {"--num-machines"});
  if (machines && machines->whole() && *machines->whole() != *all)
    scene.wrong(
        RuleId::world_size, object, *machines->word,
        "accelerate expects " + counted(*machines->whole(), "machine") + ", but the job has " + counted(*all, "pod"),
        *machines->whole() > *all ? "the rendezvous never completes" : "the other pods cannot join");
}

void check_torchrun(const ManifestScene& scene, const Object& object, const PodTemplate& pods, const Container& c) {
  if (program_of(c) != Program::torchrun || c.init) return;
  if (const auto option = option_of(c, {"--nproc-per-node"});
      option && option->whole().value_or(c.gpus()) < c.gpus() && !c.chooses_devices())
    check_processes(scene, object, c, *option->word, *option->whole());
  const auto nodes = option_of(c, {"--nnodes"});
  const auto all = pod_count(object);
  if (object.root.at("spec.elasticPolicy"))
    return check_elastic_nodes(scene, object, pods, c, nodes);  // workers may become more
  if (!nodes || !nodes->whole() || !all || object.known->work == k8s::Work::service) return;
  // A pod that is told its rank is one of several objects, each of which is a node.
  const auto rank = option_of(c, {"--node-rank"});
  if (*all == 1 && rank && rank->whole()) return;
  // Elsewhere `--nnodes=1` may be many jobs of one node, and a group may hold pods of another purpose.
  const std::int64_t wanted = *nodes->whole();
  const std::int64_t least = pods.count.value_or(0);
  const bool one_purpose = object.kind == "PyTorchJob";
  if (one_purpose ? wanted == *all : wanted == 1 || wanted <= *all || least == 0) return;
  Finding& f = scene.wrong(RuleId::world_size, object, *nodes->word,
                           "torchrun expects " + counted(wanted, "node") + ", but the job has " + counted(*all, "pod"),
                           wanted > *all ? "the rendezvous never completes" : "the other pods cannot join");
  if (pods.count_field) f.labels.push_back({pods.count_field.span(), "the pods"});
}

void check_nproc_field(const ManifestScene& scene, const Object& object) {
  const Field field = object.root.at("spec.nprocPerNode");
  if (!object.is("kubeflow.org", "PyTorchJob") || !field.whole()) return;
  for (const PodTemplate& pods : object.pods)
    for (const Container& c : pods.containers)
      // Only torchrun reads it: a program of its own, as one of JAX, may drive all GPUs of the pod by one process.
      if (c.name == "pytorch" && !option_of(c, {"--nproc-per-node"}) &&
          (program_of(c) == Program::torchrun || *field.whole() > c.gpus()))
        return check_processes(scene, object, c, field, *field.whole());
}

// mpirun takes as many ranks as the hostfile has slots.
void check_mpi(const ManifestScene& scene, const Object& object) {
  const PodTemplate* launcher = role(object, "Launcher");
  const PodTemplate* worker = role(object, "Worker");
  const Field implementation = object.root.at("spec.mpiImplementation");
  if (launcher == nullptr || worker == nullptr || !worker->count || launcher->containers.empty()) return;
  if (implementation && implementation.text() != "OpenMPI") return;
  const Container& c = launcher->containers.back();
  const auto ranks = option_of(c, {"-np", "-n", "--np"});
  if (program_of(c) != Program::mpirun || !ranks || !ranks->whole()) return;
  for (const k8s::Word& w : c.words)
    if (w.text.find("oversubscribe") != std::string::npos || w.text.find("OVERSUBSCRIBE") != std::string::npos ||
        w.text.find("host") != std::string::npos || w.text == "-H")
      return;
  const Field slots = object.root.at("spec.slotsPerWorker");
  const bool launcher_works = object.root.at("spec.runLauncherAsWorker").is_true();
  const std::int64_t places = slots.whole().value_or(1) * (*worker->count + (launcher_works ? 1 : 0));
  if (*ranks->whole() <= places) return;
  Finding& f = scene.wrong(
      RuleId::world_size, object, *ranks->word,
      "mpirun starts " + counted(*ranks->whole(), "rank") + ", but the workers have " + counted(places, "slot"),
      "mpirun fails with `not enough slots`");
  if (worker->count_field) f.labels.push_back({worker->count_field.span(), "the workers"});
  if (slots) f.labels.push_back({slots.span(), "slots per worker"});
}

}  // namespace

void check_elastic_bounds(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) {
    if (object.is("kubeflow.org", "PyTorchJob")) check_pytorch_elastic(scene, object);
    if (object.known != nullptr && object.known->work == k8s::Work::ray) check_ray_groups(scene, object);
    if (object.is("batch.volcano.sh", "Job")) check_volcano_bounds(scene, object);
    if (object.is("batch", "Job")) check_kueue_partial(scene, object);
  }
}

void check_arithmetic(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) {
    for (const PodTemplate& pods : object.pods)
      for (const Container& c : pods.containers) {
        check_torchrun(scene, object, pods, c);
        check_accelerate(scene, object, c);
      }
    check_nproc_field(scene, object);
    if (object.is("kubeflow.org", "MPIJob")) check_mpi(scene, object);
  }
}

}  // namespace muster::lint
