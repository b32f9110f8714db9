// What the files of brokers have alike.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/data/read.h"
#include "targets/contract/references.h"
#include "targets/services/task.h"

namespace muster::targets::services {

void merge_block(Task& task) {
  for (const model::TargetOptions& block : task.workload.targets) {
    if (block.target != task.dialect.target) continue;
    for (const model::RawOption& option : block.options) {
      const FieldRef field{Field::target, block.target + "." + option.name};
      Sources sources;
      data::Documents read = data::read_yaml(sources, sources.add("block", option.value.value));
      const bool one = !read.diagnostics.has_errors() && read.documents.size() == 1 &&
                       !read.documents[0].diagnostics.has_errors() && read.documents[0].root.is_map();
      if (option.name != "task" || !one) {
        task.refuse_at(option.value.span, field,
                       option.name != "task"
                           ? "`target " + block.target + "` has no option `" + printable(option.name) + "`"
                           : "`task` is not a map in YAML",
                       "write `task = <<<yaml` with keys of the file of " + task.system());
        continue;
      }
      const std::vector<std::string> clashes = kubernetes::merge(task.document, read.documents[0].root);
      if (!clashes.empty())
        task.refuse_at(option.value.span, field,
                       "`task` sets `" + printable(clashes.front()) + "`, which the workload sets to another value");
      else task.approximated(field, "merged into the task", "muster does not check these keys");
    }
  }
}

void report_checkpoint(Task& task) {
  if (task.wanted.has("MUSTER_CHECKPOINT")) task.exact(Field::checkpoint_path, "MUSTER_CHECKPOINT");
  else if (model::refers_to(task.role, model::RefersTo::checkpoint, "path"))
    task.exact(Field::checkpoint_path, "the text that refers to it");
  else task.read(Field::checkpoint_path, "reliability and lint; no text of the workload names MUSTER_CHECKPOINT");
}

data::Node variables(const std::vector<std::pair<std::string, std::string>>& envs) {
  data::Node out = kubernetes::map({});
  for (const auto& [name, value] : envs) kubernetes::put(out, name, kubernetes::text(value));
  return out.members.empty() ? kubernetes::nothing() : out;
}

data::Node text_or_nothing(std::string_view value) {
  return value.empty() ? kubernetes::nothing() : kubernetes::text(value);
}

std::int64_t gib_up(Size size) {
  constexpr std::int64_t gib = std::int64_t{1} << 30;
  return (size.bytes + gib - 1) / gib;
}

std::vector<std::string> models_of(const plan::RolePlan& shape) {
  const auto& named = shape.role->resources.gpu;
  if (named) return named->value;
  std::vector<std::string> out;
  for (const model::Pool* pool : shape.choice())
    if (pool->gpu && std::find(out.begin(), out.end(), pool->gpu->model) == out.end()) out.push_back(pool->gpu->model);
  return out;
}

std::optional<std::string> label_of(const Task& task, const std::string& model) {
  for (const model::GpuDialect& gpu : task.site.gpus)
    if (gpu.model == model && gpu.label && (gpu.plane.empty() || gpu.plane == task.plane.name)) return gpu.label->value;
  return std::nullopt;
}

}  // namespace muster::targets::services
