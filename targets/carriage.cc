#include "targets/carriage.h"

#include <map>

#include "targets/target.h"

namespace muster::targets {

std::vector<Carriage> carriage() {
  const auto targets = all_targets();
  std::map<std::string_view, std::vector<std::string_view>> rows;
  for (std::size_t t = 0; t < targets.size(); ++t)
    for (const Carried& part : targets[t].carriage())
      for (std::string_view keys = part.keys; !keys.empty();) {
        const std::string_view key = keys.substr(0, keys.find(' '));
        keys.remove_prefix(std::min(key.size() + 1, keys.size()));
        auto& outcomes = rows[key];
        outcomes.resize(targets.size());
        outcomes[t] = part.outcomes;
      }
  std::vector<Carriage> out;
  for (auto& [key, outcomes] : rows) out.push_back({key, std::move(outcomes)});
  return out;
}

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
