// The catalogue of causes, and of the messages that speak of them: data, in the order of its files.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace muster::why {

enum class Verdict : std::uint8_t { never, later, failed, ok, unknown };
std::string_view name(Verdict verdict);

enum class Who : std::uint8_t { user, admin, either, none };
std::string_view name(Who who);

// A row of causes.def.
struct Cause {
  std::string_view code;
  int rank;
  Verdict verdict;
  Who who;
  std::string_view when, sentence;
};
std::span<const Cause> causes();

// Where a text was printed.
enum class Where : std::uint8_t { log, refused, create, event, waits, queue, gang };
std::string_view name(Where where);

// A row of messages.def.
struct Message {
  Where where;
  std::string_view id, pattern;
  bool is_fault;  // false: by itself it is none
};
std::span<const Message> messages();
// Lower-case texts of which a line that reports a fault has one, as a rule.
std::span<const std::string_view> words_of_faults();

// The command that prints a fact: the row of needs.def whose key is the longest beginning of `key`. "": none does.
std::string_view command_for(std::string_view key);

// A change that may remove a cause: a row of repairs.def.
enum class RepairKind : std::uint8_t { edit, command, wait, advice };
std::string_view name(RepairKind kind);
struct Repair {
  std::string_view code;
  RepairKind kind;
  // edit: `option=VALUE`, or `option=` to remove it; command and advice: a text. With {facts}.
  std::string_view text;
};
std::span<const Repair> repairs();

}  // namespace muster::why
