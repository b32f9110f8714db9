// A site: how a fleet is run. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/model/fleet.h"
#include "compiler/model/named_list.h"
#include "compiler/model/plane.h"
#include "compiler/model/workload.h"

namespace muster::model {

// One logical queue in the plane's words.
struct Queue {
  std::string name;  // the portable one
  Span span;
  std::string plane_name;  // partition; the portable name if not given; "": the cluster's default
  Optional<std::string> qos;
  Optional<std::string> reservation;
  Optional<std::string> constraint;         // node features, in the plane's words
  std::vector<Located<std::string>> pools;  // empty: all
  HostNames nodes;                          // empty: all of the pools
  Optional<Duration> max_time;
  Optional<std::int64_t> max_nodes;
  Optional<std::int64_t> max_gpus;
  Optional<std::int64_t> max_cpus{};  // of a job, as `max_memory`
  Optional<Size> max_memory{};
  Optional<std::int64_t> max_jobs;            // of one user at a time
  Optional<std::int64_t> max_jobs_user{};     // as it is written beside `max_jobs`, which is not above it
  Optional<std::int64_t> max_jobs_account{};  // of one account at a time
  Optional<Duration> default_time;            // of jobs that set no time limit
  // Of a job that states no memory: of each of its nodes, or of each of its CPUs.
  Optional<Amount<Size>> default_memory{};
  Optional<Size> default_memory_cpu{};
  bool exclusive = false;                       // no two of its jobs share a node
  std::vector<Located<std::string>> tolerates;  // taints
  bool is_default = false;
  bool preemptible = false;     // what runs here can be taken back
  std::string plane{};          // the only plane that has it; "": every one
  Optional<std::string> pod{};  // YAML
};

// The name by which a quota is of all pools together.
inline constexpr std::string_view all_pools = "*";

// nullopt: not limited.
struct QuotaAmounts {
  Optional<std::int64_t> gpus{}, nodes{}, cpus{};
  Optional<Size> memory{};
  Optional<std::int64_t> pods{};
};

// What a team has of a pool, of a flavor or of several pools together: its nominal amounts. Alone it is the most that
// the team can ever have; in a cohort it may borrow what others lend.
struct Quota {
  Located<std::string> pool;  // a pool, a flavor, `all_pools`, or any name where it lists `pools`
  Optional<std::int64_t> gpus;
  Optional<std::int64_t> nodes;
  Optional<std::int64_t> cpus{};
  Optional<Size> memory{};
  Optional<std::int64_t> pods{};
  std::vector<Located<std::string>> pools{};
  QuotaAmounts borrow_limit{}, lend_limit{};
};

// Teams that lend each other what they do not use.
struct Cohort {
  std::string name;
  Span span;
  Optional<std::string> parent;
  std::vector<Quota> quotas;  // its own, beside those of its members
};

struct Tenant {
  std::string name;
  Span span;
  std::vector<Located<std::string>> accounts;
  Optional<std::string> name_space;
  std::vector<Located<std::string>> queues;  // empty: it may use all
  std::vector<Quota> quotas;
  Optional<std::string> share{};  // a number as spelt
  Optional<bool> borrow{};
  Optional<std::string> cohort{};
  Optional<Duration> max_time_account{};  // of a job of its accounts
  Optional<std::int64_t> max_jobs_user{}, max_jobs_account{};
  Optional<std::int64_t> max_nodes{}, max_gpus{}, max_cpus{};  // of a job
  Optional<Size> max_memory{};
};

struct Storage {
  std::string name;
  Span span;
  Located<std::string> path;  // of every node; "" where only pods have it
  bool read_only = false;
  Optional<std::string> pvc{}, host_path{}, storage_class{}, bucket{}, csi{};
  std::string plane{};
};

// The plane's words for one GPU model.
struct GpuDialect {
  std::string model;
  Optional<std::string> gres;              // type in --gres=gpu:TYPE:N; the model if not given
  Optional<std::string> feature;           // where types are not declared: --constraint
  Optional<std::string> label{};           // of nodes
  Optional<std::string> resource{};        // of a part of a GPU on Slurm: `mps` or `shard:N`; else of a whole one
  Optional<std::string> slice_resource{};  // of a MIG slice, `{slice}` filled in
  std::string plane{};
};

// Urgency in the plane's words.
struct Priority {
  std::string name;
  Span span;
  Optional<std::string> priority_class, queue_class, qos;
  Optional<std::int64_t> nice;
  std::string plane{};
};

// A license that the plane's scheduler counts.
struct License {
  std::string name;
  Span span;
  std::int64_t count = 0;
  std::string plane{};
};

struct ImageName {
  std::string name;
  Span span;
  Located<std::string> ref;
  std::string plane{};
};

// Where the images of a host are to be had.
struct Registry {
  std::string host;
  Span span;
  Optional<std::string> mirror, pull_secret;
  Optional<std::string> squash_dir;  // a folder of .sqsh or .sif files
};

struct SiteSecret {
  std::string name;
  Span span;
  Optional<std::string> object, key;  // of pods
  Optional<std::string> file, env;    // of the login node and the jobs
  std::string plane{};
};

// What a job must have to use the fast network.
struct FabricAttachment {
  std::string name;
  Span span;
  std::vector<Located<std::string>> pools;  // empty: all that have it
  Optional<std::string> resource;
  Optional<std::int64_t> per_node;
  std::vector<EnvVar> env;
  Optional<Script> prelude;
  Optional<std::string> pod, job;  // YAML
  bool domain_claim = false;
  std::string plane{};

  bool serves(std::string_view pool) const {
    for (const auto& p : pools)
      if (p.value == pool) return true;
    return pools.empty();
  }
};

// As whom pods run.
struct Identity {
  Optional<std::int64_t> uid, gid;
  std::vector<Located<std::int64_t>> groups;
  Span span;
};

// What the site's submit filter wants and rejects: options, `--account` or `--exclusive`.
struct SubmitFilter {
  std::vector<Located<std::string>> wants, refuses;
  Span span;
};

struct Site {
  std::string name;
  Span span;
  Optional<std::string> fleet;
  std::vector<Plane> planes;
  std::vector<Queue> queues;
  std::vector<Tenant> tenants;
  std::vector<Cohort> cohorts;
  NamedList<Storage> storage;
  std::vector<std::pair<std::string, SoftwareSpec>> software;
  std::vector<GpuDialect> gpus;
  std::optional<SiteCode> code;
  Optional<std::string> job_dir;
  Optional<std::string> log_dir;
  std::vector<std::pair<std::string, Located<FactValue>>> facts;
  NamedList<Priority> priorities{};
  NamedList<License> licenses{};
  NamedList<ImageName> images{};
  std::vector<Registry> registries{};
  NamedList<SiteSecret> secrets{};
  NamedList<FabricAttachment> fabrics{};
  Optional<std::string> mail_domain{};
  Optional<std::string> jupyter{}, vscode{};  // how people reach an interactive job
  std::optional<Identity> identity{};
  std::optional<SubmitFilter> submit_filter{};
  std::vector<Allow> allows{};
  Optional<std::string> rules{};  // a rule file: its policy is in force here
  // Of every workload that does not say otherwise. Workloads have them before they are checked
  // (compiler/sema/expand/defaults.h), so nothing else reads them here.
  std::optional<Workload> defaults{};
};

// How the program's files reach the nodes of that plane; nullptr: the site does not say.
inline const SiteCode* code_of(const Site& site, const Plane& plane) {
  if (plane.code) return &*plane.code;
  return site.code ? &*site.code : nullptr;
}

// The time limit that is written: the workload's own, else the queue's default, which `time-limit = default` declines.
inline Optional<Duration> limit_of(const Workload& workload, const Queue* queue) {
  if (workload.time_limit) return workload.time_limit;
  if (workload.time_limit_default || queue == nullptr || !queue->default_time) return std::nullopt;
  return queue->default_time;
}

}  // namespace muster::model
