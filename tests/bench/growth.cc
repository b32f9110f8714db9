// What a placement costs, from 1,000 nodes to 125,000.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/bench/bench.h"

namespace muster::bench {
namespace {

// A fleet of that size and a gang on a tenth of it, as one file.
std::string spec(std::uint32_t nodes) {
  const std::string n = std::to_string(nodes);
  return "fleet f {\n  pool a {\n    nodes = \"n[" + std::string(n.size() - 1, '0') + "1-" + n +
         "]\"\n    leaf-size = 32\n    gpu { model = h100  memory = 80GB  count = 8 }\n"
         "    node { cpus = 192  memory = 2TB }\n  }\n}\n"
         "site s {\n  fleet = f\n  plane batch { kind = slurm  version = \"22.05\" }\n  queue main { default = true "
         "}\n}\n"
         "workload w {\n  kind = train\n  nodes = " +
         std::to_string(nodes / 10) + "\n  gpus = 8\n  command = [\"train\"]\n}\n";
}

// Milliseconds of processor time of the fastest of several runs, the process included; negative if it failed.
double fit(const char* muster, const std::string& file) {
  double best = 1e18;
  for (int i = 0; i < 15; ++i) best = std::min(best, processor_time({muster, "fit", file.c_str()}));
  return best;
}

}  // namespace

int growth(std::uint32_t seed, const char* muster) {
  char folder[] = "/tmp/muster-growth-XXXXXX";
  if (mkdtemp(folder) == nullptr) return 1;
  const std::string file = std::string(folder) + "/fleet.muster";
  int failed = 0;
  std::printf("nodes\tplacement_ns\tgang_us\tfit_ms\n");
  for (const std::uint32_t nodes : {1'000U, 2'000U, 4'000U, 8'000U, 16'000U, 32'000U, 64'000U, 125'000U}) {
    std::ofstream(file, std::ios::trunc) << spec(nodes);
    const double process = fit(muster, file);
    std::printf("%u\t%.1f\t%.1f\t%.2f\n", nodes, 1e9 / placements_a_second(seed, nodes), one_gang(seed, nodes),
                process);
    failed += process < 0 ? 1 : 0;
  }
  std::filesystem::remove_all(folder);
  return failed == 0 ? 0 : 1;
}

}  // namespace muster::bench
