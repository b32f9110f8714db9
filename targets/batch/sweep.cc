// A sweep as a job array: the task ids, and what each task finds in its environment.
#include <algorithm>

#include "targets/shell.h"
#include "targets/slurm/options.h"
#include "targets/slurm/sections.h"

namespace muster::targets::slurm {
namespace {

// Ascending ids as Slurm spells them: runs as `a-b`, equal steps as `a-b:s`.
std::string id_list(std::vector<std::int64_t> ids) {
  std::sort(ids.begin(), ids.end());
  std::string out;
  for (std::size_t i = 0; i < ids.size();) {
    std::size_t last = i;
    const std::int64_t step = i + 1 < ids.size() ? ids[i + 1] - ids[i] : 1;
    while (last + 1 < ids.size() && ids[last + 1] - ids[last] == step) ++last;
    if (last - i < 2 && step != 1) last = i;  // a pair with a gap is no run
    out += (out.empty() ? "" : ",") + std::to_string(ids[i]);
    if (last > i) out += "-" + std::to_string(ids[last]) + (step == 1 ? "" : ":" + std::to_string(step));
    i = last + 1;
  }
  return out;
}

std::vector<std::int64_t> counted_from_0(std::size_t points) {
  std::vector<std::int64_t> ids(points);
  for (std::size_t i = 0; i < points; ++i) ids[i] = static_cast<std::int64_t>(i);
  return ids;
}

// One line a point that exports the axes which the program reads.
void add_table(Job& job, const model::Sweep& sweep, const std::vector<const model::EnvVar*>& variables) {
  job.line("case $SLURM_ARRAY_TASK_ID in");
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
    const std::int64_t last = job.role.copies() - 1;
    if (job.plane.array_max && last > job.plane.array_max->value)
      return job.refuse("replicas", "plane `" + job.plane.name + "` takes task ids up to " +
                                        std::to_string(job.plane.array_max->value) + "; the copies go up to " +
                                        std::to_string(last));
    return add_option(job, "--array", "0-" + std::to_string(last), "replicas");
  }
  if (!job.workload.sweep) return;
  const model::Sweep& sweep = *job.workload.sweep;
  const std::vector<std::int64_t> ids = sweep.ids().value_or(counted_from_0(sweep.points()));
  const std::int64_t last = ids.empty() ? 0 : *std::max_element(ids.begin(), ids.end());
  if (job.plane.array_max && last > job.plane.array_max->value)
    return job.refuse("sweep.axes",
                      "plane `" + job.plane.name + "` takes task ids up to " +
                          std::to_string(job.plane.array_max->value) + "; this array goes up to " +
                          std::to_string(last),
                      "sweep in parts, each a workload of its own");
  std::string array = id_list(ids);
  if (sweep.max_parallel) array += "%" + std::to_string(sweep.max_parallel->value);
  add_option(job, "--array", array, "sweep.axes");
  job.exact("sweep", "--array=" + array);
}

void add_points(Job& job) {
  if (!job.workload.sweep) return;
  const model::Sweep& sweep = *job.workload.sweep;
  std::vector<const model::EnvVar*> variables;
  for (const model::EnvVar& variable : job.role.env)
    if (variable.from_axis) variables.push_back(&variable);
  for (const model::Axis& axis : sweep.axes)
    for (const std::string& value : axis.values)
      if (has_nul(value)) return job.refuse("sweep.axes", "a value holds a NUL byte, which no environment can carry");
  if (variables.empty()) return;
  if (!sweep.ids()) return add_table(job, sweep, variables);
  for (const model::EnvVar* variable : variables) job.line("export " + variable->name + "=$SLURM_ARRAY_TASK_ID");
}

}  // namespace muster::targets::slurm
