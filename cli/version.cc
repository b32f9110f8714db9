#include <cstdio>

#include "cli/command.h"

namespace muster::cli {

int run_version(const CommandLine& line) {
  if (line.described != nullptr) return 0;  // it has no options
  return std::printf("muster %s\n", MUSTER_VERSION) < 0 || std::fflush(stdout) != 0 ? 2 : 0;
}

}  // namespace muster::cli
