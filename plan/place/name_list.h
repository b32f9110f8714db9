// Names as a text lists them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace muster::plan {

// Names of a text: the first ones, and how many there are.
struct NameList {
  static constexpr std::size_t shown = 4;

  std::vector<std::string> first;
  std::size_t all = 0;

  bool several() const { return all > 1; }
  // "a, b and c"; of more than four "a, b, c, d and 3 others".
  std::string text() const;
};
// Of the roles of these indices, each name once.
NameList names_of(std::span<const std::string> names, std::span<const std::uint32_t> which);

std::string shortened_list(std::vector<std::string> names);

}  // namespace muster::plan
