// muster_bench SEED MUSTER EMPTY: all benchmarks. Started in the checkout by `./dev bench`.
// muster_bench lint SEED MUSTER: lint of batch scripts and of specs.
// muster_bench imports SEED MUSTER: lint of specs that import one library.
// muster_bench review SEED MUSTER: review of two trees of specs, and of manifests.
// muster_bench growth SEED MUSTER: what a placement costs by the size of the fleet, for tests/bench/plot.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/bench/bench.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: muster_bench SEED MUSTER EMPTY-PROGRAM\n", stderr);
    return 2;
  }
  const auto number = [](const char* text) { return static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)); };
  if (std::string_view(argv[1]) == "growth") return muster::bench::growth(number(argv[2]), argv[3]);
  if (std::string_view(argv[1]) == "lint")
    return muster::bench::lint(number(argv[2]), argv[3]) + muster::bench::lint_specs(number(argv[2]), argv[3]);
  if (std::string_view(argv[1]) == "imports") return muster::bench::imports(argv[3]);
  if (std::string_view(argv[1]) == "review")
    return muster::bench::review(number(argv[2]), argv[3]) + muster::bench::digests(number(argv[2]), argv[3]);
  const std::uint32_t seed = number(argv[1]);
  return muster::bench::cold(argv[2], argv[3]) + muster::bench::throughput(seed) +
         muster::bench::targets_to_memory(seed) + muster::bench::format(seed) + muster::bench::lint(seed, argv[2]) +
         muster::bench::lint_specs(seed, argv[2]) + muster::bench::imports(argv[2]) +
         muster::bench::review(seed, argv[2]) + muster::bench::digests(seed, argv[2]) + muster::bench::gang(seed) +
         muster::bench::fleet(seed) + muster::bench::fit(seed, argv[2], argv[3]);
}
