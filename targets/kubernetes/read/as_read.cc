#include "targets/kubernetes/read/as_read.h"

#include <algorithm>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "targets/kubernetes/read/pod_role.h"

namespace muster::targets::kubernetes {
namespace {

using Number = std::optional<std::int64_t>;
using model::GangProvider;

std::int64_t at_most_a_million(std::int64_t count) { return std::clamp<std::int64_t>(count, 0, 1'000'000); }

// The label, annotation or key by which an object names its queue; false where it names none.
Field queue_field(const Object& object, const Manifest& manifest) {
  if (object.is("batch.volcano.sh", "Job")) return object.root.at("spec.queue");
  if (const Field queue = object.root.at("spec.runPolicy.schedulingPolicy.queue")) return queue;
  std::vector<std::string_view> keys = {"scheduling.volcano.sh/queue-name", "volcano.sh/queue-name",
                                        "yunikorn.apache.org/queue"};
  for (const GangProviderRow& row : gang_providers())
    for (const std::string_view key : {row.queue_key, row.ray_labels.queue})
      if (!key.empty() && key != "queue") keys.push_back(key);
  const auto of = [&](const auto& holder) -> Field {
    for (const std::string_view key : keys) {
      if (Field annotation = holder.annotation(key)) return annotation;
      if constexpr (std::is_same_v<std::decay_t<decltype(holder)>, Object>) {
        if (Field label = holder.label(key)) return label;
      } else if (Field label = holder.metadata.get("labels").get(key)) {
        return label;
      }
    }
    return {};
  };
  if (Field found = of(object)) return found;
  for (const PodTemplate& pods : object.pods) {
    if (Field found = of(pods)) return found;
    const bool yunikorn = pods.spec.get("schedulerName").text() == gang_provider(GangProvider::yunikorn).scheduler;
    if (Field label = pods.metadata.get("labels").get("queue"); label && yunikorn) return label;
    const auto group = manifest.by_name.find(
        reference(object.name_space, "PodGroup", pods.annotation("scheduling.k8s.io/group-name").text()));
    if (group != manifest.by_name.end())
      if (Field queue = group->second->root.at("spec.queue")) return queue;
  }
  return {};
}

// With how many of its pods an object may start where that is fewer than all; nullopt: with all, or it is not said.
Number fewest(const Object& object, const Manifest& manifest) {
  if (const Start start = start_of(object, manifest); start.how == Start::How::some) return start.least;
  if (const Field own = object.root.at("spec.runPolicy.schedulingPolicy.minAvailable")) return own.whole();
  if (const Field elastic = object.root.at("spec.elasticPolicy.minReplicas")) return elastic.whole();
  for (const GangProviderRow& row : gang_providers())
    if (!row.fewer_pods_key.empty())
      if (const Field part = object.annotation(row.fewer_pods_key)) return part.whole();
  return std::nullopt;
}

// What an autoscaler may go down to.
Number least_scaled(const Object& object, const PodTemplate& pods, const Manifest& manifest) {
  for (const Autoscaler& a : autoscalers(manifest))
    if (target_of(a, manifest) == &object) return a.min ? a.min.whole() : Number(1);
  if (const Field elastic = object.root.at("spec.elasticPolicy.minReplicas"); elastic && pods.role != "Master")
    return elastic.whole();
  if (object.known->work != Work::ray || pods.role == "head") return std::nullopt;
  const Field hosts = pods.holder.get("numOfHosts");
  const Number least = pods.holder.get("minReplicas") ? pods.holder.get("minReplicas").whole() : Number(0);
  const Number each = hosts ? hosts.whole() : Number(1);
  return least && each ? Number(at_most_a_million(*least) * at_most_a_million(*each)) : std::nullopt;
}

class WorkloadReader {
 public:
  WorkloadReader(const Object& object, const Manifest& manifest, const PodSite& at, const Scaled& scaled)
      : object_(object), manifest_(manifest), at_(at), scaled_(scaled), start_(start_of(object, manifest)) {}

  // nullopt: none of its pods run.
  std::optional<AsRead> read() {
    out_.plane = &at_.plane;
    model::Workload& workload = out_.workload;
    workload.name = object_.name.empty() ? muster::lower(object_.kind) : std::string(object_.name);
    workload.span =
        object_.root.at("metadata.name") ? object_.root.at("metadata.name").span() : object_.root.get("kind").key_span;
    workload.kind = {kind(), workload.span};
    const bool whole = is_whole();
    workload.gang = model::unplaced(whole ? model::Gang::all : model::Gang::replica);
    ray_ = object_.known->work == Work::ray;
    if (is_job_of_runtime(object_)) read_trainer();
    else read_pods(whole);
    if (workload.roles.empty()) return std::nullopt;
    keep_roles_apart();
    take_least();
    // Kueue admits the pods of a Deployment one by one.
    out_.one_flavor = whole && object_.kind != "Deployment" &&
                      queue_field(object_, manifest_).key == gang_provider(GangProvider::kueue).queue_key;
    out_.flavor_by_replica = out_.one_flavor && object_.kind == "LeaderWorkerSet";
    take_queue();
    take_tenant();
    if (const Number seconds = deadline_seconds(object_); seconds.value_or(0) > 0 && *seconds < 1'000'000'000)
      workload.time_limit = model::unplaced(Duration{*seconds * 1000});
    return std::move(out_);
  }

 private:
  bool is_service() const {
    return object_.known->work == Work::service || object_.kind == "LeaderWorkerSet" || object_.kind == "RayService";
  }

  model::Kind kind() const {
    if (is_service()) return model::Kind::serve;
    if (object_.kind == "MPIJob") return model::Kind::mpi;
    if (object_.known->work == Work::ray) return model::Kind::rl;
    return object_.known->work == Work::training || is_coupled(object_) ? model::Kind::train : model::Kind::batch;
  }

  bool starts_together() const { return start_.is_together(); }

  // Whether all its pods have to run at once: something starts them together, or they are the ranks of one job.
  bool is_whole() const { return starts_together() || is_coupled(object_) || object_.known->work != Work::batch; }

  // `alone`: the pods without what is placed beside them.
  void take(PodRole&& one, std::int64_t count, bool whole, const PodRole* alone = nullptr) {
    if (out_.unknown.empty()) out_.unknown = std::move(one.unknown);
    for (std::string& what : one.open)
      if (std::find(out_.open.begin(), out_.open.end(), what) == out_.open.end()) out_.open.push_back(std::move(what));
    const PodRole& own = alone != nullptr ? *alone : one;
    rounded_.push_back(own.is_rounded());
    widest_.push_back(own.nodes);
    const model::Resources amounts = own.role.resources;
    if (one.may_have_slices) widest_.back().pools = one.with_slices, sliced_ = true;
    const bool grouped = is_service() && !object_.known->groups.empty();
    const std::int64_t groups = grouped ? groups_of() : 1;
    auto& size = whole && !is_service() ? one.role.resources.nodes : one.role.replicas;
    size = model::unplaced(model::Count{count, count});
    if (grouped && groups > 0 && count % groups == 0) {
      one.role.replicas = model::unplaced(model::Count{groups, groups});
      one.role.resources.nodes = model::unplaced(model::Count{count / groups, count / groups});
    }
    if (ray_) one.role.launch.runner = model::unplaced(model::Runner::ray);
    alone_.push_back(one.role);
    alone_.back().resources.cpus = amounts.cpus, alone_.back().resources.memory = amounts.memory;
    out_.workload.roles.push_back(std::move(one.role));
    out_.nodes.push_back(std::move(one.nodes));
  }

  std::int64_t groups_of() const {
    if (object_.known->groups.empty()) return 1;
    return at_most_a_million(object_.root.at(object_.known->groups).whole().value_or(1));
  }

  void read_pods(bool whole) {
    const std::vector<Number> counts = pods_up(object_, scaled_);
    for (std::size_t i = 0; i < object_.pods.size(); ++i) {
      const PodTemplate& pods = object_.pods[i];
      Number count = counts[i];
      if (!count) count = least_scaled(object_, pods, manifest_);
      if (!count && !object_.known->complete) count = 1;  // an operator starts at least one
      if (!count && out_.unknown.empty()) out_.unknown = "the number of its pods";
      if (count.value_or(1) < 1) continue;
      PodRole role = role_of(pods, std::span(&pods.spec, 1), manifest_, at_);
      add_containers(role);
      const PodRole alone = role;
      if (pods.role == "head") place_beside(role);
      take(std::move(role), at_most_a_million(count.value_or(1)), whole, &alone);
    }
  }

  // A pod that the operator makes is small: it is placed on the node of the head, whose pods are few. Where that has no
  // room for both, it may still be elsewhere.
  void place_beside(PodRole& head) {
    for (const Added& added : added_to(object_)) {
      if (added.row->as != model::AddedAs::pod) continue;
      PodRole pod = added_pod(added);
      head.millicpus += pod.millicpus, head.memory.bytes += pod.memory.bytes;
      set_amounts(head);
      if (head.nodes.tolerates && pod.nodes.tolerates)
        std::erase_if(*head.nodes.tolerates, [&](const std::string& name) {
          const auto& both = *pod.nodes.tolerates;
          if (std::find(both.begin(), both.end(), name) != both.end()) return false;
          head.nodes.also_tolerates.push_back(name);
          return true;
        });
      beside_.push_back(std::move(pod));
    }
  }

  // What the operator adds to these pods: the sums of their containers are compared with each that runs before them.
  void add_containers(PodRole& pods) const {
    for (const Added& added : added_to(object_)) {
      const bool is_beside = added.row->beside == "the head" ? pods.role.name == "head"
                             : ray_                          ? pods.role.name != "head" && pods.role.name != "submitter"
                                                             : pods.role.name == "Worker";
      if (added.row->as == model::AddedAs::pod || !is_beside) continue;
      const bool first = added.row->as == model::AddedAs::init_container;
      pods.millicpus = first ? std::max(pods.millicpus, added.millicpus) : pods.millicpus + added.millicpus;
      pods.memory.bytes = first ? std::max(pods.memory.bytes, added.memory) : pods.memory.bytes + added.memory;
      set_amounts(pods);
    }
  }

  // A pod that the operator makes without a template: it selects no nodes and tolerates no taints.
  PodRole added_pod(const Added& added) const {
    PodTemplate none;
    none.role = added.row->name;
    PodRole out = role_of(none, {}, manifest_, at_);
    out.role.span = out_.workload.span;
    out.millicpus = added.millicpus, out.memory = Size{added.memory};
    set_amounts(out);
    return out;
  }

  // A TrainJob says how many nodes, what each of them requests, and what of the runtime's pods it changes.
  void read_trainer() {
    const Field trainer = trainer_field(object_);
    PodTemplate pods;
    pods.spec = trainer;
    pods.containers = {trainer_container(trainer)};
    std::vector<Field> specs;
    for (const char* path :
         {"spec.runtimePatches[].trainingRuntimeSpec.template.spec.replicatedJobs[].template.spec.template.spec",
          "spec.podTemplateOverrides[].spec", "spec.podSpecOverrides[]"})
      for (const Field& spec : matches(object_.root, path)) specs.push_back(spec);
    const Number nodes = trainer.get("numNodes").whole();
    PodRole one = role_of(pods, specs, manifest_, at_);
    if (!nodes || !pods.containers.front().resources())
      one.unknown = "what its runtime gives it (`numNodes` or `resourcesPerNode` is not in the file)";
    if (nodes.value_or(1) > 0) take(std::move(one), at_most_a_million(nodes.value_or(1)), true);
  }

  // Pods that use the network of their host or its devices keep those of other roles away as well.
  void keep_roles_apart() {
    const auto is_apart = [](const model::NodesAsRead& nodes) { return nodes.apart; };
    if (std::count_if(out_.nodes.begin(), out_.nodes.end(), is_apart) < 2) return;
    for (std::size_t i = 0; i < out_.nodes.size(); ++i)
      if (out_.nodes[i].apart) out_.workload.roles[i].resources.exclusive = model::unplaced(true);
  }

  // Where fewer pods than all may start, or nothing makes them start together.
  void take_least() {
    model::Workload& workload = out_.workload;
    const Number few = fewest(object_, manifest_);
    const auto& size = workload.roles.front().resources.nodes;
    const std::int64_t all = size ? size->value.high : 1;
    if (workload.roles.size() == 1 && size && few && *few > 0 && *few < all)
      workload.roles.front().resources.nodes = model::unplaced(model::Count{*few, all});
    std::int64_t pods = 0;
    for (const model::Role& role : workload.roles) pods += role.nodes() * role.copies();
    const bool some = workload.roles.size() > 1 && few && *few < pods;
    const bool is_loose =
        object_.known->work == Work::group && !is_service() && !starts_together() && !is_coupled(object_);
    const bool is_ray = ray_ && !is_service() && !starts_together();
    const bool starts_in_part = some || is_loose || is_ray;
    const bool is_rounded = std::find(rounded_.begin(), rounded_.end(), true) != rounded_.end();
    if (!starts_in_part && !is_rounded && !sliced_ && beside_.empty()) return;
    // A pod is on one node, which has whole CPUs.
    model::Workload without = workload;
    without.roles.clear();
    for (std::size_t i = 0; i < alone_.size(); ++i) out_.least.push_back(one_pod(without, alone_[i], widest_[i]));
    for (const PodRole& pod : beside_) out_.least.push_back(one_pod(without, pod.role, pod.nodes));
    out_.one_part_suffices = some;
    if (starts_in_part) return;
    LeastPart whole{without, widest_, true};
    whole.workload.roles = alone_;
    for (std::size_t i = 0; i < whole.workload.roles.size(); ++i)
      if (auto& cpus = whole.workload.roles[i].resources.cpus; rounded_[i] && cpus && cpus->value.is_range())
        round_down(cpus->value);
    out_.least.push_back(std::move(whole));
  }

  // `without`: the workload without roles.
  static LeastPart one_pod(const model::Workload& without, const model::Role& role, const model::NodesAsRead& nodes) {
    LeastPart out{without, {nodes}};
    out.workload.roles = {role};
    out.workload.roles.front().resources.nodes = out.workload.roles.front().replicas =
        model::unplaced(model::Count{1, 1});
    return out;
  }

  static void round_down(model::Amount<std::int64_t>& cpus) {
    if (cpus.low > 1) --cpus.low, --cpus.high;
    else cpus = {.left_to_site = true};
  }

  void take_queue() {
    const Field field = queue_field(object_, manifest_);
    const std::string_view wanted = field.text();
    if (wanted.empty()) out_.no_queue = !is_queued();
    if (wanted.empty() || blank_in(wanted, In::yaml)) return;
    std::vector<std::string_view> have;
    for (const model::Queue& queue : at_.site.queues) {
      if (!queue.plane.empty() && queue.plane != at_.plane.name) continue;
      const std::string& name = queue.plane_name.empty() ? queue.name : queue.plane_name;
      if (name == wanted) return void(out_.workload.queues.push_back({queue.name, field.span()}));
      have.push_back(name);
    }
    if (have.empty() || wanted == "default") return;  // each scheduler makes a queue of that name
    out_.refusal =
        "site `" + at_.site.name + "` has no queue `" + printable(wanted, 60) + "`; known are " + quoted_list(have);
  }

  // Whether the site's scheduler manages its pods, so that it puts them into a queue of its own choice.
  bool is_queued() const {
    const std::vector<SchedulerMark> marks = scheduler_marks(object_);
    return object_.is("batch.volcano.sh", "Job") ||
           std::any_of(marks.begin(), marks.end(), [&](const SchedulerMark& m) {
             return m.provider != nullptr && m.provider->provider == at_.plane.pods()->gang;
           });
  }

  void take_tenant() {
    for (const model::Tenant& tenant : at_.site.tenants)
      if (tenant.name_space && tenant.name_space->value == object_.name_space && !object_.name_space.empty())
        out_.workload.account = model::unplaced(std::string(object_.name_space));
  }

  const Object& object_;
  const Manifest& manifest_;
  const PodSite& at_;
  const Scaled& scaled_;
  Start start_;
  std::vector<bool> rounded_;               // of each role: whether its CPUs are
  std::vector<model::NodesAsRead> widest_;  // the nodes of each, with pools that have slices
  std::vector<model::Role> alone_;          // each without what is placed beside it
  std::vector<PodRole> beside_;             // pods of the operator that are
  bool ray_ = false, sliced_ = false;
  AsRead out_;
};

}  // namespace

const model::Plane* pods_plane(const model::Site& site) {
  for (const model::Plane& plane : site.planes)
    if (plane.pods() != nullptr) return &plane;
  return nullptr;
}

std::vector<ReadObject> as_read(const Manifest& manifest, const model::Site& site, const model::Fleet* fleet) {
  std::vector<ReadObject> out;
  const Scaled scaled = scaled_objects(manifest);
  const model::Plane* plane = pods_plane(site);
  for (const Object& object : manifest.objects) {
    const bool runs = !object.pods.empty() || is_job_of_runtime(object);
    if (object.known == nullptr || !runs || object.known->counted_elsewhere || object.kind.ends_with("Runtime"))
      continue;
    if (plane == nullptr) {
      AsRead none;
      none.workload.name = object.name;
      none.workload.span = object.root.get("kind").key_span;
      out.push_back({&object, std::move(none)});
    } else if (auto read = WorkloadReader(object, manifest, {site, *plane, fleet}, scaled).read()) {
      out.push_back({&object, std::move(*read)});
    }
  }
  return out;
}

}  // namespace muster::targets::kubernetes
