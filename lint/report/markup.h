// A stranger's text inside of markdown, for every report that writes some.
#pragma once

#include <string>
#include <string_view>

namespace muster::lint {

// Every character that a host reads something into as its number. Outside of code hosts look for @people, #numbers and
// addresses even after such numbers were decoded: there a character without width behind it breaks the word. The text
// has no control characters (`printable`).
std::string markdown_text(std::string_view text, bool in_code);

}  // namespace muster::lint
