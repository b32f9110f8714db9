#include "targets/slurm/read/arguments.h"

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "compiler/shell/parse.h"

namespace muster::targets::slurm {
namespace {

// Decodes one word from `at` and returns where it ends. Backslashes act in quotes too, quotes toggle, a bare
// # ends the line's words. `limit`: stop once so many characters are out.
struct Decoder {
  std::string_view line;
  bool typed = false;
  bool blank_escapes = true;
  bool expanded = false;  // a shell replaces `$( )` first, whatever is in it
  bool any = false;       // Slurm made a word, if only an empty one does not count
  bool templated = false;
  char open_quote = 0;

  std::size_t run(std::size_t at, std::string& out, std::size_t limit = std::string::npos) {
    while (at < line.size() && out.size() < limit && (open_quote != 0 || !is_space(line[at]))) {
      const char c = line[at];
      if (const std::size_t end = replaced_end(at); end > 0) {
        out += line.substr(at, end - at), any = true, at = end;
      } else if (const std::size_t end = blank_end(at); end > 0) {
        out += line.substr(at, end - at), any = templated = true, at = end;
      } else if (c == '\\') {
        at = escaped(at, out);
      } else if (open_quote != 0 && c == open_quote) {
        open_quote = 0, ++at;
      } else if (open_quote == 0 && (c == '"' || c == '\'')) {
        open_quote = c, ++at;
      } else if (open_quote == 0 && c == '#' && !typed) {
        break;
      } else {
        out += c, any = true, ++at;
      }
    }
    return at;
  }

 private:
  // A blank is one word, whatever is in it: its end, 0 where none begins.
  std::size_t blank_end(std::size_t at) const {
    const BlankFound found = blank_at(line, In::directive, at);
    return found.by != FilledBy::variable ? found.end : 0;
  }
  // The end of what the shell replaces, 0 where none begins. What has no end is looked for once.
  std::size_t replaced_end(std::size_t at) {
    const std::string_view rest = line.substr(at, 2);
    if (!expanded || (rest != "$(" && rest != "${" && rest[0] != '`')) return 0;
    bool open = false;
    const std::size_t end = shell::raw::end_of_construct(line, static_cast<std::uint32_t>(at), open);
    if (open) expanded = false;
    return open ? 0 : end;
  }
  std::size_t escaped(std::size_t at, std::string& out) {
    if (++at == line.size()) return at;
    const bool kept = open_quote != 0 || (line[at] == ' ' && blank_escapes) || !is_space(line[at]);
    if (!kept) return at;
    out += line[at], any = true;
    return at + 1;
  }
};

bool is_separator(std::string_view rest) {
  for (const std::string_view word : {std::string_view("packjob"), std::string_view("hetjob")})
    if (rest.size() >= word.size() && equal_ignoring_case(rest.substr(0, word.size()), word) &&
        (rest.size() == word.size() || is_space(rest[word.size()])))
      return true;
  return false;
}

}  // namespace

LineStop split_line(const LineText& line, std::vector<Argument>& words) {
  const std::string_view text = line.text.substr(line.begin, line.end - line.begin);
  std::size_t at = 0;
  for (;;) {
    while (at < text.size() && is_space(text[at])) ++at;
    const auto offset = static_cast<std::uint32_t>(line.begin + at);
    if (at == text.size()) return {};
    if (!line.typed && is_separator(text.substr(at, 8))) return {LineStop::Kind::separator, offset, 0};
    if (!line.typed && text[at] == ':') return {LineStop::Kind::colon, offset, 0};
    if (!line.typed && text[at] == '#') return {};
    Argument word{{}, offset, 0, line.line, Certainty::literal};
    Decoder decoder{text, line.typed, line.blank_escapes, line.expanded};
    at = decoder.run(at, word.text);
    if (decoder.open_quote != 0) return {LineStop::Kind::quote, offset, decoder.open_quote};
    if (!decoder.any && !line.typed) return {LineStop::Kind::dropped, offset, 0};
    word.end = static_cast<std::uint32_t>(line.begin + at);
    const std::string_view raw = line.text.substr(word.begin, word.end - word.begin);
    if (decoder.templated) word.certainty = Certainty::templated;
    else if (line.expanded && raw.find_first_of("$`\\") != std::string_view::npos) word.certainty = Certainty::expanded;
    words.push_back(std::move(word));
  }
}

std::uint32_t source_offset(std::string_view file, const Argument& argument, std::size_t decoded) {
  if (argument.end - argument.begin == argument.text.size())
    return argument.begin + static_cast<std::uint32_t>(decoded);
  const std::string_view raw = file.substr(argument.begin, argument.end - argument.begin);
  std::string out;
  Decoder decoder{raw, true};
  return argument.begin + static_cast<std::uint32_t>(decoded == 0 ? 0 : decoder.run(0, out, decoded));
}

std::optional<OptionWalk::Item> OptionWalk::next() {
  if (at_ >= words_.size()) return std::nullopt;
  if (letter_ > 0) return short_option();
  const std::string_view word = words_[at_];
  if (word == "--") {
    ++at_;
    return std::nullopt;
  }
  if (word.starts_with("--")) return long_option();
  if (word.size() > 1 && word[0] == '-') {
    letter_ = 1;
    return short_option();
  }
  return std::nullopt;
}

OptionWalk::Item& OptionWalk::with_value_of_next_word(Item& item) {
  if (at_ >= words_.size()) {
    item.kind = Kind::missing_value;
  } else {
    item.value = words_[at_], item.value_word = at_, item.value_at = 0;
    ++at_;
  }
  return item;
}

OptionWalk::Item OptionWalk::long_option() {
  const std::string_view word = words_[at_];
  const std::size_t equals = word.find('=');
  Item item{.kind = Kind::option, .word = at_, .name = word.substr(2, equals - 2 < word.size() ? equals - 2 : equals)};
  item.is_long = true;
  if (equals != std::string_view::npos)
    item.value = word.substr(equals + 1), item.value_word = at_, item.value_at = equals + 1;
  ++at_;
  OptionMatch match = match_option(tool_, item.name, version_);
  if (match.row == nullptr && match.candidates.empty()) match = match_option(Tool::pyxis, item.name, version_);
  if (match.row == nullptr) {
    item.kind = match.candidates.empty() ? Kind::unknown : Kind::ambiguous;
    item.candidates = std::move(match.candidates);
    return item;
  }
  item.row = match.row;
  const Arity arity = item.row->arity_in(version_);
  if (arity == Arity::none && item.value) item.kind = Kind::unwanted_value;
  if (arity == Arity::required && !item.value) with_value_of_next_word(item);
  return item;
}

OptionWalk::Item OptionWalk::short_option() {
  const std::string_view word = words_[at_];
  Item item{.kind = Kind::option, .word = at_, .name_at = letter_, .name = word.substr(letter_, 1)};
  ++letter_;
  const bool last = letter_ >= word.size();
  item.row = find_letter(tool_, item.name[0], version_);
  if (item.row == nullptr) item.kind = Kind::unknown;
  const Arity arity = item.row == nullptr ? Arity::none : item.row->arity_in(version_);
  const bool takes_rest = arity == Arity::required || arity == Arity::optional;
  if (takes_rest && !last) item.value = word.substr(letter_), item.value_word = at_, item.value_at = letter_;
  if (takes_rest || last) ++at_, letter_ = 0;
  if (arity == Arity::required && !item.value) with_value_of_next_word(item);
  return item;
}

}  // namespace muster::targets::slurm
