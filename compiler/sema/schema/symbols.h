// Closed lists of words that both keys and facts take. Inside compiler/sema only.
#pragma once

#include <string_view>

namespace muster::sema::symbols {

inline constexpr std::string_view links[] = {"nvlink", "nvswitch", "pcie"};
inline constexpr std::string_view vendors[] = {"nvidia", "amd", "intel"};
inline constexpr std::string_view archs[] = {"amd64", "arm64"};
inline constexpr std::string_view fabrics[] = {"infiniband", "roce", "efa", "slingshot", "ethernet"};

}  // namespace muster::sema::symbols
