#include "targets/kubernetes/names.h"

#include <algorithm>
#include <cstdint>

#include "compiler/base/text.h"

namespace muster::targets::kubernetes {
namespace {

// Letters and digits at both ends, `inner` characters too between them.
bool is_word(std::string_view text, std::string_view inner) {
  if (text.empty() || !is_alnum(text.front()) || !is_alnum(text.back())) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_alnum(c) || inner.find(c) != std::string_view::npos; });
}

bool has_upper(std::string_view text) { return std::any_of(text.begin(), text.end(), is_upper); }

}  // namespace

bool is_dns_label(std::string_view name) {
  return name.size() <= longest_label && is_word(name, "-") && !has_upper(name) && is_lower(name.front());
}

bool is_dns_name(std::string_view name) {
  if (name.empty() || name.size() > 253) return false;
  while (true) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    const std::string_view part = name.substr(0, dot);
    if (!is_word(part, "-") || has_upper(part)) return false;
    if (dot == name.size()) return true;
    name.remove_prefix(dot + 1);
  }
}

bool is_label_value(std::string_view value) {
  return value.empty() || (value.size() <= longest_label && is_word(value, "-_."));
}

bool is_label_key(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash != std::string_view::npos && !is_dns_name(key.substr(0, slash))) return false;
  const std::string_view name = slash == std::string_view::npos ? key : key.substr(slash + 1);
  return !name.empty() && is_label_value(name);
}

std::string dns_label(std::string_view name) {
  std::string out = muster::lower(name);
  for (char& c : out)
    if (c == '_' || c == '.') c = '-';
  return out;
}

std::string digest(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  auto folded = static_cast<std::uint32_t>(hash ^ (hash >> 32));
  std::string out(8, '0');
  for (auto at = out.rbegin(); at != out.rend(); ++at, folded >>= 4) *at = "0123456789abcdef"[folded & 0xF];
  return out;
}

}  // namespace muster::targets::kubernetes
