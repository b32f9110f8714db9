// The symbols of the language: what a key of that type may be, each list once. Those that are an enumeration of the
// model are in the order of its enumerators.
#pragma once

#include <string_view>

namespace muster::model::symbols {

inline constexpr std::string_view kinds[] = {"train", "serve", "batch", "sweep", "rl", "mpi", "dev"};
inline constexpr std::string_view runners[] = {"none", "torchrun",  "accelerate",  "mpi",
                                               "ray",  "processes", "batch-script"};
inline constexpr std::string_view retry_reasons[] = {"node-failure", "preemption", "failure", "timeout", "exit-codes"};
inline constexpr std::string_view domains[] = {"node", "nvlink-domain", "leaf", "block", "zone", "fleet"};
inline constexpr std::string_view notify_events[] = {
    "start",     "end", "fail",      "requeue", "time-50", "time-80", "time-90", "time-limit", "invalid-dependency",
    "stage-out", "all", "each-point"};
inline constexpr std::string_view gangs_of_work[] = {"all", "replica", "none"};
inline constexpr std::string_view fabric_requests[] = {"auto", "required", "none"};
inline constexpr std::string_view role_starts[] = {"started", "ready", "complete"};
inline constexpr std::string_view afters[] = {"success", "finish", "failure", "start"};
inline constexpr std::string_view probes[] = {"readiness", "liveness", "startup"};
inline constexpr std::string_view engines[] = {"vllm", "sglang", "trtllm"};
inline constexpr std::string_view interfaces[] = {"jupyter", "vscode", "ssh", "shell"};
inline constexpr std::string_view gang_providers[] = {"none",     "kueue",        "volcano",       "kai",
                                                      "yunikorn", "coscheduling", "kube-scheduler"};
inline constexpr std::string_view feature_gates[] = {"generic-workload", "gang-scheduling", "workload-aware-preemption",
                                                     "workload-with-job", "topology-aware-workload-scheduling"};
inline constexpr std::string_view containers[] = {"none", "pyxis", "enroot", "apptainer", "shifter", "singularity"};

}  // namespace muster::model::symbols
