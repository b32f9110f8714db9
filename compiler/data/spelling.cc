#include "compiler/data/spelling.h"

#include <algorithm>

#include "compiler/base/text.h"

namespace muster::data {
namespace {

// What `\` and a byte stand for in double quotes; NUL where it takes more than the byte.
char escaped(char c) {
  switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case '"':
    case '\\':
    case '/':
    case ' ': return c;
    default: return '\0';
  }
}

bool is_space(char c) { return is_blank(c) || c == '\n' || c == '\r'; }

// Follows a spelling beside its value: blanks may differ (indentation, folded lines), all else is the same.
class Follower {
 public:
  Follower(std::string_view spelling, std::string_view value) : spelling_(spelling), value_(value) {
    const char first = spelling.empty() ? '\0' : spelling.front();
    quote_ = first == '"' || first == '\'' ? first : '\0';
    if (quote_ != '\0') at_ = 1;
    else if (first == '|' || first == '>') at_ = std::min(spelling.find('\n'), spelling.size() - 1) + 1;
  }

  // False if it cannot be followed. Each byte of the value with its offset in the spelling goes to `take`.
  template <class Take>
  bool run(const Take& take) {
    for (std::size_t i = 0; i < value_.size(); ++i) {
      skip_to(value_[i]);
      if (at_ == spelling_.size()) {
        if (!is_space(value_[i])) return false;
        take(i, at_);  // the end of the last line
        continue;
      }
      const std::size_t length = length_of(value_[i]);
      if (length == 0) return false;
      take(i, at_);
      at_ += length;
    }
    return true;
  }

 private:
  // Blanks of the spelling alone, and lines that go on behind `\`.
  void skip_to(char wanted) {
    while (at_ < spelling_.size()) {
      const char c = spelling_[at_];
      const std::size_t behind = end_of_joint();
      if (behind == at_ && (c == wanted || !is_space(c) || (is_space(wanted) && c == '\n'))) return;
      at_ = std::max(behind, at_ + 1);
    }
  }

  // Behind `\` and the line end that it takes away; here where there is none.
  std::size_t end_of_joint() const {
    if (quote_ != '"' || spelling_[at_] != '\\') return at_;
    const std::string_view rest = spelling_.substr(at_ + 1);
    return at_ + (rest.starts_with("\r\n") ? 3 : rest.starts_with('\n') ? 2 : 0);
  }

  // Of what stands for the byte here; 0 if nothing does.
  std::size_t length_of(char wanted) const {
    const char c = spelling_[at_];
    if (quote_ == '"' && c == '\\') return at_ + 1 < spelling_.size() && escaped(spelling_[at_ + 1]) == wanted ? 2 : 0;
    if (quote_ == '\'' && c == '\'') return wanted == c && spelling_.substr(at_).starts_with("''") ? 2 : 0;
    return c == wanted || (is_space(c) && is_space(wanted)) ? 1 : 0;
  }

  std::string_view spelling_, value_;
  std::size_t at_ = 0;
  char quote_ = '\0';
};

}  // namespace

Spelling spelling_of(const Sources& sources, const Node& scalar) {
  Spelling out{scalar.span, {}};
  if (!scalar.span.known() || !scalar.is_scalar()) return out;
  Follower follower(sources.text(scalar.span), scalar.text);
  std::size_t next = std::string::npos;  // where the next byte is expected
  const bool whole = follower.run([&](std::size_t at, std::size_t place) {
    if (place != next)
      out.pieces.push_back({static_cast<std::uint32_t>(at), scalar.span.begin + static_cast<std::uint32_t>(place)});
    next = place + 1;
  });
  if (!whole) out.pieces.clear();
  return out;
}

}  // namespace muster::data
