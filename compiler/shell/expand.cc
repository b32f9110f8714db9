#include "compiler/shell/expand.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/shell/arithmetic.h"
#include "compiler/shell/parse.h"

namespace muster::shell {
namespace {

// What the shell splits fields at.
bool splits_fields(char c) { return c == ' ' || c == '\t' || c == '\n'; }

std::size_t name_length(std::string_view text) {
  std::size_t n = 0;
  if (text.empty() || !is_name_start(text[0])) return 0;
  while (n < text.size() && is_name_char(text[n])) ++n;
  return n;
}

bool of_scheduler(std::string_view name) {
  for (const std::string_view prefix : {"SLURM_", "SBATCH_", "SLURMD_", "PBS_", "LSB_", "SRUN_"})
    if (name.starts_with(prefix)) return true;
  return false;
}

constexpr std::size_t longest_field = 1 << 16;
constexpr std::size_t longest_printed = 200;  // of a command whose output is worked out

// What stands for itself in any word, quoted or not.
bool is_plain(char c) {
  switch (c) {
    case '\\':
    case '"':
    case '\'':
    case '`':
    case '$':
    case '*':
    case '?':
    case '{':
    case '<':
    case '>': return false;
    default: return true;
  }
}

class Expander {
 public:
  Expander(std::string_view word, std::uint32_t base, ExpandContext& context, bool split)
      : word_(word), base_(base), context_(context), split_(split) {}

  std::vector<Partial> run() {
    if (word_.starts_with('~') && (word_.size() == 1 || word_[1] == '/')) add_unknown(0, 1), at_ = 1;
    while (at_ < word_.size()) step();
    flush();
    return std::move(fields_);
  }

 private:
  char peek(std::size_t ahead = 1) const { return at_ + ahead < word_.size() ? word_[at_ + ahead] : '\0'; }

  void step() {
    const char c = word_[at_];
    if (c == '\\') return backslash();
    if (c == '"') return quoted_ = !quoted_, any_ = true, void(++at_);
    if (c == '\'' && !quoted_) return single_quotes();
    if (c == '`') return construct();
    if (c == '$') return dollar();
    if (!quoted_ && (c == '*' || c == '?')) return add_unknown(at_, 1), void(++at_);
    if (!quoted_ && c == '{' && is_brace_list()) return add_unknown(at_, 1), void(++at_);
    if (!quoted_ && (c == '<' || c == '>') && peek() == '(') return construct();
    const std::size_t begin = at_++;
    while (at_ < word_.size() && is_plain(word_[at_])) ++at_;
    add(word_.substr(begin, at_ - begin));
  }

  void backslash() {
    const char next = peek();
    if (context_.outer_expanded && (next == '$' || next == '`')) {
      ++at_;
      escaped_ = true;
      if (next == '$') dollar();
      else construct();
      escaped_ = false;
      return;
    }
    if (quoted_ && next != '$' && next != '`' && next != '"' && next != '\\' && next != '\n') {
      add("\\");
      return void(++at_);
    }
    if (next != '\n' && next != '\0') add(word_.substr(at_ + 1, 1));
    at_ += 2;
  }

  void single_quotes() {
    const std::size_t end = std::min(word_.find('\'', at_ + 1), word_.size());
    any_ = true;
    add(word_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
  }

  // {a,b} and {1..3}, but not {} or a lone brace.
  bool is_brace_list() const {
    const std::size_t end = word_.find_first_of("{} \t", at_ + 1);
    if (end == std::string_view::npos || word_[end] != '}') return false;
    const std::string_view inside = word_.substr(at_ + 1, end - at_ - 1);
    return inside.find(',') != std::string_view::npos || inside.find("..") != std::string_view::npos;
  }

  // $( ), ` `, <( ): only a run can tell. $(( )) may be worked out.
  void construct() {
    bool open = false;
    const std::size_t begin = at_;
    const std::size_t end = raw::end_of_construct(word_, static_cast<std::uint32_t>(at_), open);
    at_ = end;
    const std::string_view spelling = word_.substr(begin, end - begin);
    const bool arithmetic = !open && spelling.starts_with("$((") && spelling.ends_with("))");
    if (arithmetic ? add_number(spelling.substr(3, spelling.size() - 5)) : !open && add_printed(spelling)) return;
    add_unknown(begin, end - begin);
  }

  // `$(echo $N)`, `expr $N \* 2` in backquotes: what a program prints that only says its words, or adds them up.
  bool add_printed(std::string_view spelling) {
    const bool dollar = spelling.starts_with("$(");
    if (spelling.size() > longest_printed || runs_outside() || (!dollar && spelling[0] != '`')) return false;
    const std::string_view text = spelling.substr(dollar ? 2 : 1, spelling.size() - (dollar ? 3 : 2));
    const std::string_view program = trimmed(text).substr(0, 5);
    if (!is_one_of(program, {"echo ", "expr "}) || (!dollar && text.find("\\$") != text.npos)) return false;
    const raw::Text raw = raw::read(text, 0, static_cast<std::uint32_t>(text.size()));
    if (raw.commands.size() != 1 || !raw.redirects.empty() || !raw.scopes.empty() || !raw.problems.empty())
      return false;
    ExpandContext inner = context_;
    inner.reads = nullptr;  // the command is one of the text, where they are found
    std::vector<Partial> words;
    for (const raw::RawWord& word : raw.words)
      for (Partial& field : Expander(text.substr(word.begin, word.end - word.begin), 0, inner, true).run())
        words.push_back(std::move(field));
    context_.budget = inner.budget;
    if (!std::all_of(words.begin(), words.end(), is_known)) return false;
    const auto printed = printed_by(words);
    if (!printed) return false;
    if (quoted_ || !split_) add(*printed);
    else add_split(*printed);
    return true;
  }

  static std::optional<std::string> printed_by(const std::vector<std::string>& words) {
    std::string text;
    bool sums = true;
    for (std::size_t i = 1; i < words.size(); ++i) {
      text += (i > 1 ? " " : "") + words[i];
      const bool number = all_digits(words[i]) && (words[i].size() == 1 || words[i][0] != '0');
      sums &= i % 2 == 1 ? number : is_one_of(words[i], {"+", "-", "*", "/", "%"});
    }
    if (words.empty() || text.starts_with('-')) return std::nullopt;
    if (words[0] == "echo") return text.find('\\') == text.npos ? std::optional(text) : std::nullopt;
    if (words[0] != "expr" || !sums || words.size() % 2 == 1) return std::nullopt;
    const auto sum = evaluate_arithmetic(text, [](std::string_view) { return std::optional<std::int64_t>(); });
    return sum ? std::optional(std::to_string(*sum)) : std::nullopt;
  }

  // `$[1 + 2]`, as bash still reads it.
  void old_arithmetic() {
    const std::size_t begin = at_;
    std::size_t depth = 0;
    for (at_ += 1; at_ < word_.size(); ++at_) {
      if (word_[at_] == '[') ++depth;
      if (word_[at_] == ']' && --depth == 0) break;
    }
    at_ = std::min(at_ + 1, word_.size());
    if (depth > 0 || !add_number(word_.substr(begin + 2, at_ - begin - 3))) add_unknown(begin, at_ - begin);
  }

  bool add_number(std::string_view text) {
    if (runs_outside()) return false;
    const auto value = evaluate_arithmetic(text, [this](std::string_view name) { return number_of(name); });
    if (value) add(std::to_string(*value));
    return value.has_value();
  }

  std::optional<std::int64_t> number_of(std::string_view name) {
    note_read(name, at_, false);
    return context_.variables->number(name);
  }

  bool runs_outside() const { return context_.outer_expanded && !escaped_; }

  void dollar() {
    const char next = peek();
    const std::size_t begin = at_;
    if (next == '(') return construct();
    if (next == '[') return old_arithmetic();
    if (next == '\'' && !quoted_) return ansi_quotes();
    if (next == '"' && !quoted_) return void(++at_);
    if (next == '{') return braces();
    const std::size_t n = name_length(word_.substr(at_ + 1));
    if (n == 0 && insert_argument(next)) return void(at_ += 2);
    if (n == 0) {
      const bool special = next != '\0' && std::string_view("?#@*!$-0123456789").find(next) != std::string_view::npos;
      if (special) add_unknown(begin, 2);
      else add("$");
      at_ += special ? 2 : 1;
      return;
    }
    at_ += n + 1;
    const std::string_view name = word_.substr(begin + 1, n);
    note_read(name, begin, false);
    insert(name, begin, false);
  }

  void ansi_quotes() {
    bool open = false;
    const std::size_t begin = at_;
    at_ = raw::end_of_construct(word_, static_cast<std::uint32_t>(at_), open);
    const std::string_view spelling = word_.substr(begin, at_ - begin);
    any_ = true;
    if (open || spelling.find('\\') != std::string_view::npos) return add_unknown(begin, at_ - begin);
    add(spelling.substr(2, spelling.size() - 3));
  }

  // `${#NAME[@]}`, `${#NAME}`: the number of elements, of characters.
  bool insert_length(std::string_view inside) {
    const std::size_t n = name_length(inside);
    const std::string_view rest = inside.substr(n);
    const Variable* v = runs_outside() ? nullptr : context_.variables->find(inside.substr(0, n));
    const bool all = rest == "[@]" || rest == "[*]";
    if (v == nullptr || (!all && (!rest.empty() || v->array || v->values.empty()))) return false;
    const auto is_countable = [](const Partial& value) {
      return is_known(value) && std::all_of(value.begin(), value.end(), [](char c) { return (c & 0x80) == 0; });
    };
    if (!std::all_of(v->values.begin(), v->values.end(), is_countable)) return false;
    add(std::to_string(all ? v->values.size() : v->values[0].size()));
    return true;
  }

  // ${NAME}, ${NAME:-word}, ${NAME[@]}, ${#NAME}; other forms are not worked out.
  void braces() {
    bool open = false;
    const std::size_t begin = at_;
    at_ = raw::end_of_construct(word_, static_cast<std::uint32_t>(at_), open);
    const std::string_view spelling = word_.substr(begin, at_ - begin);
    if (!open && spelling.starts_with("${#") && insert_length(spelling.substr(3, spelling.size() - 4))) return;
    const std::size_t n = spelling.size() > 3 ? name_length(spelling.substr(2)) : 0;
    if (open || n == 0) return add_unknown(begin, spelling.size());
    const std::string_view name = spelling.substr(2, n);
    const std::string_view rest = spelling.substr(2 + n, spelling.size() - n - 3);
    const bool has_default = rest.starts_with(":-") || rest.starts_with('-') || rest.starts_with(":=");
    note_read(name, begin, has_default);
    if (rest.empty() || (has_default && has_value(name, rest.starts_with(':')))) return insert(name, begin, false);
    if (rest == "[@]" || rest == "[*]") return insert(name, begin, true);
    add_unknown(begin, spelling.size());
  }

  // Of `${NAME-word}` and, where an empty value counts as none, `${NAME:-word}`: whether the word is not taken.
  bool has_value(std::string_view name, bool not_empty) const {
    const Variable* v = context_.variables->find(name);
    return v != nullptr && !v->values.empty() && !(not_empty && v->values[0].empty());
  }

  void note_read(std::string_view name, std::size_t begin, bool has_default) {
    if (context_.reads == nullptr || !of_scheduler(name)) return;
    const auto from = base_ + static_cast<std::uint32_t>(begin);
    context_.reads->push_back(
        {std::string(name), {context_.file, from, base_ + static_cast<std::uint32_t>(at_)}, has_default});
  }

  void insert(std::string_view name, std::size_t begin, bool all) {
    const Variable* v = runs_outside() ? nullptr : context_.variables->find(name);
    if (v == nullptr || v->values.empty()) {
      if (v != nullptr) return;  // an array without elements
      return add_unknown(begin, at_ - begin);
    }
    const std::size_t count = all ? v->values.size() : 1;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) bytes += v->values[i].size() + 1;
    if (bytes > context_.budget || field_.size() + bytes > longest_field) return add_unknown(begin, at_ - begin);
    context_.budget -= bytes;
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) flush();
      if (quoted_ || !split_) add(v->values[i]), any_ = any_ || quoted_;
      else add_split(v->values[i]);
    }
  }

  // "$@" and $0 to $9. Without quotes their values would be split again, which programs' words seldom bear.
  bool insert_argument(char name) {
    if (context_.arguments == nullptr || runs_outside() || (name != '@' && !is_digit(name))) return false;
    const std::vector<Word>& all = *context_.arguments;
    if (name == '0' && all.empty()) return false;
    const std::size_t first = name == '@' ? 1 : static_cast<std::size_t>(name - '0');
    const std::size_t end = std::min(name == '@' ? all.size() : first + 1, all.size());
    std::size_t bytes = 0;
    for (std::size_t i = first; i < end; ++i) bytes += all[i].text.size() + 1;
    if (bytes > context_.budget || field_.size() + bytes > longest_field) return false;
    context_.budget -= bytes;
    if (quoted_ && name == '@' && first >= end && field_.empty()) any_ = false;  // "$@" of nothing is no field
    for (std::size_t i = first; i < end; ++i) {
      if (i > first) flush();
      add(all[i].literal ? all[i].text : unknown_part(all[i].text)), any_ = true;
    }
    return true;
  }

  // The blanks of an unquoted value end fields, and its patterns become names of files; not those of its unknown parts.
  void add_split(const Partial& value) {
    bool unknown = false;
    for (const char c : value) {
      if (c == '\0') unknown = !unknown;
      if (!unknown && splits_fields(c)) flush();
      else if (!unknown && (c == '*' || c == '?')) field_ += unknown_part({&c, 1});  // names of files
      else field_ += c;
    }
  }

  void add(std::string_view text) { field_ += text; }
  void add_unknown(std::size_t begin, std::size_t length) { field_ += unknown_part(word_.substr(begin, length)); }
  void flush() {
    if (field_.empty() && !any_) return;
    fields_.push_back(std::move(field_));
    field_.clear(), any_ = false;
  }

  std::string_view word_;
  std::uint32_t base_;
  ExpandContext& context_;
  bool split_, quoted_ = false, any_ = false, escaped_ = false;
  std::size_t at_ = 0;
  Partial field_;
  std::vector<Partial> fields_;
};

}  // namespace

std::string without_marks(const Partial& text) {
  std::string out = text;
  std::erase(out, '\0');
  return out;
}

Partial unknown_part(std::string_view spelling) { return '\0' + std::string(spelling) + '\0'; }

const Variable* Variables::find(std::string_view name) const {
  const auto at = known_.find(name);
  return at == known_.end() ? nullptr : &at->second;
}
std::optional<std::int64_t> Variables::number(std::string_view name) const {
  const Variable* v = find(name);
  if (v == nullptr || v->array || v->values.empty() || v->values[0].size() > 18) return std::nullopt;
  const std::string& text = v->values[0];
  return text.size() > 1 && text[0] == '0' ? std::nullopt : whole_number(text);  // of base 8
}
void Variables::set(std::string_view name, Variable value) {
  if (all_forgotten_ || forgotten_.find(name) != forgotten_.end()) return;
  const Variable* before = find(name);
  value.exported |= before != nullptr && before->exported;
  known_.insert_or_assign(std::string(name), std::move(value));
}
void Variables::forget(std::string_view name) {
  if (const auto at = known_.find(name); at != known_.end()) known_.erase(at);
  forgotten_.emplace(std::string(name), true);
}
void Variables::forget_all() {
  known_.clear();
  all_forgotten_ = true;
}
void Variables::mark_exported(std::string_view name) {
  if (const auto at = known_.find(name); at != known_.end()) at->second.exported = true;
}

std::vector<Partial> expand_word(std::string_view word, std::uint32_t base, ExpandContext& context) {
  return Expander(word, base, context, true).run();
}

Partial expand_value(std::string_view word, std::uint32_t base, ExpandContext& context) {
  std::vector<Partial> fields = Expander(word, base, context, false).run();
  return fields.empty() ? Partial{} : std::move(fields.front());
}

std::vector<Partial> expand_array(std::string_view inside, std::uint32_t base, ExpandContext& context) {
  std::vector<Partial> out;
  const auto size = static_cast<std::uint32_t>(inside.size());
  const raw::Text text = raw::read(inside, 0, size);
  for (const raw::RawCommand& command : text.commands) {
    if (command.scope != -1) continue;
    for (std::uint32_t i = 0; i < command.words; ++i) {
      const raw::RawWord w = text.words[command.first_word + i];
      for (Partial& field : expand_word(inside.substr(w.begin, w.end - w.begin), base + w.begin, context))
        out.push_back(std::move(field));
    }
  }
  return out;
}

namespace {

// Behind what closes the bracket at `at`; the end of the word if nothing does.
std::size_t end_of_sum(std::string_view word, std::size_t at) {
  const char opens = word[at], closes = opens == '(' ? ')' : opens == '[' ? ']' : '}';
  int depth = 0;
  for (; at < word.size(); ++at) {
    depth += word[at] == opens ? 1 : word[at] == closes ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  return at;
}

}  // namespace

std::vector<std::string_view> names_assigned_in(std::string_view word) {
  std::vector<std::string_view> out;
  std::size_t read = 0;  // the end of the sum that was read last: those in it were read with it
  const auto add = [&](const std::vector<std::string_view>& names) {
    out.insert(out.end(), names.begin(), names.end());
  };
  for (std::size_t at = word.find('$'); at != std::string_view::npos; at = word.find('$', at + 1)) {
    const std::string_view rest = word.substr(at + 1);
    if (rest.starts_with('{')) {
      const bool indirect = rest.substr(1).starts_with('!');
      const std::string_view inside = rest.substr(indirect ? 2 : 1);
      const std::size_t n = name_length(inside);
      const std::string_view behind = inside.substr(n);
      if (n > 0 && (behind.starts_with(":=") || behind.starts_with('=')))
        out.push_back(indirect ? std::string_view() : inside.substr(0, n));
      // Subscripts and offsets are sums.
      else if (n > 0 && at >= read && (behind.starts_with('[') || behind.starts_with(':')))
        read = end_of_sum(word, at + 1), add(names_assigned(word.substr(at + 2, read - at - 2)));
    } else if (at >= read && (rest.starts_with("((") || rest.starts_with('['))) {
      read = end_of_sum(word, at + 1);
      add(names_assigned(word.substr(at, read - at)));
    }
  }
  return out;
}

}  // namespace muster::shell
