// A sweep as a job array: the task ids, and what each task finds in its environment.
#include <algorithm>
#include <numeric>

#include "targets/batch/sections.h"
#include "targets/shell.h"

namespace muster::targets::batch {
namespace {

std::vector<std::int64_t> counted_from_0(std::int64_t points) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(points));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

// One line a point that exports the axes which the program reads.
void add_table(Job& job, const model::Sweep& sweep, const std::vector<const model::EnvVar*>& variables) {
  job.line("case " + std::string(job.dialect.variables.array_index) + " in");
  for (std::size_t point = 0; point < sweep.points(); ++point) {
    std::string line = "  " + std::to_string(point) + ") export";
    for (const model::EnvVar* variable : variables)
      for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
        if (sweep.axes[axis].name == variable->value)
          line += " " + variable->name + "=" + sh_word(sweep.value(axis, point));
    job.line(line + " ;;");
  }
  job.line("esac");
}

}  // namespace

void add_array(Job& job) {
  if (job.copies_in_array()) {
    const std::int64_t last = job.copies() - 1;
    if (job.batch.array_max && last > job.batch.array_max->value)
      return job.refuse(Field::replicas, "plane `" + job.plane.name + "` allows task ids up to " +
                                             std::to_string(job.batch.array_max->value) +
                                             ", but the copies need ids up to " + std::to_string(last));
    return job.ask(Request::array, job.dialect.array(counted_from_0(last + 1), std::nullopt), Field::replicas);
  }
  if (!job.workload.sweep) return;
  const model::Sweep& sweep = *job.workload.sweep;
  std::vector<std::int64_t> ids = sweep.ids().value_or(counted_from_0(static_cast<std::int64_t>(sweep.points())));
  const std::int64_t last = ids.empty() ? 0 : *std::max_element(ids.begin(), ids.end());
  if (job.batch.array_max && last > job.batch.array_max->value)
    return job.refuse(Field::sweep_axes,
                      "plane `" + job.plane.name + "` allows task ids up to " +
                          std::to_string(job.batch.array_max->value) + ", but this array needs ids up to " +
                          std::to_string(last),
                      "split the sweep into several workloads");
  std::sort(ids.begin(), ids.end());
  const auto at_once =
      sweep.max_parallel ? std::optional<std::int64_t>(sweep.max_parallel->value) : std::optional<std::int64_t>();
  const std::string array = job.dialect.array(ids, at_once);
  job.ask(Request::array, array, Field::sweep_axes);
  job.exact(Field::sweep, std::string(job.option_of(Request::array)) + "=" + array);
}

void add_points(Job& job) {
  if (!job.workload.sweep) return;
  const model::Sweep& sweep = *job.workload.sweep;
  std::vector<const model::EnvVar*> variables;
  for (const model::EnvVar& variable : job.role.env)
    if (variable.from_axis) variables.push_back(&variable);
  for (const model::Axis& axis : sweep.axes)
    for (const std::string& value : axis.values)
      if (has_nul(value))
        return job.refuse(Field::sweep_axes,
                          "a value contains a NUL byte, which an environment variable cannot contain");
  if (variables.empty()) return;
  if (!sweep.ids()) return add_table(job, sweep, variables);
  for (const model::EnvVar* variable : variables)
    job.line("export " + variable->name + "=" + std::string(job.dialect.variables.array_index));
}

}  // namespace muster::targets::batch
