// Lint of 10,000 generated specs by one process: every rule, the decision and the fit on 1,250 nodes of 8 GPUs.
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

}  // namespace

int lint_specs(std::uint32_t seed, const char* muster) {
  constexpr int total = 10'000;
  char name[] = "/tmp/muster-bench-XXXXXX";
  if (mkdtemp(name) == nullptr) return 1;
  const std::string folder = name, specs = folder + "/specs", lab = folder + "/lab.muster";
  fs::create_directory(specs);
  std::ofstream(lab) << site_of_specs;
  Specs generated(seed);
  for (int i = 0; i < total; ++i) std::ofstream(specs + "/" + std::to_string(i) + ".muster") << generated.next();
  const std::string report = "json=" + folder + "/report.json";
  double best = 1e9;
  for (int i = 0; i < 3; ++i)
    best = std::min(best, processor_time({muster, "lint", specs.c_str(), "--site", lab.c_str(), "--profile", "strict",
                                          "--preview", "--exit-zero", "-o", report.c_str()}));
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  if (best < 0) {
    std::fprintf(stderr, "bench: muster lint could not be run on specs\n");
    return 1;
  }
  std::printf(
      "lint of %d specs in one process, all rules, fit on 1,250 nodes: %.0f specs/s of one core (to be at least "
      "1,500)\n",
      total, total / best * 1000);
  return 0;
}

}  // namespace muster::bench
