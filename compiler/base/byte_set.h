// A set of bytes, to search a text for one of them or for the end of a run of them. It asks a table once a byte, where
// `find_first_of` of the standard library looks through its whole set at each byte.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace muster {

class ByteSet {
 public:
  constexpr explicit ByteSet(std::string_view bytes) {
    for (const char c : bytes) add(c);
  }

  constexpr void add(char c) { has_[static_cast<unsigned char>(c)] = true; }
  constexpr bool contains(char c) const { return has_[static_cast<unsigned char>(c)]; }

  // The first place from `at` on with a byte of the set, or with none; npos if there is no such place.
  constexpr std::size_t find_in(std::string_view text, std::size_t at = 0) const { return find(text, at, true); }
  constexpr std::size_t find_not_in(std::string_view text, std::size_t at = 0) const { return find(text, at, false); }
  // The last place with a byte that is not of the set; npos without one.
  constexpr std::size_t find_last_not_in(std::string_view text) const {
    std::size_t at = text.size();
    while (at > 0 && contains(text[at - 1])) --at;
    return at == 0 ? std::string_view::npos : at - 1;
  }

 private:
  constexpr std::size_t find(std::string_view text, std::size_t at, bool wanted) const {
    const auto is = [&](std::size_t place) { return contains(text[place]) == wanted; };
    while (at + 4 <= text.size() && !(is(at) | is(at + 1) | is(at + 2) | is(at + 3))) at += 4;
    for (; at < text.size(); ++at)
      if (is(at)) return at;
    return std::string_view::npos;
  }

  std::array<bool, 256> has_{};
};

}  // namespace muster
