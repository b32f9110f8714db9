// Which nodes pods may have, how urgent they are and who starts them: words of the site, not of the workload.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/data/write.h"
#include "compiler/model/marks.h"
#include "targets/kubernetes/lift/object_lift.h"

namespace muster::targets::kubernetes::lifting {
namespace {

constexpr std::string_view in_queue = "`pod` of the queue in the site";
constexpr std::string_view kueue_queue = "kueue.x-k8s.io/queue-name";
constexpr std::string_view kueue_priority = "kueue.x-k8s.io/priority-class";
constexpr std::string_view volcano_queue = "scheduling.volcano.sh/queue-name";
constexpr std::string_view kai_queue = "kai.scheduler/queue";

// A name of the language for something of the site.
std::string site_name(std::string_view text, std::string_view otherwise) {
  std::string out = text.empty() ? std::string() : muster::lower(name_from(text));
  std::replace(out.begin(), out.end(), '.', '-');
  std::replace(out.begin(), out.end(), '_', '-');
  while (!out.empty() && !is_letter(out.front())) out.erase(out.begin());
  return out.empty() ? std::string(otherwise) : out.substr(0, 50);
}

void move_to_queue(ObjectLift& lift, const Field& field, Node patch) {
  merge(lift.queue_pod, map({{"spec", std::move(patch)}}));
  lift.ledger.line(field, Fate::moved, std::string(in_queue));
}

// The label by which nodes say their GPUs: the role names the model, the site the label.
bool take_gpu_label(ObjectLift& lift, const Field& label, model::Role& role) {
  const std::string found = model::gpu_of_label(label.key, label.text());
  if (found.empty() || role.resources.gpu || (role.gpus() == 0 && !role.resources.gpu_slice)) return false;
  std::string gpu = site_name(found, "gpu");
  const std::string words = std::string(label.key) + "=" + std::string(label.text());
  for (const model::GpuDialect& g : lift.out.site.gpus)
    if (g.model == gpu && g.label && g.label->value != words) gpu += "-2";  // of one object: two at most
  const auto is_there = [&](const model::GpuDialect& g) { return g.model == gpu; };
  if (std::none_of(lift.out.site.gpus.begin(), lift.out.site.gpus.end(), is_there)) {
    model::GpuDialect dialect;
    dialect.model = gpu;
    dialect.label = model::unplaced(words);
    lift.out.site.gpus.push_back(std::move(dialect));
  }
  role.resources.gpu = model::unplaced(std::vector<std::string>{gpu});
  lift.ledger.line(label, Fate::moved, "resources.gpu, and gpu " + gpu + " of the site");
  return true;
}

void take_selectors(ObjectLift& lift, const PodTemplate& pods, model::Role& role) {
  for (const Field& label : pods.spec.get("nodeSelector").members()) {
    if (take_gpu_label(lift, label, role)) continue;
    if (lift.queue_label.empty()) lift.queue_label = site_name(label.text(), "nodes");
    move_to_queue(lift, label, map({{"nodeSelector", map({{label.key, *label.node}})}}));
  }
}

// The toleration that muster writes for pods with GPUs.
bool is_usual(const Field& toleration, const model::Role& role) {
  if (role.gpus() == 0 && !role.resources.part_of_gpu()) return false;
  const std::string_view op = toleration.get("operator").text(), effect = toleration.get("effect").text();
  return toleration.get("key").text() == "nvidia.com/gpu" && op == "Exists" && !toleration.get("value") &&
         (effect.empty() || effect == "NoSchedule") && !toleration.get("tolerationSeconds");
}

void take_tolerations(ObjectLift& lift, const PodTemplate& pods, const model::Role& role) {
  for (const Field& toleration : pods.spec.get("tolerations").items()) {
    if (is_usual(toleration, role)) {
      lift.ledger.line(toleration, Fate::mapped, "resources.gpus",
                       toleration.get("effect") ? "muster tolerates the taint whatever its effect" : "");
      continue;
    }
    Node item = *toleration.node;
    Node patch = map({{"tolerations", list({item})}});
    const Node* there = lift.queue_pod.at("spec.tolerations");
    const bool twice = there != nullptr && std::any_of(there->items.begin(), there->items.end(), [&](const Node& t) {
                         return data::to_json(t) == data::to_json(item);
                       });
    if (twice) lift.ledger.line(toleration, Fate::moved, std::string(in_queue));
    else move_to_queue(lift, toleration, std::move(patch));
  }
}

void take_node_affinity(ObjectLift& lift, const PodTemplate& pods) {
  const Field affinity = pods.spec.at("affinity.nodeAffinity");
  if (!affinity) return;
  const Node* there = lift.queue_pod.at("spec.affinity.nodeAffinity");
  if (there != nullptr && data::to_json(*there) != data::to_json(*affinity.node)) return;  // of another role
  if (there != nullptr) return lift.ledger.line(affinity, Fate::moved, std::string(in_queue));
  move_to_queue(lift, affinity, map({{"affinity", map({{"nodeAffinity", *affinity.node}})}}));
}

// Scalars and lists of the pod that name things of the cluster.
void take_names(ObjectLift& lift, const PodTemplate& pods) {
  for (const char* key : {"runtimeClassName", "serviceAccountName", "imagePullSecrets"}) {
    const Field field = pods.spec.get(key);
    if (!field) continue;
    const Node* there = lift.queue_pod.get("spec") != nullptr ? lift.queue_pod.get("spec")->get(key) : nullptr;
    if (there != nullptr && data::to_json(*there) != data::to_json(*field.node)) continue;
    if (there != nullptr) lift.ledger.line(field, Fate::moved, std::string(in_queue));
    else move_to_queue(lift, field, map({{key, *field.node}}));
  }
}

void take_scheduler(ObjectLift& lift, const PodTemplate& pods) {
  const Field name = pods.spec.get("schedulerName");
  if (!name || name.text() == "default-scheduler") return;
  const GangProviderRow* row = provider_of_scheduler(name.text());
  if (row != nullptr && row->provider == lift.provider)
    return lift.ledger.line(name, Fate::moved, "plane.gang of the site");
  const Node* there = lift.queue_pod.at("spec.schedulerName");
  if (there == nullptr) move_to_queue(lift, name, map({{"schedulerName", *name.node}}));
  else if (there->text == name.text()) lift.ledger.line(name, Fate::moved, std::string(in_queue));
}

void add_priority(ObjectLift& lift, const Field& field, bool of_queue) {
  const std::string name = site_name(field.text(), "priority");
  auto& own = lift.workload().priority;
  if (own && own->value != name) return;
  own = model::unplaced(name);
  model::NamedList<model::Priority> others;
  model::Priority priority;
  for (const model::Priority& p : lift.out.site.priorities)
    if (p.name == name) priority = p;
    else others.push_back(p);
  priority.name = name;
  (of_queue ? priority.queue_class : priority.priority_class) = model::unplaced(std::string(field.text()));
  others.push_back(std::move(priority));
  lift.out.site.priorities = std::move(others);
  lift.ledger.line(field, Fate::moved, "priority, and priority " + name + " of the site");
}

// Whether the file has a group of that provider, or its pods name its scheduler.
model::GangProvider provider_of(const Object& object) {
  for (const SchedulerMark& mark : scheduler_marks(object))
    if (mark.provider != nullptr) return mark.provider->provider;
  return model::GangProvider::none;
}

}  // namespace

void lift_admission(ObjectLift& lift) {
  lift.provider = provider_of(lift.object);
  // Only what muster writes on that kind; else its marks stay as they are.
  const Kind* kind = lift.object.known;
  const bool written = kind != nullptr && kind->gangs.contains(lift.provider);
  const bool by_label = is_one_of(model::name(lift.provider), {"kueue", "kai", "volcano"});
  if (!written || !by_label) lift.provider = model::GangProvider::none;
  const Field queue = lift.object.label(kueue_queue);
  if (lift.provider == model::GangProvider::kueue && queue) {
    lift.queue_name = queue.text();
    lift.ledger.line(queue, Fate::moved, "queue, and queue " + site_name(queue.text(), "queue") + " of the site");
    if (const Field priority = lift.object.label(kueue_priority)) add_priority(lift, priority, true);
    const Field suspend = lift.spec(kind->policy == "spec" || kind->policy.empty() ? "suspend" : "runPolicy.suspend");
    if (suspend.is_true()) lift.ledger.line(suspend, Fate::dropped, "", "Kueue suspends what it admits by itself");
  } else if (lift.provider == model::GangProvider::kueue) {
    lift.provider = model::GangProvider::none;
  }
  if (lift.provider == model::GangProvider::kai) {
    const Field own = lift.object.label(kai_queue);
    if (!own) lift.provider = model::GangProvider::none;
    else {
      lift.queue_name = own.text();
      lift.ledger.line(own, Fate::moved, "queue of the site");
    }
  }
  // Volcano's own groups are objects beside the pods, which only its own Job has in itself.
  if (lift.provider == model::GangProvider::volcano && !lift.object.is("batch.volcano.sh", "Job"))
    lift.provider = model::GangProvider::none;
  if (lift.provider != model::GangProvider::none) lift.pods().gang = lift.provider;
  if (const Field space = lift.object.root.at("metadata.namespace")) {
    lift.pods().name_space = model::unplaced(std::string(space.text()));
    lift.ledger.line(space, Fate::moved, "plane.namespace of the site");
  }
}

void lift_placement(ObjectLift& lift, const PodTemplate& pods, model::Role& role) {
  take_selectors(lift, pods, role);
  take_tolerations(lift, pods, role);
  take_node_affinity(lift, pods);
  take_names(lift, pods);
  take_scheduler(lift, pods);
  if (const Field priority = pods.spec.get("priorityClassName")) add_priority(lift, priority, false);
  if (lift.provider == model::GangProvider::kai) {
    const Field queue = pods.metadata.get("labels").get(kai_queue);
    if (queue.text() == lift.queue_name) lift.ledger.line(queue, Fate::moved, "queue of the site");
  }
  const Field annotation = pods.annotation(volcano_queue);
  if (annotation && annotation.text() == lift.queue_name)
    lift.ledger.line(annotation, Fate::moved, "queue of the site");
}

void add_queue(ObjectLift& lift) {
  if (lift.queue_name.empty() && lift.queue_pod.members.empty()) return;
  model::Queue queue;
  queue.name = lift.queue_name.empty() ? site_name(lift.queue_label, "pods") : site_name(lift.queue_name, "queue");
  queue.plane_name = lift.queue_name;
  if (!lift.queue_pod.members.empty()) queue.pod = model::unplaced(data::to_yaml(lift.queue_pod));
  lift.workload().queues = {model::unplaced(queue.name)};
  lift.out.site.queues.push_back(std::move(queue));
}

}  // namespace muster::targets::kubernetes::lifting
