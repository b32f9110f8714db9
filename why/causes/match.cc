#include "why/causes/match.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "compiler/base/text.h"
#include "why/facts.h"

namespace muster::why {
namespace {

// A piece of a pattern: a literal text, and what is in front of it.
struct Piece {
  enum class Gap : std::uint8_t { none, any, value, rest } gap = Gap::none;
  std::string_view name;
  std::string literal;
};

std::vector<Piece> pieces_of(std::string_view pattern) {
  std::vector<Piece> out(1);
  out[0].gap = Piece::Gap::any;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '*') {
      out.push_back({Piece::Gap::any, {}, {}});
    } else if (pattern[i] == '{' && i + 1 < pattern.size() && pattern[i + 1] == '{') {
      out.back().literal += '{';
      ++i;
      // `{{name}` is a brace and then a value.
      const std::size_t end = pattern.find('}', i);
      if (end != std::string_view::npos && is_lower(pattern[i + 1])) {
        out.push_back({Piece::Gap::value, pattern.substr(i + 1, end - i - 1), {}});
        i = end;
      }
    } else if (pattern[i] == '{') {
      const std::size_t end = pattern.find('}', i);
      std::string_view name = pattern.substr(i + 1, end - i - 1);
      const bool rest = name.ends_with("...");
      if (rest) name.remove_suffix(3);
      out.push_back({rest ? Piece::Gap::rest : Piece::Gap::value, name, {}});
      i = end;
    } else {
      out.back().literal += pattern[i];
    }
  }
  return out;
}

// A pattern that begins with a capital begins a word: `MemoryError` is not said by `torch.OutOfMemoryError`.
bool is_within_word(std::string_view literal, std::string_view text, std::size_t at) {
  return !literal.empty() && is_upper(literal[0]) && at > 0 && is_alnum(text[at - 1]);
}

// A value without what ends the sentence that it is in.
std::string value_of(std::string_view text) {
  text = trimmed(text);
  while (text.size() > 1 && is_one_of(text.substr(text.size() - 1), {".", ",", ";", ":"})) text.remove_suffix(1);
  return std::string(text);
}

bool is_value_char(char c) { return c != ' ' && c != '"' && c != '\'' && c != '`'; }

constexpr std::size_t longest_value = 300;

// The pieces from `piece` on, in the text from `at` on; values go to `captures`.
bool match_from(std::span<const Piece> pieces, std::string_view text, std::size_t at, Captures& captures, int& steps) {
  if (pieces.empty()) return true;
  const Piece& piece = pieces[0];
  if (++steps > 2000) return false;
  if (piece.literal.empty() && piece.gap != Piece::Gap::none) {
    // The last piece: a value runs to its end.
    std::size_t end = text.size();
    if (piece.gap == Piece::Gap::value) {
      while (at < text.size() && text[at] == ' ') ++at;
      end = at;
      while (end < text.size() && is_value_char(text[end])) ++end;
      if (end == at) return false;
    }
    if (!piece.name.empty())
      captures.emplace_back(piece.name, value_of(text.substr(at, std::min(end - at, longest_value))));
    return match_from(pieces.subspan(1), text, end, captures, steps);
  }
  for (std::size_t found = text.find(piece.literal, at); found != std::string_view::npos;
       found = text.find(piece.literal, found + 1)) {
    if (piece.gap == Piece::Gap::none && found != at) return false;
    if (piece.gap == Piece::Gap::any && is_within_word(piece.literal, text, found)) continue;
    std::string_view value = text.substr(at, found - at);
    if (piece.gap == Piece::Gap::value) {
      // In front of the value of a first piece anything may stand.
      if (value.size() > longest_value) return false;
      bool whole = !value.empty();
      for (const char c : value) whole &= is_value_char(c);
      if (!whole) continue;
    }
    const std::size_t known = captures.size();
    if (!piece.name.empty()) captures.emplace_back(piece.name, value_of(value));
    if (match_from(pieces.subspan(1), text, found + piece.literal.size(), captures, steps)) return true;
    captures.resize(known);
    if (piece.gap == Piece::Gap::none) return false;
  }
  return false;
}

// One place of a pattern or of a text, for texts with holes.
struct Token {
  enum class Kind : std::uint8_t { letter, any, value, hole } kind = Kind::letter;
  char letter = 0;
  std::string_view name{};  // of a value
  std::size_t piece = 0;    // of the pattern
};

std::vector<Token> tokens_of(std::span<const Piece> pieces) {
  std::vector<Token> out;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    if (piece.gap == Piece::Gap::value) out.push_back({Token::Kind::value, 0, piece.name, i});
    else if (piece.gap != Piece::Gap::none && i > 0) out.push_back({Token::Kind::any, 0, piece.name, i});
    for (const char c : piece.literal) out.push_back({Token::Kind::letter, c, {}, i});
  }
  return out;
}

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with(cut)) {
      out.push_back({Token::Kind::hole});
      i += cut.size() - 1;
    } else {
      out.push_back({Token::Kind::letter, text[i]});
    }
  }
  return out;
}

std::size_t row_of(std::size_t least) { return std::min<std::size_t>(least, 10); }

// The best way to lay a pattern over a text with holes: which letters of it are seen.
class Layout {
 public:
  Layout(std::vector<Token> pattern, std::vector<Token> text, std::size_t least)
      : pattern_(std::move(pattern)), text_(std::move(text)), least_(least) {
    const std::size_t width = text_.size() + 1;
    cells_.assign((pattern_.size() + 1) * width, {});
    for (std::size_t t = 0; t < width; ++t) cell(0, t) = {0, Step::begin};
    for (std::size_t p = 0; p <= pattern_.size(); ++p)
      for (std::size_t t = 0; t < width; ++t) spread(p, t);
  }

  std::optional<Laid> best() const {
    std::size_t end = 0;
    for (std::size_t t = 0; t <= text_.size(); ++t)
      if (at(pattern_.size(), t).seen > at(pattern_.size(), end).seen) end = t;
    if (at(pattern_.size(), end).seen < static_cast<int>(least_)) return std::nullopt;
    return walk(end);
  }

 private:
  enum class Step : std::uint8_t { none, begin, both, pattern, text };
  struct Cell {
    int seen = -1;
    Step step = Step::none;  // how it was reached
  };

  Cell& cell(std::size_t p, std::size_t t) { return cells_[p * (text_.size() + 1) + t]; }
  const Cell& at(std::size_t p, std::size_t t) const { return cells_[p * (text_.size() + 1) + t]; }

  void reach(std::size_t p, std::size_t t, int seen, Step step) {
    if (seen > cell(p, t).seen) cell(p, t) = {seen, step};
  }

  void spread(std::size_t p, std::size_t t) {
    const int seen = cell(p, t).seen;
    if (seen < 0 || p == pattern_.size()) return;
    if (is_hole(t)) {
      // The hole may have this part of the pattern, or end here.
      reach(p + 1, t, seen, Step::pattern);
      if (p > 0) reach(p, t + 1, seen, Step::text);
      return;
    }
    switch (pattern_[p].kind) {
      case Token::Kind::any: reach(p + 1, t, seen, Step::pattern); [[fallthrough]];
      case Token::Kind::value:
        if (t < text_.size() && (pattern_[p].kind == Token::Kind::any || is_value_char(text_[t].letter))) {
          reach(p, t + 1, seen, Step::text);
          if (pattern_[p].kind == Token::Kind::value) reach(p + 1, t + 1, seen, Step::both);
        }
        break;
      default:
        if (t < text_.size() && text_[t].letter == pattern_[p].letter && !(p == 0 && is_inside(t)))
          reach(p + 1, t + 1, seen + 1, Step::both);
    }
  }

  bool is_hole(std::size_t t) const { return t < text_.size() && text_[t].kind == Token::Kind::hole; }

  // A pattern that begins with a capital begins a word.
  bool is_inside(std::size_t t) const {
    return is_upper(pattern_[0].letter) && t > 0 && text_[t - 1].kind == Token::Kind::letter &&
           is_alnum(text_[t - 1].letter);
  }

  // Back along the best way: the values, and whether enough letters are in a row.
  std::optional<Laid> walk(std::size_t t) const {
    std::vector<std::string> values(pattern_.size() + 1);
    std::vector<bool> open(pattern_.size() + 1);                                   // a hole is in the value
    std::vector<std::size_t> seen(pattern_.size() + 1), all(pattern_.size() + 1);  // letters of each piece
    for (const Token& token : pattern_) all[token.piece] += token.kind == Token::Kind::letter ? 1 : 0;
    std::size_t row = 0, longest = 0;
    for (std::size_t p = pattern_.size(); p > 0;) {
      const Step step = at(p, t).step;
      if (step == Step::pattern) {
        --p;
        open[p] = open[p] || is_hole(t);
        row = 0;
        continue;
      }
      const Token& read = text_[--t];
      if (step == Step::both) --p;
      const bool letter = pattern_[p < pattern_.size() ? p : 0].kind == Token::Kind::letter;
      row = step == Step::both && letter ? row + 1 : 0;
      longest = std::max(longest, row);
      if (row > 0) ++seen[pattern_[p].piece];
      if (is_hole(t) || is_hole(t + 1) || (t > 0 && is_hole(t - 1))) open[p] = true;
      if (read.kind == Token::Kind::letter) values[p].insert(values[p].begin(), read.letter);
    }
    if (longest < row_of(least_)) return std::nullopt;
    Laid out{0, true, {}};
    for (std::size_t piece = 0; piece < all.size(); ++piece) {
      out.seen += seen[piece];
      if (all[piece] > 3 && seen[piece] * 3 < all[piece] * 2) out.is_enough = false;
    }
    for (std::size_t p = 0; p < pattern_.size(); ++p)
      if (!pattern_[p].name.empty() && !open[p] && !values[p].empty())
        out.values.emplace_back(pattern_[p].name, value_of(values[p]));
    return out;
  }

  std::vector<Token> pattern_, text_;
  std::size_t least_;
  std::vector<Cell> cells_;
};

// Whether a literal of the pattern is there by its first or last letters, as one must be.
bool may_be_laid(std::span<const Piece> pieces, std::string_view text, std::size_t row) {
  return std::any_of(pieces.begin(), pieces.end(), [&](const Piece& piece) {
    const std::string_view literal = piece.literal;
    return literal.size() >= row && (text.find(literal.substr(0, row)) != std::string_view::npos ||
                                     text.find(literal.substr(literal.size() - row)) != std::string_view::npos);
  });
}

}  // namespace

std::optional<Captures> match(std::string_view pattern, std::string_view text) {
  // Most texts have not even the beginning of most patterns.
  if (text.find(pattern.substr(0, pattern.find_first_of("*{"))) == std::string_view::npos) return std::nullopt;
  std::vector<Piece> pieces = pieces_of(pattern);
  Captures out;
  int steps = 0;
  // A pattern that begins with a value: the text in front of it is not part of the value.
  if (pieces[0].literal.empty() && pieces.size() > 1) {
    const Piece& first = pieces[1];
    for (std::size_t found = text.find(first.literal); !first.literal.empty() && found != std::string_view::npos;
         found = text.find(first.literal, found + 1)) {
      std::size_t begin = found;
      while (begin > 0 && is_value_char(text[begin - 1])) --begin;
      Captures captures;
      if (match_from(std::span(pieces).subspan(1), text, begin, captures, steps)) return captures;
    }
    return std::nullopt;
  }
  if (match_from(pieces, text, 0, out, steps)) return out;
  return std::nullopt;
}

std::optional<Laid> match_cut(std::string_view pattern, std::string_view text, std::size_t least) {
  constexpr std::size_t longest = 2000;
  text = text.substr(0, longest);
  const std::vector<Piece> pieces = pieces_of(pattern);
  if (text.find(cut) == std::string_view::npos || !may_be_laid(pieces, text, row_of(least))) return std::nullopt;
  return Layout(tokens_of(pieces), tokens_of(text), least).best();
}

}  // namespace muster::why
