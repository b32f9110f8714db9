// Names that the API server takes.
#pragma once

#include <string>
#include <string_view>

namespace muster::targets::kubernetes {

inline constexpr std::size_t longest_label = 63;

// DNS-1035 label: a lower-case letter, then letters, digits and dashes, no dash at the end; at most 63.
bool is_dns_label(std::string_view name);
// DNS-1123 subdomain: labels that may begin with a digit, joined by dots; at most 253.
bool is_dns_name(std::string_view name);
// What a label's value may be: letters, digits, `-`, `_`, `.` between letters or digits; at most 63; or empty.
bool is_label_value(std::string_view value);
// A label's or annotation's key, with or without a prefix: "team", "example.com/team".
bool is_label_key(std::string_view key);

// A name of the language in the characters of DNS: lower case, `-` for `_` and `.`.
std::string dns_label(std::string_view name);

// 8 hexadecimal digits of a text (FNV-1a of 64 bits, folded): the same text has the same ones everywhere.
std::string digest(std::string_view text);

}  // namespace muster::targets::kubernetes
