// What a script works out of the task id of its array, `${LRS[$SLURM_ARRAY_TASK_ID % 3]}`, as axes of the sweep.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/model/workload.h"
#include "targets/imported.h"
#include "targets/slurm/read/body.h"

namespace muster::targets::slurm::lifting {

struct Lifter;

struct TaskValue {
  std::string spelling;             // "${LRS[$SLURM_ARRAY_TASK_ID]}"
  std::string axis;                 // "lr"
  std::vector<std::string> values;  // one for each task, in the order of the sweep
  bool one_word = true;             // each of them is one word for the shell
};

// Of the words at the top level of the script, whose value at every task is in the text; under other names than those
// of the parameters.
std::vector<TaskValue> task_values_of(const Body& body, const model::Sweep& tasks,
                                      const std::vector<Parameter>& parameters);

// The one that is spelt so; nullptr: none.
const TaskValue* task_value_in(std::string_view spelling, const std::vector<TaskValue>& values);

// Makes axes of those that the workload names: a grid where the tasks are one, else all of them side by side. The axis
// `task` stays where the workload names it too.
void take_axes(Lifter& lifter);

}  // namespace muster::targets::slurm::lifting
