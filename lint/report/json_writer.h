// JSON written while its data is walked: nothing is kept but a buffer, however long the report is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lint/report/report.h"

namespace muster::lint {

// Objects and lists that are opened are closed; in an object every value has a name, in a list none has. The text is
// that of nlohmann's dump() with an indent of one: bytes that are not UTF-8 are replaced.
class JsonWriter {
 public:
  explicit JsonWriter(const Write& write) : write_(write) {}

  void open_object(std::string_view name = {}) { open(name, '{'); }
  void open_list(std::string_view name = {}) { open(name, '['); }
  void close();

  void text(std::string_view name, std::string_view value);
  void number(std::string_view name, std::uint64_t value);
  void flag(std::string_view name, bool value);
  void null(std::string_view name);
  // A value of a list.
  void text(std::string_view value) { text({}, value); }

  // A line end, and what is still in the buffer. The last call.
  void finish();

 private:
  void open(std::string_view name, char bracket);
  void begin_value(std::string_view name);
  void new_line();
  void quoted(std::string_view text);

  const Write& write_;
  std::string buffer_, open_;  // brackets
  bool first_ = true;          // in the innermost object or list
};

}  // namespace muster::lint
