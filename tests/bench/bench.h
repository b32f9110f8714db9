// Benchmarks: each prints its figures with a ratio to something real and returns an exit code.
#pragma once

#include <cstdint>
#include <vector>

namespace muster::bench {

// Starts a program, its output to /dev/null, and waits for it: milliseconds; negative if it failed.
double run_once(const std::vector<const char*>& words);

int cold(const char* muster, const char* empty);   // whole processes
int throughput(std::uint32_t seed);                // parse, check and decide in one process
int targets_to_memory(std::uint32_t seed);         // all of it, for every target, in one process
int format(std::uint32_t seed);                    // a file of 900 kB
int lint(std::uint32_t seed, const char* muster);  // 10,000 batch scripts in one process
int gang(std::uint32_t seed);                      // 1,000 nodes of 12,500
int fleet(std::uint32_t seed);                     // gangs that come and go on a full fleet

}  // namespace muster::bench
