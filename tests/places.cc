#include "tests/places.h"

namespace muster::tests {

std::string source_folder() { return MUSTER_SOURCE_DIR; }
std::string muster_binary() { return MUSTER_BINARY; }

}  // namespace muster::tests
