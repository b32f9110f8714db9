// What no broker takes, whichever it is: in the words of the one that is asked.
#include "targets/services/task.h"

namespace muster::targets::services {
namespace {

using As = Said::As;

constexpr Said of_all[] = {
    {As::refused, Field::sweep, "{system} has no arrays: each point would be a {unit} of its own",
     "use target `slurm` or `kubernetes`, or make the points workloads of their own"},
    {As::refused, Field::depends_on, "{system} does not start a {unit} after another one",
     "submit the workloads one after the other, or use target `slurm`"},
    {As::refused, Field::licenses, "{system} does not count licenses", "use target `slurm`"},
    {As::refused, Field::resources_gpu_share, "{system} counts whole GPUs"},
    {As::refused, Field::resources_gpu_slice, "{system} counts whole GPUs"},
    {As::reported, Field::resources_smt, "{system} does not choose between cores and hardware threads"},
    {As::reported, Field::notify, "{system} sends no mail"},
    {As::refused, Field::preflight_nccl, "{system} does not run a test on all nodes before the program",
     "run it in `script`"},
    {As::reported, Field::retry_backoff, "{system} decides how long it waits before it starts a {unit} again"},
    {As::read, Field::retry, "{system}'s default"},
    {As::reported, Field::port, "the nodes of a task reach all ports of each other"},
    {As::read, Field::checkpoint_every, "reliability and lint"},
    {As::read, Field::checkpoint_write_time, "reliability and lint"},
    {As::reported, Field::checkpoint_async, "{system} cannot express this; pass it to the program as an argument"},
    {As::read, Field::require, "the choice of pool"},
    {As::read, Field::prefer, "the choice of pool"},
    {As::read, Field::role_primary, "the task has one role"},
    {As::refused, Field::serve_config, "Ray Serve applications are deployed by KubeRay", "use target `kuberay`"},
};

std::string filled(const Task& task, std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const bool system = rest.starts_with("{system}"), unit = rest.starts_with("{unit}");
    if (system) out += task.dialect.system;
    else if (unit) out += task.dialect.unit;
    else out += rest[0];
    at += system ? 8 : unit ? 6 : 1;
  }
  return out;
}

void check_size(Task& task) {
  if (model::is_range(task.role.resources.nodes))
    task.refuse(Field::resources_nodes, task.system() + " starts a task on exactly as many nodes as its file says",
                "set a single number of `nodes`");
  else task.exact(Field::resources_nodes, std::string(task.dialect.nodes));
  if (task.serves()) return;
  if (plan::demand_of(task.workload, task.role).written > 1)
    task.refuse(Field::replicas, task.system() + " has replicas of services only",
                "make each replica a workload of its own, or use target `slurm`");
  else task.read(Field::replicas, "one task");
}

void check_topology(Task& task) {
  if (!task.role.topology) return;
  using model::Within;
  const model::Topology& t = *task.role.topology;
  const bool near = t.within.value != Within::fleet && t.within.value != Within::zone &&
                    !(t.within.value == Within::node && !task.has_nodes());
  const std::string place(task.dialect.together);
  const std::string why =
      task.system() + " places the nodes of a task in one " + place + " and knows no switches within it";
  const std::string help = "remove `topology`, or use target `slurm`";
  if (t.segment) task.refuse_at(t.segment->span, Field::topology_segment, why, help);
  task.approximated(Field::topology_segment_within, "nothing", why);
  task.read(Field::topology_required, "the check of `within`");
  if (near && t.required) task.refuse(Field::topology_within, why, help);
  else if (near) task.approximated(Field::topology_within, "nothing", why);
  else task.read(Field::topology_within, task.system() + ", which places all nodes of a task in one " + place);
}

void check_stop(Task& task) {
  const auto& stop = task.workload.stop;
  if (!stop) return;
  const std::string why = task.system() + " " + std::string(task.dialect.no_signal),
                    help = "remove it, or use target `slurm`";
  if (stop->lead.value.ms > 0) task.refuse(Field::stop_lead, why, help);
  else task.read(Field::stop_lead, "no lead");
  if (stop->signal.value != "TERM") task.refuse(Field::stop_signal, why, help);
  else task.approximated(Field::stop_signal, "nothing", why);
}

void check_preflight(Task& task) {
  const auto& preflight = task.role.preflight;
  if (preflight && preflight->gpu_health)
    task.refuse(Field::preflight_gpu_health, task.system() + " does not check the GPUs of each node before the program",
                "run the check in `setup`");
  else task.read(Field::preflight_gpu_health, "no check");
  if (preflight && !preflight->nccl) task.read(Field::preflight_nccl, "no check");
}

void report_row(Task& task, const Said& row) {
  std::vector<FieldRef> left = task.keys_below(row.field);
  std::erase_if(left, [&](const FieldRef& field) { return task.loss.covers(field); });
  if (left.empty()) return;
  const std::string why = filled(task, row.text);
  if (row.as == As::refused) task.refuse(row.field, why, std::string(row.help));
  for (const FieldRef& field : left) {
    if (row.as == As::read) task.loss.read(field, why);
    else if (row.as == As::reported) task.loss.approximated(field, "nothing", why);
    else if (!task.loss.covers(field)) task.loss.refused(field, why);
  }
}

}  // namespace

void check(Task& task) {
  check_size(task);
  check_topology(task);
  check_stop(task);
  check_preflight(task);
  task.dialect.check(task);
}

void report_rows(Task& task) {
  for (const Said& row : of_all) report_row(task, row);
  for (const Said& row : task.dialect.says) report_row(task, row);
}

}  // namespace muster::targets::services
