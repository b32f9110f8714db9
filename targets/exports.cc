#include "targets/exports.h"

#include <algorithm>
#include <utility>

#include "compiler/base/text.h"

namespace muster::targets {

void Exports::add(std::string_view name, std::string_view word) {
  constexpr std::size_t width = 118;
  if (std::exchange(goes_on_, false)) go_on(word);
  const std::string item = " " + std::string(name) + "=" + std::string(word);
  if (!line_.empty() && line_.size() + item.size() > width) end();
  line_ += (line_.empty() ? "export" : "") + item;
}

void Exports::go_on(std::string_view word) {
  if (word.find('$') != std::string_view::npos || script_.empty()) return;
  const std::size_t start = script_.rfind('\n', script_.size() - 2) + 1;  // 0 behind npos
  line_ = script_.substr(start, script_.size() - 1 - start);
  script_.resize(start);
}

void Exports::end() {
  if (!line_.empty()) script_ += line_ + "\n";
  line_.clear();
}

bool only_sets(std::string_view lines) {
  for (std::string_view line : muster::split(lines, '\n')) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty() || line[0] == '#' || line.starts_with("export ") || line.starts_with("case $") || line == "esac")
      continue;
    const auto name_end = std::find_if_not(line.begin(), line.end(), is_name_char);
    const std::string_view name(line.begin(), name_end), rest(name_end, line.end());
    const bool arm = is_digit(line[0]) && rest.starts_with(") export ") && rest.ends_with(" ;;");
    if (!arm && !(name.ends_with("_values") && rest.starts_with("=("))) return false;
  }
  return true;
}

}  // namespace muster::targets
