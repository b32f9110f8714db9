#include "targets/slurm/lift/step_options.h"

#include "compiler/base/text.h"
#include "targets/slurm/read/meaning.h"
#include "targets/slurm/read/numbers.h"

namespace muster::targets::slurm::lifting {
namespace {

StepOption refused(std::string why) { return {StepFate::refused, std::move(why), {}, {}}; }
StepOption dropped(std::string why) { return {StepFate::dropped, std::move(why), {}, {}}; }

std::string spelling(const LaunchOption& option) {
  return "--" + option.name + (option.value ? "=" + option.value->text : std::string());
}

// An amount that must be the job's own.
StepOption restates(const LaunchOption& option, std::optional<std::int64_t> said, std::optional<std::int64_t> job) {
  if (!said || !job || *said != *job) return refused("`" + spelling(option) + "` is not what the job asks for");
  return dropped("the job says it");
}

std::optional<std::int64_t> number_of(const LaunchOption& option) {
  return option.value && option.value->literal ? slurm_number(option.value->text) : std::nullopt;
}

std::optional<std::int64_t> gpus_of(const LaunchOption& option) {
  if (!option.value || !option.value->literal) return std::nullopt;
  const auto list = option.name == "gres" ? slurm_gres(option.value->text) : std::nullopt;
  if (list && list->size() == 1 && list->front().name == "gpu") return list->front().count;
  if (option.name == "gres") return std::nullopt;
  const auto gpus = slurm_gpus(option.value->text);
  return gpus && gpus->size() == 1 ? std::optional(gpus->front().count) : std::nullopt;
}

StepOption amount(const LaunchOption& option, const JobShape& shape) {
  const std::string_view name = option.name;
  if (name == "nodes") return restates(option, number_of(option), shape.nodes);
  if (name == "ntasks") return restates(option, number_of(option), shape.nodes * shape.tasks);
  if (name == "ntasks-per-node" || name == "tasks-per-node") return restates(option, number_of(option), shape.tasks);
  const bool all_of_node = option.value && shape.tasks == 1 && option.value->text == "$SLURM_CPUS_ON_NODE";
  if (name == "cpus-per-task" && all_of_node) return dropped("muster writes it");
  if (name == "cpus-per-task") return restates(option, number_of(option), shape.cpus_per_task);
  if (name == "gpus") return restates(option, gpus_of(option), shape.nodes * shape.gpus);
  if (name == "gpus-per-task" && shape.tasks != 1) return refused("each task sees its own GPUs");
  return restates(option, gpus_of(option), shape.gpus);
}

// "ALL,LEVEL=2" names variables for the tasks.
StepOption environment(const LaunchOption& option) {
  StepOption out{StepFate::environment, {}, {}, {}};
  if (!option.value || !option.value->literal) return refused("`--export` has a value of the run");
  bool all = false;
  for (const std::string_view item : split(option.value->text, ',')) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos && equal_ignoring_case(item, "ALL")) all = true;
    else if (equals == std::string_view::npos)
      return refused("`" + spelling(option) + "` hides variables from the tasks");
    else out.env.emplace_back(item.substr(0, equals), item.substr(equals + 1));
  }
  if (!all) return refused("`" + spelling(option) + "` hides variables from the tasks");
  if (out.env.empty()) return dropped("the default");
  return out;
}

StepOption kept(const LaunchOption& option) {
  if (option.value && !option.value->literal) return refused("`" + spelling(option) + "` has a value of the run");
  return {StepFate::kept, {}, spelling(option), {}};
}

// `--jobid=$SLURM_JOB_ID`; a number is another job.
StepOption of_own_job(const LaunchOption& option) {
  const std::string_view id = option.value ? std::string_view(option.value->text) : std::string_view{};
  if (is_one_of(id, {"$SLURM_JOB_ID", "$SLURM_JOBID", "${SLURM_JOB_ID}", "${SLURM_JOBID}"}))
    return dropped("it is the job's own");
  return refused("`" + spelling(option) + "` may be another job");
}

// `--output=train.log`: the step's own file.
StepOption log_of_step(const LaunchOption& option) {
  if (!option.value || !option.value->literal || option.value->text.find('%') != std::string::npos)
    return refused("`" + spelling(option) + "` names the files of a step");
  StepOption out = dropped("the log of the job has the output");
  out.differs = {std::string(base_name(option.value->text)), "logs"};
  return out;
}

}  // namespace

StepOption step_option(const LaunchOption& option, const JobShape& shape) {
  const std::string_view name = option.name;
  if (is_one_of(name, {"nodes", "ntasks", "ntasks-per-node", "tasks-per-node", "cpus-per-task", "gpus", "gpus-per-node",
                       "gpus-per-task", "gres"}))
    return amount(option, shape);
  if (name == "export") return environment(option);
  if (is_one_of(name, {"partition", "account", "qos", "job-name", "comment", "constraint"}))
    return dropped("a step runs in the job");
  if (is_one_of(name, {"exclusive", "exact", "overlap", "pty", "immediate", "verbose", "quiet"}))
    return dropped("there is one step");
  if (name == "jobid") return of_own_job(option);
  if (name == "mem" && option.value && option.value->text == "0") return dropped("there is one step");
  const bool stops = name == "kill-on-bad-exit" && (!option.value || option.value->text == "1");
  if (stops) return dropped("muster writes it");
  if (name == "wait" || name == "kill-on-bad-exit") return dropped("the step ends when one of its processes fails");
  if (is_one_of(name, {"label", "unbuffered", "cpu-bind", "cpu_bind", "gpu-bind", "mem-bind", "distribution", "hint",
                       "propagate", "disable-status", "accel-bind", "network"}))
    return kept(option);
  if (name == "output" || name == "error") return log_of_step(option);
  return refused("`" + spelling(option) + "` of the step has no key");
}

}  // namespace muster::targets::slurm::lifting
