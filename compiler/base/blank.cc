#include "compiler/base/blank.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "compiler/base/byte_set.h"
#include "compiler/base/text.h"

namespace muster {
namespace {

constexpr std::size_t longest_blank = 400;  // so that open signs without end cost no more than their number

using Places = std::uint16_t;
enum class Inside : std::uint8_t {
  any,
  plain,          // `name`, `a.b | c`, and not what awk and Python write
  statement,      // not the slot of GNU parallel, `{%}`
  name,           // of letters, digits and `_`
  dotted,         // the same with `.` and `-`
  capitals,       // NODES_2
  long_capitals,  // three or more: `%A%` are patterns of log files
  letters,        // of capitals, `_` and `-`
  named,          // what begins with a name: `X:-1`
  command,        // and no arithmetic
  expression,     // `args.nodes`, `n:02d`, without blanks
  number,         // of an argument: `{0}`
  prose,          // `your account`, and no address
};
enum class Match : std::uint8_t {
  word,     // in any case, by itself or with a capital behind it
  joined,   // the same with something beside it, for by itself it is prose
  shouted,  // in capitals, by itself
  first,    // at the begin
  whole,    // the whole text, or the user of an address
  part,     // anywhere
  item,     // one of several between signs: `0:XX:00`, `gpu:n`
  spelt,    // anywhere: `word`, `WORD` or `Word`
};

struct Between {
  std::string_view open, close;  // the latter is empty behind a sign
  Inside inside;
  std::string_view form, engine;
  FilledBy by;
  Places places;
};
struct Whole {
  Inside inside;
  std::string_view form;
  Places places;
};
struct Run {
  char sign;
  std::size_t whole, part;
  Places places;
};
struct Spoken {
  std::string_view word;
  Match match;
  Places places;
};

struct Table {
  std::array<Between, 64> between{};
  std::array<Whole, 8> whole{};
  std::array<Run, 16> runs{};
  std::array<Spoken, 128> words{};
  std::size_t betweens = 0, wholes = 0, run_count = 0, word_count = 0;
};

constexpr Table table = [] {
  constexpr Places directive = 1, shell = 2, yaml = 4, secret = 8, refused = 16, line = 32, text = 64, comment = 128,
                   token = 256;
  Table t;
#define BLANK_BETWEEN(open, close, inside, form, engine, by, places) \
  t.between[t.betweens++] = {open, close, Inside::inside, form, engine, FilledBy::by, places};
#define BLANK_BEHIND(sign, inside, form, by, places) \
  t.between[t.betweens++] = {sign, "", Inside::inside, form, "", FilledBy::by, places};
#define BLANK_WHOLE(inside, form, places) t.whole[t.wholes++] = {Inside::inside, form, places};
#define BLANK_RUN(sign, whole, part, places) t.runs[t.run_count++] = {sign, whole, part, places};
#define BLANK_WORD(word, match, places) t.words[t.word_count++] = {word, Match::match, places};
#include "compiler/base/blanks.def"
#undef BLANK_BETWEEN
#undef BLANK_BEHIND
#undef BLANK_WHOLE
#undef BLANK_RUN
#undef BLANK_WORD
  return t;
}();

std::size_t bit_of(In place) { return static_cast<std::size_t>(std::countr_zero(static_cast<Places>(place))); }

bool holds(Places places, In place) { return (places & static_cast<Places>(place)) != 0; }

// The rows that begin with each sign, in the order of the table: the first of them, and behind each the next.
struct RowsOfSign {
  std::array<std::uint8_t, 256> first{};
  std::array<std::uint8_t, 64> next{};
};
constexpr std::uint8_t no_row = 255;
constexpr RowsOfSign rows_of_sign = [] {
  RowsOfSign out;
  for (std::uint8_t& row : out.first) row = no_row;
  for (std::size_t i = table.betweens; i-- > 0;) {
    std::uint8_t& first = out.first[static_cast<unsigned char>(table.between[i].open.front())];
    out.next[i] = first, first = static_cast<std::uint8_t>(i);
  }
  return out;
}();

// The signs with which a blank may begin, by place.
const ByteSet& first_signs(In place) {
  static constexpr auto sets = [] {
    std::array<ByteSet, 9> out{ByteSet(""), ByteSet(""), ByteSet(""), ByteSet(""), ByteSet(""),
                               ByteSet(""), ByteSet(""), ByteSet(""), ByteSet("")};
    for (std::size_t bit = 0; bit < out.size(); ++bit)
      for (std::size_t i = 0; i < table.betweens; ++i)
        if ((table.between[i].places >> bit & 1) != 0) out[bit].add(table.between[i].open.front());
    return out;
  }();
  return sets[bit_of(place)];
}

bool all(std::string_view text, auto is) { return std::all_of(text.begin(), text.end(), is); }
bool is_capital(char c) { return is_upper(c) || is_digit(c) || c == '_'; }

bool is_inside(Inside kind, std::string_view text) {
  if (text.empty()) return kind == Inside::any || kind == Inside::statement;
  const bool named = is_name_start(text.front());
  const auto has = [&](std::string_view signs) { return text.find_first_of(signs) != std::string_view::npos; };
  switch (kind) {
    case Inside::any: return true;
    case Inside::plain: return !has(";\n\"={") && std::any_of(text.begin(), text.end(), is_name_start);
    case Inside::statement: return text.front() != '}';
    case Inside::name: return named && all(text, is_name_char);
    case Inside::dotted: return named && all(text, [](char c) { return is_name_char(c) || c == '.' || c == '-'; });
    case Inside::capitals: return is_upper(text.front()) && text.back() != '_' && all(text, is_capital);
    case Inside::long_capitals: return text.size() > 2 && is_inside(Inside::capitals, text);
    case Inside::letters: return all(text, [](char c) { return is_upper(c) || c == '_' || c == '-'; });
    case Inside::named: return named && !has("$\n");
    case Inside::command: return text.front() != '(' && !has("$\n");
    case Inside::expression: return (named || text.front() == '(') && !has("@,;$= \t\n{");
    case Inside::number: return all(text, is_digit);
    case Inside::prose: return named && text.back() != ' ' && !has("<>@\n|=(");
  }
  return false;
}

// Who reads `{{ … }}`, by what is inside.
std::string_view form_of_braces(std::string_view inside) {
  if (inside.starts_with('-')) inside.remove_prefix(1);
  if (!inside.empty() && std::string_view("#/^>&{!").find(inside[0]) != std::string_view::npos) return "mustache";
  inside = trimmed(inside, " \t");
  const auto begins = [&](std::string_view word) { return inside.starts_with(word); };
  const bool go = begins(".") || begins("include ") || begins("$.") || begins("if ") || begins("range ") ||
                  begins("end ") || inside.find(".Values") != std::string_view::npos;
  return go ? "helm" : "jinja";
}

// The end of the conversion behind `%(name)`; 0: there is none.
std::size_t conversion_end(std::string_view text, std::size_t at) {
  at = std::min(text.find_first_not_of("0123456789.", at), text.size());
  return at < text.size() && std::string_view("sdifr").find(text[at]) != std::string_view::npos ? at + 1 : 0;
}

bool starts_value(char before) { return before == '=' || before == ':' || is_space(before); }

// Where a blank of this row ends that begins at `at`; 0: none does.
std::size_t end_of(const Between& row, std::string_view text, std::size_t at) {
  const char before = at > 0 ? text[at - 1] : ' ';
  const std::size_t begin = at + row.open.size();
  if (row.close.empty()) {
    std::size_t end = begin;
    while (end < text.size() && is_name_char(text[end])) ++end;
    const bool apart = row.by == FilledBy::variable ||
                       (starts_value(before) && (end == text.size() || text[end] == ':' || is_space(text[end])));
    return apart && end > begin && is_inside(row.inside, text.substr(begin, end - begin)) ? end : 0;
  }
  if (row.form == "angle" && (is_alnum(before) || before == '?')) return 0;  // `vector<int>`, `(?<name>…)`
  if (row.form == "brackets" && is_name_char(before)) return 0;
  if (row.form == "braces" && before == '$') return 0;
  const std::string_view rest = text.substr(begin, longest_blank);
  const std::size_t size = rest.find(row.close);
  if (size == std::string_view::npos || !is_inside(row.inside, rest.substr(0, size))) return 0;
  const std::size_t end = begin + size + row.close.size();
  return row.form == "python" ? conversion_end(text, end) : end;
}

// Of a word of a shell what is a value, and no name of an option or a variable.
std::string_view value_of(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals != std::string_view::npos) return word.substr(equals + 1);
  return word.starts_with('-') ? std::string_view() : word;
}

bool is_run(const Run& row, std::string_view text) {
  const auto is_sign = [&](char c) { return to_lower(c) == row.sign; };
  if (text.size() >= row.whole && all(text, is_sign)) return true;
  for (std::size_t at = 0, size = 0; row.part > 0 && at < text.size(); ++at) {
    size = is_sign(text[at]) ? size + 1 : 0;
    if (size >= row.part) return true;
  }
  return false;
}

// Where a word of the table ends that begins at `at`; npos: it does not.
std::size_t word_end(std::string_view text, std::size_t at, std::string_view word) {
  for (const char c : word) {
    const bool more = at < text.size();
    if (c == ' ') at += more && std::string_view("-_./ ").find(text[at]) != std::string_view::npos ? 1 : 0;
    else if (more && to_lower(text[at]) == to_lower(c)) ++at;
    else return std::string_view::npos;
  }
  return at;
}

bool is_between(char c) { return std::string_view(":-,=").find(c) != std::string_view::npos; }

bool stands(Match match, std::string_view text, std::size_t begin, std::size_t end, std::string_view word) {
  const std::string_view found = text.substr(begin, end - begin);
  const bool last = end == text.size();  // but for parts, no letter is in front
  switch (match) {
    case Match::word: return last || !is_lower(text[end]);
    case Match::joined: return found != text && (last || !is_lower(text[end]));
    case Match::shouted: return found == word && (last || !is_letter(text[end]));
    case Match::first: return begin == 0;
    case Match::whole: return begin == 0 && (last || text[end] == '@');
    case Match::part: return true;
    case Match::item:
      return found != text && text.find(' ') == text.npos && (begin == 0 || is_between(text[begin - 1])) &&
             (last || is_between(text[end]));
    case Match::spelt: return all(found.substr(1), is_lower) || all(found, is_upper);
  }
  return false;
}

constexpr bool is_anywhere(Match match) { return match == Match::part || match == Match::spelt; }

// The rows of words that count in each place.
struct Rows {
  std::array<std::uint8_t, 128> index{};
  std::size_t count = 0;
  ByteSet starts{""}, starts_inside{""};  // the letters with which they begin, and those that may be in another word
  std::array<bool, 1024> pairs{};         // the first two letters: most words of a script begin with no such pair
};
constexpr std::size_t pair_of(char first, char second) {
  return static_cast<std::size_t>((first & 31) * 32 + (second & 31));  // in any case
}
constexpr auto rows_of_place = [] {
  std::array<Rows, 9> out{};
  for (std::size_t bit = 0; bit < out.size(); ++bit)
    for (std::size_t i = 0; i < table.word_count; ++i)
      if ((table.words[i].places >> bit & 1) != 0) {
        out[bit].index[out[bit].count++] = static_cast<std::uint8_t>(i);
        const std::string_view word = table.words[i].word;
        for (int second = 0; second < 32; ++second)
          if (word.size() < 2 || word[1] == ' ' || (word[1] & 31) == second)
            out[bit].pairs[pair_of(word[0], static_cast<char>(second))] = true;
        for (const char letter : {to_lower(table.words[i].word.front()), to_upper(table.words[i].word.front())}) {
          out[bit].starts.add(letter);
          if (is_anywhere(table.words[i].match)) out[bit].starts_inside.add(letter);
        }
      }
  return out;
}();

bool says_word(std::string_view text, In place) {
  const Rows& rows = rows_of_place[bit_of(place)];
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '$' && place == In::shell) {  // the name of a variable says nothing of its value
      at = std::min(text.find_first_not_of("${", at), text.size());
      while (at < text.size() && is_name_char(text[at])) ++at;
      if (at == text.size()) break;
    }
    const bool begins = at == 0 || !is_letter(text[at - 1]);
    if (!(begins ? rows.starts : rows.starts_inside).contains(text[at])) continue;
    if (!rows.pairs[pair_of(text[at], at + 1 < text.size() ? text[at + 1] : '\0')]) continue;
    for (std::size_t i = 0; i < rows.count; ++i) {
      const Spoken& row = table.words[rows.index[i]];
      if ((!begins && !is_anywhere(row.match)) || to_lower(text[at]) != to_lower(row.word.front())) continue;
      const std::size_t end = word_end(text, at, row.word);
      if (end != std::string_view::npos && stands(row.match, text, at, end, row.word)) return true;
    }
  }
  return false;
}

// A person's word is one of a text without blanks: several are a sentence, but where a person speaks of the value.
bool is_spoken(std::string_view text, In place) {
  if (place == In::text || place == In::line) return false;
  static constexpr ByteSet blanks(" \t\n");
  if (place != In::refused && place != In::comment && blanks.find_in(text) != text.npos) return false;
  const bool assigned = place != In::shell || text.find('=') != text.npos;  // by itself it may be a line of stars
  if (place == In::shell) text = value_of(text);
  const auto repeated = [&](const Run& row) { return holds(row.places, place) && is_run(row, text); };
  if (says_word(text, place)) return true;
  return assigned && std::any_of(table.runs.begin(), table.runs.begin() + table.run_count, repeated);
}

}  // namespace

BlankFound blank_at(std::string_view text, In place, std::size_t at) {
  if (at >= text.size() || !first_signs(place).contains(text[at])) return {};
  for (std::uint8_t i = rows_of_sign.first[static_cast<unsigned char>(text[at])]; i != no_row;
       i = rows_of_sign.next[i]) {
    const Between& row = table.between[i];
    if (!holds(row.places, place) || text.compare(at, row.open.size(), row.open) != 0) continue;
    const std::size_t end = end_of(row, text, at);
    if (end == 0) continue;
    BlankFound out{row.by, false, row.form, row.engine, at, end};
    if (row.open == "{{") out.form = form_of_braces(text.substr(at + 2, end - at - 4));
    if (row.open == "{{") out.engine = out.form == "helm" ? "Go" : out.form;
    return out;
  }
  return {};
}

BlankFound marked_blank_in(std::string_view text, In place, std::size_t from) {
  // (Of a script one character is looked for, not a set: that is much faster.)
  const ByteSet& signs = first_signs(place);
  const auto next = [&](std::size_t at) { return place == In::text ? text.find('{', at) : signs.find_in(text, at); };
  for (std::size_t at = next(from); at != text.npos; at = next(at + 1))
    if (const BlankFound found = blank_at(text, place, at)) return found;
  return {};
}

BlankFound blank_in(std::string_view text, In place) {
  if (const BlankFound found = marked_blank_in(text, place)) return found;
  if (text.empty()) return {};
  for (std::size_t i = 0; i < table.wholes; ++i)
    if (holds(table.whole[i].places, place) && is_inside(table.whole[i].inside, text))
      return {FilledBy::person, true, table.whole[i].form, "", 0, text.size()};
  return is_spoken(text, place) ? BlankFound{FilledBy::person, true, "word", "", 0, text.size()} : BlankFound{};
}

bool is_one_blank(std::string_view text, In place) {
  text = trimmed(text);
  return !text.empty() && blank_at(text, place, 0).end == text.size();
}

bool is_blank_amount(std::string_view value) {
  if (value.find('$') != std::string_view::npos) return false;
  const std::vector<std::string_view> parts = split(value, ':');
  return std::any_of(parts.begin(), parts.end(),
                     [](std::string_view part) { return std::none_of(part.begin(), part.end(), is_digit); }) ||
         blank_in(value, In::refused);
}

}  // namespace muster
