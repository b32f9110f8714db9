// Generated workloads for the benchmarks.
#pragma once

#include <cstdint>
#include <string>

namespace muster::bench {

// The site that all of them fit: 1,250 nodes of 8 GPUs.
inline constexpr const char* site_of_specs = R"(fleet lab {
  pool h100 {
    nodes     = "n[0001-1250]"
    leaf-size = 32
    gpu       { model = h100  memory = 80GB  count = 8 }
    node      { cpus = 192  memory = 2TB }
    network   { fabric = infiniband  bandwidth = 400Gbps }
  }
}

site lab {
  fleet = lab
  plane hpc { kind = slurm  version = "24.11" }
  queue train { default = true  max-time = 48h  default-time = 1h }
  storage data { path = "/shared/data" }
  software torch { modules = ["pytorch"] }
}
)";

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

}  // namespace muster::bench
