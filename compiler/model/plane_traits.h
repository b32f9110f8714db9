// What each kind of control plane is, one row a kind: the stages ask the row and name no kind.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::model {

enum class PlaneKind : std::uint8_t { slurm, kubernetes, k3s, ray, pbs, skypilot, lsf, dstack };

// Which part of a plane's model a kind has: BatchPlane, PodPlane or ServicePlane.
enum class PlaneFamily : std::uint8_t { batch, pods, service };

// "22.05" as {22, 5}: versions order as these numbers do.
struct Version {
  int major = 0;
  int minor = 0;
  auto operator<=>(const Version&) const = default;
};

struct PlaneTraits {
  PlaneKind kind;
  std::string_view name;   // as in `kind = …`
  std::string_view title;  // in a sentence
  PlaneFamily family;
  std::string_view control_plane;  // what targets call it: k3s is a dialect of kubernetes
  std::string_view in_rules;       // and the rules, to which every batch system is what slurm is
  Version version;                 // where the site states none
  bool padded_minor = false;       // versions are dates with months of two digits: 24.05
  bool starts_gangs = false;       // all nodes of a job start together, without a gang scheduler
  bool shares_nodes = false;       // roles of a workload may share a node
  bool resizes = false;            // a range of nodes or replicas may change size while it runs
  bool runs_images = false;        // every program runs in an image
  bool is_for_edge = false;        // a small distribution for development and the edge
  std::string_view fleet_limit{};  // threshold of the policy: nodes up to which it is recommended; "": no limit
  std::string_view target{};       // of programs that need no other kind of object; "": nothing is written for it
  std::string_view ray_target{};   // of Ray
};

inline constexpr PlaneTraits kubernetes_traits = {.kind = PlaneKind::kubernetes,
                                                  .name = "kubernetes",
                                                  .title = "Kubernetes",
                                                  .family = PlaneFamily::pods,
                                                  .control_plane = "kubernetes",
                                                  .in_rules = "kubernetes",
                                                  .version = {1, 36},
                                                  .shares_nodes = true,
                                                  .resizes = true,
                                                  .runs_images = true,
                                                  .target = "kubernetes",
                                                  .ray_target = "kuberay"};

// A small distribution of Kubernetes.
constexpr PlaneTraits k3s_traits() {
  PlaneTraits row = kubernetes_traits;
  row.kind = PlaneKind::k3s;
  row.name = row.title = "k3s";
  row.is_for_edge = true;
  row.fleet_limit = "k3s-max-fleet-nodes";
  return row;
}

inline constexpr std::array<PlaneTraits, 8> plane_kinds = {{
    {.kind = PlaneKind::slurm,
     .name = "slurm",
     .title = "Slurm",
     .family = PlaneFamily::batch,
     .control_plane = "slurm",
     .in_rules = "slurm",
     .version = {22, 5},
     .padded_minor = true,
     .starts_gangs = true,
     .target = "slurm",
     .ray_target = "ray-on-slurm"},
    kubernetes_traits,
    k3s_traits(),
    {.kind = PlaneKind::ray,
     .name = "ray",
     .title = "Ray",
     .family = PlaneFamily::service,
     .control_plane = "ray",
     .in_rules = "ray",
     .version = {22, 5}},
    {.kind = PlaneKind::pbs,
     .name = "pbs",
     .title = "PBS",
     .family = PlaneFamily::batch,
     .control_plane = "pbs",
     .in_rules = "slurm",
     .version = {23, 6},
     .padded_minor = true,
     .starts_gangs = true,
     .target = "pbs",
     .ray_target = "pbs"},
    {.kind = PlaneKind::skypilot,
     .name = "skypilot",
     .title = "SkyPilot",
     .family = PlaneFamily::service,
     .control_plane = "skypilot",
     .version = {0, 14},
     .starts_gangs = true,
     .target = "skypilot",
     .ray_target = "skypilot"},  // which refuses it, and says why
    {.kind = PlaneKind::lsf,
     .name = "lsf",
     .title = "LSF",
     .family = PlaneFamily::batch,
     .control_plane = "lsf",
     .in_rules = "slurm",
     .version = {10, 1},
     .starts_gangs = true,
     .target = "lsf",
     .ray_target = "lsf"},
    {.kind = PlaneKind::dstack,
     .name = "dstack",
     .title = "dstack",
     .family = PlaneFamily::service,
     .control_plane = "dstack",
     .version = {0, 22},
     .starts_gangs = true,
     .target = "dstack",
     .ray_target = "dstack"},  // the same
}};

constexpr const PlaneTraits& traits_of(PlaneKind kind) { return plane_kinds[static_cast<std::size_t>(kind)]; }

static_assert(std::all_of(plane_kinds.begin(), plane_kinds.end(),
                          [](const PlaneTraits& row) { return &traits_of(row.kind) == &row; }));

// The row of a name as in `kind = …`; nullptr if no kind has it.
const PlaneTraits* find_plane_kind(std::string_view name);

// What targets call the control plane: "kubernetes" of "k3s"; and what the rules call it: "slurm" of "pbs". A name that
// no kind has stays as it is.
std::string_view control_plane_of(std::string_view kind);
std::string_view in_rules(std::string_view kind);

// "24.05" or "1.31", as versions of that kind are written.
std::string version_text(PlaneKind kind, Version version);

}  // namespace muster::model
