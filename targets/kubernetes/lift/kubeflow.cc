// The kinds of Kubeflow, a function each.
#include <algorithm>
#include <set>

#include "compiler/base/text.h"
#include "compiler/data/write.h"
#include "compiler/shell/launchers.h"
#include "targets/kubernetes/lift/given_names.h"
#include "targets/kubernetes/lift/object_lift.h"
#include "targets/kubernetes/lift/raw.h"
#include "targets/kubernetes/lift/words.h"
#include "targets/kubernetes/names.h"

namespace muster::targets::kubernetes::lifting {
namespace {

using model::RetryOn;

// ---- Kubeflow

// Which failures start a replica again by its `restartPolicy`. Of a gang that is not elastic it restarts single pods,
// which `retry` never means: such a policy stays as it is for this kind alone.
void set_kubeflow_retry(ObjectLift& lift, const Field& policy, std::string_view fallback, bool fixed_gang) {
  const std::string_view text = policy ? policy.text() : fallback;
  if (text == "Never") {
    lift.ledger.line(policy, Fate::mapped, "retry");
    return;
  }
  if (fixed_gang) {
    if (!policy)
      lift.ledger.say(lift.object.root.span(), "spec", Fate::approximated, "retry",
                      "the operator's default restartPolicy, " + std::string(fallback) +
                          ", restarts single pods; muster writes `Never`");
    return;
  }
  const bool codes = text == "ExitCode";
  lift.workload().retry = codes ? retry_of(model::Retry::unlimited, {RetryOn::node_failure, RetryOn::preemption})
                                : retry_of(model::Retry::unlimited, any_failure());
  if (policy) lift.ledger.line(policy, Fate::mapped, "retry", text == "Always" ? "muster writes `OnFailure`" : "");
  else
    lift.ledger.say(lift.object.root.span(), "spec", Fate::mapped, "retry",
                    "the operator's default restartPolicy is " + std::string(fallback));
}

const PodTemplate* template_of(const Object& object, std::string_view role) {
  for (const PodTemplate& pods : object.pods)
    if (pods.role == role) return &pods;
  return nullptr;
}

// The size is `replicas`; the policy, within which the operator lets it shrink and grow, stays in its own block.
void keep_elastic(ObjectLift& lift, const Field& elastic, bool has_master) {
  Node object = map({});
  put(at(object, "spec"), "elasticPolicy", plain_copy(*elastic.node));
  if (has_master) put(at(at(at(object, "spec"), "pytorchReplicaSpecs"), "Master"), "replicas", number(1));
  own_block(lift).options.push_back({"object", model::unplaced(data::to_yaml(object)), false});
  lift.ledger.line(elastic, Fate::raw, "target pytorchjob { object }");
}

// As PET_NNODES has it.
std::string range_of(const Field& elastic, std::int64_t nodes) {
  const auto bound = [&](const char* key) { return std::to_string(elastic.get(key).whole().value_or(nodes)); };
  return bound("minReplicas") + ":" + bound("maxReplicas");
}

bool is_torch(const model::Role& role) { return role.launch.runner.value == model::Runner::torchrun; }

// A text that calls torchrun, which the operator's PET_* tell how many there are and which it is.
bool calls_torchrun(const model::Role& role) {
  const auto* text = role.program ? std::get_if<model::Script>(&role.program->value) : nullptr;
  const auto has = [&](const char* word) { return text != nullptr && text->bytes.find(word) != std::string::npos; };
  return has("torchrun") || has("torch.distributed.run") || has("PET_");
}

// Without torchrun, each pod is a rank by the variables of the operator: RANK, WORLD_SIZE, MASTER_ADDR.
void ranks_of_operator(ObjectLift& lift, model::Role& role, const Field& each) {
  if (!role.program)
    return lift.ledger.say(lift.object.root.span(), "ranks", Fate::approximated, "image",
                           "of the operator: with another target, the image's own program finds no RANK");
  if (calls_torchrun(role)) return void(role.launch.runner = {model::Runner::torchrun, {}});
  if (each && each.whole() != 1) return;  // WORLD_SIZE is then more than the pods: the program starts the others
  role.launch.runner = {model::Runner::processes, {}};
  role.launch.processes = model::unplaced<std::int64_t>(1);
  lift.ledger.line(each, Fate::mapped, "launch.processes");
}

}  // namespace

// ---- PyTorchJob

bool lift_pytorchjob(ObjectLift& lift) {
  const PodTemplate* master = template_of(lift.object, "Master");
  const PodTemplate* worker = template_of(lift.object, "Worker");
  const PodTemplate* of = worker != nullptr ? worker : master;
  if (of == nullptr) return lift.refuse(lift.object.root, "the PyTorchJob has neither a Master nor a Worker");
  const Field workers = worker != nullptr ? worker->holder.get("replicas") : Field{};
  const auto count = worker == nullptr ? std::optional<std::int64_t>(0) : count_at(workers, 1);
  if (!count) return refuse_count(lift, workers);
  const bool unlike = master != nullptr && worker != nullptr && !run_alike(*master, *worker);
  const std::int64_t nodes = *count + (master != nullptr ? 1 : 0);
  model::Role& role = lift.role("");
  if (nodes > 1) role.resources.nodes = model::unplaced(model::Count{nodes, nodes});
  lift.ledger.line(workers, Fate::mapped, "resources.nodes");
  if (master != nullptr) lift.ledger.line(master->holder.get("replicas"), Fate::mapped, "resources.nodes");
  set_coupled(lift, nodes > 1, model::Kind::train);
  const Field elastic = lift.spec("elasticPolicy"), each = lift.spec("nprocPerNode");
  const bool elastic_gang = elastic && master == nullptr;  // with a Master the operator makes a fixed one
  set_kubeflow_retry(lift, of->holder.get("restartPolicy"), "OnFailure", nodes > 1 && !elastic_gang);
  const std::string_view alike = of->holder.get("restartPolicy").text();
  if (master != nullptr && worker != nullptr && (lift.workload().retry || alike == "Never") &&
      master->holder.get("restartPolicy").text() == alike)
    lift.ledger.line(master->holder.get("restartPolicy"), Fate::mapped, "retry");
  if (elastic) keep_elastic(lift, elastic, master != nullptr);
  lift.pods_are_ranks = !each || each.whole().value_or(1) == 1;
  lift_resources(lift, *of, container_of(*of), role);
  lift_program(lift, container_of(*of), role,
               {.nodes = nodes, .has_operator = true, .range = elastic ? range_of(elastic, nodes) : std::string()});
  if (!is_torch(role) && !elastic) {
    ranks_of_operator(lift, role, each);
    if (master == nullptr && role.launch.runner.value != model::Runner::none)
      lift.ledger.say(of->holder.span(), "ranks", Fate::mended, "launch.runner",
                      "without a Master the operator gives no RANK, WORLD_SIZE and MASTER_ADDR; muster does");
  } else if (!is_torch(role) && calls_torchrun(role)) {
    role.launch.runner = {model::Runner::torchrun, {}};
  }
  const auto processes = each.whole();
  if (is_torch(role) && processes && *processes >= 1 && *processes <= 4096) {
    if (elastic || *processes != std::max<std::int64_t>(role.gpus(), 1))
      role.launch.processes = model::unplaced(*processes);
    if (!elastic.get("nProcPerNode")) lift.ledger.line(each, Fate::mapped, "launch.processes");
  }
  const auto of_policy = elastic.get("nProcPerNode").whole();
  if (is_torch(role) && of_policy && *of_policy >= 1 && *of_policy <= 4096)
    role.launch.processes = model::unplaced(*of_policy);
  if (is_torch(role) && role.gpus() == 0 && !processes && !lift.spec("elasticPolicy.nProcPerNode").whole())
    lift.ledger.say(lift.object.root.span(), "processes", Fate::approximated, "launch.processes",
                    "the operator says `auto`, a process for each CPU of the node; muster starts one");
  lift_pod(lift, *of, role);
  if (unlike) keep_template(lift, *master, *worker, "master");
  else if (master != nullptr && worker != nullptr) lift_twin(lift, *master, *worker);
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
    return lift.refuse(trainer ? trainer : lift.object.root,
                       "the image is that of the runtime, which is not in this file",
                       "add the ClusterTrainingRuntime to the file, or set `image` in `trainer`");
  if (trainer.get("command").items().empty())
    return lift.refuse(trainer ? trainer : lift.object.root,
                       "the program is that of the runtime or of its image, because `trainer` has no `command`",
                       "set `command` in `trainer`");
  set_coupled(lift, *nodes > 1, model::Kind::train);
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
    lift.ledger.say(trainer.span(), "spec.trainer.image", Fate::mapped, "image",
                    "the image of the runtime in this file");
  }
  lift_pod(lift, pods, role);
  // How often its pods start again is the runtime's to say, of which the file has nothing.
  lift.workload().retry_default = model::unplaced(model::LeftTo::site);
  lift.ledger.line(runtime, Fate::mapped, "retry");
  take_deadline(lift, lift.spec("activeDeadlineSeconds"));
  return true;
}

// ---- MPIJob

namespace {

// mpirun of the launcher: its options and the program.
class MpirunLifter {
 public:
  MpirunLifter(ObjectLift& lift, const Container& container, model::Role& role, std::int64_t ranks)
      : lift_(lift), container_(container), role_(role), ranks_(ranks) {}

  bool run() {
    if (!read_words()) return false;
    if (words_.empty() || !is_one_of(base_name(words_[0]), {"mpirun", "mpiexec"}))
      return refuse("the launcher does not start mpirun with words, so its program is not known",
                    "write `command: [mpirun, …]` in the launcher");
    std::size_t i = 1;
    while (i < words_.size() && words_[i].starts_with('-')) {
      const std::size_t count = words_of_option(i);
      if (i + count > words_.size()) return refuse("an option of mpirun has no value");
      if (!take(i, count)) return false;
      i += count;
    }
    if (i >= words_.size()) return refuse("no program follows mpirun");
    role_.program =
        model::unplaced(model::Program(model::Argv(words_.begin() + static_cast<std::ptrdiff_t>(i), words_.end())));
    std::string note = dropped_.empty() ? "" : "muster writes " + joined(dropped_) + " itself";
    if (words_[0].find('/') != std::string::npos)
      note += (note.empty() ? "`" : "; `") + printable(words_[0], 80) + "` becomes the `mpirun` of the PATH";
    for (const char* part : {"command", "args"})
      lift_.ledger.line(container_.field.get(part), Fate::lifted, "launch, command", note);
    take_variables();
    return true;
  }

  // The ranks start where mpirun does, or where it says (mpirun(1), "Current Working Directory"); not where their own
  // pod starts the ssh server.
  void lift_folder() {
    const Field own = container_.field.get("workingDir");
    lift_.ledger.line(own, Fate::mapped, "workdir");
    role_.workdir.reset();
    if (const std::string folder = folder_.empty() ? std::string(own.text()) : folder_; !folder.empty())
      role_.workdir = model::unplaced(model::Text(folder));
  }

 private:
  bool refuse(const std::string& message, const std::string& help = {}) {
    return lift_.refuse(container_.field, message, help);
  }

  // The words of the launcher; of a text for a shell those of its one command.
  bool read_words() {
    for (const char* part : {"command", "args"})
      for (const Field& word : container_.field.get(part).items()) {
        const model::Text text = kubelet_text(lift_, container_, word.text());
        if (!text.is_plain()) return lift_.refuse(word, "a word of mpirun is only known in the pod");
        words_.push_back(text.bytes);
      }
    const bool shell = words_.size() == 3 && is_one_of(base_name(words_[0]), {"sh", "bash"}) && words_[1] == "-c";
    const auto line = shell ? words_of_line(lift_, container_, words_[2]) : std::nullopt;
    if (!line || !std::all_of(line->begin(), line->end(), [](const model::Text& w) { return w.is_plain(); }))
      return true;
    words_.clear();
    for (const model::Text& word : *line) words_.push_back(word.bytes);
    return true;
  }

  std::string name_at(std::size_t i) const {
    return dashed(words_[i].substr(std::min(words_[i].find_first_not_of('-'), words_[i].size())));
  }

  std::size_t words_of_option(std::size_t i) const {
    const shell::LauncherRow& row = row_of(shell::Launcher::mpirun);
    const std::string name = name_at(i);
    if (is_one_of(name, {"mca", "gmca"})) return 3;
    const bool value = lists_name(row.values, name) || lists_name(row.processes, name);
    return value ? 2 : 1;
  }

  // An option: what muster writes itself, a variable, or one of `launch.args`.
  bool take(std::size_t i, std::size_t count) {
    const std::string name = name_at(i);
    if (is_one_of(name, {"n", "np", "c"})) {
      const std::string own = std::to_string(ranks_);
      if (words_[i + 1] != own)
        return refuse(
            "mpirun starts " + printable(words_[i + 1], 20) + " ranks, but the workers have " + own + " slots",
            "write `-np " + own + "`, or change `slotsPerWorker`");
      dropped_.push_back(words_[i]);
    } else if (is_one_of(name, {"allow-run-as-root", "hostfile"}) || (name == "bind-to" && words_[i + 1] == "none")) {
      dropped_.push_back(words_[i]);
    } else if (is_one_of(name, {"wdir", "wd"})) {
      if (!words_[i + 1].starts_with('/')) return refuse("the folder of the ranks is only known in the pod");
      folder_ = words_[i + 1];
    } else if (name == "x") {
      const std::size_t equals = words_[i + 1].find('=');
      if (equals == std::string::npos) exported_.insert(words_[i + 1]);
      else role_.env.push_back({words_[i + 1].substr(0, equals), model::Text(words_[i + 1].substr(equals + 1)), {}});
    } else {
      for (std::size_t k = 0; k < count; ++k) role_.launch.args.push_back(model::unplaced(words_[i + k]));
    }
    return true;
  }

  // The launcher's own variables: `-x NAME` gives one to all ranks, `OMPI_MCA_x` is an option of mpirun. Of other names
  // each rank has the value of its pod.
  void take_variables() {
    lift_environment(lift_, container_, role_, &exported_);
    constexpr std::string_view option = "OMPI_MCA_";
    for (const Field& variable : container_.field.get("env").items()) {
      const std::string_view name = variable.get("name").text();
      const model::Text value = kubelet_text(lift_, container_, variable.get("value").text(), true);
      if (name.starts_with(option) && !variable.get("valueFrom") && value.is_plain() &&
          !exported_.contains(std::string(name))) {
        for (std::string word : {std::string("--mca"), std::string(name.substr(option.size())), value.bytes})
          role_.launch.args.push_back(model::unplaced(std::move(word)));
        lift_.ledger.line(variable, Fate::lifted, "launch.args");
      } else if (name.starts_with("OMPI_ALLOW_RUN_AS_ROOT")) {
        lift_.ledger.line(variable, Fate::dropped, "", "muster writes `--allow-run-as-root`");
      } else {
        lift_.ledger.line(variable, Fate::lost, "", "a variable of mpirun alone, whose pod is muster's");
      }
    }
  }

  ObjectLift& lift_;
  const Container& container_;
  model::Role& role_;
  std::int64_t ranks_;
  std::vector<std::string> words_, dropped_;
  std::set<std::string> exported_;  // `-x NAME`
  std::string folder_;              // `-wdir /src`
};

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
  set_coupled(lift, *nodes > 1, model::Kind::mpi);
  MpirunLifter mpirun(lift, container_of(*launcher), role, *nodes * *each);
  if (!mpirun.run()) return false;
  lift.ledger.line(container_of(*worker).field.get("workingDir"), Fate::dropped, "",
                   "the ranks start in the folder of mpirun");
  lift_pod(lift, *worker, role);
  mpirun.lift_folder();
  const Field words = container_of(*worker).field;
  for (const char* part : {"command", "args"})
    lift.ledger.line(words.get(part), Fate::dropped, "", "muster starts the ssh server of the workers");
  lift.ledger.line(launcher->holder, Fate::dropped, "launch.runner",
                   "muster writes the launcher, which asks for little");
  lift.ledger.line(worker->holder.get("restartPolicy"), Fate::dropped, "retry", "muster writes it by `retry`");
  const Field limit = lift.spec("runPolicy.backoffLimit");
  const auto whole = limit ? limit.whole() : std::optional<std::int64_t>(6);
  if (whole && *whole >= 0 && *whole <= 1000) {
    lift.workload().retry = retry_of(*whole, any_failure());
    lift.ledger.line(limit, Fate::mapped, "retry.limit");
  }
  take_deadline(lift, lift.spec("runPolicy.activeDeadlineSeconds"));
  lift.ledger.line(lift.spec("runPolicy.cleanPodPolicy"), Fate::approximated, "", "muster writes `Running`");
  for (const char* key : {"sshAuthMountPath", "launcherCreationPolicy", "mpiImplementation"})
    if (const Field field = lift.spec(key))
      lift.ledger.line(field, Fate::approximated, "launch.runner",
                       "muster starts Open MPI as root by its own ssh server");
  return true;
}

}  // namespace muster::targets::kubernetes::lifting
