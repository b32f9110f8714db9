// The result types of plan/: facts, decision, placement, and the plan that targets lower.
// Nothing here computes; each step is one function in the header of its name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/model/fleet.h"
#include "compiler/model/nodes_as_read.h"
#include "compiler/model/site.h"
#include "compiler/model/workload.h"
#include "plan/demand.h"

namespace muster::plan {

// Where a fact's value came from; in the order of strength.
enum class FactSource : std::uint8_t { command_line, workload, site, derived, fallback };
std::string_view name(FactSource source);

struct Fact {
  std::string name;
  model::FactValue value;
  FactSource source = FactSource::derived;
  Span span;           // what it was read from, if a file said so
  std::string reason;  // "kind is train", "queue train of site lab"
};

struct Facts {
  std::vector<Fact> items;
  const Fact* find(std::string_view name) const;
};

// One output of the rules and the row that gave it.
struct Choice {
  std::string output;  // table output: control-plane, runtime, requires…
  std::string value;
  std::string rule;  // row id
  std::string reason;
  std::string cite;
  std::string because;  // the row's condition with the values read: "coupled=multi-node, bare-metal=true"
};

struct Decision {
  std::string profile;
  std::string profile_version;
  std::string control_plane;  // slurm, kubernetes, k3s or none
  std::string preferred;      // by the rules, before planes that cannot take the workload were passed over
  std::string runtime;        // native or ray
  std::string layout;
  std::vector<Choice> requires_;
  std::vector<Choice> advice;
  std::vector<Choice> choices;         // every row that fired, in table order
  std::string plane;                   // the site's plane; "" without one
  std::string target;                  // "" where no target takes it
  std::vector<std::string> targets{};  // of that plane, in the order in which they are tried; `target` is one of them
};

enum class Verdict : std::uint8_t { fits, does_not_fit, unknown };
std::string_view name(Verdict verdict);  // fits, does-not-fit, unknown

// The fleet with nothing in use, or as it is now.
enum class Moment : std::uint8_t { empty, now };

// Why something does not fit, in numbers that a person can check against the fleet file.
struct Certificate {
  std::string kind;  // quota, class, hall, domain, floor
  std::int64_t need = 0;
  std::int64_t have = 0;
  std::int64_t missing = 0;
  std::string text;
};

// A part of one GPU.
struct PlacedPart {
  std::uint32_t slices = 0;  // of its memory, a bit each; 0: a share
  std::uint32_t compute = 0;
  std::uint32_t percent = 0;
  std::string profile{};  // of a slice
};

struct PlacedNode {
  std::string role;
  std::int64_t replica = 0;
  std::string pool;
  std::uint32_t index = 0;  // of the pool's nodes
  std::string node;
  std::vector<std::int64_t> gpus;    // device numbers
  std::optional<PlacedPart> part{};  // of its one GPU; else it has all of them
  std::int64_t tasks = 0;            // of a job whose tasks its scheduler divides over the nodes
};

struct Level {
  Verdict verdict = Verdict::unknown;
  std::optional<Certificate> certificate;
  std::string note;  // why unknown, or what was assumed
};

// How far a workload whose size is a range grows beside the others of its files.
struct Growth {
  std::int64_t low = 0, high = 0;  // what it says
  std::int64_t to = 0;             // the largest that fits
  std::int64_t step = 1;           // a segment, where these divide its nodes
  bool of_nodes = true;            // false: replicas
};

// How many of a workload's replicas, points or nodes run at once. nullopt: it is not known.
struct AtOnce {
  Unit unit = Unit::replica;
  std::int64_t needed = 1;                 // that must run at once
  std::int64_t in_all = 1;                 // that run in all, at most
  std::optional<std::int64_t> room{};      // that the fleet takes, empty
  std::optional<std::int64_t> allowed{};   // that quota, limits and `max-parallel` allow
  std::optional<std::int64_t> room_now{};  // that the fleet takes beside what is in use
  std::optional<std::int64_t> possible{};  // room and allowed
};

struct Fit {
  Verdict verdict = Verdict::unknown;  // the worst of the levels
  Level capacity, policy, now;
  std::string pool;
  std::int64_t leaf_switches = 0;
  std::int64_t leaf_lower_bound = 0;
  std::int64_t spines = 0;  // above these leaves; 0: none are declared, or the leaves are not those of one gang
  std::int64_t spine_lower_bound = 0;  // no placement on so few leaves is below fewer
  std::vector<PlacedNode> placements;  // a witness; the scheduler may choose another
  AtOnce at_once{};
  std::optional<Growth> growth{};            // of the low end, which the placements are
  std::vector<std::string> placed_before{};  // ids of workloads of the same file that were placed before it, the first
  std::size_t placed_before_count = 0;       // of them all
  std::string borrowed{};                    // of the tenant's cohorts: "32 GPUs of pool h100"; "": nothing
  std::string queue_reason{};                // why its queue, where the workload leaves it to the site; "": it does not
  std::string otherwise{};                   // what the scheduler may do instead (plan/fit/otherwise.h); "": nothing
};

class Flavors;

// How a queue of pods sees a role, each set with a flavor of its own: all pods alike; the first of each replica apart
// from the others; each replica by itself, or each pod of it too.
enum class PodSets : std::uint8_t { one, first_apart, by_replica, by_pod };

using Pools = std::vector<const model::Pool*>;

// What one role asks of a node once the pool is known. nullopt: not declared, the cluster's default.
struct RolePlan {
  const model::Role* role = nullptr;
  const model::Pool* pool = nullptr;  // chosen; nullptr without a fleet
  Pools allowed;                      // pools of the plane that meet every need
  std::vector<Pools> choices{};       // the same by what its file says of them (plan/pools/contents.h)
  Pools also{};                       // pools that only a pod beside it does not tolerate, which may be elsewhere
  Pools overlooked{};                 // pools that it may not have, and a queue that looks at flavors may give it
  Pools open{};                       // of a pool that joins several (plan/fleet/joined.h): its own; empty: all
  std::int64_t nodes = 1;
  std::int64_t gpus = 0;
  std::int64_t processes = 1;
  std::optional<std::int64_t> cpus;  // a node
  bool all_cpus = false;
  std::optional<Size> memory;  // a node
  bool all_memory = false;
  std::optional<Size> disk{};  // a node
  bool exclusive = false;
  model::PlaneFamily family = model::PlaneFamily::batch;  // of the plane: what a node gives depends on it
  bool counts_cores = false;                       // each CPU that it asks for is a core, whatever threads that has
  Size memory_a_cpu{};                             // of its file; 0: `memory` says it
  std::optional<model::TasksAsRead> divided{};     // tasks of its file, which the scheduler divides over the nodes
  bool cpu_a_task = false;                         // a batch system: each task has a CPU where no number is written
  std::vector<std::string> only_nodes, not_nodes;  // from `require node.name …`
  std::vector<std::string> kept_out{};  // of pods: nodes that bear the same labels, of pools that do not meet its needs
  std::vector<std::string> pinned{};    // --pin: the nodes of its placement, as many as it has; else empty
  // Reservations of the fleet, by number, that hold their nodes from it now; the one whose nodes are its only ones
  // then.
  std::vector<std::uint32_t> held{};
  std::optional<std::uint32_t> inside{};
  const model::Queue* queue = nullptr;  // whose nodes are the only ones, if it names some
  std::int64_t copies = 1;              // replicas that start together, each of `nodes`
  // Where other roles run on its nodes: each role with its own amounts, this one first. Those above are their sums.
  std::vector<RolePlan> sharing{};

  bool shares_nodes = false;    // pods: several of its replicas may be on one node
  bool nodes_are_pods = false;  // several pods of one replica may be on one node, too
  bool apart = false;  // the file keeps its pods on nodes of their own: they use the network of the host, or a fabric
  bool uses_fabric = false;  // the network settings of its pool are in its file, where the site has some
  std::shared_ptr<const Flavors> flavors{};  // of its queue; nullptr: it has none
  std::vector<Pools> same_file{};   // the pools for which its file says the same, before flavors split its choices
  bool flavors_by_replica = false;  // each replica is in one by itself
  PodSets pod_sets = PodSets::one;
  bool spans_pools = false;  // its placement has nodes of other pools of its choice than `pool`

  // The choice of its pool, that one among them: the scheduler may take nodes of all of these. How many nodes, CPUs or
  // GPUs they have may differ. Empty: it has no pool.
  Pools choice() const;
  bool may_span_pools() const { return choice().size() > 1; }
  std::int64_t total() const { return nodes * copies; }
  // Processes of a node that a batch system starts itself.
  std::int64_t tasks() const;
  // What fit counts: of a node with several threads a core a batch system gives whole cores. Where nothing is written
  // it is the least that the plane gives: a CPU a task, and of memory what the queue declares, else nothing.
  std::int64_t counted_cpus() const { return counted_cpus(pool); }
  std::int64_t counted_cpus(const model::Pool* on) const;
  // Of `memory_a_cpu`: the CPUs that the job gets, all of a node that it has alone.
  Size memory_of_cpus(const model::Pool& on) const;
  Size memory_of(Size a_cpu, const model::Pool& on) const;
  std::int64_t counted_memory() const;
  // Whether a batch system gives it the memory that its queue declares for jobs that state none; all of a node.
  bool has_default_memory() const;
  bool takes_all_memory() const;
  // Each program that runs on its nodes, with its own amounts.
  std::span<const RolePlan> programs() const { return sharing.empty() ? std::span(this, 1) : std::span(sharing); }
  // Whether several of its pods may be on one node: it has more than one, a node has GPUs for two, and nothing keeps
  // them apart.
  bool may_share_nodes() const;
  std::int64_t processes_of_replica() const { return nodes * processes; }
};

// An option of `any-of` that was passed over, and why.
struct LostOption {
  std::string name;
  std::string why;
};

// All that a target needs to know. Borrows the model, which must outlive it.
struct Plan {
  const model::Workload* workload = nullptr;
  const model::Site* site = nullptr;
  const model::Fleet* fleet = nullptr;  // nullptr: the site has none
  const model::Plane* plane = nullptr;
  const model::Queue* queue = nullptr;    // nullptr: the cluster's default
  const model::Tenant* tenant = nullptr;  // whose quotas count; nullptr: the site does not say
  std::string account;                    // the workload's, else the tenant's; "" if not known
  Facts facts;
  Decision decision;
  Fit fit;
  Demand demand{};                 // what it runs
  std::vector<RolePlan> roles;     // as they are lowered
  std::vector<RolePlan> placed{};  // the same as they must run at once: what `fit` is about
  std::vector<LostOption> lost;    // the chosen one is `workload->option`
  std::vector<Plan> others{};      // of `any-of` that could start too, as written
  bool wants_near = false;         // it is coupled tightly over several nodes, and names no domain of the topology
  std::string spread{};            // then: why the scheduler may use any leaf switches of its pool; "": it may not
};

}  // namespace muster::plan
