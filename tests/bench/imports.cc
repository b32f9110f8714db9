// Lint of 10,000 specs that all import one library of 200 lines, beside lint of the library alone.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/bench/bench.h"
#include "tests/bench/specs.h"

namespace muster::bench {
namespace {

namespace fs = std::filesystem;

constexpr int total = 10'000, templates = 10;

// Twenty lines: a template as a team's library has it.
std::string template_of(int i) {
  return "# Training of team " + std::to_string(i) + ", on whole nodes.\ntemplate train-" + std::to_string(i) +
         R"((
  nodes: int in 1..64 = 1,
  gpus: int in 1..8 = 8,
  hours: duration in 1h..72h = 24h,
  script: string = "train.py",
) {
  kind       = train
  queue      = train
  software   = torch
  time-limit = $hours
  nodes      = $nodes
  gpus       = $gpus
  launch     { runner = torchrun }
  mount data { path = "/shared/data" }
  when $nodes > 1 { env { NCCL_DEBUG = "WARN" } }
  env { OMP_NUM_THREADS = if $gpus >= 8 then 12 else 8 }
  checkpoint { path = "/shared/data/ckpt"  every = 30m }
  command = [$script]
}
)";
}

std::string spec(int i) {
  const std::string n = std::to_string(i);
  return "import \"lib.muster\" as lib\n\nworkload job-" + n + " from lib.train-" + std::to_string(i % templates) +
         "(nodes = " + std::to_string(1 + i % 64) + ", script = \"run-" + n + ".py\")\n";
}

}  // namespace

int imports(const char* muster) {
  char name[] = "/tmp/muster-bench-XXXXXX";
  if (mkdtemp(name) == nullptr) return 1;
  const std::string folder = name, specs = folder + "/specs", lab = folder + "/lab.muster";
  const std::string library = specs + "/lib.muster", report = "json=" + folder + "/report.json";
  fs::create_directory(specs);
  std::ofstream(lab) << site_of_specs;
  std::ofstream lines(library);
  for (int i = 0; i < templates; ++i) lines << template_of(i);
  lines.close();
  for (int i = 0; i < total; ++i) std::ofstream(specs + "/" + std::to_string(i) + ".muster") << spec(i);
  double all = 1e9, alone = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto lint = [&](const std::string& what) {
      return processor_time({muster, "lint", what.c_str(), "--site", lab.c_str(), "--exit-zero", "-o", report.c_str()});
    };
    all = std::min(all, lint(specs));
    alone = std::min(alone, lint(library));
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  if (all < 0 || alone < 0) {
    std::fprintf(stderr, "bench: muster lint could not be run on specs that import\n");
    return 1;
  }
  std::printf(
      "lint of %d specs that import one library of %d lines, in one process: %.0f specs/s of one core; the library "
      "alone %.1f ms\n",
      total, templates * 20, total / all * 1000, alone);
  return 0;
}

}  // namespace muster::bench
