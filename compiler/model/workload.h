// A workload: what to run and what it needs, portable over sites. Plain data; the checker fills it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/base/limits.h"
#include "compiler/base/units.h"
#include "compiler/model/fields.h"
#include "compiler/model/text.h"
#include "compiler/model/value.h"

namespace muster::model {

enum class Kind : std::uint8_t { train, serve, batch, sweep, rl, mpi, dev };
enum class Runner : std::uint8_t { none, torchrun, accelerate, mpi, ray, processes, batch_script };
enum class Compat : std::uint8_t { none, slurm };
// Which MUSTER_* variables the program finds: those that the text names, all, none.
enum class Contract : std::uint8_t { automatic, full, none };
enum class Inherit : std::uint8_t { all, none };  // of the submitter's environment
enum class Within : std::uint8_t { node, nvlink_domain, leaf, block, zone, fleet };
enum class RetryOn : std::uint8_t { node_failure, preemption, failure, timeout, exit_codes };

// The words of the language for each enumerator, in its order: "train", "batch-script"…
std::string_view name(Kind kind);
std::string_view name(Runner runner);
std::string_view name(RetryOn reason);
std::string_view name(Within domain);

enum class LeftTo : std::uint8_t { site };  // what is not written, so that the site's own default holds

// Who must start together: all roles with all replicas, each replica by itself, or none.
enum class Gang : std::uint8_t { all, replica, none };
enum class FabricRequest : std::uint8_t { automatic, required, none };
enum class StartOn : std::uint8_t { started, ready, complete };
enum class AfterOn : std::uint8_t { success, finish, failure, start };
enum class ProbeKind : std::uint8_t { readiness, liveness, startup };
enum class Engine : std::uint8_t { vllm, sglang, trtllm };
enum class Interface : std::uint8_t { jupyter, vscode, ssh, shell };

std::string_view name(Gang gang);
std::string_view name(FabricRequest request);
std::string_view name(StartOn on);
std::string_view name(AfterOn on);
std::string_view name(ProbeKind kind);
std::string_view name(Engine engine);
std::string_view name(Interface interface);

// `nodes = 8` is 8..8; the low end is the gang's minimum.
struct Count {
  std::int64_t low = 1;
  std::int64_t high = 1;
};

inline bool is_range(const Optional<Count>& count) { return count && count->value.high > count->value.low; }

// `cpus = 96`, `cpus = 48..96` (request..limit), `cpus = all`, or `cpus = default`: the site decides.
template <class T>
struct Amount {
  bool all = false;
  T low{};
  T high{};
  bool left_to_site = false;

  bool is_range() const { return !all && !left_to_site; }  // of one amount where both ends are the same
};
template <class T>
bool is_left_to_site(const Optional<Amount<T>>& amount) {
  return amount && amount->value.left_to_site;
}

// Text the user wrote for an interpreter: opaque bytes, never interpolated. No conversion to
// string on purpose: whoever wants the bytes says so.
struct Script {
  std::string interpreter;  // bash, sh, zsh or python
  std::string bytes;
};

using Argv = std::vector<Text>;
using Program = std::variant<Argv, Script>;

struct Git {
  Located<std::string> url;
  Located<std::string> rev;
};

// The program's files: a folder below the root of the user's tree, or a revision of a repository.
using Code = std::variant<std::string, Git>;

// What a named environment is made of at a site, or inline in a workload.
struct SoftwareSpec {
  std::vector<Located<std::string>> modules;
  std::vector<Located<std::string>> module_use;
  bool purge = false;
  Optional<std::string> conda;
  Optional<std::string> venv;
  Optional<Script> prelude;
  Optional<std::string> image;
  Span span;
  std::string plane{};  // of a site: the only plane that has it; "": every one
};

// A name that the site resolves, or the thing itself.
using Software = std::variant<std::string, SoftwareSpec>;

struct EnvVar {
  std::string name;
  Text value;  // a number arrives as it was spelt
  Span span;   // of the name

  // `SEED = $seed`: the value of that axis of the sweep, and nothing else.
  bool from_axis() const { return value.axis() != nullptr; }
};

struct Mount {
  std::string name;  // of the site's storage, or `scratch`
  Located<std::string> path;
  bool read_only = false;
  Optional<std::string> sub_path;
  Span span;
};

// All amounts are of one node; `nodes` of one replica.
struct Resources {
  Optional<Count> nodes;
  Optional<std::int64_t> gpus;
  Optional<std::vector<std::string>> gpu;  // models, lower case; with several, one for the whole gang
  Optional<Size> gpu_memory;
  Optional<Amount<std::int64_t>> cpus;
  Optional<Amount<Size>> memory;
  Optional<Size> disk;
  Optional<Size> shm;
  Optional<bool> exclusive;
  Optional<bool> smt;                  // whether its cpus may be hardware threads of one core
  Optional<std::int64_t> gpu_share{};  // percent of one GPU; then no `gpus`
  Optional<std::string> gpu_slice{};   // a MIG profile: "1g.10gb"; then no `gpus`

  bool part_of_gpu() const { return gpu_share || gpu_slice; }
};

struct Launch {
  Located<Runner> runner{Runner::none, {}};
  Optional<std::int64_t> processes;  // a node
  std::vector<Located<std::string>> args;
  Optional<std::string> version;
  Located<Compat> compat{Compat::none, {}};
  Located<Contract> contract{Contract::automatic, {}};
  Optional<Inherit> inherits;
};

struct Checkpoint {
  Optional<std::string> path;
  Optional<Duration> every;
  Optional<Duration> write_time;
  Span span;
  Optional<bool> async{};  // it computes while it saves
};

struct Retry {
  static constexpr std::int64_t unlimited = -1;
  Located<std::int64_t> limit{0, {}};
  std::vector<Located<RetryOn>> on;  // default node-failure, preemption
  std::vector<Located<std::int64_t>> exit_codes;
  Optional<Duration> backoff;
  Span span;
};

struct Stop {
  Located<std::string> signal{"TERM", {}};
  Located<Duration> lead{Duration{0}, {}};
  Located<Duration> grace{Duration{30'000}, {}};
  Span span;
};

struct Topology {
  Located<Within> within{Within::fleet, {}};
  bool required = false;
  Optional<std::int64_t> segment;
  Span span;
  Located<Within> segment_within{Within::leaf, {}};
};

// Degrees over the GPUs of a replica: tensor × pipeline × context × data are all of them; `expert` is not a factor.
struct Parallelism {
  Optional<std::int64_t> tensor, pipeline, data, context, expert;
  Span span;
};

// A value that no file holds, and where the program finds it.
struct Secret {
  std::string name;  // of the site
  Optional<std::string> env;
  Optional<std::string> file;
  Span span;
};

// A small file beside the job: relative to MUSTER_DIR, or absolute in a container.
struct SmallFile {
  Located<std::string> path;
  std::string bytes;
  Optional<std::string> mode;  // "0644"
};

struct Port {
  std::string name;
  Located<std::int64_t> number;
  bool is_public = false;
  Span span;
};

// One of http, tcp and command.
struct Probe {
  ProbeKind kind = ProbeKind::readiness;
  Optional<Text> http;  // a path: "/health"
  bool tcp = false;
  std::vector<Located<Text>> command;
  Optional<std::string> port;  // a port's name
  Optional<Duration> after, every, timeout;
  Optional<std::int64_t> failures;
  Span span;
};

// What is looked at before the program starts.
struct Preflight {
  bool nccl = false;
  bool gpu_health = false;
  Span span;
};

// Order of start inside the gang.
struct RoleStart {
  std::string role;
  StartOn on = StartOn::started;
  Span span;
};

// Order between workloads.
struct After {
  std::string workload;
  AfterOn on = AfterOn::success;
  bool each = false;  // point by point of two sweeps with the same task ids
  Span span;
};

// The bounds are the range of `replicas`.
struct Scale {
  std::string metric;            // "requests-waiting"
  Optional<std::string> target;  // a number as spelt
  Optional<Duration> cooldown;
  Span span;
};

struct Serve {
  Optional<std::string> port;  // a port's name
  Optional<std::string> model;
  Optional<Engine> engine;  // writes the server's command where there is none
  std::vector<Located<std::string>> args;
  Optional<std::string> router;
  Optional<std::string> config;  // YAML
  Span span;
};

struct Dev {
  Located<Interface> interface;
  Optional<Duration> idle_timeout;
  Span span;
};

// File names with {name} {id} {array} {point} {host} {role} {user} {step} {job-step} {node} {task}.
struct Logs {
  Optional<std::string> output;
  Optional<std::string> error;
  Optional<bool> append;
  Span span;
};

// One run a point. Values are as spelt.
struct Axis {
  std::string name;
  std::vector<std::string> values;
  Span span;  // of the name
};

struct Sweep {
  static constexpr std::size_t most_points = value_of(Limit::sweep_points);
  std::vector<Axis> axes;
  bool zip = false;  // the axes walk together; else every combination, the last axis fastest
  Optional<std::int64_t> max_parallel;
  Span span;

  std::size_t points() const;
  // The value of an axis at a point.
  const std::string& value(std::size_t axis, std::size_t point) const;
  // The task ids of a sweep over one axis of distinct whole numbers: its values; nullopt for others,
  // whose ids count from 0.
  std::optional<std::vector<std::int64_t>> ids() const;
  // The task id of each point.
  std::vector<std::int64_t> task_ids() const;
};

enum class NotifyOn : std::uint8_t {
  start,
  end,
  fail,
  requeue,
  time_50,
  time_80,
  time_90,
  time_limit,
  invalid_dependency,
  stage_out,
  all,
  each_point,
};
std::string_view name(NotifyOn event);

// Mail to people.
struct Notify {
  std::vector<Located<std::string>> email;  // empty: the submitter
  std::vector<Located<NotifyOn>> on;
  Span span;
};

// `target NAME { option = value }`: options in one target's own words. "true" is a bare flag.
struct RawOption {
  std::string name;
  Located<std::string> value;
  bool flag = false;
};

struct TargetOptions {
  std::string target;
  std::vector<RawOption> options;
  Span span;
  std::vector<Located<std::string>> srun{};    // options of the srun that starts the program
  std::vector<Located<std::string>> launch{};  // options of the launcher, behind those of `launch { args }`
};

struct Preference {
  Predicate predicate;
  std::int64_t weight = 1;
};

// Machines of one shape. A workload without roles has one, `main`.
struct Role {
  std::string name = "main";
  Optional<Program> program;
  std::vector<Located<std::string>> script_flags;  // of the interpreter
  std::vector<Located<Text>> args;
  Optional<Code> code;
  Optional<Script> setup;
  Optional<Software> software;
  Optional<std::string> image;
  Optional<Text> workdir;
  std::vector<EnvVar> env;
  std::vector<Mount> mounts;
  Resources resources;
  Launch launch;
  std::vector<Predicate> requires_;
  std::vector<Preference> prefers;
  std::optional<Topology> topology;
  Span span{};  // of its name; nowhere for the implicit one
  Optional<Count> replicas{};
  Optional<bool> primary{};
  std::vector<RoleStart> depends_on{};
  std::vector<Secret> secrets{};
  std::vector<SmallFile> files{};
  std::vector<Port> ports{};
  std::vector<Probe> probes{};
  Located<FabricRequest> fabric{FabricRequest::automatic, {}};
  std::optional<Preflight> preflight{};
  std::vector<Allow> allows{};
  std::optional<Parallelism> parallelism{};
  Optional<std::string> with{};  // it runs on the nodes of that role, beside it

  std::int64_t copies() const { return replicas ? replicas->value.low : 1; }
  std::int64_t nodes() const { return resources.nodes ? resources.nodes->value.low : 1; }
  std::int64_t gpus() const { return resources.gpus ? resources.gpus->value : 0; }
  // Processes a node that muster or the launcher starts: as given, else one or one a GPU, as the runner does.
  std::int64_t processes() const;
};

// A key the user wrote and where. Every target accounts for each of them.
struct WrittenField {
  FieldRef field;
  Span span;
};

struct Workload {
  std::string name;
  std::string id;  // <folder below the root>/<name>
  Span span;       // of the name
  Located<Kind> kind;
  Optional<std::string> title;  // for people, where the name cannot be it
  Optional<std::string> account;
  std::vector<Located<std::string>> queues;  // the first that the plane has and that takes the job
  Optional<Duration> time_limit;
  Optional<LeftTo> time_limit_default{};  // then there is no `time_limit`, and the queue's is not written
  std::vector<std::pair<std::string, Located<std::string>>> labels;
  std::vector<std::pair<std::string, Located<FactValue>>> facts;
  std::vector<Role> roles;
  std::optional<Checkpoint> checkpoint;
  std::optional<Retry> retry;
  Optional<LeftTo> retry_default{};  // then there is no `retry`
  std::optional<Stop> stop;
  std::optional<Logs> logs;
  std::optional<Sweep> sweep;
  std::optional<Notify> notify;
  std::vector<TargetOptions> targets;
  std::vector<WrittenField> written;
  Optional<std::string> priority{};
  Optional<bool> preemptible{};
  std::vector<Located<std::string>> licenses{};  // each as read_license() takes it (compiler/model/license.h)
  Optional<Gang> gang{};
  std::vector<After> depends_on{};
  std::optional<Scale> scale{};
  std::optional<Serve> serve{};
  std::optional<Dev> dev{};
  // `any-of`: the workload whole, once for each option; the first that fits is meant.
  std::vector<Workload> options{};
  std::string option{};  // the name of the option that this one is
  Span option_span{};

  const Role& main() const { return roles.front(); }
  // The roles on the nodes of a role that has nodes of its own, each with a part of every node: it first, then those
  // that run with it.
  std::vector<const Role*> on_nodes_of(const Role& role) const;
  std::size_t groups() const;  // roles that have nodes of their own
  // Training, MPI and reinforcement learning start as a whole, the others replica by replica.
  Gang starts() const {
    if (gang) return gang->value;
    const bool whole = kind.value == Kind::train || kind.value == Kind::mpi || kind.value == Kind::rl;
    return whole ? Gang::all : Gang::replica;
  }
};

// The command of the server that `serve { engine = … }` means, where a role has no program of its own; of interactive
// work what keeps it open.
Argv server_command(const Workload& workload, const Role& role);

// The shell that people open in interactive work: the command, where it is a shell alone, which would end at once
// because it has no terminal; else "bash".
std::string shell_of(const Workload& workload, const Role& role);

// What is started where the program is not a script: the role's command, or the one above.
Argv started_command(const Workload& workload, const Role& role);
// Whether nothing says what the role runs: its image's own entrypoint does, with the role's `args`.
bool runs_entrypoint(const Workload& workload, const Role& role);
// The texts of a role that may have run references: of its command, arguments, environment, folder and probes.
std::vector<const Text*> run_texts(const Role& role);
// Whether one of them refers to that.
bool refers_to(const Role& role, RefersTo to, std::string_view name);

}  // namespace muster::model
