// muster_bench SEED MUSTER EMPTY: all benchmarks. Started in the checkout by `./dev bench`.
#include <cstdio>
#include <cstdlib>

#include "tests/bench/bench.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: muster_bench SEED MUSTER EMPTY-PROGRAM\n", stderr);
    return 2;
  }
  const auto seed = static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10));
  return muster::bench::cold(argv[2], argv[3]) + muster::bench::throughput(seed) +
         muster::bench::targets_to_memory(seed) + muster::bench::format(seed) + muster::bench::lint(seed, argv[2]) +
         muster::bench::gang(seed) + muster::bench::fleet(seed);
}
