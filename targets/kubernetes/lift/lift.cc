#include "targets/kubernetes/lift/lift.h"

#include <algorithm>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "compiler/data/write.h"
#include "targets/kubernetes/lift/given_names.h"
#include "targets/kubernetes/lift/object_lift.h"
#include "targets/kubernetes/lift/raw.h"
#include "targets/kubernetes/lift/secrets.h"
#include "targets/kubernetes/read/givers.h"

namespace muster::targets::kubernetes {
namespace lifting {

model::Role& ObjectLift::role(std::string_view name) {
  auto& roles = workload().roles;
  const bool first = roles.size() == 1 && !roles.front().span.known();
  if (!first) roles.emplace_back();
  if (!name.empty()) {
    roles.back().name = name_from(name);
    roles.back().span = object.root.span();
  }
  return roles.back();
}

bool ObjectLift::refuse(const Field& where, const std::string& message, const std::string& help) {
  Diagnostic& d = diagnostics.add(Code::cannot_import, where.node != nullptr ? where.span() : object.root.span(),
                                  object.subject() + ": " + message);
  if (!help.empty()) d.notes.push_back(help);
  return false;
}

namespace {

struct KindRow {
  std::string_view group, kind, target;
  bool (*lift)(ObjectLift&);
};

constexpr KindRow import_rows[] = {{"batch", "Job", "kubernetes", lift_job},
                                   {"jobset.x-k8s.io", "JobSet", "jobset", lift_jobset},
                                   {"kubeflow.org", "PyTorchJob", "pytorchjob", lift_pytorchjob},
                                   {"trainer.kubeflow.org", "TrainJob", "trainjob", lift_trainjob},
                                   {"kubeflow.org", "MPIJob", "mpijob", lift_mpijob},
                                   {"batch.volcano.sh", "Job", "volcano", lift_volcano_job},
                                   {"apps", "Deployment", "kubernetes", lift_deployment},
                                   {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", "lws", lift_lws},
                                   {"ray.io", "RayJob", "kuberay", lift_ray},
                                   {"ray.io", "RayCluster", "kuberay", lift_ray},
                                   {"ray.io", "RayService", "kuberay", lift_ray}};

const KindRow* row_of_object(const Object& object) {
  for (const KindRow& row : import_rows)
    if (object.is(row.group, row.kind)) return &row;
  return nullptr;
}

// What a cluster or a tool writes into an object, and no person.
void drop_what_clusters_write(ObjectLift& lift) {
  lift.ledger.mark(lift.object.root.get("apiVersion"));
  lift.ledger.mark(lift.object.root.get("kind"));
  lift.ledger.line(lift.object.root.get("status"), Fate::dropped, "", "the cluster writes it");
  const Field metadata = lift.object.root.get("metadata");
  lift.ledger.line(metadata.get("name"), Fate::mapped, "the workload's name",
                   metadata.get("name").text() == lift.out.workload.name ? "" : "it has another one in the language");
  lift.ledger.line(metadata.get("generateName"), Fate::dropped, "", "`muster compile --names` says how runs are named");
  for (const char* key : {"creationTimestamp", "uid", "resourceVersion", "generation", "managedFields", "selfLink"})
    lift.ledger.line(metadata.get(key), Fate::dropped, "", "the cluster writes it");
  for (const Field& annotation : metadata.get("annotations").members())
    if (is_one_of(annotation.key,
                  {"kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision"}))
      lift.ledger.line(annotation, Fate::dropped, "", "kubectl writes it");
  for (const Field& label : metadata.get("labels").members())
    if (label.key.starts_with("app.kubernetes.io/") &&
        is_one_of(label.key.substr(18), {"name", "instance", "component", "managed-by"}))
      lift.ledger.line(label, Fate::dropped, "", "muster writes this label itself");
  for (const PodTemplate& pods : lift.object.pods)
    if (pods.metadata.node != nullptr && pods.metadata.node->get("creationTimestamp") != nullptr)
      lift.ledger.line(pods.metadata.get("creationTimestamp"), Fate::dropped, "", "the cluster writes it");
}

// Devices that the language has no word for.
bool refuse_tpus(ObjectLift& lift) {
  for (const PodTemplate& pods : lift.object.pods) {
    for (const Field& label : pods.spec.get("nodeSelector").members())
      if (label.key.starts_with("cloud.google.com/gke-tpu"))
        return lift.refuse(label, "the pods run on TPUs, which the language does not have");
    for (const Container& container : pods.containers)
      if (const Field tpu = container.limit("google.com/tpu"))
        return lift.refuse(tpu, "the pods run on TPUs, which the language does not have");
  }
  return true;
}

// Where no key can say it, a value that is not known yet is no value at all.
bool refuse_templates(ObjectLift& lift) {
  for (const PodTemplate& pods : lift.object.pods)
    for (const Container& container : pods.containers)
      if (const Field image = container.field.get("image"); blank_in(image.text(), In::yaml).by == FilledBy::engine)
        return lift.refuse(image, "the image is a template, which is rendered before the object is created",
                           "pass the rendered file");
  return true;
}

void set_grade(Imported& out) {
  out.grade = Grade::lifted;
  for (const model::Role& role : out.workload.roles) {
    if (!role.program || !std::holds_alternative<model::Script>(role.program->value)) continue;
    out.grade = Grade::with_script;
    out.reason = "a text is left, which a shell reads";
  }
  const model::Role& first = out.workload.roles.front();
  if (first.launch.runner.value != model::Runner::none)
    out.launcher = std::string(model::name(first.launch.runner.value)) + ", " + counted(first.nodes(), "node");
}

}  // namespace
}  // namespace lifting

std::string_view import_target(const Object& object) {
  const auto* row = lifting::row_of_object(object);
  return row == nullptr ? std::string_view() : row->target;
}

bool is_importable(const Object& object) {
  if (is_one_of(object.kind, {"TrainingRuntime", "ClusterTrainingRuntime", "ServingRuntime", "ClusterServingRuntime"}))
    return false;
  return !object.pods.empty() || lifting::row_of_object(object) != nullptr;
}

Imported import_object(const Sources& sources, const Manifest& manifest, const Object& object, const std::string& name,
                       LiftState& state, Diagnostics& diagnostics) {
  using namespace lifting;
  Imported out;
  out.object = object.subject();
  out.target = import_target(object);
  out.group = group_of(object.api_version);
  out.workload.name = name;
  out.workload.id = name;
  out.workload.span = object.root.span();
  out.workload.roles.emplace_back();
  out.names_account = true;
  model::Plane plane;
  plane.name = "kubernetes";
  plane.set_kind(model::PlaneKind::kubernetes);
  plane.gpu_request = model::GpuRequest::device_plugin;
  plane.pods()->keep_finished.reset();
  out.site.planes.push_back(std::move(plane));
  ObjectLift lift{sources, manifest, object, out, diagnostics};
  const KindRow* row = row_of_object(object);
  if (row == nullptr) {
    lift.refuse(object.root, "objects of this kind are not imported",
                "muster imports Job, JobSet, PyTorchJob, TrainJob, MPIJob, RayJob, RayCluster, RayService, Deployment, "
                "LeaderWorkerSet and the Job of Volcano");
    return out;
  }
  if (!refuse_tpus(lift) || !refuse_templates(lift)) return out;
  lift.givers = givers_of(object);
  drop_what_clusters_write(lift);
  lift_admission(lift);
  if (!row->lift(lift)) return out;
  add_queue(lift);
  state = what_is_left(lift);
  if (!hide_secrets(lift, object.root, state.left) || !hide_secrets(lift, object.root, state.left_pod)) return out;
  out.lines = std::move(lift.ledger.lines());
  set_grade(out);
  return out;
}

}  // namespace muster::targets::kubernetes
