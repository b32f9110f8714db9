#include "plan/plan.h"

namespace muster::plan {

std::string_view name(FactSource source) {
  switch (source) {
    case FactSource::command_line: return "command-line";
    case FactSource::workload: return "workload";
    case FactSource::site: return "site";
    case FactSource::derived: return "derived";
    case FactSource::fallback: return "default";
  }
  return "derived";
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::fits: return "fits";
    case Verdict::does_not_fit: return "does-not-fit";
    case Verdict::unknown: return "unknown";
  }
  return "unknown";
}

const Fact* Facts::find(std::string_view wanted) const {
  for (const Fact& fact : items)
    if (fact.name == wanted) return &fact;
  return nullptr;
}

}  // namespace muster::plan
