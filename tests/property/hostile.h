// The strings that every place of user text must give back or refuse, for all tests of quoting.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace muster::test {

// Those that a person chose, and `count` in all, the rest put together by chance: the same ones in every run.
std::vector<std::string> hostile_strings();
std::vector<std::string> hostile_strings(std::size_t count);

}  // namespace muster::test
