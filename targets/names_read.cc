#include "targets/names_read.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/shell/programs.h"

namespace muster::targets {
namespace {

constexpr std::array system_prefixes = std::to_array<std::string_view>(
    {"SLURM_", "SLURMD_", "PBS_", "LSB_", "PET_", "LWS_", "VC_", "SKYPILOT_", "DSTACK_"});

// What encloses a place of the text.
enum class Around : std::uint8_t { command, quotes, arithmetic, braces, subscript, document };

struct Frame {
  Around in = Around::command;
  std::string_view close;        // what ends it
  bool words_are_names = false;  // of a command: `let`, `declare -i`, `[[ … -eq … ]]`
  bool makes_integers = false;   // of a command: `declare -i`; what is assigned to its names later is arithmetic
  bool at_start = true;          // of a command: its first word is still to come
  bool evaluates = false;        // of a command: `eval`, `trap`
  bool prints = false;           // of a command: `echo`, `printf`, to the log
};

struct HereDocument {
  std::string_view end;
  bool quoted = false, strips = false;
};

std::string_view name_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_name_char(text[end])) ++end;
  return text.substr(at, end - at);
}

// `os.environ["NAME"]`, `os.environ.get("NAME", "x")`, `os.getenv('NAME')`, where a name begins.
std::optional<NameRead> read_by_function(std::string_view text, std::size_t at) {
  const std::string_view name = name_at(text, at), front = text.substr(0, at), behind = text.substr(at + name.size());
  const bool quoted = !front.empty() && (front.back() == '"' || front.back() == '\'') && !behind.empty() &&
                      behind.front() == front.back();
  const std::string_view call = quoted ? front.substr(0, front.size() - 1) : std::string_view{};
  const bool subscript = call.ends_with("environ[");
  const bool function = call.ends_with("environ.get(") || call.ends_with("getenv(");
  if (!subscript && !function) return std::nullopt;
  return NameRead{name, at, behind.substr(1).starts_with(','), false, true};
}

// The letters of the options in front of a command's other words.
std::string options_of(std::string_view line) {
  std::string out;
  std::size_t at = line.find(' ');
  while (at < line.size() && (at = line.find_first_not_of(" \t", at)) < line.size() && line[at] == '-') {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    out += line.substr(at + 1, end - at - 1);
    at = end;
  }
  return out;
}

class NameScanner {
 public:
  explicit NameScanner(std::string_view text) : text_(text), points_(text.find("${!") != text.npos) {
    frames_.push_back({});
  }

  std::vector<NameRead> run() {
    while (at_ < text_.size()) step();
    return std::move(out_);
  }

 private:
  Frame& top() { return frames_.back(); }
  std::string_view rest() const { return text_.substr(at_); }
  bool next(std::string_view what) const { return rest().starts_with(what); }
  char before() const { return at_ == 0 ? '\n' : text_[at_ - 1]; }

  bool is_bare() const {
    for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
      if (frame->in == Around::arithmetic || frame->in == Around::subscript) return true;
      if (frame->in == Around::command) return frame->words_are_names;
      if (frame->in == Around::document) return false;
    }
    return false;
  }

  void open(Around in, std::string_view close, std::size_t length) {
    frames_.push_back({in, close});
    at_ += length;
  }

  bool closes() {
    if (frames_.size() == 1 || top().close.empty() || !next(top().close)) return false;
    at_ += top().close.size();
    frames_.pop_back();
    return true;
  }

  void step() {
    const char c = text_[at_];
    if (closes()) return;
    if (c == '\\') return escape();
    if (c == '$') return dollar();
    if (c == '`') return open(Around::command, "`", 1);
    if (top().in == Around::command) return in_command(c);
    if (c == '"' && top().in != Around::quotes && top().in != Around::document) return open(Around::quotes, "\"", 1);
    if (c == '(' && top().in == Around::arithmetic) return open(Around::arithmetic, ")", 1);
    if (is_name_start(c)) return word();
    ++at_;
  }

  // `\$NAME` is for what the text starts.
  void escape() {
    if (at_ + 1 < text_.size() && text_[at_ + 1] == '$') {
      ++at_;
      later_ = !evaluates();
      dollar();
      later_ = false;
    } else {
      at_ += 2;
    }
  }

  void in_command(char c) {
    if (c == '#' && (is_space(before()) || before() == ';'))
      return skip_to(std::min(text_.find('\n', at_), text_.size()));
    if (c == '\'') return single_quotes();
    if (c == '"') return begin_word(), open(Around::quotes, "\"", 1);
    if (c == '\n') return begin_command(1), read_documents();
    if (next("&&") || next("||") || next(";;")) return begin_command(2);
    if (c == ';' || c == '|' || (c == '&' && before() != '>' && !next("&>"))) return begin_command(1);
    if (next("((")) return begin_word(), open(Around::arithmetic, "))", 2);
    if (c == '(') return open(Around::command, ")", 1);
    if (next("<<<")) return skip_to(at_ + 3);
    if (next("<<")) return here_document();
    if (c == '[' && at_ > 0 && is_name_char(before())) return open(Around::subscript, "]", 1);
    if (is_space(c)) return skip_to(at_ + 1);
    if (is_name_start(c) && !is_name_char(before())) return word();
    if (top().at_start) begin_word();
    ++at_;
  }

  void skip_to(std::size_t at) { at_ = at; }
  void begin_command(std::size_t length) {
    top() = {Around::command, top().close};
    at_ += length;
  }

  // The first word of a command decides what names in the others are.
  void begin_word() {
    if (!top().at_start) return;
    const std::string_view line = rest().substr(0, rest().find_first_of("\n;"));
    const std::string_view first = line.substr(0, line.find_first_of(" \t"));
    const auto has = [&](std::string_view part) { return line.find(part) != std::string_view::npos; };
    if (is_one_of(first, {"then", "do", "else", "if", "elif", "while", "until", "!", "{", "time"})) return;
    top().at_start = false;
    const bool compares = has(" -eq ") || has(" -ne ") || has(" -lt ") || has(" -le ") || has(" -gt ") || has(" -ge ");
    const bool test = shell::has_effect(first, shell::Effect::tests);
    const std::string letters = shell::has_trait(first, shell::declares) && first != "export" ? options_of(line) : "";
    const bool declares = letters.find_first_of("in") != letters.npos;
    top().makes_integers = letters.find('i') != letters.npos;
    top().words_are_names =
        first == "let" || first == "printenv" || declares || (first == "[[" && compares) || (test && has(" -v "));
    top().evaluates = first == "eval" || first == "trap";
    top().prints = (first == "echo" || first == "printf") && line.find_first_of(">|") == line.npos;
  }

  // The command whose words these are reads them itself, though they are quoted.
  bool evaluates() const {
    for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame)
      if (frame->in == Around::command) return frame->evaluates;
    return false;
  }

  void single_quotes() {
    begin_word();
    const std::size_t end = std::min(text_.find('\'', at_ + 1), text_.size());
    if (is_bare()) return void(++at_), bare_until(end);
    ++at_;
    later_until(end);
    at_ = std::min(end + 1, text_.size());
  }

  void bare_until(std::size_t end) {
    while (at_ < end) {
      if (is_name_start(text_[at_]) && !is_name_char(before())) word();
      else ++at_;
    }
    at_ = std::min(end + 1, text_.size());
  }

  // Names behind a dollar sign, or in functions of Python, in a text that the shell hands on as it is.
  void later_until(std::size_t end) {
    later_ = !evaluates();
    while (at_ < end) {
      if (text_[at_] == '$') name_behind_dollar(end);
      else if (is_name_start(text_[at_]) && !is_name_char(before())) word_of_program();
      else ++at_;
    }
    later_ = false;
  }

  void name_behind_dollar(std::size_t end) {
    const bool braces = at_ + 1 < end && text_[at_ + 1] == '{';
    at_ += braces ? 2 : 1;
    if (at_ < end && is_name_start(text_[at_])) add(name_here(), braces);
  }

  // ---- documents ----------------------------------------------------------------------------------

  void here_document() {
    at_ += 2;
    HereDocument document;
    if (next("-")) document.strips = true, ++at_;
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    document.quoted = next("'") || next("\"") || next("\\");
    if (document.quoted) ++at_;
    const std::size_t begin = at_;
    constexpr std::string_view ends = " \t\r\n'\";|&)";
    at_ = std::min(text_.find_first_of(ends, at_), text_.size());
    document.end = text_.substr(begin, at_ - begin);
    if (document.quoted && at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"')) ++at_;
    if (!document.end.empty()) documents_.push_back(document);
  }

  // Behind the line that begins them.
  void read_documents() {
    for (const HereDocument& document : std::exchange(documents_, {})) {
      std::size_t end = at_, past = text_.size();
      for (; end < text_.size(); end = std::min(text_.find('\n', end), text_.size() - 1) + 1) {
        std::string_view line = text_.substr(end, text_.find('\n', end) - end);
        if (document.strips) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
        if (line != document.end) continue;
        past = std::min(text_.find('\n', end), text_.size());
        break;
      }
      if (document.quoted) later_until(end);
      else lines_until(end);
      at_ = past;
    }
  }

  void lines_until(std::size_t end) {
    const std::size_t depth = frames_.size();
    frames_.push_back({Around::document, {}});
    while (at_ < end) {
      if (text_[at_] == '\\') escape();
      else if (text_[at_] == '$') dollar();
      else if (frames_.size() > depth + 1) step();
      else if (is_name_start(text_[at_]) && !is_name_char(before())) word_of_program();
      else ++at_;
    }
    frames_.resize(depth);
  }

  // ---- names --------------------------------------------------------------------------------------

  void dollar() {
    if (top().in == Around::command) begin_word();
    if (next("$((")) return open(Around::arithmetic, "))", 3);
    if (next("$(")) return open(Around::command, ")", 2);
    if (next("$[")) return open(Around::arithmetic, "]", 2);
    if (next("$'")) return skip_to(std::min(text_.find('\'', at_ + 2), text_.size() - 1) + 1);
    if (next("${")) return braces();
    ++at_;
    if (at_ < text_.size() && is_name_start(text_[at_])) add(name_here(), false);
  }

  void braces() {
    open(Around::braces, "}", 2);
    if (at_ < text_.size() && (text_[at_] == '#' || text_[at_] == '!')) ++at_;
    if (at_ >= text_.size() || !is_name_start(text_[at_])) return;
    add(name_here(), true);
    if (next("[")) return open(Around::subscript, "]", 1);
    const char mark = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (next(":") && std::string_view("-=+?").find(mark) == std::string_view::npos)
      frames_.back().in = Around::arithmetic;
  }

  std::string_view name_here() const { return name_at(text_, at_); }

  // Past the name, which is a read.
  void add(std::string_view name, bool in_braces) {
    const auto prints = [](const Frame& frame) { return frame.in != Around::command || frame.prints; };
    NameRead read{name, at_, false, std::all_of(frames_.begin(), frames_.end(), prints), later_};
    at_ += name.size();
    const std::string_view behind = rest();
    for (const std::string_view mark : {":-", "-", ":=", "=", ":+", "+"})
      read.has_default |= in_braces && behind.starts_with(mark);
    read.has_default |= is_tested(read.at);
    out_.push_back(read);
  }

  // `[ -z "$NAME" ]`, `test -n "${NAME}"`, `[[ -v NAME ]]`.
  bool is_tested(std::size_t at) const {
    std::string_view front = text_.substr(0, at);
    while (!front.empty() && std::string_view("\"${ ").find(front.back()) != std::string_view::npos)
      front.remove_suffix(1);
    return front.ends_with(" -z") || front.ends_with(" -n") || front.ends_with(" -v");
  }

  void word() {
    if (top().in == Around::command) begin_word();
    const std::string_view name = name_here();
    const std::string_view behind = text_.substr(at_ + name.size());
    const bool sets = behind.starts_with('=') && !behind.starts_with("==");
    if (top().in == Around::command && top().makes_integers) integers_.insert(name);
    if (top().in == Around::command && integers_.contains(name) && (sets || behind.starts_with("+="))) return number();
    // `n=NAME`, which `${!n}` reads
    const bool pointed = points_ && at_ > 0 && text_[at_ - 1] == '=';
    if ((is_bare() || pointed) && !sets) return add(name, false);
    word_of_program();
  }

  // `NAME=EXPRESSION` of an integer.
  void number() {
    at_ = text_.find('=', at_) + 1;
    constexpr std::string_view ends = " \t\r\n;&|)";
    char quote = '\0';
    while (at_ < text_.size() && (quote != '\0' || ends.find(text_[at_]) == std::string_view::npos)) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') quote = quote == '\0' ? c : quote == c ? '\0' : quote, ++at_;
      else if (c == '\\') at_ = std::min(at_ + 2, text_.size());
      else if (c == '$') dollar_of_number();
      else if (is_name_start(text_[at_]) && !is_name_char(before())) add(name_here(), false);
      else ++at_;
    }
  }

  // Of `$(( ))` and the like the scanner reads the inside as usual.
  void dollar_of_number() {
    const std::size_t depth = frames_.size();
    dollar();
    while (frames_.size() > depth && at_ < text_.size()) step();
  }

  void word_of_program() {
    if (auto read = read_by_function(text_, at_)) out_.push_back(*read);
    at_ += name_here().size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool later_ = false;
  bool points_ = false;  // the text reads variables by their names in others
  std::vector<Frame> frames_;
  std::set<std::string_view> integers_;  // variables with the attribute
  std::vector<HereDocument> documents_;
  std::vector<NameRead> out_;
};

// Of a program in another language: only what its functions read.
std::vector<NameRead> reads_of_program(std::string_view text) {
  std::vector<NameRead> out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_name_start(text[at])) continue;
    if (auto read = read_by_function(text, at)) out.push_back(*read);
    at += name_at(text, at).size();
  }
  return out;
}

}  // namespace

std::vector<NameRead> names_read(std::string_view text) { return NameScanner(text).run(); }

std::vector<NameRead> names_read(const model::Script& script) {
  return shell::has_trait(script.interpreter, shell::bourne) ? names_read(std::string_view(script.bytes))
                                                             : reads_of_program(script.bytes);
}

bool sets_name(std::string_view text, std::string_view name, std::size_t before) {
  const std::string_view front = text.substr(0, before);
  for (std::size_t at = 0; (at = front.find(name, at)) != std::string_view::npos; at += name.size()) {
    const char previous = at > 0 ? front[at - 1] : '\n';
    const std::string_view line = front.substr(0, at).substr(front.substr(0, at).find_last_of("\n;") + 1);
    const std::string_view behind = text.substr(at + name.size());
    const bool alone = is_space(previous) || previous == ';' || previous == '(' || previous == '{' || previous == '`';
    if (!alone || (!behind.empty() && is_name_char(behind.front()))) continue;
    if (behind.starts_with('=') || behind.starts_with("+=")) return true;
    for (const std::string_view word : {"for ", "read ", "unset ", "mapfile ", "readarray ", "-v ", "getopts "})
      if (line.find(word) != std::string_view::npos) return true;
  }
  return false;
}

bool is_of_system(std::string_view name) {
  if (name == "TMPDIR") return true;
  return std::any_of(system_prefixes.begin(), system_prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix) && name.size() > prefix.size(); });
}

}  // namespace muster::targets
