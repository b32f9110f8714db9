// Machines one by one, as a cluster lists them, to the pools of a fleet: equal machines together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/model/fleet.h"
#include "compiler/model/site.h"

namespace muster::targets {

// A remark for the text of what was imported: a question that the cluster could not answer, or where a
// fact comes from. `path` is as syntax::Note has it: "fleet lab.pool h100.in-use busy-1".
struct Remark {
  std::string path;
  std::string text;
};

// A site made from what a cluster says. Without nodes there is no fleet.
struct ImportedSite {
  std::optional<model::Fleet> fleet;
  model::Site site;
  std::vector<Remark> remarks;
};

// Letters, digits, `_` and single `-`, at most 40 of them: fit for names of pools, sites and planes.
std::string plain_name(std::string_view text, std::string_view fallback);

// The first two numbers of "22.05.8" and "v1.31.4+k3s1".
std::optional<model::Version> version_in(std::string_view text);

struct Machine {
  std::string name;
  std::string gpu;  // model; "" for none
  std::int64_t gpus = 0;
  Size gpu_memory;
  std::string gpu_vendor;
  std::string gpu_link;
  std::vector<std::string> slices;           // MIG profiles that each GPU is cut into, sorted
  std::int64_t cpus = 0;                     // as the scheduler counts them, as all below
  std::int64_t threads = 1;                  // of a core
  std::optional<std::int64_t> reserve_cpus;  // nullopt: not known
  Size memory;
  std::optional<Size> reserve_memory;
  Size disk;
  std::string arch = "amd64";
  std::string fabric;  // "efa"; "" if not known
  std::string zone;
  bool preemptible = false;
  std::vector<std::string> taints;
  std::vector<std::string> flavors{};  // of the queues' quotas: machines of different ones are in different pools
  std::string leaf;                    // switch or block; "" if not known
  bool drained = false;
  std::string drain_reason;
  // What is in use; cpus and memory of -1 go by the GPUs' share.
  bool taken = false;  // all of it, by a reservation that is not known
  std::int64_t used_gpus = 0;
  std::int64_t used_cpus = 0;
  Size used_memory;
};

struct Pools {
  std::vector<model::Pool> pools;         // by name
  std::vector<std::uint32_t> of_machine;  // the pool of each machine, in the order they were given
  std::vector<Remark> remarks;            // paths from the pool on: "pool h100"
};

// Machines that differ in GPUs, cores, processor, zone, taints or flavors are in different pools; so are those
// whose memory differs by more than a fiftieth. A pool has the memory and disk that each of its machines
// has at least. Names are unique over all machines. Names of pools: the GPU's model, or `cpu` with the
// count of cores, with more detail only where that would not be unique.
Pools pools_of(const std::vector<Machine>& machines);

}  // namespace muster::targets
