// `muster fit` of 200 workloads on 12,512 nodes: the whole process, beside an empty one.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "tests/bench/bench.h"

namespace muster::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* lab = R"(fleet big {
  pool h100 {
    nodes     = "n[00001-12512]"
    leaf-size = 32
    gpu       { model = h100  memory = 80GB  count = 8  link = nvswitch }
    node      { cpus = 112  memory = 2TB  disk = 28TB  reserve-memory = 16GiB }
    network   { fabric = infiniband  bandwidth = 3200Gbps }
  }
}
site lab {
  fleet = big
  plane batch    { kind = slurm  version = "22.05"  topology = tree  mpi = pmi2 }
  queue main     { name = "gpu"  max-time = 168h  default = true }
  software torch { modules = ["cuda/12.6"] }
}
)";

// Of 1 to 128 nodes, small ones with some of a node's GPUs: all fit.
std::string workloads(std::uint32_t seed, int count) {
  std::mt19937 random(seed);
  std::string out;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t nodes = 1U << random() % 8, gpus = nodes > 2 ? 8 : 1U << random() % 4;
    out += "workload job-" + std::to_string(i) + " {\n  kind = train\n  nodes = " + std::to_string(nodes) +
           "\n  gpus = " + std::to_string(gpus) +
           "\n  gpu = h100\n  time-limit = 4h\n  software = torch\n  launch { runner = torchrun }\n"
           "  command = [\"train.py\"]\n}\n";
  }
  return out;
}

}  // namespace

int fit(std::uint32_t seed, const char* muster, const char* empty) {
  char name[] = "/tmp/muster-bench-XXXXXX";
  if (mkdtemp(name) == nullptr) return 1;
  const std::string site = std::string(name) + "/lab.muster", file = std::string(name) + "/jobs.muster";
  std::ofstream(site) << lab;
  std::ofstream(file) << workloads(seed, 200);
  double wall = 1e9, own = 1e9, least = 1e9;
  for (int i = 0; i < 40; ++i) {
    wall = std::min(wall, run_once({muster, "fit", file.c_str(), "--site", site.c_str()}));
    own = std::min(own, processor_time({muster, "fit", file.c_str(), "--site", site.c_str()}));
    least = std::min(least, run_once({empty}));
  }
  std::error_code ignored;
  fs::remove_all(name, ignored);
  if (wall < 0 || own < 0 || least < 0) {
    std::fprintf(stderr, "bench: muster fit could not be run, or not all fits\n");
    return 1;
  }
  std::printf(
      "fit of 200 workloads on 12,512 nodes of 8 GPUs, the process included: %.1f ms, %.1f ms of one core (to be under "
      "20); empty program %.2f ms, ratio %.0f\n",
      wall, own, least, wall / least);
  return 0;
}

}  // namespace muster::bench
