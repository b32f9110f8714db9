// What scontrol and slurm.conf say beside where jobs may run: states, counts, addresses, power, accounting.
#include <array>

#include "targets/slurm/read/records.h"

namespace muster::targets::slurm {
namespace {

constexpr std::array of_nodes = std::to_array<SilentKey>({{"CPULoad"},         {"ActiveFeatures"},
                                                          {"GresDrain"},       {"NodeAddr"},
                                                          {"NodeHostName"},    {"Port"},
                                                          {"Version"},         {"OS"},
                                                          {"FreeMem"},         {"Sockets"},
                                                          {"SocketsPerBoard"}, {"Boards"},
                                                          {"CoresPerSocket"},  {"CoreSpecCount"},
                                                          {"Weight"},          {"Partitions"},
                                                          {"BootTime"},        {"SlurmdStartTime"},
                                                          {"LastBusyTime"},    {"ResumeAfterTime"},
                                                          {"CfgTRES"},         {"AllocTRES"},
                                                          {"CurrentWatts"},    {"AveWatts"},
                                                          {"CapWatts"},        {"LowestJoules"},
                                                          {"ConsumedJoules"},  {"ExtSensorsJoules"},
                                                          {"ExtSensorsWatts"}, {"ExtSensorsTemp"},
                                                          {"BcastAddr"},       {"Comment"},
                                                          {"Extra"},           {"InstanceId"},
                                                          {"InstanceType"},    {"ReservationName"},
                                                          {"CpuBind"},         {"MCS_label", "N/A"},
                                                          {"Owner", "N/A"}});

constexpr std::array of_partitions = std::to_array<SilentKey>({{"AllowGroups", "ALL"},
                                                               {"AllocNodes", "ALL"},
                                                               {"Alternate"},
                                                               {"CpuBind"},
                                                               {"DenyAccounts", "NONE"},
                                                               {"DenyQos", "NONE"},
                                                               {"DisableRootJobs"},
                                                               {"ExclusiveTopo", "NO"},
                                                               {"ExclusiveUser", "NO"},
                                                               {"GraceTime"},
                                                               {"Hidden"},
                                                               {"LLN"},
                                                               {"MaxMemPerCPU", "0"},
                                                               {"MaxMemPerNode", "0"},
                                                               {"MinNodes", "0|1"},
                                                               {"NodeSets"},
                                                               {"OverTimeLimit"},
                                                               {"PowerDownOnIdle"},
                                                               {"Priority"},
                                                               {"PriorityJobFactor"},
                                                               {"ReqResv", "NO"},
                                                               {"ResumeTimeout"},
                                                               {"SelectTypeParameters", "NONE"},
                                                               {"SuspendTime"},
                                                               {"SuspendTimeout"},
                                                               {"TotalCPUs"},
                                                               {"TotalNodes"},
                                                               {"TRES"},
                                                               {"TRESBillingWeights"}});

constexpr std::array of_reservations = std::to_array<SilentKey>({{"Duration"},
                                                                 {"PartitionName"},
                                                                 {"TRES"},
                                                                 {"State"},
                                                                 {"BurstBuffer"},
                                                                 {"Watts"},
                                                                 {"NodeName"},
                                                                 {"CoreIDs"},
                                                                 {"Comment"}});

}  // namespace

std::span<const SilentKey> silent_keys(ClusterFile kind) {
  switch (kind) {
    case ClusterFile::nodes: return of_nodes;
    case ClusterFile::partitions: return of_partitions;
    case ClusterFile::reservations: return of_reservations;
    default: return {};
  }
}

}  // namespace muster::targets::slurm
