// `muster fit` of 200 workloads on 12,512 nodes: the whole process, beside an empty one.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "tests/bench/bench.h"

namespace muster::bench {
namespace {

namespace fs = std::filesystem;

// A site of so many nodes.
std::string lab(const std::string& nodes) {
  return "fleet big {\n  pool h100 {\n    nodes     = \"n[" + std::string(nodes.size() - 1, '0') + "1-" + nodes +
         "]\"\n" +
         R"(    leaf-size = 32
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
}

// Of 1 to `most` nodes, a power of 2, small ones with some of a node's GPUs unless `whole`.
std::string workloads(std::uint32_t seed, int count, std::uint32_t most, bool whole) {
  std::mt19937 random(seed);
  std::string out;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t nodes = 1U << random() % std::bit_width(most);
    const std::uint32_t gpus = whole || nodes > 2 ? 8 : 1U << random() % 4;
    out += "workload job-" + std::to_string(i) + " {\n  kind = train\n  nodes = " + std::to_string(nodes) +
           "\n  gpus = " + std::to_string(gpus) +
           "\n  gpu = h100\n  time-limit = 4h\n  software = torch\n  launch { runner = torchrun }\n"
           "  command = [\"train.py\"]\n}\n";
  }
  return out;
}

class Questions {
 public:
  explicit Questions(const char* muster) : muster_(muster) {
    char name[] = "/tmp/muster-bench-XXXXXX";
    if (const char* made = mkdtemp(name)) folder_ = made;
  }
  ~Questions() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }
  Questions(const Questions&) = delete;
  Questions& operator=(const Questions&) = delete;

  // The words that ask.
  std::vector<const char*> fit(const std::string& nodes, const std::string& jobs) {
    site_ = folder_ + "/lab" + nodes + ".muster";
    file_ = folder_ + "/jobs.muster";
    std::ofstream(site_) << lab(nodes);
    std::ofstream(file_) << jobs;
    return {muster_, "fit", file_.c_str(), "--site", site_.c_str()};
  }

 private:
  const char* muster_;
  std::string folder_, site_, file_;
};

double best_time(const std::vector<const char*>& words, int times) {
  double best = 1e9;
  for (int i = 0; i < times; ++i) best = std::min(best, processor_time(words));
  return best;
}

// Microseconds that one gang of whole nodes more costs, reading and deciding included.
double one_more(Questions& ask, std::uint32_t seed, const std::string& nodes) {
  const double few = best_time(ask.fit(nodes, workloads(seed, 200, 4, true)), 20);
  const double many = best_time(ask.fit(nodes, workloads(seed, 2'200, 4, true)), 20);
  return few < 0 || many < 0 ? -1 : (many - few) / 2'000 * 1000;
}

}  // namespace

int fit(std::uint32_t seed, const char* muster, const char* empty) {
  Questions ask(muster);
  const std::vector<const char*> words = ask.fit("12512", workloads(seed, 200, 128, false));
  const double own = best_time(words, 40), least = best_time({empty}, 40);
  double wall = 1e9;
  for (int i = 0; i < 40; ++i) wall = std::min(wall, run_once(words));
  const double small = one_more(ask, seed, "12512"), large = one_more(ask, seed, "125120");
  if (wall < 0 || own < 0 || least < 0 || small < 0 || large < 0) {
    std::fprintf(stderr, "bench: muster fit could not be run, or not all fits\n");
    return 1;
  }
  std::printf(
      "fit of 200 workloads on 12,512 nodes of 8 GPUs, the process included: %.1f ms, %.1f ms of one core (to be under "
      "20); empty program %.2f ms, ratio %.0f\n",
      wall, own, least, own / least);
  std::printf(
      "one gang of whole nodes more, reading and deciding included: %.1f us on 12,512 nodes, %.1f us on 125,120, ratio "
      "%.2f\n",
      small, large, large / small);
  return 0;
}

}  // namespace muster::bench
