// What the comments beside a value say of it.
#include <algorithm>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "lint/rules/manifest/scene.h"

namespace muster::lint {
namespace {

constexpr std::size_t longest_line = 500;  // a longer one is data

}  // namespace

bool is_to_be_replaced(const Sources& sources, Span value) {
  if (!value.known()) return false;
  std::string_view line = sources.text(value.file).substr(value.end, longest_line);
  line = line.substr(0, line.find('\n'));
  return static_cast<bool>(blank_in(line.substr(std::min(line.find('#'), line.size())), In::comment));
}

bool says_above(const Sources& sources, Span value, std::string_view words) {
  constexpr int most_lines = 5;
  if (!value.known()) return false;
  constexpr std::size_t most = (most_lines + 1) * longest_line;
  std::string_view above = sources.text(value.file).substr(0, value.begin);
  above = above.substr(above.size() - std::min(above.size(), most));
  above = above.substr(0, above.rfind('\n') + 1);
  for (int left = most_lines; left > 0 && !above.empty(); --left) {
    above.remove_suffix(1);
    const std::size_t start = above.rfind('\n') + 1;  // 0 of the first line
    const std::string line = lower(trimmed(above.substr(start, longest_line)));
    if (line.starts_with('#') && line.find(words) != std::string::npos) return true;
    above = above.substr(0, start);
  }
  return false;
}

}  // namespace muster::lint
