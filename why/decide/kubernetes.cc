// The cases of Kubernetes: what a set of pods, a Job or a workload of a queue waits for, or why it ended.
#include <algorithm>
#include <map>
#include <set>

#include "compiler/base/text.h"
#include "targets/kubernetes/read/pod.h"
#include "why/decide/creation.h"
#include "why/decide/kubernetes_nodes.h"
#include "why/decide/kubernetes_queue.h"
#include "why/decide/namespaces.h"
#include "why/decide/next.h"
#include "why/decide/pods.h"
#include "why/decide/scene.h"
#include "why/decide/taints.h"

namespace muster::why {
namespace {

struct Pod {
  std::string status;  // Pending, Running, CrashLoopBackOff …
  std::string owner;
  bool placed = false;
  Place place{};
};

bool speaks_of_pods(const Object& object) {
  return object.kind == Kind::event || (object.type == "pod" && object.get("from-file").empty());
}

class Scene {
 public:
  Scene(const Facts& facts, const std::string& id) : facts_(facts), id_(id) {}

  // The names of several workloads that are each for itself: sets of pods of which some do not run, or that events
  // speak of. Empty where the facts are about one thing.
  std::set<std::string> apart() {
    if (!id_.empty() || !is_any()) return {};
    read_pods();
    read_schedules();
    find_focus();
    return of_pods_ && focus_.size() > 1 ? focus_ : std::set<std::string>();
  }

  std::vector<Subject> subjects() {
    if (!is_any()) return {};
    read_pods();
    read_schedules();
    find_focus();
    Case& out = subject_.facts;
    subject_.system = "kubernetes";
    subject_.id = focus_.empty() ? std::string() : *focus_.begin();
    if (!id_.empty() && !about(id_) && subject_.id != id_) return {};
    add_failed_creates();
    add_events();
    add_pods();
    add_owner();
    add_queue(facts_, focus_, out);
    add_room();
    add_not_ready(facts_, out);
    add_all_well();
    add_next(facts_, focus_, out);
    return {std::move(subject_)};
  }

 private:
  bool is_any() const {
    for (const Object& object : facts_.objects) {
      if (object.kind == Kind::object && object.type != "node" && !object.type.empty() &&
          object.get("from-file").empty())
        return true;
      if (object.kind == Kind::event || object.kind == Kind::row) return true;
      if (object.kind == Kind::submitted && object.type == "kubectl") return true;
    }
    return false;
  }

  bool about(const std::string& name) const { return focus_.contains(name); }
  bool is_focus(std::string_view pod) const {
    return focus_.empty() || focus_.contains(set_of(pod)) || focus_.contains(std::string(pod));
  }

  void read_pods() {
    for (const Object& object : facts_.objects) {
      if (object.type != "pod" || (object.kind != Kind::object && object.kind != Kind::row) ||
          !object.get("from-file").empty())
        continue;
      Pod& pod = pods_[object.name];
      pod.place = object.place;
      std::string status(object.get(object.kind == Kind::row ? "status" : "status.phase"));
      if (status.empty()) status = object.get("status");
      if (!status.empty() && (pod.status.empty() || object.kind == Kind::row)) pod.status = status;
      const std::string_view node = object.get(
          object.kind == Kind::object ? (object.find("spec.nodeName") != nullptr ? "spec.nodeName" : "node") : "node");
      pod.placed |= !node.empty() && node != "<none>";
      std::string owner(object.get("controlledBy"));
      if (owner.empty() && !object.get("metadata.ownerReferences.kind").empty())
        owner = std::string(object.get("metadata.ownerReferences.kind")) + "/" +
                std::string(object.get("metadata.ownerReferences.name"));
      if (!owner.empty()) pod.owner = owner;
    }
  }

  // The newest event of each pod that says that it was placed.
  void read_schedules() {
    for (const Object& event : facts_.objects) {
      if (event.kind != Kind::event || event.type != "Scheduled") continue;
      const Object*& newest = scheduled_[event.name];
      if (newest == nullptr || is_as_new(event, *newest)) newest = &event;
    }
  }

  // What the facts are about: what was submitted, else what is described, else what does not run.
  void find_focus() {
    if (!id_.empty()) {
      focus_ = {id_};
      return;
    }
    const auto add = [&](std::string_view name) { focus_.insert(std::string(name)); };
    for (const Object* object : facts_.of(Kind::submitted))
      if (object->type == "kubectl" && !object->name.starts_with("persistentvolumeclaim") &&
          !object->name.starts_with("configmap") && !object->name.starts_with("namespace"))
        add(std::string_view(object->name).substr(object->name.find('/') + 1));
    // What runs is not what was asked about where something else waits.
    if (!focus_.empty() && is_placed(focus_) && waiting_sets() > 0) focus_.clear();
    if (focus_.empty())
      for (const Object& object : facts_.objects)
        if (object.kind == Kind::object && object.get("from-file").empty() &&
            is_one_of(object.type, {"job", "jobset", "mpijob", "trainjob", "pytorchjob", "rayjob", "raycluster",
                                    "leaderworkerset"}) &&
            object.name.find("-workers-") == std::string::npos)
          add(object.name);
    of_pods_ = focus_.empty();
    if (focus_.empty())
      for (const auto& [name, pod] : pods_)
        if (pod.status != "Running" && pod.status != "Completed" && pod.status != "Succeeded") add(set_of(name));
    if (focus_.empty())
      for (const auto& [name, pod] : pods_) add(set_of(name));
    if (focus_.empty())
      for (const Object* event : facts_.of(Kind::event))
        if (event->get("type") == "Warning" && !pod_of(*event).empty() && is_live(*event)) add(set_of(pod_of(*event)));
  }

  bool is_placed(const std::set<std::string>& names) const {
    bool any = false;
    for (const auto& [name, pod] : pods_) {
      if (!names.contains(set_of(name)) && !names.contains(name)) continue;
      if (pod.status != "Running") return false;
      any = true;
    }
    return any;
  }

  std::int64_t waiting_sets() const {
    std::set<std::string> sets;
    for (const auto& [name, pod] : pods_)
      if (pod.status == "Pending") sets.insert(set_of(name));
    return static_cast<std::int64_t>(sets.size());
  }

  void add_failed_creates() {
    for (const Object* event : facts_.of(Kind::event))
      if (event->type == "FailedCreate") add_creation(event->get("message"), event->place, subject_.facts);
  }

  // Whether an event still holds: a pod that was placed later is not waiting any more.
  bool is_live(const Object& event) const {
    const std::string_view pod = pod_of(event);
    if (pod.empty() || event.type != "FailedScheduling") return true;
    const auto known = pods_.find(std::string(pod));
    if (known != pods_.end() && !known->second.status.empty())
      return known->second.status == "Pending" && !known->second.placed;
    const auto scheduled = scheduled_.find(event.name);
    if (scheduled != scheduled_.end() && is_as_new(*scheduled->second, event)) return false;
    return true;
  }

  void add_events() {
    Case& out = subject_.facts;
    const Object* scheduling = nullptr;
    for (const Object& event : facts_.objects) {
      if (event.kind != Kind::event || !is_live(event)) continue;
      const std::string_view pod = pod_of(event);
      if (!pod.empty() && !is_focus(pod)) continue;
      const std::string text = event.type + ": " + std::string(event.get("message"));
      if (event.get("type") == "Warning") out.offer("event.fault", event.type, event.place);
      add_messages("event", text, event.place, out);
      const auto known = pods_.find(std::string(pod));
      const bool runs = known != pods_.end() && known->second.status == "Running";
      if (!runs && is_one_of(event.type, {"Failed", "BackOff", "InspectFailed"}))
        add_messages("waits", text, event.place, out);
      if (event.type == "Unschedulable" ||
          event.get("message").find("pod group is not ready") != std::string_view::npos)
        add_messages("gang", event.get("message"), event.place, out);
      if (event.type == "FailedScheduling" && event.get("message").find(" nodes are ") != std::string_view::npos &&
          (scheduling == nullptr || !is_as_new(*scheduling, event)))
        scheduling = &event;
    }
    // A message by itself may be of anything, and what is cut says less than the pod does.
    const bool weak = scheduling == nullptr || scheduling->name.empty() || is_cut(scheduling->get("message"));
    if (weak && add_condition()) return;
    if (scheduling != nullptr) add_scheduling(scheduling->get("message"), scheduling->place, out);
  }

  // What the pod's own condition says of its scheduling.
  bool add_condition() {
    for (const Object& object : facts_.objects) {
      if (object.kind != Kind::object || object.type != "pod" || !is_focus(object.name)) continue;
      const auto scheduled = condition_of(object, "PodScheduled");
      if (!scheduled || scheduled->reason != "Unschedulable") continue;
      add_scheduling(scheduled->message, scheduled->place, subject_.facts);
      return true;
    }
    return false;
  }

  // A container that waits or ended: "ErrImagePull: …", "OOMKilled: ".
  void add_containers(const Object& pod) {
    Case& out = subject_.facts;
    for (const Field& field : pod.fields) {
      const bool reason = field.key.ends_with("state.reason") || field.key.ends_with("lastState.reason") ||
                          field.key.ends_with("waiting.reason") || field.key.ends_with("terminated.reason");
      if (reason && field.value != "Completed") {
        const std::string head = field.key.substr(0, field.key.size() - 6);
        const Field* message = pod.find(head + "message");
        add_messages("waits", field.value + ": " + (message != nullptr ? message->value : std::string()), field.place,
                     out);
        if (field.value != "ContainerCreating") out.offer("pod.exit-reason", field.value, field.place);
      }
      const bool exit = field.key.ends_with("state.exitCode") || field.key.ends_with("State.exitCode") ||
                        field.key.ends_with("terminated.exitCode");
      if (exit && field.value != "0") out.offer("pod.exit", field.value, field.place);
      if (field.key.ends_with("restartCount") && field.value != "0")
        out.offer("pod.restarts", field.value, field.place);
      if (field.key.ends_with(".limits.memory")) out.offer("pod.memory-limit", field.value, field.place);
    }
  }

  void add_pods() {
    Case& out = subject_.facts;
    std::int64_t waiting = 0, placed = 0, count = 0;
    for (const auto& [name, pod] : pods_) {
      if (!is_focus(name)) continue;
      ++count;
      placed += pod.placed;
      if (pod.status == "Running") out.offer("pod.running", "1", pod.place);
      if (pod.status == "Pending") ++waiting, subject_.state = "Pending";
      else if (subject_.state.empty()) subject_.state = pod.status;
      if (!pod.status.empty()) add_messages("waits", pod.status + ": ", pod.place, out);
    }
    if (count > 0) {
      out.set("pods.count", count, pods_.begin()->second.place, "pods");
      out.set("pods.placed", placed, pods_.begin()->second.place, "pods");
    }
    for (const Object& object : facts_.objects) {
      if (object.type != "pod" || (object.kind != Kind::object && object.kind != Kind::row)) continue;
      if (!is_focus(object.name)) continue;
      if (object.kind == Kind::object) add_containers(object);
      for (const char* key : {"spec.schedulerName", "scheduler"})
        if (const Field* field = object.find(key)) out.offer("pod.scheduler", field->value, field->place);
      for (const char* key : {"spec.schedulingGates.name", "scheduling Gates"})
        if (const Field* field = object.find(key)) out.offer("pod.gates", field->value, field->place);
      if (const Field* claim = object.find("spec.resourceClaims.resourceClaimName"))
        out.offer("pod.claim", claim->value, claim->place);
      if (object.kind == Kind::row && object.get("status") == "SchedulingGated")
        out.offer("pod.gates", "SchedulingGated", object.place);
    }
    for (const Object& object : facts_.objects)
      if (object.kind == Kind::absent && object.type.starts_with("claim"))
        out.set("claims.listed", "1", object.place), out.set("claims.has", "", object.place);
      else if (object.kind == Kind::absent && object.type == "resourceclaim")
        out.set("claims.listed", "1", object.place), out.set("claims.has", "", object.place);
      else if (object.kind == Kind::row && object.type == "resourceclaim")
        out.offer("claims.listed", "1", object.place),
            out.offer("claims.has", object.name == out.get("pod.claim") ? "1" : "", object.place);
    if (waiting > 0 && is_silent()) out.set("pod.silent", "1", pods_.begin()->second.place);
  }

  // A pod that waits, and no event and no condition says why, although events were asked for.
  bool is_silent() const {
    bool asked = false;
    for (const Object& object : facts_.objects) {
      if (object.kind == Kind::event && is_focus(pod_of(object)) && !pod_of(object).empty()) return false;
      if (object.kind == Kind::object && object.type == "pod" && is_focus(object.name)) {
        if (object.find("conditions.PodScheduled") != nullptr || object.find("status.conditions.type") != nullptr)
          return false;
        asked |= object.get("events") == "<none>";
      }
      if (object.kind == Kind::absent && object.type.starts_with("event")) asked = true;
    }
    return asked;
  }

  void add_owner() {
    Case& out = subject_.facts;
    for (const Object& object : facts_.objects) {
      if (object.kind != Kind::object) continue;
      const bool gang = is_one_of(object.type, {"mpijob", "leaderworkerset"});
      if (gang && object.get("from-file").empty()) out.offer("owner.gang-kind", object.type, object.place);
      if (gang)
        for (const Field* replicas : object.all("spec.mpiReplicaSpecs.Worker.replicas"))
          out.offer("owner.wanted", replicas->value, replicas->place);
      if (gang)
        for (const Field* replicas : object.all("spec.mpiReplicaSpecs.worker.replicas"))
          out.offer("owner.wanted", replicas->value, replicas->place);
      for (const char* key : {"spec.failurePolicy.maxRestarts"})
        if (const Field* field = object.find(key)) out.offer("owner.max-restarts", field->value, field->place);
      if (object.type == "jobset" && out.knows("event.jobset-failed"))
        out.offer("owner.max-restarts", "0", object.place);
      if (object.type != "job") continue;
      for (const char* key : {"spec.backoffLimit", "backoffLimit"})
        if (const Field* field = object.find(key)) out.offer("owner.backoff", field->value, field->place);
      for (const char* key : {"spec.activeDeadlineSeconds", "activeDeadlineSeconds"})
        if (const Field* field = object.find(key))
          out.offer("owner.deadline", field->value.substr(0, field->value.find('s')), field->place);
    }
    if (out.knows("owner.gang-kind") && out.knows("pods.placed"))
      out.set("owner.placed", std::string(out.get("pods.placed")), out.find("pods.placed")->place);
    for (const auto& [name, pod] : pods_) {
      if (!is_focus(name)) continue;
      for (const auto& [head, kind] : {std::pair("MPIJob/", "mpijob"), std::pair("StatefulSet/", "")})
        if (pod.owner.starts_with(head) && *kind != 0) out.offer("owner.gang-kind", kind, pod.place);
    }
    add_deadlock();
    add_volumes();
    add_priorities();
  }

  // Sets of pods that each hold nodes and wait for more, with no room left for any of the rest.
  void add_deadlock() {
    struct Set {
      std::int64_t waiting = 0, placed = 0;
    };
    std::map<std::string, Set> sets;
    Place place;
    for (const auto& [name, pod] : pods_) {
      Set& set = sets[set_of(name)];
      set.waiting += pod.status == "Pending" && !pod.placed;
      set.placed += pod.placed && pod.status == "Running";
      if (pod.status == "Pending") place = pod.place;
    }
    // Sets of which pods were, at some time, not placed.
    std::set<std::string> contending;
    for (const Object& object : facts_.objects)
      if (object.kind == Kind::event && object.type == "FailedScheduling" &&
          object.get("message").find("Insufficient") != std::string_view::npos && !pod_of(object).empty())
        contending.insert(set_of(pod_of(object))), place = object.place;
    if (contending.size() >= 2)
      subject_.facts.set("sets.contending", static_cast<std::int64_t>(contending.size()), place, "sets");
    std::int64_t waiting = 0, deadlocked = 0;
    std::vector<std::string> names;
    for (const auto& [name, set] : sets) {
      waiting += set.waiting > 0;
      deadlocked += set.waiting > 0 && set.placed > 0;
      if (set.waiting > 0 && set.placed > 0)
        names.push_back(name + " holds " + std::to_string(set.placed) + " and waits for " +
                        std::to_string(set.waiting));
    }
    if (waiting < 2) return;
    Case& out = subject_.facts;
    out.set("owners.waiting", waiting, place, "sets");
    out.set("owners.deadlocked", deadlocked, place, "sets");
    out.set("owners.names", joined(names, ", "), place);
  }

  void add_volumes() {
    for (const Object& object : facts_.objects)
      if (object.type == "persistentvolumeclaim" &&
          (object.get("status") == "Pending" || object.get("status.phase") == "Pending"))
        subject_.facts.offer("pvc.name", object.name, object.place);
  }

  void add_priorities() {
    for (const Object& object : facts_.objects) {
      if (object.kind != Kind::object || object.type != "pod") continue;
      const Field* priority = object.find("priority");
      if (priority == nullptr) priority = object.find("spec.priority");
      if (priority != nullptr)
        subject_.facts.offer(is_focus(object.name) ? "priority.own" : "priority.by", priority->value, priority->place);
    }
  }

  // What the nodes have of the resource that is short; of a gang of pods, the resource that its pods ask for most.
  void add_room() {
    Case& out = subject_.facts;
    std::string resource(out.get("sched.resource"));
    if (resource.empty()) resource = accelerator_asked(facts_);
    if (resource.empty()) return;
    std::int64_t asked = 0;
    Place place;
    for (const Object& object : facts_.objects) {
      if (object.kind != Kind::object ||
          is_one_of(object.type, {"node", "clusterqueue", "queue", "workload", "podgroup"}))
        continue;
      if (object.type == "pod" && object.get("from-file").empty() && !is_focus(object.name)) continue;
      if (object.type != "pod" && object.type != "job" && asked > 0) continue;
      std::int64_t here = 0;
      Place at;
      for (const char* part : {"limits.", "requests."}) {
        if (here > 0) break;
        for (const Field& field : object.fields) {
          if (!field.key.ends_with(std::string(part) + resource) ||
              field.key.find("initContainers") != std::string::npos)
            continue;
          if (const auto amount = amount_of(resource, field.value)) here += *amount, at = field.place;
        }
      }
      if (here > asked && (asked == 0 || object.type == "pod")) asked = here, place = at;
    }
    if (asked > 0) out.set("pod.asked", asked, place);
    add_nodes(facts_, resource, shown_pod(facts_, focus_), out);
    add_gang(facts_, resource, out);
  }

  void add_all_well() {
    Case& out = subject_.facts;
    bool all = !pods_.empty();
    bool any = false;
    for (const auto& [name, pod] : pods_) {
      if (!is_focus(name)) continue;
      any = true;
      all &= pod.status == "Running" || pod.status == "Succeeded" || pod.status == "Completed";
    }
    for (const Object& object : facts_.objects) {
      if (object.kind == Kind::row && object.type == "pod" && is_focus(object.name)) {
        const std::string_view ready = object.get("ready");
        const std::size_t slash = ready.find('/');
        if (slash != std::string_view::npos && object.get("status") == "Running")
          all &= ready.substr(0, slash) == ready.substr(slash + 1);
      }
    }
    // One pod of a set says nothing of the others.
    bool listed = false;
    for (const Object& object : facts_.objects)
      listed |= (object.kind == Kind::row && object.type == "pod") || object.find("podsStatuses") != nullptr;
    for (const auto& [name, pod] : pods_) listed |= pod.owner.empty() && is_focus(name);
    if (all && any && listed) out.set("pod.all-well", "1", pods_.begin()->second.place);
    for (const auto& [key, known] : out.all())
      if (key.starts_with("waits.")) {
        out.set("waits.any", "1", known.place);
        break;
      }
  }

  const Facts& facts_;
  const std::string& id_;
  std::map<std::string, Pod> pods_;
  std::map<std::string, const Object*, std::less<>> scheduled_;
  std::set<std::string> focus_;
  bool of_pods_ = false;  // the focus is what pods or their events say, not an object that owns them
  Subject subject_;
};

// What the facts of one namespace are about.
std::vector<Subject> subjects_in(const Facts& facts, const std::string& id) {
  constexpr std::size_t most = 20;  // each looks at all facts
  std::set<std::string> apart = Scene(facts, id).apart();
  if (apart.empty() || apart.size() > most) apart = {id};
  std::vector<Subject> out;
  for (const std::string& name : apart)
    for (Subject& subject : Scene(facts, name).subjects()) out.push_back(std::move(subject));
  return out;
}

// What the facts of several namespaces are about: "team/train" where two have a "train".
std::vector<Subject> subjects_of_spaces(const std::vector<Space>& spaces, const std::string& id) {
  const std::string wanted = id.substr(id.find('/') + 1), space_wanted = id.substr(0, id.size() - wanted.size());
  std::vector<Subject> out;
  std::vector<std::string> heads;
  std::map<std::string, int> called;
  for (const Space& space : spaces) {
    const std::string head = space.name + "/";
    if (!space_wanted.empty() && space_wanted != head) continue;
    for (Subject& subject : subjects_in(space.facts, wanted)) {
      if (subject.id.empty()) subject.id = space.name;
      ++called[subject.id];
      heads.push_back(head);
      out.push_back(std::move(subject));
    }
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    if (called[out[i].id] > 1 || !space_wanted.empty()) out[i].id = heads[i] + out[i].id;
  return out;
}

}  // namespace

std::vector<Subject> kubernetes_subjects(const Facts& facts, const std::string& id) {
  std::vector<Subject> out = refused_objects(facts);
  if (!out.empty() && std::none_of(facts.objects.begin(), facts.objects.end(), speaks_of_pods)) return out;
  if (!id.empty()) std::erase_if(out, [&](const Subject& refused) { return refused.id != id; });
  const std::vector<Space> spaces = by_namespace(facts);
  if (spaces.empty()) out.push_back({"", "kubernetes", "many namespaces", {}});
  for (Subject& subject : spaces.size() == 1 ? subjects_in(spaces[0].facts, id) : subjects_of_spaces(spaces, id))
    out.push_back(std::move(subject));
  return out;
}

}  // namespace muster::why
