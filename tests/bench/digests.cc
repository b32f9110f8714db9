// Review of manifests whose names end in digests: what an object costs must not grow with their number.
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

constexpr double most = 2;  // times the processor time of an object among a quarter as many

// One list of ConfigMaps as a tool renders it, each name with a digest of its own.
std::string manifest(std::mt19937& random, int objects) {
  std::string out = R"({"apiVersion": "v1", "kind": "List", "items": [)";
  for (int i = 0; i < objects; ++i) {
    char digest[9];
    std::snprintf(digest, sizeof digest, "%08x", static_cast<unsigned>(random()));
    out += std::string(i == 0 ? "" : ",\n") + R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c)" +
           std::to_string(i) + "-" + digest + "\"}}";
  }
  return out + "]}\n";
}

// Microseconds of processor time an object of the fastest of several runs; negative if it failed.
double an_object(std::uint32_t seed, const char* muster, const std::string& folder, int objects) {
  std::mt19937 random(seed);
  for (const char* side : {"/old", "/new"}) {
    fs::create_directories(folder + side);
    std::ofstream(folder + side + "/all.json", std::ios::trunc) << manifest(random, objects);
  }
  const std::string base = folder + "/old", head = folder + "/new", page = "json=" + folder + "/review.json";
  double best = 1e9;
  for (int i = 0; i < 3; ++i)
    best = std::min(best, processor_time({muster, "review", base.c_str(), head.c_str(), "-o", page.c_str()}));
  return best * 1000 / objects;
}

}  // namespace

int digests(std::uint32_t seed, const char* muster) {
  char name[] = "/tmp/muster-bench-XXXXXX";
  if (mkdtemp(name) == nullptr) return 1;
  constexpr int few = 12'500, many = 50'000;
  const double small = an_object(seed, muster, name, few), large = an_object(seed, muster, name, many);
  std::error_code ignored;
  fs::remove_all(name, ignored);
  if (small < 0 || large < 0) {
    std::fprintf(stderr, "bench: muster review could not be run on manifests\n");
    return 1;
  }
  std::printf(
      "review of %d objects whose names end in digests: %.1f us an object of one core; of %d: %.1f us; ratio %.2f "
      "(to be at most %.0f)\n",
      many, large, few, small, large / small, most);
  return large / small > most ? 1 : 0;
}

}  // namespace muster::bench
