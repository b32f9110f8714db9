// Inputs made of others, most of them still nearly well-formed: words swapped and taken from elsewhere, blocks and
// lines doubled, moved or wrapped, numbers at their bounds, unexpected names, deep nesting, long repeats.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace muster::fuzz {

class Mutator {
 public:
  // `pool`: texts that words, lines and blocks are taken from. The same seed gives the same inputs everywhere.
  Mutator(std::uint64_t seed, std::vector<std::string> pool);

  // `text`, changed in one to eight places.
  std::string mutated(std::string text);

 private:
  // A part of a text, by offsets.
  struct Range {
    std::size_t begin = 0, end = 0;
    std::size_t size() const { return end - begin; }
  };

  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class List>
  const auto& one_of(const List& list) {
    return list[below(std::size(list))];
  }

  void mutate_once(std::string& text);
  Range word_in(std::string_view text);
  Range word_like(std::string_view text, char first);
  Range line_in(std::string_view text);
  Range block_in(std::string_view text);
  std::string_view foreign() { return one_of(pool_); }
  static std::string_view part(std::string_view text, Range range) { return text.substr(range.begin, range.size()); }

  void swap_words(std::string& text);
  void replace_word(std::string& text);
  void bound_number(std::string& text);
  void spoil_name(std::string& text);
  void move_part(std::string& text, Range from);
  void take_foreign(std::string& text);
  void repeat(std::string& text, Range what);
  void wrap(std::string& text);
  void insert_snippet(std::string& text);
  void spoil_bytes(std::string& text);

  std::mt19937_64 random_;
  std::vector<std::string> pool_;
};

}  // namespace muster::fuzz
