#include "targets/kubernetes/job_parts.h"

#include <algorithm>

#include "targets/kubernetes/gang_kinds.h"
#include "targets/shell.h"

namespace muster::targets::kubernetes {
namespace {

using model::RetryOn;

Node exit_rule(std::string_view action, std::string_view op, Node values) {
  return map({{"action", text(action)}, {"onExitCodes", map({{"operator", text(op)}, {"values", std::move(values)}})}});
}

// Which failed pods count as an attempt, and which end the Job at once.
Node failure_policy(const model::Retry& retry, bool per_index) {
  const std::string_view end = per_index ? "FailIndex" : "FailJob";
  Node disrupted = map({{"type", text("DisruptionTarget")}, {"status", text("True")}});
  const bool disruption = retries_on(retry, RetryOn::node_failure) || retries_on(retry, RetryOn::preemption);
  Node rules = list({});
  rules.items.push_back(
      map({{"action", text(disruption ? "Count" : end)}, {"onPodConditions", list({std::move(disrupted)})}}));
  if (!retry.exit_codes.empty() && !retries_on(retry, RetryOn::failure)) {
    Node codes = list({});
    for (const auto& code : retry.exit_codes) codes.items.push_back(number(code.value));
    rules.items.push_back(exit_rule(end, "NotIn", std::move(codes)));
  } else if (!retries_on(retry, RetryOn::failure)) {
    rules.items.push_back(exit_rule(end, "NotIn", list({number(0)})));
  }
  return map({{"rules", std::move(rules)}});
}

void report_retry(Draft& draft, const model::Retry& retry, const std::string& key) {
  if (retry.limit.value == model::Retry::unlimited)
    draft.approximated(model::Field::retry_limit, "a very large " + key,
                       "Kubernetes cannot express an unlimited number of retries");
  else draft.exact(model::Field::retry_limit, key);
  if (retry.limit.value == 0) return report_no_retry(draft);
  const bool node = retries_on(retry, RetryOn::node_failure), preempted = retries_on(retry, RetryOn::preemption);
  if (retries_on(retry, RetryOn::timeout))
    draft.refuse(model::Field::retry_on,
                 "a Job that exceeds its deadline fails permanently, so `timeout` cannot be retried",
                 "remove `timeout`, or set a longer `time-limit`");
  else if (node != preempted)
    draft.approximated(model::Field::retry_on, "podFailurePolicy",
                       "Kubernetes does not distinguish node failure and preemption; both are disruptions");
  else draft.exact(model::Field::retry_on, "podFailurePolicy");
  if (retries_on(retry, RetryOn::failure))
    draft.read(model::Field::retry_exit_codes, "`on`, which includes every failure");
  else draft.exact(model::Field::retry_exit_codes, "podFailurePolicy");
  draft.approximated(model::Field::retry_backoff, "nothing",
                     "the Job controller's backoff: 10 s, doubled each time, at most 10 minutes");
}

}  // namespace

void add_job_retry(Draft& draft, Node& job_spec, const JobRetry& how) {
  const auto& retry = draft.workload.retry;
  const std::int64_t limit = retry ? retry->limit.value : 0;
  if (retry && how.gang && limit != 0)
    return draft.refuse(model::Field::retry, "a Job restarts single pods, not a gang", "use target `jobset`");
  const std::int64_t attempts = limit == model::Retry::unlimited ? 2'147'483'647 : limit;
  const std::string key = how.per_index ? "backoffLimitPerIndex" : "backoffLimit";
  put(job_spec, key, number(attempts));
  if (!retry) return;
  if (limit != 0) put(job_spec, "podFailurePolicy", failure_policy(*retry, how.per_index));
  report_retry(draft, *retry, key);
}

// ---- retries: a child Job has one attempt, and why it failed decides about the JobSet.

// Failures that are retried although others are not are distinguished by the reason PodFailurePolicy.
Node pod_failure_policy_of_gang(const model::Retry& retry) {
  Node rules = list({});
  if (retries_on(retry, RetryOn::node_failure) || retries_on(retry, RetryOn::preemption)) {
    Node condition = map({{"type", text("DisruptionTarget")}, {"status", text("True")}});
    rules.items.push_back(map({{"action", text("FailJob")}, {"onPodConditions", list({std::move(condition)})}}));
  }
  if (!retry.exit_codes.empty()) {
    Node codes = list({});
    for (const auto& code : retry.exit_codes) codes.items.push_back(number(code.value));
    rules.items.push_back(map(
        {{"action", text("FailJob")}, {"onExitCodes", map({{"operator", text("In")}, {"values", std::move(codes)}})}}));
  }
  return rules.items.empty() ? nothing() : map({{"rules", std::move(rules)}});
}

Node jobset_failure_policy(const model::Retry& retry) {
  std::vector<std::string> final_reasons;
  if (!retries_on(retry, RetryOn::failure)) final_reasons.emplace_back("BackoffLimitExceeded");
  if (!retries_on(retry, RetryOn::timeout)) final_reasons.emplace_back("DeadlineExceeded");
  const bool forever = retry.limit.value == model::Retry::unlimited;
  Node out = map({{"maxRestarts", number(forever ? 2'147'483'647 : retry.limit.value)}});
  if (!final_reasons.empty())
    put(out, "rules",
        list({map({{"name", text("final")},
                   {"action", text("FailJobSet")},
                   {"onJobFailureReasons", texts(final_reasons)}})}));
  return out;
}

void report_jobset_retry(Draft& draft, const model::Retry& retry) {
  if (retry.limit.value == model::Retry::unlimited)
    draft.approximated(model::Field::retry_limit, "a very large maxRestarts",
                       "JobSet cannot express an unlimited number of retries");
  else if (retry.limit.value == 0) draft.exact(model::Field::retry_limit, "backoffLimit: 0");
  else draft.exact(model::Field::retry_limit, "maxRestarts, which restarts the whole gang");
  if (retry.limit.value == 0) return report_no_retry(draft);
  if (retries_on(retry, RetryOn::node_failure) != retries_on(retry, RetryOn::preemption))
    draft.approximated(model::Field::retry_on, "failurePolicy",
                       "Kubernetes does not distinguish node failure and preemption; both are disruptions");
  else draft.exact(model::Field::retry_on, "failurePolicy");
  draft.exact(model::Field::retry_exit_codes, "podFailurePolicy of the Jobs");
  draft.approximated(model::Field::retry_backoff, "nothing", "JobSet restarts at once");
}

void add_job_deadline(Draft& draft, Node& job_spec, Node& pod_template, bool several) {
  const auto& limit = draft.limit;
  if (!limit) return;
  const bool again = draft.workload.retry && draft.workload.retry->limit.value != 0;
  put(several || again ? at(pod_template, "spec") : job_spec, "activeDeadlineSeconds",
      number(limit->value.seconds_up()));
  draft.report_limit(several || again ? "activeDeadlineSeconds of each pod" : "activeDeadlineSeconds");
}

void add_headless_service(Draft& draft, const std::string& name, std::string_view label) {
  Node service = draft.object("v1", "Service", name);
  Node selector =
      draft.is_generated() ? map({{"app.kubernetes.io/name", text(draft.base)}}) : map({{label, text(draft.name)}});
  put(service, "spec",
      map({{"clusterIP", text("None")}, {"publishNotReadyAddresses", truth(true)}, {"selector", std::move(selector)}}));
  draft.add(std::move(service));
}

void report_access(Draft& draft, std::string_view kind) {
  if (!draft.workload.dev) return;
  const model::Dev& dev = *draft.workload.dev;
  const std::string name_space = draft.name_space.empty() ? "" : " -n " + draft.name_space;
  const model::Role& role = *draft.plan.roles.front().role;
  const std::string object = std::string(kind) + "/" + draft.name;
  const bool jupyter = dev.interface.value == model::Interface::jupyter;
  const bool shell = dev.interface.value == model::Interface::shell || (role.ports.empty() && !jupyter);
  const std::int64_t port = role.ports.empty() ? 8888 : role.ports[0].number.value;  // Jupyter's own
  draft.remarks.push_back("to connect: kubectl" + name_space +
                          (shell ? " exec -it " + object + " -- " + sh_text(model::shell_of(draft.workload, role))
                                 : " port-forward " + object + " " + std::to_string(port)));
  draft.exact(model::Field::dev_interface, "the command to connect at the top of the file");
  draft.approximated(model::Field::dev_idle_timeout, "nothing",
                     "Kubernetes cannot detect that an interactive session is idle");
}

std::vector<FieldRef> replica_fields(const Draft& draft, const model::Role& role) {
  std::vector<FieldRef> out;
  for (const FieldRef& field : {FieldRef{model::Field::replicas}, FieldRef{model::Field::replicas, "", role.name}})
    if (draft.wrote_as(field)) out.push_back(field);
  return out;
}

}  // namespace muster::targets::kubernetes
