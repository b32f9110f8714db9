// A plan as one self-contained job script of a batch system. The system is a `Dialect`; its folder has a function a
// target, which calls these.
#pragma once

#include "targets/batch/dialect.h"
#include "targets/target.h"

namespace muster::targets::batch {

// What kind of job a target writes.
struct JobKind {
  std::string_view target;  // "ray-on-slurm"
  bool ray = false;         // a Ray cluster is started inside the job: only workloads whose runner is Ray
};

Lowered lower(const Dialect& dialect, const JobKind& kind, const plan::Plan& plan, const LowerOptions& options,
              Diagnostics& diagnostics);

// `submit.<system>.sh`: submits each job in order, with what it waits for. Ids of jobs that are not among them come
// from the environment, JOB_<NAME>. nullopt if none waits for another.
std::optional<Document> submit_script(const Dialect& dialect, std::span<const Submission> submissions,
                                      Diagnostics& diagnostics);

}  // namespace muster::targets::batch
