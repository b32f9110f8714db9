#include <algorithm>

#include "tests/loss/pods.h"

namespace muster::loss {
namespace {

bool retries_on(const Pods& p, model::RetryOn reason) {
  const auto& on = p.work.retry->on;
  return std::any_of(on.begin(), on.end(), [&](const auto& r) { return r.value == reason; });
}

// The object that says how the work ends: of a TrainJob its runtime.
const Tree& ending(const Pods& p) {
  return scalar(p.main["kind"]) == "TrainJob" ? object(p, "TrainingRuntime") : p.main;
}

// Whether the end of a pod is that of the work, so that `restartPolicy` says all.
bool is_by_pod(const Pods& p) {
  const std::string& kind = scalar(ending(p)["kind"]);
  return kind == "Pod" || kind == "PyTorchJob" || p.target == "volcano";
}

}  // namespace

std::string find_limit(const Pods& p) {
  const std::int64_t n = p.work.retry->limit.value;
  if (n == 0)
    return when((is_by_pod(p) ? says(ending(p), "restartPolicy", "Never")
                              : (says(ending(p), "backoffLimit", 0) || says(ending(p), "backoffLimitPerIndex", 0))) &&
                    !any(ending(p),
                         [](const std::string& key, const Tree&) { return key == "maxRestarts" || key == "maxRetry"; }),
                "one attempt");
  if (n < 0 && scalar(ending(p)["kind"]) == "PyTorchJob")
    return when(says(ending(p), "restartPolicy", "ExitCode") || says(ending(p), "restartPolicy", "OnFailure"),
                "no backoffLimit");
  for (const char* key : {"backoffLimit", "backoffLimitPerIndex", "maxRestarts"})
    if (says(ending(p), key, n < 0 ? 2'147'483'647 : n)) return key;
  return when(says(ending(p), "maxRetry", n < 0 ? 2'147'483'647 : n + 1), "maxRetry");
}

std::string find_codes(const Pods& p) {
  const auto& codes = p.work.retry->exit_codes;
  return when(std::all_of(codes.begin(), codes.end(),
                          [&](const auto& code) {
                            return says(ending(p), "values", code.value) || says(ending(p), "exitCode", code.value);
                          }),
              "the codes of a policy");
}

std::string find_reasons(const Pods& p) {
  const bool failure = retries_on(p, model::RetryOn::failure), timeout = retries_on(p, model::RetryOn::timeout);
  const bool codes = retries_on(p, model::RetryOn::exit_codes);
  if (p.target == "volcano") {
    const bool node = retries_on(p, model::RetryOn::node_failure),
               preempted = retries_on(p, model::RetryOn::preemption);
    const auto again = [&](std::string_view event) {
      return any(ending(p)["spec"]["policies"], [&](const std::string&, const Tree& at) {
        return at.is == Tree::Is::map && scalar(at["event"]) == event && scalar(at["action"]) == "RestartJob";
      });
    };
    // The pods of a lost node are evicted, and failed.
    const bool right = again("PodFailed") == (failure || node) && again("PodEvicted") == (node || preempted);
    return when(right && (!codes || !find_codes(p).empty()), "policies");
  }
  if (scalar(ending(p)["kind"]) == "PyTorchJob")
    return when(says(ending(p), "restartPolicy", failure ? "OnFailure" : "ExitCode"), "restartPolicy");
  if (scalar(ending(p)["kind"]) == "JobSet" || scalar(ending(p)["kind"]) == "TrainingRuntime")
    return when(any(ending(p), [](const std::string& key, const Tree&) { return key == "failurePolicy"; }) &&
                    holds(ending(p), "BackoffLimitExceeded") != failure &&
                    holds(ending(p), "DeadlineExceeded") != timeout,
                "failurePolicy");
  const bool none = any(ending(p), [](const std::string&, const Tree& at) {
    return at.is == Tree::Is::map && scalar(at["operator"]) == "NotIn" && at["values"] &&
           at["values"].items.size() == 1 && at["values"].items[0].text == "0";
  });
  const bool policy = any(ending(p), [](const std::string& key, const Tree&) { return key == "podFailurePolicy"; });
  return when(policy && none != (failure || codes) && (failure || !codes || !find_codes(p).empty()),
              "podFailurePolicy");
}

std::string find_topology(const Pods& p) {
  const auto& topology = *p.role.topology;
  const auto annotation = [&](const std::string& end, bool of_object = false) {
    return any(p.role.nodes() > 1 && p.work.roles.size() > 1 && !of_object ? p.meta : p.main,
               [&](const std::string& key, const Tree& at) { return key.ends_with(end) && at.is == Tree::Is::scalar; });
  };
  const bool slices = !topology.segment && annotation("podset-slice-required-topology");  // each is a replica
  const bool hard = slices || annotation("podset-required-topology") || annotation("topology-required-placement", true);
  const bool soft = annotation("podset-preferred-topology") || annotation("topology-preferred-placement", true);
  bool volcano_hard = false, volcano_soft = false;  // Kubernetes' own is always hard
  for (const Tree& o : p.objects) {
    volcano_hard = volcano_hard || says(o, "mode", "hard") || o["spec"]["schedulingConstraints"]["topology"].there() ||
                   o["spec"]["scheduling"]["schedulingConstraints"]["topology"].there();
    volcano_soft = volcano_soft || says(o, "mode", "soft");
  }
  if (p.asked.key == "topology.required")
    return when(topology.required ? hard || volcano_hard : soft || volcano_soft, "required");
  if (p.asked.key == "topology.segment")
    return when(says(p.main, "kueue.x-k8s.io/podset-slice-size", topology.segment->value), "slice-size");
  if (p.asked.key == "topology.segment-within")
    return when(annotation("podset-slice-required-topology"), "slice-required-topology");
  return when(hard || soft || volcano_hard || volcano_soft, "the provider's topology");
}

}  // namespace muster::loss
