#include <cstdio>

#include "cli/command.h"

namespace muster::cli {

int run_version(int, char**) {
  return std::printf("muster %s\n", MUSTER_VERSION) < 0 || std::fflush(stdout) != 0 ? 2 : 0;
}

}  // namespace muster::cli
