// How the first comment of a file that muster writes names its maker: `# NAME: compiled by muster from FILE`.
#pragma once

#include <string_view>

namespace muster::targets {

inline constexpr std::string_view compiled_mark = ": compiled by muster";

// Whether the head of a text, its first two lines, says so: then all of it comes from the keys of one workload.
inline bool is_compiled(std::string_view text) {
  const std::size_t first = text.find('\n');
  return text.substr(0, first == text.npos ? first : text.find('\n', first + 1)).find(compiled_mark) != text.npos;
}

}  // namespace muster::targets
