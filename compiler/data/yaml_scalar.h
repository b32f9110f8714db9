// Where YAML scalars begin and end in the source: yaml-cpp marks only where a node begins.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::data {

struct Extent {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Offset after the tag (`!!str`) and anchor (`&a`) that are at `at`, and the blanks after them.
std::size_t after_properties(std::string_view text, std::size_t at);

// The bytes of the scalar at `at` whose decoded value is `value`. `parent_column` is the column of the
// collection that holds it (-1: none): the indentation of a block scalar is counted from there.
Extent scalar_extent(std::string_view text, std::size_t at, std::string_view value, int parent_column);

// The value with the escapes `\N` and `\_` as UTF-8: yaml-cpp writes their code points (0x85, 0xA0) as bytes alone.
std::string with_whole_escapes(std::string value);

// Offset after blanks, line ends and comments.
std::size_t after_space(std::string_view text, std::size_t at);

}  // namespace muster::data
