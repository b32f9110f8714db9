#include "why/decide/kubernetes_queue.h"

#include <algorithm>
#include <optional>

#include "compiler/base/text.h"
#include "why/causes/causes.h"
#include "why/decide/kubernetes_nodes.h"
#include "why/decide/pods.h"
#include "why/decide/scene.h"

namespace muster::why {
namespace {

// Names of workloads are the kind of their job, its name and some letters.
bool belongs(std::string_view workload, const std::set<std::string>& focus) {
  if (focus.empty()) return true;
  return std::any_of(focus.begin(), focus.end(), [&](const std::string& name) {
    return workload == name || workload.find("-" + name + "-") != std::string_view::npos;
  });
}

void add_labels(const Facts& facts, const std::set<std::string>& focus, Case& out) {
  for (const Object& object : facts.objects) {
    if (object.kind != Kind::object ||
        !is_one_of(object.type, {"job", "jobset", "mpijob", "trainjob", "pytorchjob", "rayjob", "raycluster"}))
      continue;
    if (!focus.empty() && !focus.contains(object.name)) continue;
    for (const char* key : {"suspend", "spec.suspend"})
      if (const Field* suspend = object.find(key); suspend != nullptr && object.get("from-file").empty())
        out.offer("job.suspended", suspend->value == "true" ? "1" : "", suspend->place);
    out.offer("owner.queue", "", object.place);
    out.offer("owner.near-queue", "", object.place);
    for (const Field& field : object.fields) {
      std::string label, value = field.value;
      if (field.key.starts_with("metadata.labels.")) label = field.key.substr(16);
      else if (field.key == "labels")
        label = field.value.substr(0, field.value.find('=')),
        value = field.value.substr(std::min(field.value.size(), field.value.find('=') + 1));
      else continue;
      if (label == "kueue.x-k8s.io/queue-name") out.set("owner.queue", value, field.place);
      else if (label == "kueue.x-k8s.io/priority-class") out.set("owner.priority-class", value, field.place);
      else if (label.ends_with("queue-name") || edit_distance(label, "kueue.x-k8s.io/queue-name", 3) <= 3)
        out.set("owner.near-queue", label, field.place);
    }
  }
}

class Workloads {
 public:
  Workloads(const Facts& facts, const std::set<std::string>& focus, Case& out)
      : facts_(facts), focus_(focus), out_(out) {}

  void add() {
    find_own();
    add_presence();
    if (own_ != nullptr) add_own();
    add_events();
    add_cluster_queue();
    add_head();
    add_names();
  }

 private:
  void find_own() {
    for (const Object& object : facts_.objects) {
      if (object.kind != Kind::object || object.type != "workload") continue;
      any_ = true;
      if (!belongs(object.name, focus_)) continue;
      if (own_ == nullptr || object.find("status.conditions.type") != nullptr) own_ = &object;
    }
  }

  void add_presence() {
    bool listed = false, has = any_ && own_ != nullptr;
    Place place;
    for (const Object& object : facts_.objects) {
      if (object.kind == Kind::row && object.type == "workload")
        listed = true, has |= belongs(object.name, focus_), place = object.place;
      if (object.kind == Kind::absent && object.type == "workload") listed = true, place = object.place;
      if (object.kind == Kind::event && object.type == "CreatedWorkload") {
        const std::string_view name = std::string_view(object.name).substr(object.name.find('/') + 1);
        has |= focus_.empty() || focus_.contains(std::string(name));
      }
    }
    // Kueue says on the job itself that it made a workload: a list of all events without it says that it did not.
    for (const Object& object : facts_.objects)
      if (object.kind == Kind::event && object.type == "Suspended" && object.find("from") == nullptr && !has &&
          !object.get("age").empty())
        listed = true, place = object.place;
    if (has) out_.set("workloads.none", "", place);
    else if (listed) out_.set("workloads.none", "1", place);
  }

  void add_own() {
    const Object& own = *own_;
    if (const Field* queue = own.find("spec.queueName")) out_.set("workload.queue", queue->value, queue->place);
    const auto reserved = condition_of(own, "QuotaReserved"), admitted = condition_of(own, "Admitted"),
               evicted = condition_of(own, "Evicted");
    const auto finished = condition_of(own, "Finished"), deactivated = condition_of(own, "DeactivationTarget");
    const bool has_quota = reserved && reserved->status == "True";
    if (admitted && admitted->status == "True") out_.set("workload.admitted", "1", admitted->place);
    if (has_quota) out_.set("workload.reserved", "1", reserved->place);
    if (finished && finished->status == "True") return;
    if (!has_quota) {
      out_.set("workload.waits", "1", own.place);
      out_.set("workload.blocked", "1", own.place);
      if (reserved) {
        out_.set("workload.message", reserved->message, reserved->place);
        add_messages("queue", reserved->message, reserved->place, out_);
      }
      if (evicted && evicted->status == "True") {
        out_.set("workload.evicted", evicted->reason, evicted->place);
        add_messages("queue", evicted->message, evicted->place, out_);
        if (evicted->reason == "Preempted") out_.set("workload.preempted", "1", evicted->place);
      }
      if (deactivated) add_messages("queue", deactivated->message, deactivated->place, out_);
    } else if (!admitted || admitted->status != "True") {
      for (const Field* state : own.all("status.admissionChecks.state"))
        if (state->value == "Pending" || state->value == "Retry") {
          out_.set("workload.check-pending", "1", state->place);
          if (const Field* check = own.beside(*state, "status.admissionChecks.name"))
            out_.set("workload.check", check->value, check->place);
        }
    }
    if (const Field* priority = own.find("spec.priority")) out_.set("priority.own", priority->value, priority->place);
    for (const Object& object : facts_.objects)
      if (object.kind == Kind::object && object.type == "workload" && &object != own_ && object.name != own.name)
        if (const Field* priority = object.find("spec.priority"))
          out_.offer("priority.by", priority->value, priority->place);
    for (const Field* count : own.all("spec.podSets.count")) out_.offer("workload.pods", count->value, count->place);
    for (const Field& field : own.fields) {
      if (field.key.find("nodeSelector.") != std::string::npos)
        out_.offer("workload.selector", field.key.substr(field.key.find("nodeSelector.") + 13) + "=" + field.value,
                   field.place);
      if (field.key.find("topologyRequest.") != std::string::npos &&
          (field.key.ends_with("required") || field.key.ends_with("preferred")))
        out_.offer("workload.level", field.value, field.place);
    }
    add_asked(own);
  }

  // The resource that is short, as the queue's words name it; else the accelerator that is asked for.
  std::string resource() const {
    for (const char* key : {"queue.unused.resource", "queue.maximum.resource"})
      if (out_.knows(key)) return std::string(out_.get(key));
    return accelerator_asked(facts_);
  }

  // What the workload asks for of the resource that is short.
  void add_asked(const Object& own) {
    const std::string resource = this->resource();
    if (resource.empty()) return;
    for (const char* head : {"status.resourceRequests.resources.", "status.admission.podSetAssignments.resourceUsage."})
      if (const Field* field = own.find(head + resource))
        if (const auto amount = amount_of(resource, field->value))
          out_.offer("workload.asked", std::to_string(*amount), field->place);
  }

  // Events of a workload whose conditions are not shown.
  void add_events() {
    if (own_ != nullptr) return;
    const Object* last = nullptr;
    for (const Object& object : facts_.objects) {
      if (object.kind != Kind::event || !object.name.starts_with("workload/") ||
          !belongs(std::string_view(object.name).substr(9), focus_))
        continue;
      if (is_one_of(object.type, {"QuotaReserved", "Admitted"})) return;
      last = &object;
    }
    if (last != nullptr) add_messages("queue", last->get("message"), last->place, out_);
  }

  // The ClusterQueue; of two with one name nothing is known, and of two of which neither is named.
  void add_cluster_queue() {
    std::vector<const Object*> queues;
    for (const Object& object : facts_.objects)
      if (object.kind == Kind::object && object.type == "clusterqueue" &&
          object.find("spec.queueingStrategy") != nullptr)
        queues.push_back(&object);
    const std::string named(pointed());
    if (!named.empty()) std::erase_if(queues, [&](const Object* queue) { return queue->name != named; });
    if (queues.empty()) return;
    for (const Object* queue : queues) {
      if (queue->name != queues[0]->name) return;
      if (queue->get("spec.stopPolicy") != queues[0]->get("spec.stopPolicy") ||
          queue->get("spec.cohortName") != queues[0]->get("spec.cohortName"))
        return;
    }
    const Object& queue = *queues[0];
    const auto put = [&](const char* key, const char* from) {
      if (const Field* field = queue.find(from)) out_.offer(key, field->value, field->place);
    };
    put("cq.cohort", "spec.cohortName");
    put("cq.cohort", "spec.cohort");
    out_.offer("cq.cohort", "", queue.place);
    put("cq.stop-policy", "spec.stopPolicy");
    put("cq.strategy", "spec.queueingStrategy");
    if (const auto active = condition_of(queue, "Active"); active && active->status == "False") {
      out_.offer("cq.inactive-reason", active->reason, active->place);
      out_.offer("cq.inactive-message", active->message, active->place);
    }
    for (const Field& field : queue.fields)
      if (constexpr std::string_view head = "spec.namespaceSelector.matchLabels."; field.key.starts_with(head))
        out_.offer("cq.selector", field.key.substr(head.size()) + "=" + field.value, field.place);
    const std::string resource = this->resource();
    out_.offer("cq.borrowing-limit", "", queue.place);
    for (const Field* name : queue.all("spec.resourceGroups.flavors.resources.name")) {
      if (name->value != resource) continue;
      for (const auto& [key, to] :
           {std::pair("spec.resourceGroups.flavors.resources.nominalQuota", "cq.nominal"),
            std::pair("spec.resourceGroups.flavors.resources.borrowingLimit", "cq.borrowing-limit")})
        if (const Field* field = queue.beside(*name, key)) out_.set(to, field->value, field->place);
    }
    for (const Field* name : queue.all("status.flavorsReservation.resources.name"))
      if (name->value == resource)
        if (const Field* total = queue.beside(*name, "status.flavorsReservation.resources.total"))
          out_.offer("cq.used", total->value, total->place);
  }

  // Which ClusterQueue the workload is for, where the facts say it.
  std::string pointed() {
    for (const char* key : {"queue.cluster-queue-inactive.queue", "queue.cluster-queue-missing.queue"})
      if (out_.knows(key)) return std::string(out_.get(key));
    for (const Object& object : facts_.objects) {
      const bool local = object.type == "localqueue" && (object.kind == Kind::row || object.kind == Kind::object);
      if (!local || object.name != out_.get("workload.queue")) continue;
      const Field* queue = object.find(object.kind == Kind::row ? "clusterqueue" : "spec.clusterQueue");
      if (queue == nullptr) continue;
      out_.offer("cq.pointed", queue->value, queue->place);
      return queue->value;
    }
    return {};
  }

  // An older workload of the same queue that cannot be admitted.
  void add_head() {
    for (const Object& object : facts_.objects) {
      if (object.kind != Kind::object || object.type != "workload" || (own_ != nullptr && object.name == own_->name))
        continue;
      if (own_ != nullptr && object.get("spec.queueName") != own_->get("spec.queueName")) continue;
      const auto reserved = condition_of(object, "QuotaReserved");
      if (!reserved || reserved->status != "False") continue;
      Case said;
      add_messages("queue", reserved->message, reserved->place, said);
      if (!said.knows("queue.maximum")) continue;
      out_.set("head.blocked", "1", reserved->place);
      out_.set("head.name", object.name, object.place);
      out_.set("head.asked", std::string(said.get("queue.maximum.asked")), reserved->place);
      out_.set("head.maximum", std::string(said.get("queue.maximum.maximum")), reserved->place);
    }
  }

  void add_names() {
    if (!out_.knows("queue.local-queue-missing")) return;
    std::vector<std::string_view> names;
    Place place;
    for (const Object& object : facts_.objects)
      if (object.type == "localqueue" && (object.kind == Kind::row || object.kind == Kind::object))
        names.push_back(object.name), place = object.place;
    if (names.empty()) return;
    std::string near = closest(out_.get("queue.local-queue-missing.queue"), names);
    if (near.empty()) near = names.front();
    out_.set("queues.near", near, place);
  }

  const Facts& facts_;
  const std::set<std::string>& focus_;
  Case& out_;
  const Object* own_ = nullptr;
  bool any_ = false;
};

}  // namespace

void add_queue(const Facts& facts, const std::set<std::string>& focus, Case& out) {
  add_labels(facts, focus, out);
  Workloads(facts, focus, out).add();
}

void add_gang(const Facts& facts, const std::string& resource, Case& out) {
  std::string queue_name;
  for (const Object& object : facts.objects) {
    if (object.kind == Kind::object && object.type == "podgroup") {
      if (const auto waits = condition_of(object, "Unschedulable"); waits && waits->status == "True") {
        const std::string phase(object.get("status.phase"));
        if (phase != "Running" && phase != "Completed") add_messages("gang", waits->message, waits->place, out);
      }
      if (const Field* minimum = object.find("spec.minMember"))
        out.offer("gang.minimum", minimum->value, minimum->place);
      if (const Field* queue = object.find("spec.queue")) queue_name = queue->value;
    }
    if (object.kind == Kind::object && object.type == "job" && object.find("spec.minAvailable") != nullptr) {
      out.offer("gang.minimum", std::string(object.get("spec.minAvailable")), object.find("spec.minAvailable")->place);
      std::int64_t replicas = 0;
      for (const Field* field : object.all("spec.tasks.replicas")) replicas += leading_number(field->value).value;
      if (replicas > 0) out.offer("gang.replicas", std::to_string(replicas), object.place);
      if (const Field* queue = object.find("spec.queue")) queue_name = queue->value;
    }
  }
  if (const Known* minimum = out.find("gang.not-ready.minimum"))
    out.offer("gang.minimum", minimum->value, minimum->place);
  for (const Object& object : facts.objects) {
    if (object.kind != Kind::object || object.type != "queue" || (!queue_name.empty() && object.name != queue_name))
      continue;
    out.set("vqueue.known", "1", object.place);
    const Field* capability = object.find("spec.capability." + resource);
    out.offer("vqueue.capability", capability != nullptr ? capability->value : std::string(),
              capability != nullptr ? capability->place : object.place);
    const auto asked = out.number("pod.asked"), minimum = out.number("gang.minimum");
    if (capability == nullptr || !asked || !minimum) continue;
    out.set("vqueue.resource", resource, capability->place);
    std::int64_t used = 0;
    if (const Field* allocated = object.find("status.allocated." + resource))
      used = leading_number(allocated->value).value;
    out.set("vqueue.needed", *asked * *minimum + used, capability->place);
    if (*asked * *minimum + used > leading_number(capability->value).value)
      out.set("vqueue.short", "1", capability->place);
  }
}

}  // namespace muster::why
