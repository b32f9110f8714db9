#include "why/causes/causes.h"

#include <array>

#include "compiler/base/text.h"

namespace muster::why {
namespace {

constexpr std::array cause_rows = {
#define CAUSE(code, rank, verdict, who, when, sentence) Cause{code, rank, Verdict::verdict, Who::who, when, sentence},
#include "why/causes/causes.def"
#undef CAUSE
};

constexpr std::array message_rows = {
#define SAYS(where, id, pattern) Message{Where::where, id, pattern, true},
#define MENTIONS(where, id, pattern) Message{Where::where, id, pattern, false},
#define MAY_REPORT(word)
#include "why/causes/messages.def"
#undef SAYS
#undef MENTIONS
#undef MAY_REPORT
};

constexpr std::array fault_words = {
#define SAYS(where, id, pattern)
#define MENTIONS(where, id, pattern)
#define MAY_REPORT(word) std::string_view(word),
#include "why/causes/messages.def"
#undef SAYS
#undef MENTIONS
#undef MAY_REPORT
};

struct Need {
  std::string_view key, command;
};
constexpr std::array need_rows = {
#define NEEDS(key, command) Need{key, command},
#include "why/causes/needs.def"
#undef NEEDS
};

constexpr std::array repair_rows = {
#define REPAIR(code, kind, text) Repair{code, RepairKind::kind, text},
#include "why/causes/repairs.def"
#undef REPAIR
};

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

}  // namespace

std::span<const Cause> causes() { return cause_rows; }
std::span<const Message> messages() { return message_rows; }
std::span<const std::string_view> words_of_faults() { return fault_words; }
std::span<const Repair> repairs() { return repair_rows; }

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

std::string_view command_for(std::string_view key) {
  const Need* best = nullptr;
  for (const Need& need : need_rows)
    if (key.starts_with(need.key) && (best == nullptr || need.key.size() > best->key.size())) best = &need;
  return best == nullptr ? std::string_view() : best->command;
}

std::string_view name(Verdict verdict) {
  constexpr std::string_view names[] = {"never", "later", "failed", "ok", "unknown"};
  return names[static_cast<std::size_t>(verdict)];
}

std::string_view name(Who who) {
  constexpr std::string_view names[] = {"user", "admin", "either", "none"};
  return names[static_cast<std::size_t>(who)];
}

std::string_view name(Where where) {
  constexpr std::string_view names[] = {"log", "refused", "create", "event", "waits", "queue", "gang"};
  return names[static_cast<std::size_t>(where)];
}

std::string_view name(RepairKind kind) {
  constexpr std::string_view names[] = {"edit", "command", "wait", "advice"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace muster::why
