#include "targets/exports.h"

namespace muster::targets {

void Exports::add(std::string_view name, std::string_view word) {
  constexpr std::size_t width = 118;
  const std::string item = " " + std::string(name) + "=" + std::string(word);
  if (!line_.empty() && line_.size() + item.size() > width) end();
  line_ += (line_.empty() ? "export" : "") + item;
}

void Exports::end() {
  if (!line_.empty()) script_ += line_ + "\n";
  line_.clear();
}

}  // namespace muster::targets
