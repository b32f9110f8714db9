// What Slurm will do with a script: the values of its directives as Slurm understands them, what it
// refuses together, and how many processes really start. Tried on 22.05, 24.11 and 26.05.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/model/fleet.h"
#include "compiler/model/site.h"
#include "targets/slurm/read/body.h"
#include "targets/slurm/read/gres.h"
#include "targets/slurm/read/script.h"

namespace muster::targets::slurm {

inline constexpr std::int32_t no_directive = -1;

// A value with the directive that gave it. `unclear`: it was given, and this file alone cannot tell
// what it is (a template, a variable); `invalid`: Slurm refuses the value (see Meaning::refusals).
template <class T>
struct Known {
  enum class State : std::uint8_t { absent, known, unclear, invalid } state = State::absent;
  T value{};
  std::int32_t by = no_directive;  // index into Script::directives; none: Slurm's default, or worked out
  std::string reason;              // unclear: why

  explicit operator bool() const { return state == State::known; }
  const T* operator->() const { return &value; }
  const T& operator*() const { return value; }
  bool given() const { return state != State::absent; }
};

struct Range {
  std::int64_t min = 1;
  std::int64_t max = 1;  // of a list of sizes (1,2,4): its largest
};

// GPUs by type, as written: {"h100", 8}; {"", 4} where no type is given.
struct GpuCount {
  std::string type;
  std::int64_t count = 0;
};

// Other generic resources of --gres: {"shard", "", 2}.
enum class MemoryPer : std::uint8_t { node, cpu, gpu };

struct Memory {
  MemoryPer per = MemoryPer::node;
  std::int64_t mebibytes = 0;
  bool all = false;  // --mem=0: all of each node
};

struct TimeLimit {
  std::int64_t seconds = 0;  // as written
  std::int64_t minutes = 0;  // as Slurm keeps it, rounded up
  bool unlimited = false;
};

struct Array {
  std::int64_t count = 0;
  std::int64_t min = 0, max = 0;
  std::optional<std::int64_t> throttle;  // %N; 0 blocks all
  std::string ids;                       // as written, without the throttle
};

struct Signal {
  std::string name;  // "USR1", "10"
  std::int64_t number = 0;
  std::int64_t seconds = 60;
  bool batch = false;        // B: only the batch shell gets it
  bool reservation = false;  // R:
};

enum class Exclusive : std::uint8_t { no, node, user, mcs, topo };

// What one component asks for; a plain job has one. Options that pass from component to component
// are in each.
struct Component {
  Known<Range> nodes;         // known also where worked out from --nodelist or tasks a node
  Known<std::int64_t> tasks;  // in all; as written, or what Slurm works out from the others
  Known<std::int64_t> tasks_per_node;
  Known<std::int64_t> tasks_per_gpu;
  Known<std::int64_t> cpus_per_task;
  Known<std::int64_t> cpus_per_gpu;
  Known<std::int64_t> min_cpus;                // --mincpus, a node
  Known<std::vector<GpuCount>> gpus_total;     // --gpus
  Known<std::vector<GpuCount>> gpus_per_node;  // --gpus-per-node, or gpu in --gres
  Known<std::vector<GpuCount>> gpus_per_task;  // --gpus-per-task, or gres/gpu in --tres-per-task
  Known<std::vector<GpuCount>> gpus_per_socket;
  Known<std::vector<GpuCount>> gpus_in_gres;  // gpu in --gres; gpus_per_node has them too
  Known<std::vector<Gres>> gres;              // the others of --gres
  Known<Memory> memory;
  Known<TimeLimit> time;
  Known<TimeLimit> time_min;
  Known<std::vector<std::string>> partitions;
  Known<std::string> account, qos, reservation, constraint, prefer, licenses, nodelist, exclude;
  Known<std::string> job_name, comment, output, error, input, chdir, open_mode, dependency, mail_type, mail_user;
  Known<std::string> begin, deadline, export_env, container, wckey, extra, distribution, gpu_bind, switches;
  Known<std::int64_t> segment, nice, priority;
  Known<Array> array;
  Known<Signal> signal;
  Known<Exclusive> exclusive;
  bool whole_cores = false;  // --hint=nomultithread: each CPU that it asks for is a core
  bool sets_layout = false;  // --sockets-per-node and the like: they multiply the tasks of a node
  Known<bool> requeue;       // known false for --no-requeue
  Known<bool> oversubscribe, overcommit, contiguous, hold, kill_on_invalid_dependency, wait;

  // GPUs of one node, whichever option says them: exact only where they divide evenly.
  Count gpus_a_node;
  Count gpus_in_all;
  std::string gpu_type;  // "" if none or several
};

// What Slurm refuses once it has read all options: a bad value, or options that exclude each other.
enum class ConflictKind : std::uint8_t {
  bad_value,  // 90m
  over_length,
  memory_twice,  // --mem with --mem-per-cpu …
  array_and_hetjob,
  gpus_and_gres,                // 26.05
  exclusive_and_oversubscribe,  // 24.11
  nodes_and_tasks,              // fewer tasks than nodes and the like, where Slurm refuses
  gpus_mismatch,                // --gpus is not a multiple of …
  other,
};

struct Conflict {
  ConflictKind kind{};
  std::vector<std::int32_t> by;  // the directives at odds
  std::string message;
  std::uint32_t component = 0;
  model::Version since{};  // the first Slurm that refuses it; 0.0: every one
  bool certain = true;     // false: the version is not declared and not every Slurm refuses it
};

// What the declared site would refuse, or leave pending.
enum class SiteKind : std::uint8_t {
  unknown_partition,
  unknown_account,
  unknown_qos,
  unknown_reservation,
  over_time,
  over_nodes,
  over_gpus,
  unknown_gpu_type,
  gpus_per_node,
  cpus_per_node,
  memory_per_node,
  nodes_in_pool,
};

struct SiteRefusal {
  SiteKind kind{};
  std::int32_t by = no_directive;
  std::string message;
  std::string nearest;  // "" if none
  std::uint32_t component = 0;
};

// Processes that one launch of the body starts. `tasks` of srun (or 1 of the batch shell) times what
// the launchers in it fork.
struct Start {
  std::int32_t launch = -1;  // the outermost one, index into Body::launches
  std::int32_t inner = -1;   // the innermost launcher that forks, or the outermost itself
  Count tasks;               // instances of the innermost launcher, in all
  Count tasks_per_node;
  Count forks;     // processes each of them forks; 1 without a launcher
  Count nodes;     // that it runs on
  Count joined;    // nodes that a launcher says work together: torchrun --nnodes; its span is known where it is written
  Count per_node;  // tasks_per_node × forks
  Count total;
  std::uint32_t component = 0;
  bool unconditional = false;
  bool step = false;  // srun, mpirun or the like starts it; else the batch shell, on the first node
};

// What the file alone cannot tell, and what would.
struct OpenQuestion {
  std::string message;  // "the time limit: without --time it is the partition's default"
  std::int32_t by = no_directive;
};

// Accepted, and rarely what was meant.
enum class RemarkKind : std::uint8_t {
  time_unit,      // `1:30` is 90 seconds, `24` is minutes
  memory_unit,    // `16` is megabytes
  array_blocked,  // %0
  array_index,    // above the usual MaxArraySize
  gpus_uneven,    // --gpus that the nodes cannot share
  tasks_ignored,  // srun --ntasks-per-node beside the job's number of tasks
  first_node,     // a launcher of several nodes that nothing starts on the others
};

struct Remark {
  RemarkKind kind{};
  std::string text;
  std::int32_t by = no_directive;
  std::int32_t launch = -1;  // index into Body::launches, where no directive gave it
};

struct Meaning {
  std::vector<Component> components;  // at least one
  std::vector<Conflict> conflicts;
  std::vector<SiteRefusal> site_refusals;
  std::vector<Start> starts;  // launches that start the work, in the order of the text
  std::vector<OpenQuestion> open;
  std::vector<Remark> remarks;
  const model::Plane* plane = nullptr;  // of the site, where one was given

  const Component& job() const { return components.front(); }
};

// The first plane of the site that Slurm runs; nullptr without one.
const model::Plane* slurm_plane(const model::Site* site);

struct MeaningOptions {
  const model::Site* site = nullptr;      // outlives the result
  const model::Fleet* fleet = nullptr;    // the site's, where it is known
  std::optional<model::Version> version;  // nullopt: the site's Slurm plane says it, or none does
};

// The partitions that a queue of a site stands for: `--partition=a,b` of an imported script is one queue of two.
std::vector<std::string_view> partitions_of(const model::Queue& queue);

Meaning meaning_of(const Script& script, const Body& body, const MeaningOptions& options = {});

// Values as Slurm reads them; nullopt where it refuses them.
std::optional<TimeLimit> slurm_time(std::string_view text);
// D-HH:MM:SS, the one spelling that cannot be misread: `1:30` would be seconds.
std::string slurm_time(Duration limit);
std::optional<std::int64_t> slurm_memory(std::string_view text);  // mebibytes
std::optional<Range> slurm_nodes(std::string_view text);
std::optional<Array> slurm_array(std::string_view text);
std::optional<Signal> slurm_signal(std::string_view text);
// "h100:4,a100:2", "8"; nullopt if it is not such a list.
std::optional<std::vector<GpuCount>> slurm_gpus(std::string_view text);
// "gpu:h100:8,shard:2" with gpu among them.
std::optional<std::vector<Gres>> slurm_gres(std::string_view text);

std::string_view name(ConflictKind kind);  // "memory-twice"
std::string_view name(SiteKind kind);      // "unknown-partition"

}  // namespace muster::targets::slurm
