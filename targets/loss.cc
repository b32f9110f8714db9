#include "targets/loss.h"

#include <algorithm>

namespace muster::targets {

bool Loss::covers(std::string_view field) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const LossEntry& entry) {
    if (!field.starts_with(entry.field)) return false;
    return field.size() == entry.field.size() || field[entry.field.size()] == '.';
  });
}

}  // namespace muster::targets
