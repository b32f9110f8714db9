// What every pod template shares.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/data/write.h"
#include "targets/kubernetes/lift/given_names.h"
#include "targets/kubernetes/lift/object_lift.h"
#include "targets/kubernetes/lift/secrets.h"
#include "targets/kubernetes/names.h"

namespace muster::targets::kubernetes::lifting {
namespace {

void lift_image(ObjectLift& lift, const Container& container, model::Role& role) {
  const Field image = container.field.get("image");
  if (image.text().empty()) return;
  role.image = model::unplaced(std::string(image.text()));
  lift.ledger.line(image, Fate::mapped, "image");
}

void lift_workdir(ObjectLift& lift, const Container& container, model::Role& role) {
  const Field folder = container.field.get("workingDir");
  if (!folder.text().starts_with('/')) return;
  role.workdir = model::unplaced(model::Text(std::string(folder.text())));
  lift.ledger.line(folder, Fate::mapped, "workdir");
}

// How long the program has to end. It is one of the workload.
void lift_grace(ObjectLift& lift, const PodTemplate& pods) {
  const Field grace = pods.spec.get("terminationGracePeriodSeconds");
  const auto seconds = grace.whole();
  if (!seconds || *seconds < 0 || *seconds > 1'000'000) return;
  auto& stop = lift.workload().stop;
  if (stop && stop->grace.value.ms != *seconds * 1000) return;
  stop.emplace().grace = model::unplaced(Duration{*seconds * 1000});
  lift.ledger.line(grace, Fate::mapped, "stop.grace");
}

// Labels that the object and its pods have alike are the workload's.
void lift_labels(ObjectLift& lift, const PodTemplate& pods) {
  const Field own = lift.object.root.at("metadata.labels");
  for (const Field& label : pods.metadata.get("labels").members()) {
    const Field same = own.get(label.key);
    const bool ours = label.key.starts_with("app.kubernetes.io/") &&
                      is_one_of(label.key.substr(18), {"name", "instance", "component", "managed-by"});
    if (ours) {
      lift.ledger.line(label, Fate::dropped, "", "muster writes this label itself");
      continue;
    }
    if (same.text() != label.text() || !is_label_key(label.key) || lift.ledger.has(*label.node)) continue;
    auto& labels = lift.workload().labels;
    const auto is_it = [&](const auto& l) { return l.first == label.key; };
    if (std::none_of(labels.begin(), labels.end(), is_it))
      labels.emplace_back(std::string(label.key), model::unplaced(std::string(label.text())));
    lift.ledger.line(label, Fate::mapped, "labels");
    if (!lift.ledger.has(*same.node)) lift.ledger.line(same, Fate::mapped, "labels");
  }
}

}  // namespace

const Container* program_container(const PodTemplate& pods) {
  const Container* first = nullptr;
  for (const Container& container : pods.containers) {
    const bool init = container.field.path.find("initContainers") != std::string::npos;
    if (init) continue;
    if (container.has_accelerator()) return &container;
    if (first == nullptr) first = &container;
  }
  return first;
}

void lift_pod(ObjectLift& lift, const PodTemplate& pods, model::Role& role) {
  const Container* container = program_container(pods);
  if (container == nullptr) return;
  if (pods.spec) lift.lifted.push_back(&pods);  // that of a TrainJob is made for the time of its lift
  lift.programs.insert(container->field.node);
  lift.ledger.line(container->field.get("name"), Fate::dropped, "", "muster names the containers");
  lift_image(lift, *container, role);
  lift_workdir(lift, *container, role);
  lift_environment(lift, *container, role);
  lift_resources(lift, pods, *container, role);
  lift_volumes(lift, pods, *container, role);
  lift_ports(lift, *container, role);
  lift_probes(lift, *container, role);
  lift_placement(lift, pods, role);
  lift_grace(lift, pods);
  lift_labels(lift, pods);
  if (!hide_secrets(lift, *container, role)) return;
  settle_names(lift, *container, role);
}

namespace {

// Marks what is alike in both, and has an account in the other one. Items of lists are compared place by place.
void mark_alike(ObjectLift& lift, const Field& twin, const Field& of) {
  if (!of || twin.node->kind != of.node->kind) return;
  if (lift.ledger.has(*of.node) && data::to_json(*twin.node) == data::to_json(*of.node)) return lift.ledger.mark(twin);
  if (twin.node->is_map()) {
    for (const Field& member : twin.members())
      if (const Field same = of.get(member.key)) mark_alike(lift, member, same);
  } else if (twin.node->is_list()) {
    const auto items = twin.items(), others = of.items();
    for (std::size_t i = 0; i < items.size() && i < others.size(); ++i) mark_alike(lift, items[i], others[i]);
  }
}

}  // namespace

void lift_twin(ObjectLift& lift, const PodTemplate& pods, const PodTemplate& of) {
  lift.lifted.push_back(&pods);
  if (const Container* container = program_container(pods)) {
    lift.programs.insert(container->field.node);
    lift.ledger.mark(container->field.get("name"));
  }
  if (pods.metadata && of.metadata) mark_alike(lift, pods.metadata, of.metadata);
  mark_alike(lift, pods.spec, of.spec);
  lift.ledger.say(pods.spec.span(), pods.spec.path, Fate::mapped, "the pods of `" + of.role + "`", "");
}

}  // namespace muster::targets::kubernetes::lifting
