// Whether the answers of muster hold: what `decide` names is written and may start, and nothing that can be written is
// denied. Over the examples and over pairs of specs and sites from a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::answers {

struct Options {
  std::string root;  // of the source tree
  std::size_t pairs = 10'000;
  std::uint32_t seed = 1;
};

struct Report {
  std::size_t examples = 0, pairs = 0;  // that were asked
  std::size_t written = 0;              // of the pairs
  std::size_t passed_over = 0;          // of the written ones: not by the first candidate
  std::vector<std::string> faults;
};

Report judge(const Options& options);

}  // namespace muster::answers
