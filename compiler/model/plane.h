// A control plane of a site: a common part, and what only the planes of its family have. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/model/plane_traits.h"
#include "compiler/model/workload.h"

namespace muster::model {

enum class Containers : std::uint8_t { none, pyxis, enroot, apptainer, shifter, singularity };
enum class CodeBy : std::uint8_t { shared_path, image, git };
enum class GpuRequest : std::uint8_t { gpus_per_node, gres, device_plugin, dra };
enum class SlurmTopology : std::uint8_t { none, tree, block };
enum class Mpi : std::uint8_t { pmix, pmi2, mpirun };
// Whose commands and options a PBS takes.
enum class PbsDialect : std::uint8_t { openpbs, torque };
// Who starts the pods of a gang together.
enum class GangProvider : std::uint8_t { none, kueue, volcano, kai, yunikorn, coscheduling, kube_scheduler };
// The feature gates of Kubernetes that its own gangs depend on.
enum class FeatureGate : std::uint8_t {
  generic_workload,
  gang_scheduling,  // 1.36; since 1.37 a part of generic_workload, as the next one
  workload_aware_preemption,
  workload_with_job,
  topology_aware_workload_scheduling,
};

std::string_view name(PlaneKind kind);
std::string_view name(Containers containers);
std::string_view name(GangProvider provider);
std::string_view name(FeatureGate gate);

// What is installed on a plane of pods.
struct Operator {
  std::string name;
  Optional<std::string> version;
  std::vector<Located<std::string>> flags;
  Span span;
};

// The plane's word for a domain of the topology.
struct TopologyLevel {
  std::string name;  // leaf, block, zone or nvlink-domain
  Optional<std::string> label;
  Optional<std::int64_t> tier;
  Span span;
};

// Pools that are one ResourceFlavor of Kueue: the pods of one role are in one flavor.
struct Flavor {
  std::string name;
  Span span;
  std::vector<Located<std::string>> pools;
};

// By which key of a level a gang scheduler places the pods of a gang near each other.
enum class LevelKey : std::uint8_t { none, label, tier };
LevelKey level_key(GangProvider provider);
// Whether it admits an object with all its pods or not at all.
bool admits_whole(GangProvider provider);

// How the program's files reach the nodes.
struct SiteCode {
  Located<CodeBy> by;
  Optional<std::string> path;
};

// What a batch system has.
struct BatchPlane {
  Containers containers = Containers::none;
  SlurmTopology topology = SlurmTopology::none;
  Mpi mpi = Mpi::pmix;
  bool export_all = true;
  bool smt = true;
  bool login_shell = false;
  bool user_signal = false;                      // the job's own signal is also sent at preemption
  bool accounting = false;                       // jobs of an account that it does not know are refused
  Optional<std::int64_t> array_max;              // largest task id of a job array
  Optional<std::string> scratch;                 // a path or "$VARIABLE"
  std::vector<Located<std::string>> directives;  // options that every job gets
  PbsDialect dialect = PbsDialect::openpbs;
  std::vector<TopologyLevel> levels;  // PBS, LSF: how the nodes of a domain are told from others

  // The one of a name; nullptr: none.
  const TopologyLevel* level(std::string_view name) const;
};

// What a plane of pods has; symbols as spelt, "" where nothing is given.
struct PodPlane {
  static constexpr Duration a_week{7 * 24 * 3'600'000LL};

  Optional<std::string> name_space;  // of workloads whose tenant has none
  GangProvider gang = GangProvider::none;
  std::vector<Located<FeatureGate>> gates;  // that are on
  Optional<std::string> gpu_labels, runtime_class, service_account;
  std::string training_kind = "jobset";
  std::vector<Operator> operators;
  std::vector<TopologyLevel> levels;
  std::vector<Flavor> flavors;
  Optional<bool> wait_for_pods;
  std::optional<Duration> keep_finished = a_week;  // objects that have ended; nullopt: until someone deletes them
  Optional<std::string> scaler, expose, security;
  Optional<std::string> metrics;  // where Prometheus is
  Optional<std::string> pod;      // YAML

  // The lowest level that a gang which has to be near can be kept in, leaf or else block, where the plane declares it
  // by the key of that gang scheduler; nullptr: it declares none.
  const TopologyLevel* nearest_level(GangProvider provider) const;
  bool has_gate(FeatureGate gate) const;
  bool has_operator(std::string_view name) const;
};

// What a service has that takes jobs over the network.
struct ServicePlane {
  Optional<std::string> address;            // of a Ray cluster
  std::vector<Located<std::string>> infra;  // where a broker may run jobs, in its own words; empty: wherever it can
  std::vector<Located<std::string>> backends, regions, fleets;  // the same, of dstack
};

// A control plane and the pools it owns (empty: all).
class Plane {
 public:
  std::string name;
  Span span;
  Located<Version> version{traits_of(PlaneKind::slurm).version, {}};
  std::vector<Located<std::string>> pools;
  GpuRequest gpu_request = GpuRequest::gpus_per_node;
  std::optional<SiteCode> code;  // wins over the site's

  PlaneKind kind() const { return kind_.value; }
  Span kind_span() const { return kind_.span; }
  const PlaneTraits& traits() const { return traits_of(kind_.value); }

  // Makes it a plane of that kind, of the kind's usual version; what it has as one of another family is lost.
  void set_kind(PlaneKind kind, Span where = {});

  // What it has as a member of its family; nullptr of the others.
  const BatchPlane* batch() const { return std::get_if<BatchPlane>(&own_); }
  BatchPlane* batch() { return std::get_if<BatchPlane>(&own_); }
  const PodPlane* pods() const { return std::get_if<PodPlane>(&own_); }
  PodPlane* pods() { return std::get_if<PodPlane>(&own_); }
  const ServicePlane* service() const { return std::get_if<ServicePlane>(&own_); }
  ServicePlane* service() { return std::get_if<ServicePlane>(&own_); }

  bool owns(std::string_view pool) const;
  // Whether it admits an object with all its pods or not at all.
  bool admits_whole() const;
  // Whether all nodes of a job start together: by the plane itself or by its gang scheduler.
  bool starts_gangs() const;
  // Whether a program may run in an image.
  bool runs_images() const;

 private:
  Located<PlaneKind> kind_{};
  std::variant<BatchPlane, PodPlane, ServicePlane> own_;
};

}  // namespace muster::model
