// A sweep as a job array: the task ids, and what each task finds in its environment.
#include <algorithm>
#include <numeric>

#include "targets/batch/sections.h"
#include "targets/contract/references.h"
#include "targets/shell.h"

namespace muster::targets::batch {
namespace {

// A variable and the axis whose value it has.
using AxisVariables = std::vector<std::pair<std::string, std::string>>;

// By how much the numbers of the tasks are above those of the points: a system may not have a task 0.
std::int64_t offset_of(const Job& job) {
  const auto ids = job.workload.sweep ? job.workload.sweep->ids() : std::nullopt;
  const std::int64_t least = ids && !ids->empty() ? *std::min_element(ids->begin(), ids->end()) : 0;
  return std::max<std::int64_t>(0, job.dialect.first_task - least);
}

// The number of the point in arithmetic, from the variable with that of the task.
std::string index_expression(const Job& job) {
  const std::string name(job.dialect.variables.array_index.substr(1));
  const std::int64_t offset = offset_of(job);
  return offset == 0 ? name : name + " - " + std::to_string(offset);
}

std::vector<std::int64_t> counted_from_0(std::int64_t points) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(points));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

// How often the axis keeps its value from one point to the next, where it counts through its values as a digit of the
// point's number does; nullopt where points are left out or put together in another way.
std::optional<std::size_t> stride_of(const model::Sweep& sweep, std::size_t axis) {
  const std::vector<std::string>& values = sweep.axes[axis].values;
  std::size_t stride = 1;
  for (std::size_t next = axis + 1; next < sweep.axes.size(); ++next) stride *= sweep.axes[next].values.size();
  for (std::size_t point = 0; point < sweep.points(); ++point)
    if (sweep.value(axis, point) != values[point / stride % values.size()]) return std::nullopt;
  return stride;
}

// `NAME=(…)` of each axis, on lines that can be read.
class Table {
 public:
  explicit Table(Job& job) : job_(job) {}
  void add(const std::string& name, const std::vector<std::string>& values) {
    word(name + "=(" + (values.empty() ? "" : sh_word(values[0])));
    for (std::size_t i = 1; i < values.size(); ++i) word(sh_word(values[i]));
    line_ += ")";
  }
  void end() { job_.line(line_); }

 private:
  void word(const std::string& text) {
    constexpr std::size_t width = 110;
    if (line_.size() + text.size() > width) {
      job_.line(line_);
      line_ = " ";
    }
    line_ += (line_.empty() ? "" : " ") + text;
  }
  Job& job_;
  std::string line_;
};

// The values of each axis that the program reads, and the one of this task.
void add_table(Job& job, const model::Sweep& sweep, const AxisVariables& variables) {
  const std::string index = index_expression(job);
  std::vector<std::pair<std::string, std::string>> words;
  Table table(job);
  for (const auto& [variable, axis_name] : variables) {
    const auto axis =
        std::find_if(sweep.axes.begin(), sweep.axes.end(), [&](const model::Axis& a) { return a.name == axis_name; });
    if (axis == sweep.axes.end()) continue;
    const std::size_t at = static_cast<std::size_t>(axis - sweep.axes.begin());
    const std::string name = bash_name(axis->name) + "_values";
    const auto stride = stride_of(sweep, at);
    std::vector<std::string> values = axis->values;
    if (!stride) {
      values.clear();
      for (std::size_t point = 0; point < sweep.points(); ++point) values.push_back(sweep.value(at, point));
    }
    const bool divides = stride && *stride > 1, repeats = stride && *stride * values.size() < sweep.points();
    std::string place = (divides || repeats) && offset_of(job) > 0 ? "(" + index + ")" : index;
    if (divides) place += " / " + std::to_string(*stride);
    if (repeats) place += " % " + std::to_string(values.size());
    table.add(name, values);
    words.emplace_back(variable, "${" + name + "[" + place + "]}");
  }
  table.end();
  Exports exports(job.body);
  for (const auto& [name, word] : words) exports.add(name, word);
}

}  // namespace

std::string index_word(const Job& job) {
  if (offset_of(job) == 0) return std::string(job.dialect.variables.array_index);
  return "$((" + index_expression(job) + "))";
}

void add_array(Job& job) {
  const std::int64_t offset = offset_of(job);
  if (job.copies_in_array()) {
    const std::int64_t last = job.copies() - 1 + offset;
    if (job.batch.array_max && last > job.batch.array_max->value)
      return job.refuse(Field::replicas, "plane `" + job.plane.name + "` allows task ids up to " +
                                             std::to_string(job.batch.array_max->value) +
                                             ", but the copies need ids up to " + std::to_string(last));
    std::vector<std::int64_t> ids = counted_from_0(job.copies());
    for (std::int64_t& id : ids) id += offset;
    return job.ask(Request::array, job.dialect.array(ids, std::nullopt), Field::replicas);
  }
  if (!job.workload.sweep) return;
  const model::Sweep& sweep = *job.workload.sweep;
  std::vector<std::int64_t> ids = sweep.task_ids();
  for (std::int64_t& id : ids) id += offset;
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
  const std::string_view option = job.option_of(Request::array);
  job.exact(Field::sweep, option == job.option_of(Request::name) ? array : spelt(option, array));
}

void add_points(Job& job) {
  if (!job.workload.sweep) return;
  const model::Sweep& sweep = *job.workload.sweep;
  const AxisVariables variables = contract::axis_variables(job.role);
  for (const model::Axis& axis : sweep.axes)
    for (const std::string& value : axis.values)
      if (has_nul(value))
        return job.refuse(Field::sweep_axes,
                          "a value contains a NUL byte, which an environment variable cannot contain");
  if (variables.empty()) return;
  if (!sweep.ids()) return add_table(job, sweep, variables);
  const std::string index = index_word(job);
  for (const auto& [variable, axis] : variables)
    if (!is_given(job, variable, index)) job.line("export " + variable + "=" + index);
}

}  // namespace muster::targets::batch
