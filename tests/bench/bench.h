// Benchmarks: each prints its figures with a ratio to something real and returns an exit code.
#pragma once

#include <cstdint>
#include <vector>

namespace muster::bench {

// Starts a program, its output to /dev/null, and waits for it: milliseconds; negative if it failed.
double run_once(const std::vector<const char*>& words);

// Milliseconds of processor time that a program takes: one core's, however busy the others keep the machine;
// negative if it failed.
double processor_time(const std::vector<const char*>& words);

int cold(const char* muster, const char* empty);                     // whole processes
int throughput(std::uint32_t seed);                                  // parse, check and decide in one process
int targets_to_memory(std::uint32_t seed);                           // all of it, for every target, in one process
int format(std::uint32_t seed);                                      // a file of 900 kB
int lint(std::uint32_t seed, const char* muster);                    // 10,000 batch scripts in one process
int lint_specs(std::uint32_t seed, const char* muster);              // 10,000 specs with all rules, fit included
int imports(const char* muster);                                     // 10,000 specs that import one library
int review(std::uint32_t seed, const char* muster);                  // two trees of 10,000 specs
int digests(std::uint32_t seed, const char* muster);                 // 50,000 objects with digests in their names
int gang(std::uint32_t seed);                                        // 1,000 nodes of 12,500
int fleet(std::uint32_t seed);                                       // gangs that come and go on a full fleet
int fit(std::uint32_t seed, const char* muster, const char* empty);  // 200 workloads on 12,512 nodes

// The figures of one size of fleet: whole-node gangs that come and go at 90 %, placements a second; one gang of a tenth
// of the nodes on a fleet that is half busy, microseconds.
double placements_a_second(std::uint32_t seed, std::uint32_t nodes);
double one_gang(std::uint32_t seed, std::uint32_t nodes);
// Cost against nodes, a line a size: nodes, ns a placement, us one gang, ms `muster fit`, all of one core; for
// tests/bench/plot.
int growth(std::uint32_t seed, const char* muster);

}  // namespace muster::bench
