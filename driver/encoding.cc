#include "driver/encoding.h"

namespace muster::driver {

std::string unreadable(const FoundFile& file, std::string_view text) {
  if (!text.starts_with("\xFF\xFE") && !text.starts_with("\xFE\xFF")) return {};
  std::string narrow(text.substr(2));  // what it says in ASCII
  std::erase(narrow, '\0');
  return kind_of(file, narrow) ? "it is UTF-16; save it as UTF-8" : "";
}

}  // namespace muster::driver
