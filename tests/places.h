// Where the tests find what they read and run. The paths stand in one file, so that the objects of all others are the
// same in every checkout, for compiler caches.
#pragma once

#include <string>

namespace muster::tests {

std::string source_folder();  // the root of the checkout
std::string muster_binary();

}  // namespace muster::tests
