#include "targets/carriage.h"

namespace muster::targets {
namespace {

constexpr Carriage rows[] = {
    {"kind", {"", "", "", "", "", "", "", "", ""}},
};

}  // namespace

std::span<const Carriage> carriage() { return rows; }

char outcome(const LossEntry& entry) {
  switch (entry.status) {
    case LossEntry::Status::exact: return '=';
    case LossEntry::Status::approximated: return entry.as == "nothing" ? '-' : '~';
    case LossEntry::Status::refused: return 'x';
    case LossEntry::Status::read: break;
  }
  return 'm';
}

std::string_view outcome_word(char letter) {
  switch (letter) {
    case '=': return "carried";
    case '~': return "approximated";
    case '-': return "reported";
    case 'x': return "refused";
    default: return "read";
  }
}

}  // namespace muster::targets
