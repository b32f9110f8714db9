// Lint of 10,000 generated batch scripts by one process, beside `cat` of the same files.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/bench/bench.h"

namespace muster::bench {
namespace {

namespace fs = std::filesystem;

class Scripts {
 public:
  explicit Scripts(std::uint32_t seed) : state_(seed) {}

  // About 1,300 bytes, as scripts of public repositories have: directives, modules, variables, one start.
  std::string next() {
    const std::string n = std::to_string(++count_), gpus = std::to_string(1 + pick(8)),
                      nodes = std::to_string(1 + pick(8));
    std::string out = "#!/bin/bash\n#SBATCH --job-name=run-" + n + "\n#SBATCH --nodes=" + nodes +
                      "\n#SBATCH --ntasks-per-node=" + (pick(4) == 0 ? gpus : "1") +
                      "\n#SBATCH --gpus-per-node=" + gpus +
                      "\n#SBATCH --cpus-per-task=" + std::to_string(4 + pick(20)) + "\n#SBATCH --partition=gpu" +
                      "\n#SBATCH --time=" + std::to_string(1 + pick(47)) + ":00:00\n#SBATCH --output=logs/%x-%j.out\n";
    if (pick(10) == 0) out += "module load gcc\n#SBATCH --exclusive\n";
    out += "\nset -euo pipefail\nmodule purge\nmodule load cuda/12." + std::to_string(pick(9)) +
           "\nsource \"$HOME/env-" + n + "/bin/activate\"\n\n";
    for (int i = 0; i < 8; ++i)
      out +=
          "export SETTING_" + std::to_string(i) + "=\"value-" + std::to_string(pick(1000)) + "\"  # of run " + n + "\n";
    out +=
        "export MASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\nexport "
        "MASTER_PORT=$((20000 + SLURM_JOB_ID % 20000))\n";
    out += "if [ ! -d \"$SCRATCH/data\" ]; then\n  mkdir -p \"$SCRATCH/data\"\n  cp -r /data/set-" + n +
           " \"$SCRATCH/data\"\nfi\n\n";
    return out + "srun torchrun --nnodes=" + nodes + " --nproc_per_node=" + gpus +
           " --rdzv_backend=c10d --rdzv_endpoint=\"$MASTER_ADDR:$MASTER_PORT\" \\\n  train.py --lr 1e-4 --batch " +
           std::to_string(8 + pick(100)) + " --output \"$SCRATCH/run-" + n + "\"\n";
  }

 private:
  std::uint32_t pick(std::uint32_t below) { return (state_ = state_ * 1664525u + 1013904223u) / 65536u % below; }
  std::uint32_t state_;
  int count_ = 0;
};

}  // namespace

int lint(std::uint32_t seed, const char* muster) {
  constexpr int total = 10'000;
  char name[] = "/tmp/muster-bench-XXXXXX";
  if (mkdtemp(name) == nullptr) return 1;
  Scripts scripts(seed);
  std::vector<std::string> files;
  for (int i = 0; i < total; ++i) {
    files.push_back(std::string(name) + "/" + std::to_string(i) + ".sbatch");
    std::ofstream(files.back()) << scripts.next();
  }
  const std::string report = std::string("json=") + name + "/report.json";
  std::vector<const char*> cat = {"/bin/cat"};
  for (const std::string& file : files) cat.push_back(file.c_str());
  double ours = 1e9, theirs = 1e9;
  for (int i = 0; i < 5; ++i) {
    ours = std::min(ours, processor_time({muster, "lint", name, "--exit-zero", "-o", report.c_str()}));
    theirs = std::min(theirs, processor_time(cat));
  }
  std::error_code ignored;
  fs::remove_all(name, ignored);
  if (ours < 0 || theirs < 0) {
    std::fprintf(stderr, "bench: muster lint or cat could not be run\n");
    return 1;
  }
  std::printf(
      "lint of %d scripts in one process, with one JSON report: %.0f files/s of one core (to be at least 5,000)\n",
      total, total / ours * 1000);
  std::printf("cat of the same files: %.0f files/s; ratio %.1f\n", total / theirs * 1000, ours / theirs);
  return 0;
}

}  // namespace muster::bench
