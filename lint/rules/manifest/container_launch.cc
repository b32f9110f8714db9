// The rules of launches (lint/rules/launch) on the containers of pods: a pod is a node of the job.
#include <algorithm>

#include "lint/rules/launch/script_job.h"
#include "lint/rules/manifest/container.h"
#include "targets/kubernetes/read/givers.h"
#include "targets/slurm/read/component.h"

namespace muster::lint {
namespace {

template <class T>
slurm::Known<T> known(T value, std::int32_t by) {
  return {slurm::Known<T>::State::known, std::move(value), by, {}};
}

// The pods that run a container together: those of a service or a sweep each work for themselves.
std::optional<std::int64_t> pods_together(const Object& object, const PodTemplate& pods) {
  const bool sweep = k8s::gives(k8s::givers_of(object), k8s::Giver::indexed_points);
  return sweep || object.known->work == k8s::Work::service ? 1 : pods.count;
}

slurm::Component asked_by(const Object& object, const PodTemplate& pods, const Container& c) {
  slurm::Component out;
  if (const auto count = pods_together(object, pods)) {
    out.nodes = known(slurm::Range{*count, *count}, pods.count_field ? 1 : slurm::no_directive);
    out.tasks = known(*count, slurm::no_directive);
    out.tasks_per_node = known<std::int64_t>(1, slurm::no_directive);
  }
  out.job_name = known(std::string(object.name), slurm::no_directive);
  const std::int64_t gpus = c.gpus();
  if (gpus == 0 || c.chooses_devices()) return out;
  out.gpus_per_node = known(std::vector<slurm::GpuCount>{{"", gpus}}, 0);
  out.gpus_a_node = shell::known(gpus);
  out.gpus_in_all = shell::known(gpus * (out.nodes ? out.nodes->min : 1));
  return out;
}

// The variable that has the rank of a pod; "" where the kind sets none.
std::string_view rank_variable(const ManifestScene& scene, const Object& object) {
  for (const k8s::OperatorName* name : k8s::variables_set(object, scene.manifest))
    if (name->meaning == k8s::Meaning::node_rank) return name->name;
  return {};
}

// Volcano starts the tasks of a job together, but only its plugin sets what torchrun reads; the pods of an indexed Job
// or a JobSet are numbered, but not joined. The pods of other kinds may be trainings of their own on purpose.
bool leaves_launcher_alone(const Object& object) {
  if (object.is("batch", "Job"))
    return object.root.at("spec.completionMode").text() == "Indexed" &&
           object.root.at("spec.parallelism").whole() == object.root.at("spec.completions").whole();
  return object.is("jobset.x-k8s.io", "JobSet") ||
         (object.is("batch.volcano.sh", "Job") && !object.root.at("spec.plugins.pytorch"));
}

// Whether a container reads which of the pods it is in: each then has work of its own.
bool tells_pods_apart(const ManifestScene& scene, const Object& object, const Container& c) {
  const std::string_view text = scene.context.sources.text(c.field.span());
  const auto has = [&](std::string_view part) { return !part.empty() && text.find(part) != std::string_view::npos; };
  for (const k8s::OperatorName* name : k8s::variables_set(object, scene.manifest))
    if (has(name->name) || has(k8s::field_of_name(name->name))) return true;
  return has("metadata.name") || has("hostname") || has("HOSTNAME");
}

// Whether the text runs the commands of a file of a volume, which may set anything.
bool reads_mounted(const Container& c, const shell::Body& body) {
  return std::any_of(body.commands.begin(), body.commands.end(), [&](const shell::Command& command) {
    if (!command.own.is(shell::reads_text) || command.words.size() < 2) return false;
    const std::vector<Field> mounts = c.field.get("volumeMounts").items();
    return std::any_of(mounts.begin(), mounts.end(), [&](const Field& mount) {
      const std::string_view folder = mount.get("mountPath").text();
      return !folder.empty() && command.words[1].text.starts_with(std::string(folder) + "/");
    });
  });
}

// What a launcher may take from its environment: the container's own `env`, and what its operator sets.
std::vector<shell::Given> exported_to(const ManifestScene& scene, const Object& object, const Container& c,
                                      const shell::Body& body) {
  std::vector<shell::Given> out;
  for (const Field& variable : c.field.get("env").items())
    out.push_back({std::string(variable.get("name").text()), std::string(variable.get("value").text())});
  const std::vector<const k8s::OperatorName*> set = k8s::variables_set(object, scene.manifest);
  for (const k8s::OperatorName* name : set) out.push_back({std::string(name->name), {}});
  const bool by_runtime = object.is("trainer.kubeflow.org", "TrainJob") && set.empty();
  if (by_runtime || c.field.get("envFrom") || reads_mounted(c, body)) out.push_back({"*", {}});
  return out;
}

}  // namespace

void check_container_launch(const ManifestScene& scene, const Object& object, const PodTemplate& pods,
                            const Container& c, const std::optional<k8s::ContainerText>& text) {
  if (c.init || object.known == nullptr || (c.gpus() == 0 && pods.count.value_or(2) < 2)) return;
  const shell::Body own = text ? shell::Body() : k8s::body_of(c);
  const shell::Body& body = text ? text->body : own;
  if (body.launches.empty()) return;
  const std::vector<shell::Given> exported = exported_to(scene, object, c, body);
  slurm::Meaning meaning;
  meaning.components.push_back(asked_by(object, pods, c));
  meaning.starts =
      slurm::find_starts(body, meaning.components, std::nullopt, meaning.remarks, {slurm::RunsOn::each_node, exported});
  if (meaning.starts.empty()) return;
  slurm::Script none;
  none.file = c.field.span().file, none.span = none.body = c.field.span();
  const std::string_view bytes = scene.context.sources.text(c.field.span());
  const Field gpus = c.gpu_field();
  std::vector<Said> said = {{gpus.span(), {}, "resources"}, {pods.count_field.span(), {}, "pods"}};
  const ScriptJob job{{scene.context,
                       c.field.span(),
                       bytes,
                       body,
                       {{}, true},
                       object.subject(),
                       scene.report,
                       ByteTriples(bytes),
                       {},
                       c.field.path},
                      none,
                      meaning,
                      std::move(said),
                      rank_variable(scene, object),
                      leaves_launcher_alone(object) && !tells_pods_apart(scene, object, c)};
  check_pod_launches(job, object.pods.size() == 1);
}

}  // namespace muster::lint
