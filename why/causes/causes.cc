#include "why/causes/causes.h"

#include <array>

namespace muster::why {
namespace {

constexpr std::array cause_rows = {
#define CAUSE(code, rank, verdict, who, when, sentence) Cause{code, rank, Verdict::verdict, Who::who, when, sentence},
#include "why/causes/causes.def"
#undef CAUSE
};

constexpr std::array message_rows = {
#define SAYS(where, id, pattern) Message{Where::where, id, pattern, true},
#define MENTIONS(where, id, pattern) Message{Where::where, id, pattern, false},
#define MAY_REPORT(word)
#include "why/causes/messages.def"
#undef SAYS
#undef MENTIONS
#undef MAY_REPORT
};

constexpr std::array fault_words = {
#define SAYS(where, id, pattern)
#define MENTIONS(where, id, pattern)
#define MAY_REPORT(word) std::string_view(word),
#include "why/causes/messages.def"
#undef SAYS
#undef MENTIONS
#undef MAY_REPORT
};

struct Need {
  std::string_view key, command;
};
constexpr std::array need_rows = {
#define NEEDS(key, command) Need{key, command},
#include "why/causes/needs.def"
#undef NEEDS
};

constexpr std::array repair_rows = {
#define REPAIR(code, kind, text) Repair{code, RepairKind::kind, text},
#include "why/causes/repairs.def"
#undef REPAIR
};

}  // namespace

std::span<const Cause> causes() { return cause_rows; }
std::span<const Message> messages() { return message_rows; }
std::span<const std::string_view> words_of_faults() { return fault_words; }
std::span<const Repair> repairs() { return repair_rows; }

std::string_view command_for(std::string_view key) {
  const Need* best = nullptr;
  for (const Need& need : need_rows)
    if (key.starts_with(need.key) && (best == nullptr || need.key.size() > best->key.size())) best = &need;
  return best == nullptr ? std::string_view() : best->command;
}

std::string_view name(Verdict verdict) {
  constexpr std::string_view names[] = {"never", "later", "failed", "ok", "unknown"};
  return names[static_cast<std::size_t>(verdict)];
}

std::string_view name(Who who) {
  constexpr std::string_view names[] = {"user", "admin", "either", "none"};
  return names[static_cast<std::size_t>(who)];
}

std::string_view name(Where where) {
  constexpr std::string_view names[] = {"log", "refused", "create", "event", "waits", "queue", "gang"};
  return names[static_cast<std::size_t>(where)];
}

std::string_view name(RepairKind kind) {
  constexpr std::string_view names[] = {"edit", "command", "wait", "advice"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace muster::why
