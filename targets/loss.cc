#include "targets/loss.h"

#include <algorithm>

namespace muster::targets {

bool Loss::covers(const FieldRef& field) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const LossEntry& entry) { return field.is_or_below(entry.field); });
}

}  // namespace muster::targets
