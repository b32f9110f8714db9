// Which three bytes follow each other in a text, whatever the case of its letters. Whether a word may be in the text is
// then answered without a search: one pass over a text that many questions are asked of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace muster {

class ByteTriples {
 public:
  explicit ByteTriples(std::string_view text) {
    std::uint32_t last = 0;
    for (const char c : text) has_[place_of(last = with(last, c))] = true;
  }

  // False: the word is not in the text, in no case of its letters. True: it may be.
  bool may_hold(std::string_view word) const {
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < word.size(); ++i) {
      last = with(last, word[i]);
      if (i >= 2 && !has_[place_of(last)]) return false;
    }
    return true;
  }

 private:
  static constexpr int bits = 12;  // of a place: a script has some thousand triples, a word several

  // The last three bytes. (The bit that is set is the one by which small letters differ from capitals.)
  static std::uint32_t with(std::uint32_t last, char c) {
    return (last << 8 | static_cast<unsigned char>(c | 0x20)) & 0xFFFFFF;
  }
  static std::uint32_t place_of(std::uint32_t triple) { return triple * 2654435761U >> (32 - bits); }

  std::array<bool, std::size_t{1} << bits> has_{};
};

}  // namespace muster
