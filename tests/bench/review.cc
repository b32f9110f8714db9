// Review of two trees of 10,000 specs with 50 changes, beside lint of one of them: one core each.
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

constexpr int total = 10'000, changed = 50, rounds = 3;

std::string with_other_time(std::string text) {
  const std::string key = "time-limit = ";
  const std::size_t at = text.find(key);
  if (at == std::string::npos) return text.insert(text.find("{\n") + 2, "  " + key + "90m\n");
  return text.replace(at + key.size(), text.find_first_of(" \n", at + key.size()) - at - key.size(), "90m");
}

// The same specs on both sides; every 200th has another time limit in the new tree.
void write_trees(const std::string& folder, std::uint32_t seed) {
  Specs specs(seed);
  for (int i = 0; i < total; ++i) {
    std::string text = specs.next();
    const std::string name = "/team-" + std::to_string(i % 100) + "/job-" + std::to_string(i) + ".muster";
    for (const char* side : {"/old", "/new"}) {
      const fs::path file = folder + side + name;
      fs::create_directories(file.parent_path());
      const bool changes = side[1] == 'n' && i % (total / changed) == 0;
      std::ofstream(file) << (changes ? with_other_time(text) : text);
    }
  }
}

}  // namespace

int review(std::uint32_t seed, const char* muster) {
  char name[] = "/tmp/muster-bench-XXXXXX";
  if (mkdtemp(name) == nullptr) return 1;
  write_trees(name, seed);
  const std::string base = std::string(name) + "/old", head = std::string(name) + "/new",
                    page = "json=" + std::string(name) + "/review.json";
  const std::string site = std::string(name) + "/lab.muster";
  std::ofstream(site) << site_of_specs;
  double ours = 1e9, lint = 1e9;
  for (int i = 0; i < rounds; ++i) {
    ours = std::min(ours, processor_time({muster, "review", base.c_str(), head.c_str(), "--site", site.c_str(), "-o",
                                          page.c_str(), "-q"}));
    lint = std::min(lint, processor_time({muster, "lint", base.c_str(), "--site", site.c_str(), "-q", "--exit-zero"}));
  }
  std::error_code ignored;
  fs::remove_all(name, ignored);
  if (ours < 0 || lint < 0) {
    std::fprintf(stderr, "bench: muster review or lint could not be run\n");
    return 1;
  }
  std::printf(
      "review of two trees of %d specs, %d of them changed: %.0f ms of one core; lint of one tree %.0f ms; "
      "ratio %.2f (to be at most 1.3)\n",
      total, changed, ours, lint, ours / lint);
  return 0;
}

}  // namespace muster::bench
