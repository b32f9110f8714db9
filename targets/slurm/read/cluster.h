// What a Slurm cluster says of itself, as plain records: the output of scontrol, sacctmgr and squeue,
// and the files slurm.conf, gres.conf and topology.conf. Every reader is a function of bytes; what is
// damaged is reported (E10…) and left out. Spans are of the record's first word.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/limits.h"
#include "compiler/base/source.h"
#include "compiler/base/units.h"
#include "targets/slurm/read/gres.h"

namespace muster::targets::slurm {

// One text of the input and its number in Sources.
struct ClusterText {
  std::string_view text;
  std::uint32_t file = 0;
  std::uint32_t begin = 0;  // of `text` in the file
};

// gpu:h100:8 is {gpu, h100, 8}; gpu:8 has no type.
struct NodeRecord {
  std::string name;
  Span span;
  std::int64_t cpus = 0;       // as Slurm counts them: threads where the cluster does
  std::int64_t threads = 1;    // CPUs of a core
  std::int64_t spec_cpus = 0;  // kept by the system
  std::int64_t memory_mib = 0;
  std::int64_t spec_memory_mib = 0;
  std::int64_t disk_mib = 0;
  std::string arch;  // as the node says: x86_64, aarch64; "" if not known
  std::vector<Gres> gres;
  std::vector<std::string> features;
  std::vector<std::string> states;  // "IDLE", "CLOUD"…; empty in a slurm.conf that names none
  std::string reason;
  // Of scontrol alone: what is in use.
  bool live = false;
  std::int64_t used_cpus = 0;
  std::int64_t used_memory_mib = 0;
  std::optional<std::vector<Gres>> used_gres;  // only `scontrol -d` says
  std::vector<std::string> unread{};
  bool is(std::string_view state) const;
};

struct PartitionRecord {
  std::string name;
  Span span;
  std::string hosts;       // a host list; not spelt out, as many partitions may have the same nodes
  bool all_nodes = false;  // Nodes=ALL of a slurm.conf
  bool is_default = false;
  bool root_only = false;
  std::string state = "UP";
  std::optional<Duration> max_time, default_time;  // nullopt: without a limit, not given
  std::optional<std::int64_t> max_nodes;
  std::vector<std::string> accounts;  // that may use it; empty: all
  std::vector<std::string> qos;       // that may be asked for; empty: all
  std::string own_qos;                // whose limits it has
  std::string oversubscribe;
  std::optional<std::int64_t> memory_a_node, memory_a_cpu;  // MiB of a job that states none
  std::string job_defaults;                                 // "DefMemPerGPU=32768,DefCpuPerGPU=4"
  std::string preempt_mode;                                 // "REQUEUE"; "": the cluster's
  std::int64_t priority_tier = 1;
  std::vector<std::string> unread{};  // keys of it that nothing reads, as of the other records
};

// `Key = Value` lines of scontrol show config, or `Key=Value` of slurm.conf.
struct ConfigRecord {
  std::string taken;  // "2026-11-21T05:45:47", from the first line; "" in a slurm.conf
  std::vector<std::pair<std::string, std::string>> values;
  std::vector<std::string> includes;                 // files that a slurm.conf includes; they are not followed
  std::string_view get(std::string_view key) const;  // in any case; "" for what is not there or (null)
};

// A leaf of a switch tree, or a block.
struct SwitchRecord {
  std::string name;
  Span span;
  bool block = false;
  std::vector<std::string> nodes;  // empty for a switch of switches
};

// Limits of TRES: nullopt: no limit.
struct TresLimit {
  std::optional<std::int64_t> gpus, nodes;
  std::vector<std::pair<std::string, std::int64_t>> typed_gpus;  // gres/gpu:h100=8
  std::optional<std::int64_t> cpus{};
  std::optional<std::int64_t> memory{};  // in bytes
  std::vector<std::string> others{};     // of what else there are limits, with the column: "GrpTRES license/matlab"
  bool any() const { return gpus || nodes || cpus || memory || !typed_gpus.empty(); }
};

// One row of sacctmgr show assoc. A row without a user is the account's own.
struct AssociationRecord {
  std::string cluster, account, user, parent;
  Span span;
  TresLimit group, per_job;
  std::optional<Duration> max_time;
  std::string partition{};  // where it holds; "": everywhere
  std::optional<std::int64_t> jobs{}, jobs_per_user{};
  std::vector<std::string> unused{};                         // its other settings, by their column
  std::vector<std::pair<std::string, std::string>> cells{};  // all its settings: column and value
};

struct QosRecord {
  std::string name;
  Span span;
  TresLimit group, per_job, per_user;
  std::optional<Duration> max_time;
  std::optional<std::int64_t> jobs_per_user;
  std::optional<std::int64_t> jobs_per_account{};
  std::vector<std::string> unused{}, settings{};  // by their column: those that nothing reads, and all
};

// One row of squeue -o "%i|%P|%T|%N|%D|%C|%m|%b" (any order, known by its header).
struct JobRecord {
  std::string id, partition, state;
  Span span;
  std::string hosts;  // a host list; "" while it waits
  std::int64_t node_count = 0;
  std::int64_t cpus = 0;    // of all its nodes
  std::vector<Gres> gres;   // of a node
  bool gres_known = false;  // false: N/A, so GPUs may have been asked for in another way
};

// Nodes that are held for a time, as scontrol show reservation says.
struct ReservationRecord {
  std::string name;
  Span span;
  std::string hosts;  // a host list; "" of one of licenses
  std::string from, until, features, licenses;
  std::int64_t node_count = 0, core_count = 0;
  std::vector<std::string> users, accounts, groups, flags;
  std::vector<std::string> unread{};
};

struct Cluster {
  std::vector<NodeRecord> nodes;
  std::vector<PartitionRecord> partitions;
  std::optional<ConfigRecord> config;
  std::vector<SwitchRecord> switches;
  std::vector<AssociationRecord> associations;
  std::vector<QosRecord> qos;
  std::vector<JobRecord> jobs;
  std::vector<ReservationRecord> reservations;
  bool asked_associations = false;  // the output was there, if only its header
  bool asked_jobs = false;
  bool asked_reservations = false;
};

enum class ClusterFile : std::uint8_t {
  nodes,       // scontrol show node, with -o or -d too
  partitions,  // scontrol show partition
  config,      // scontrol show config
  topology,    // scontrol show topology, topology.conf
  slurm_conf,
  gres_conf,
  associations,  // sacctmgr show assoc -P
  qos,           // sacctmgr show qos -P
  jobs,          // squeue
  reservations,  // scontrol show reservation
};

// A stretch of one kind in a text: outputs may be one after another.
struct ClusterSection {
  ClusterFile kind{};
  ClusterText text;
};

// Recognises the stretches by their content. Lines in front that nothing recognises are `strange`: the
// place of the first one, nowhere if there is none.
struct ClusterSections {
  std::vector<ClusterSection> sections;
  Span strange;
};
ClusterSections recognise(const ClusterText& text);

// All stretches together. What scontrol says wins over files, whatever the order; of two outputs of
// the same kind the first wins.
Cluster read_cluster(const std::vector<ClusterSection>& sections, Diagnostics& diagnostics);

// The parts of it.
std::vector<NodeRecord> read_nodes(const ClusterText& text, Diagnostics& diagnostics);
std::vector<PartitionRecord> read_partitions(const ClusterText& text, Diagnostics& diagnostics);
ConfigRecord read_config(const ClusterText& text);
std::vector<SwitchRecord> read_topology(const ClusterText& text, Diagnostics& diagnostics);
struct SlurmConf {
  ConfigRecord config;
  std::vector<NodeRecord> nodes;
  std::vector<PartitionRecord> partitions;
};
SlurmConf read_slurm_conf(const ClusterText& text, Diagnostics& diagnostics);
// Nodes with only their names and GRES. A line without NodeName is for all nodes: a record without a name.
std::vector<NodeRecord> read_gres_conf(const ClusterText& text, Diagnostics& diagnostics);
std::vector<AssociationRecord> read_associations(const ClusterText& text, Diagnostics& diagnostics);
std::vector<QosRecord> read_qos(const ClusterText& text, Diagnostics& diagnostics);
std::vector<ReservationRecord> read_reservations(const ClusterText& text, Diagnostics& diagnostics);
std::vector<JobRecord> read_jobs(const ClusterText& text, Diagnostics& diagnostics);

// The most nodes of one cluster; more are refused.
constexpr std::size_t max_nodes = value_of(Limit::cluster_nodes);

}  // namespace muster::targets::slurm
