// Parse, check and decide 10,000 generated specs in one process.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

#include "compiler/sema/check.h"
#include "compiler/syntax/parse.h"
#include "plan/decide.h"
#include "plan/facts.h"
#include "rules/profiles.h"
#include "tests/bench/bench.h"

namespace muster::bench {
namespace {

// Resident memory in kB, as the kernel says.
long resident() {
  std::ifstream in("/proc/self/statm");
  long total = 0, pages = 0;
  in >> total >> pages;
  return pages * 4;
}

class Specs {
 public:
  explicit Specs(std::uint32_t seed) : state_(seed) {}

  // About 900 bytes: what a person writes for one job.
  std::string next() {
    static constexpr const char* kinds[] = {"train", "batch", "mpi", "rl", "dev"};
    static constexpr const char* runners[] = {"torchrun", "none", "mpi", "processes", "accelerate"};
    const std::string n = std::to_string(++count_);
    std::string out = "# Generated spec " + n + ".\nworkload job-" + n + " {\n  kind       = " + kinds[pick(5)] +
                      "\n  account    = \"team-" + std::to_string(pick(40)) + "\"\n";
    out += "  queue      = train\n  time-limit = " + std::to_string(1 + pick(72)) + "h\n  software   = torch\n";
    out += "  resources { nodes = " + std::to_string(1 + pick(64)) + "  gpus = " + std::to_string(1 + pick(8)) +
           "  gpu = h100  cpus = 96  memory = " + std::to_string(64 + pick(900)) + "GiB }\n";
    out += std::string("  launch { runner = ") + runners[pick(5)] +
           " }\n  mount data { path = \"/shared/data\" }\n  checkpoint { path = \"/shared/data/ckpt/" + n +
           "\"  every = 30m }\n";
    out += "  retry { limit = " + std::to_string(pick(5)) +
           "  on = [node-failure, preemption] }\n  stop { lead = 5m }\n  logs { output = \"{name}-{id}.out\" }\n";
    out += "  env { NCCL_DEBUG = \"WARN\"  RUN = \"" + n +
           "\"  LR = 1e-4 }\n  require gpu.memory >= 80GB and network.fabric in [infiniband, roce]\n  prefer gpu.model "
           "== h100 weight " +
           std::to_string(1 + pick(9)) + "\n";
    return out + "  script = <<<bash\n    set -euo pipefail\n    exec torchrun train.py --seed " + n +
           " --out \"$MUSTER_CHECKPOINT\"\n  >>>\n}\n";
  }

 private:
  std::uint32_t pick(std::uint32_t below) { return (state_ = state_ * 1664525u + 1013904223u) / 65536u % below; }
  std::uint32_t state_;
  int count_ = 0;
};

bool decide_one(std::string text, const model::Policy& policy) {
  Sources sources;
  Diagnostics diagnostics;
  const std::uint32_t file = sources.add("generated.muster", std::move(text));
  auto tree = syntax::parse(sources, file, diagnostics);
  if (!tree) return false;
  const model::Module module = sema::check({*tree}, sources, {}, diagnostics);
  plan::FactRequest request;
  request.workload = &module.workloads.at(0);
  request.workloads = module.workloads;
  request.declared = policy.facts;
  const plan::Facts facts = plan::derive_facts(request, diagnostics);
  return !diagnostics.has_errors() && plan::decide(policy, facts, nullptr, diagnostics).has_value();
}

}  // namespace

int throughput(std::uint32_t seed) {
  constexpr int total = 10'000;
  const model::Policy policy = rules::profile("default");
  Specs specs(seed);
  std::size_t bytes = 0;
  long after_first = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < total; ++i) {
    std::string text = specs.next();
    bytes += text.size();
    if (!decide_one(std::move(text), policy)) {
      std::fprintf(stderr, "bench: spec %d was not decided\n", i);
      return 1;
    }
    if (i == total / 10) after_first = resident();
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("parse, check and decide: %.0f specs/s of %zu bytes on one core (to be at least 3,000)\n",
              total / seconds, bytes / total);
  std::printf("memory: %ld kB after a tenth, %ld kB at the end\n", after_first, resident());
  return 0;
}

}  // namespace muster::bench
