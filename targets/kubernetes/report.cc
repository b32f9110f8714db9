#include "targets/kubernetes/report.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/model/runner.h"
#include "targets/contract/launch.h"
#include "targets/contract/wanted.h"
#include "targets/kubernetes/kinds.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/own_block.h"
#include "targets/kubernetes/pod_draft.h"

namespace muster::targets::kubernetes {
namespace {

// The fields below a block that have no entry yet, each with its own.
template <class Say>
void rest_of(Draft& draft, const FieldRef& block, const Say& say) {
  for (const FieldRef& field : draft.keys_below(block))
    if (!draft.loss.covers(field)) say(field);
}

void report_identity(Draft& draft) {
  if (!draft.loss.covers(model::Field::kind)) draft.exact(model::Field::kind, "the kind of object");
  draft.approximated(model::Field::title, "nothing", "the object's name is that of the workload");
  draft.approximated(model::Field::licenses, "nothing", "the scheduler of pods counts no licenses");
  draft.read_each(model::Field::facts, "the decision");
  if (draft.workload.retry_default)
    draft.approximated(model::Field::retry, "nothing", "a plane of pods has no setting of its own; nothing is retried");
  if (draft.workload.time_limit_default)
    draft.read(model::Field::time_limit, "nothing is written; nothing on a plane of pods limits the time of a job");
  if (draft.wrote(model::Field::account))
    draft.approximated(model::Field::account,
                       draft.name_space.empty() ? "label account" : "namespace " + draft.name_space,
                       "Kubernetes has no accounts; usage is charged to the tenant's namespace");
  for (const auto& [key, value] : draft.workload.labels) {
    if (is_label_key(key) && is_label_value(value.value)) draft.exact({model::Field::labels, key}, "label " + key);
    else
      draft.refuse_at(value.span, {model::Field::labels, key},
                      "`" + key + " = " + value.value +
                          "` is not a valid Kubernetes label: letters, digits and `- _ .`, at most 63");
  }
}

// What of the queue's settings the plane does not enforce, and muster has no key for.
void report_queue_limits(Draft& draft) {
  const model::Queue* queue = draft.plan.queue;
  if (queue == nullptr) return;
  if (!draft.limit && !draft.workload.time_limit_default && queue->max_time &&
      draft.workload.kind.value != model::Kind::serve)
    draft.loss.read(model::Field::time_limit, "nothing is written: queue " + queue->name +
                                                  " has no `default-time`, and nothing on plane " + draft.plane.name +
                                                  " enforces its `max-time`");
  std::vector<std::string_view> keys;
  if (queue->constraint) keys.push_back("constraint");
  if (queue->qos) keys.push_back("qos");
  if (queue->reservation) keys.push_back("reservation");
  if (keys.empty()) return;
  const std::string note = quoted_list(keys) + " of queue " + queue->name + (keys.size() > 1 ? " apply" : " applies") +
                           " to batch planes only, not to plane " + draft.plane.name;
  draft.loss.approximated(model::Field::queue, "the name of the queue", note);
}

// Capacity that is taken back: a queue or a pool of such.
void report_preemptible(Draft& draft) {
  const auto& preemptible = draft.workload.preemptible;
  if (!preemptible) return;
  if (!preemptible->value) return draft.read(model::Field::preemptible, "the choice of queue and pool");
  const model::Pool* pool = draft.plan.roles.empty() ? nullptr : draft.plan.roles[0].pool;
  const bool queued = draft.gang_row().has_queues && draft.plan.queue != nullptr;  // the file names the queue
  if (queued && draft.plan.queue->preemptible)
    return draft.exact(model::Field::preemptible, "queue " + draft.plan.queue->name);
  if (pool != nullptr && pool->preemptible) return draft.exact(model::Field::preemptible, "pool " + pool->name);
  draft.read(model::Field::preemptible, "a permission; the site has no preemptible queue or pool for this workload");
}

void report_files_and_mail(Draft& draft) {
  const bool told = std::any_of(draft.plan.roles.begin(), draft.plan.roles.end(), [&](const plan::RolePlan& shape) {
    return wanted_of(draft, shape).has("MUSTER_CHECKPOINT");
  });
  const bool referred = std::any_of(draft.plan.roles.begin(), draft.plan.roles.end(), [](const plan::RolePlan& shape) {
    return model::refers_to(*shape.role, model::RefersTo::checkpoint, "path");
  });
  if (told) draft.exact(model::Field::checkpoint_path, "MUSTER_CHECKPOINT");
  else if (referred) draft.exact(model::Field::checkpoint_path, "the text that refers to it");
  else
    draft.read(model::Field::checkpoint_path, "reliability and lint; no text of the workload names MUSTER_CHECKPOINT");
  for (const model::Field key : {model::Field::checkpoint_every, model::Field::checkpoint_write_time})
    draft.read(key, "reliability and lint");
  draft.approximated(model::Field::checkpoint_async, "nothing",
                     "Kubernetes cannot express this; pass it to the program as an argument");
  draft.approximated_each(model::Field::logs, "nothing", "pods do not write log files; use `kubectl logs`");
  draft.approximated_each(model::Field::notify, "nothing", "Kubernetes does not send mail");
}

// `launch` and `srun` of the target's own block, after make_pod, which marks what a launcher took.
void report_launch_options(Draft& draft, const model::TargetOptions& block) {
  const FieldRef launch{model::Field::target_launch, block.target}, srun{model::Field::target_srun, block.target};
  if (!block.srun.empty())
    draft.refuse_at(block.srun.front().span, srun, "pods are not started with srun", "write it in `target slurm`");
  const auto launchers = contract::launchers_of(draft.plan, [](const model::Role& role) {
    const bool script = role.program && std::holds_alternative<model::Script>(role.program->value);
    return row_of(role.launch.runner.value).opens_file && !script;
  });
  if (!draft.loss.covers(launch) || launchers.size() > 1)
    contract::report_launch(draft, block, launchers.size() > 1 ? launchers : std::vector<model::Runner>(),
                            "those of a script's launcher are written in the script");
}

void report_target_blocks(Draft& draft) {
  for (const model::TargetOptions& target : draft.workload.targets) {
    if (!is_own_block(draft, target)) {
      contract::report_elsewhere(draft, target);
      continue;
    }
    report_launch_options(draft, target);
    for (const model::RawOption& option : target.options) {
      const FieldRef field{model::Field::target, target.target + "." + option.name};
      if (draft.loss.covers(field)) continue;
      if (option.name == gives_option) draft.read(field, "`$(NAME)` of the command, and refusals of other targets");
      else
        draft.refuse_at(option.value.span, field,
                        "`target " + target.target + "` takes only `pod` and `object`, both YAML, and `gives`");
    }
  }
}

// Topology of a workload that may lie anywhere, or that no provider was asked about.
void report_everywhere(Draft& draft, const FieldRef& field) {
  if (!is_segment(field.field)) draft.loss.read(field, "no constraint is needed");
  else draft.loss.approximated(field, "nothing", "segments are only requested together with `within`");
}

// Fields of roles that only some kinds have a place for.
void report_fields_of_roles(Draft& draft) {
  for (const auto& [field, span] : draft.workload.written) {
    if (draft.loss.covers(field)) continue;
    if (field.field == model::Field::port_public)
      draft.loss.approximated(field, "a port of the pod", "a run-to-completion workload cannot expose a public port");
    else if (is_or_below(field.field, model::Field::topology)) report_everywhere(draft, field);
  }
}

// Nothing deletes the other objects of a job once it has ended, or once it is deleted.
void report_what_stays(Draft& draft) {
  if (draft.main.kind.empty() || draft.keeps_name || draft.objects.size() < 2) return;
  std::string names;
  for (const data::Node& object : draft.objects) {
    const std::string group(group_of(object.get("apiVersion")->text)), name = object.at("metadata.name")->text;
    const std::string kind = muster::lower(object.get("kind")->text) + (group.empty() ? "" : "." + group);
    if (kind != draft.main.kind || name != draft.main.name) names += " " + kind + "/" + name;
  }
  const std::string command =
      "kubectl" + (draft.name_space.empty() ? "" : " -n " + draft.name_space) + " delete" + names;
  draft.remarks.push_back("what stays after the job: " + command);
  draft.approximated(model::Field::kind, "objects beside the job", "they stay when it is deleted: `" + command + "`");
}

// The order between workloads is kept by a script beside the files.
void report_order(Draft& draft) {
  if (draft.workload.depends_on.empty()) return;
  if (draft.is_generated())
    return draft.refuse_at(draft.workload.depends_on.front().span, model::Field::depends_on,
                           "a dependency cannot name an object whose name the API server generates",
                           "use `--run NAME` or `--names digest` instead of `--names generate`");
  for (const model::After& after : draft.workload.depends_on)
    if (after.each)
      return draft.refuse_at(after.span, {model::Field::depends_on_each, after.workload},
                             "the submit script waits for whole workloads, not for the points of a sweep",
                             "remove `each`, so that all points wait for all of `" + after.workload + "`");
  draft.approximated_each(model::Field::depends_on, "submit.kubernetes.sh",
                          "Kubernetes cannot order workloads; the submit script waits and must keep running");
}

// Only a Job counts points, and it starts no gangs.
std::string sweep_sentence(const Draft& draft) {
  for (const plan::RolePlan& role : draft.plan.roles)
    if (role.nodes > 1) return "cannot run a sweep whose points have " + counted(role.nodes, "node") + " each";
  return "cannot run a sweep";
}

// What no kind took. The kinds that can say it have made their entries.
void refuse_the_rest(Draft& draft) {
  const std::pair<model::Field, std::string> blocks[] = {{model::Field::scale, "does not scale"},
                                                         {model::Field::serve, "has no endpoint"},
                                                         {model::Field::sweep, sweep_sentence(draft)},
                                                         {model::Field::dev, "is not interactive"},
                                                         {model::Field::retry, "does not retry"}};
  for (const auto& [block, why] : blocks) {
    const std::string message = "target `" + std::string(draft.target) + "` " + why;
    bool reported = false;
    rest_of(draft, block, [&](const FieldRef& field) {
      if (!reported) draft.refuse(field, message);
      else draft.loss.refused(field, message);
      reported = true;
    });
  }
}

// Why the kind's object names no queue.
std::string why_no_queue(const Draft& draft) {
  const auto of_plane = [&](const model::Queue& queue) {
    return queue.plane.empty() || queue.plane == draft.plane.name;
  };
  const auto found = std::count_if(draft.site.queues.begin(), draft.site.queues.end(), of_plane);
  if (found == 0) return "the plane has no queues";
  const std::string queues = counted(static_cast<long long>(found), "queue");
  const GangProviderRow& row = draft.gang_row();
  if (row.provider == model::GangProvider::none) return "no gang scheduler reads the " + queues + " of the plane";
  return (row.has_queues ? "target `" + std::string(draft.target) + "`" : std::string(row.title)) +
         " does not use the " + queues + " of the plane";
}

}  // namespace

void report_workload(Draft& draft, bool refused) {
  if (!refused) report_what_stays(draft);
  report_identity(draft);
  report_preemptible(draft);
  report_queue_limits(draft);
  report_files_and_mail(draft);
  report_target_blocks(draft);
  report_order(draft);
  if (!draft.loss.covers(model::Field::gang)) draft.read(model::Field::gang, "pods start independently");
  if (!draft.loss.covers(model::Field::queue)) draft.approximated(model::Field::queue, "nothing", why_no_queue(draft));
  std::string lost;
  for (const plan::LostOption& option : draft.plan.lost) lost += "; " + option.name + ": " + option.why;
  draft.read(model::Field::any_of, "the choice of option " + draft.workload.option + lost);
  if (refused) return;
  report_fields_of_roles(draft);
  refuse_the_rest(draft);
}

}  // namespace muster::targets::kubernetes
