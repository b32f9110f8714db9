#include "driver/utf16.h"

#include <cstddef>
#include <cstdint>

namespace muster::driver {
namespace {

bool is_high_half(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low_half(std::uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

void append(std::uint32_t point, std::string& out) {
  const auto byte = [&](std::uint32_t bits) { out += static_cast<char>(bits); };
  const auto rest = [&](int shift) { byte(0x80 | ((point >> shift) & 0x3F)); };
  if (point < 0x80) return byte(point);
  if (point < 0x800) return byte(0xC0 | (point >> 6)), rest(0);
  if (point < 0x10000) return byte(0xE0 | (point >> 12)), rest(6), rest(0);
  byte(0xF0 | (point >> 18)), rest(12), rest(6), rest(0);
}

bool is_data(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json");
}

}  // namespace

std::string in_utf8(std::string_view path, std::string text) {
  const bool little = text.starts_with("\xFF\xFE"), big = text.starts_with("\xFE\xFF");
  if ((!little && !big) || !is_data(path)) return text;
  const auto unit = [&](std::size_t at) -> std::uint32_t {
    const auto first = static_cast<unsigned char>(text[at]), second = static_cast<unsigned char>(text[at + 1]);
    return little ? second << 8 | first : first << 8 | second;
  };
  std::string out;
  out.reserve(text.size() / 2);
  for (std::size_t at = 2; at + 1 < text.size(); at += 2) {
    std::uint32_t point = unit(at);
    if (is_high_half(point) && at + 3 < text.size() && is_low_half(unit(at + 2))) {
      point = 0x10000 + ((point - 0xD800) << 10) + (unit(at + 2) - 0xDC00);
      at += 2;
    } else if (is_high_half(point) || is_low_half(point)) {
      point = 0xFFFD;
    }
    append(point, out);
  }
  return out;
}

}  // namespace muster::driver
