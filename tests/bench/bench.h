// Benchmarks: each prints its figures with a ratio to something real and returns an exit code.
#pragma once

#include <cstdint>

namespace muster::bench {

int cold(const char* muster, const char* empty);  // whole processes
int throughput(std::uint32_t seed);               // parse, check and decide in one process
int format(std::uint32_t seed);                   // a file of 900 kB
int gang(std::uint32_t seed);                     // 1,000 nodes of 12,500

}  // namespace muster::bench
