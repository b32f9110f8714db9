// Text that some shells write in UTF-16.
#pragma once

#include <string>
#include <string_view>

namespace muster::driver {

// The text of a YAML or JSON file in UTF-8: like kubectl, from UTF-16 where it begins with a byte order mark. Halves of
// pairs that stand alone become U+FFFD. Texts of other files remain as they are, because nothing else reads UTF-16.
std::string in_utf8(std::string_view path, std::string text);

}  // namespace muster::driver
