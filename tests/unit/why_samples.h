// Outputs as systems print them, in parts: the tests of `why` put them together in many ways.
#pragma once

#include <string>
#include <vector>

namespace why_samples {

// What one job printed, each part the output of one command, and the code of its cause.
struct Sample {
  std::string name, code;
  std::vector<std::string> parts;
  // Whether its cause is known from texts that a terminal did not cut, from the first parts alone.
  bool arithmetic = false;
};

inline std::string job_record(const std::string& id, const std::string& reason, const std::string& extra) {
  return "JobId=" + id +
         " JobName=train\n   UserId=erin(3001) GroupId=erin(3001) MCS_label=N/A\n   Priority=900 Nice=0 Account=bio "
         "QOS=normal\n   JobState=PENDING Reason=" +
         reason +
         " Dependency=(null)\n   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0\n   RunTime=00:00:00 "
         "TimeLimit=02:00:00 TimeMin=N/A\n   Partition=batch AllocNode:Sid=login:77\n" +
         extra;
}

inline std::string size_of(const std::string& nodes, const std::string& gpus) {
  return "   ReqNodeList=(null) ExcNodeList=(null)\n   NumNodes=" + nodes + " NumCPUs=" + nodes + " NumTasks=" + nodes +
         " CPUs/Task=1\n   ReqTRES=cpu=" + nodes + ",mem=40G,node=" + nodes + ",billing=1,gres/gpu=" + gpus +
         "\n   MinCPUsNode=1 MinMemoryNode=20G MinTmpDiskNode=0\n   Features=(null) DelayBoot=00:00:00\n   "
         "OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)\n   TresPerNode=gres/gpu:a100:4\n";
}

inline std::string queue_row(const std::string& id, const std::string& reason) {
  return "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n               " + id +
         "     batch    train     erin PD       0:00      2 (" + reason + ")\n";
}

inline std::string node_table(const std::vector<int>& used) {
  std::string out =
      "NODELISTSTATE       CPUS(A/I/O/T)   ALLOCMEM    MEMORY    GRES            GRES_USED                   \n";
  for (std::size_t i = 0; i < used.size(); ++i)
    out +=
        "g" + std::to_string(i + 1) +
        "      mixed       4/60/0/64       20480       512000    gpu:a100:4      gpu:a100:" + std::to_string(used[i]) +
        "(IDX:N/A)\n";
  return out;
}

inline const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = {
      {"busy",
       "slurm/resources-busy",
       {queue_row("41", "Resources"), job_record("41", "Resources", size_of("2", "8")), node_table({4, 4, 0})},
       true},
      {"fragmented",
       "slurm/resources-fragmented",
       {queue_row("42", "Resources"), job_record("42", "Resources", size_of("2", "8")), node_table({2, 2, 2, 2})},
       true},
      {"held",
       "slurm/held-by-user",
       {queue_row("43", "JobHeldUser"), job_record("43", "JobHeldUser", size_of("2", "8"))}},
      {"limit",
       "slurm/qos-max-gpus-per-user",
       {queue_row("44", "QOSMaxGRESPerUser"), job_record("44", "QOSMaxGRESPerUser", size_of("2", "8")),
        "Name|Flags|MaxTRESPU\nnormal||gres/gpu=4\n"}},
      {"partition",
       "slurm/partition-unknown",
       {"sbatch: error: invalid partition specified: bacth\nsbatch: error: Batch job submission failed: Invalid "
        "partition name specified\n",
        "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\nbatch*       up   infinite      3   idle g[1-3]\n"}},
      {"taint",
       "k8s/untolerated-taint",
       {"Name:             fit\nNamespace:        team\nPriority:         0\nNode:             <none>\nStatus:         "
        "  Pending\nIP:               \nConditions:\n"
        "  Type           Status\n  PodScheduled   False \nEvents:\n  Type     Reason            Age   From            "
        "   Message\n  ----     ------            ----  ----"
        "               -------\n  Warning  FailedScheduling  3s    default-scheduler  0/3 nodes are available: 3 "
        "node(s) had untolerated taint(s). preemption: 0/3 nodes are "
        "available: 3 Preemption is not helpful for scheduling.\n",
        "NAME   READY   STATUS    RESTARTS   AGE\nfit    0/1     Pending   0          4s\n"}},
      {"module",
       "program/module-missing",
       {"[rank1]: Traceback (most recent call last):\n[rank1]:   File \"train.py\", line 3, in <module>\n[rank1]: "
        "ModuleNotFoundError: No module named 'apex'\n"}}};
  return all;
}

}  // namespace why_samples
