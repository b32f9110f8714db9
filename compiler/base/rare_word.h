// A word that is looked for by its rarest sign: `\n#!` by its exclamation mark, for every line has the others.
#pragma once

#include <cstddef>
#include <string_view>

namespace muster {

struct RareWord {
  std::string_view word;
  std::size_t rare = 0;  // the place of that sign in the word

  // The first place of the word in the text from `from` on; npos without one.
  std::size_t find_in(std::string_view text, std::size_t from = 0) const {
    for (std::size_t at = text.find(word[rare], from + rare); at != text.npos; at = text.find(word[rare], at + 1))
      if (text.substr(at - rare).starts_with(word)) return at - rare;
    return text.npos;
  }
};

}  // namespace muster
