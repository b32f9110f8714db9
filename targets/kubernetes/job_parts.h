// Parts of batch Jobs that several kinds have: retries, deadlines, addresses, the command to connect.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "targets/kubernetes/draft.h"

namespace muster::targets::kubernetes {

struct JobRetry {
  bool per_index = false;  // each index of an Indexed Job has its own attempts
  bool gang = false;       // its pods need each other: one that is started again would wait forever
};

// backoffLimit and podFailurePolicy of a Job's spec from `retry`; accounts for it.
void add_job_retry(Draft& draft, Node& job_spec, const JobRetry& how);

// `retry` of a gang that is one JobSet: the policies of its Jobs and of itself, and their account. A Job has one
// attempt (backoffLimit 0), and why it failed decides about the JobSet.
Node pod_failure_policy_of_gang(const model::Retry& retry);
Node jobset_failure_policy(const model::Retry& retry);
void report_jobset_retry(Draft& draft, const model::Retry& retry);

// `time-limit` as activeDeadlineSeconds: of the Job where it has one attempt of one thing, else of each pod.
void add_job_deadline(Draft& draft, Node& job_spec, Node& pod_template, bool several);

// A Service without an address of its own, by which the pods find each other: `<pod>.<name>`. `label` is that by which
// the controller names the object on its pods.
void add_headless_service(Draft& draft, const std::string& name, std::string_view label);

// `dev`: the remark that tells how people get into a `pod` or the first one of a `job`; accounts for it.
void report_access(Draft& draft, std::string_view kind);

// As what `replicas` was written for a role: "replicas", "role.train.replicas", both or nothing.
std::vector<FieldRef> replica_fields(const Draft& draft, const model::Role& role);

}  // namespace muster::targets::kubernetes
