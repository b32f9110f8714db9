#include "compiler/model/value.h"

#include <algorithm>

namespace muster::model {

bool holds(const Term& term, const FactValue& value) {
  const auto equals = [&](const FactValue& constant) { return constant == value; };
  const bool listed = std::any_of(term.values.begin(), term.values.end(), equals);
  switch (term.compare) {
    case Compare::equal:
    case Compare::in: return listed;
    case Compare::not_equal:
    case Compare::not_in: return !listed;
    default: break;
  }
  const auto* number = std::get_if<std::int64_t>(&value);
  const auto* bound = term.values.empty() ? nullptr : std::get_if<std::int64_t>(&term.values[0]);
  if (number == nullptr || bound == nullptr) return false;
  switch (term.compare) {
    case Compare::less: return *number < *bound;
    case Compare::at_most: return *number <= *bound;
    case Compare::greater: return *number > *bound;
    case Compare::at_least: return *number >= *bound;
    default: return false;
  }
}

}  // namespace muster::model
