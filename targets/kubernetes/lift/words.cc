#include "targets/kubernetes/lift/words.h"

#include "compiler/base/text.h"
#include "compiler/shell/bash_names.h"
#include "targets/shell.h"

namespace muster::targets::kubernetes::lifting {
namespace {

constexpr std::string_view special = ";&|<>(){}*?[]~`!\n";

class LineReader {
 public:
  LineReader(const ObjectLift& lift, const Container& container, std::string_view text)
      : lift_(lift), container_(container), text_(text) {}

  std::optional<std::vector<model::Text>> read() {
    while (at_ < text_.size()) {
      if (is_space_here()) {
        if (text_[at_] == '\n' && !only_blanks_follow()) return std::nullopt;  // a second command
        end_word();
        ++at_;
      } else if (!read_part()) {
        return std::nullopt;
      }
    }
    end_word();
    if (!words_.empty() && words_.front().is_plain() && words_.front().bytes == "exec") words_.erase(words_.begin());
    if (words_.empty() || !is_program(words_.front())) return std::nullopt;
    return std::move(words_);
  }

 private:
  bool is_space_here() const { return is_space(text_[at_]); }
  bool only_blanks_follow() const { return trimmed(text_.substr(at_), " \t\r\n").empty(); }

  static bool is_program(const model::Text& word) {
    return word.is_plain() && word.bytes.find('=') == word.bytes.npos && !shell::bash_runs(word.bytes) &&
           !word.bytes.empty();
  }

  void end_word() {
    if (open_) words_.push_back(std::move(word_));
    word_ = {};
    open_ = false;
  }

  // A character, an escape, a quoted part or a variable. False: only a shell reads it.
  bool read_part() {
    const char c = text_[at_];
    if (c == '\\') {
      if (at_ + 1 >= text_.size()) return false;
      if (text_[at_ + 1] != '\n') open_ = true, word_.bytes += text_[at_ + 1];
      at_ += 2;
      return true;
    }
    if (c == '#' && !open_) return false;
    open_ = true;
    if (c == '\'') return read_single();
    if (c == '"') return read_double();
    if (c == '$') return read_variable(false);
    if (special.find(c) != special.npos) return false;
    word_.bytes += c;
    ++at_;
    return true;
  }

  bool read_single() {
    const std::size_t end = text_.find('\'', at_ + 1);
    if (end == text_.npos) return false;
    word_.bytes += text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }

  bool read_double() {
    for (++at_; at_ < text_.size();) {
      const char c = text_[at_];
      if (c == '"') return ++at_, true;
      if (c == '`') return false;
      if (c == '$') {
        if (!read_variable(true)) return false;
      } else if (c == '\\' && at_ + 1 < text_.size() && std::string_view("$`\"\\\n").find(text_[at_ + 1]) < 5) {
        if (text_[at_ + 1] != '\n') word_.bytes += text_[at_ + 1];
        at_ += 2;
      } else {
        word_.bytes += c;
        ++at_;
      }
    }
    return false;
  }

  bool read_variable(bool in_quotes) {
    std::size_t begin = at_ + 1, end = begin;
    const bool braces = begin < text_.size() && text_[begin] == '{';
    if (braces) begin = end = begin + 1;
    while (end < text_.size() && is_name_char(text_[end])) ++end;
    const std::string_view name = text_.substr(begin, end - begin);
    if (!is_env_name(name) || (braces && (end >= text_.size() || text_[end] != '}'))) return false;
    if (!in_quotes && !is_one_word_variable(name)) return false;
    word_.references.push_back({model::RefersTo::env, std::string(name), word_.bytes.size(), {}});
    at_ = end + (braces ? 1 : 0);
    return true;
  }

  // Outside of quotes its value is split at blanks.
  bool is_one_word_variable(std::string_view name) const {
    const std::string_view value = container_.env(name);
    if (!value.empty()) return value.find_first_of(" \t\n*?[$") == value.npos;
    const OperatorName* row = operator_name(lift_.givers, name);
    return (row != nullptr && row->meaning != Meaning::none) || is_one_of(name, {"HOME", "HOSTNAME"});
  }

  const ObjectLift& lift_;
  const Container& container_;
  std::string_view text_;
  std::size_t at_ = 0;
  bool open_ = false;
  model::Text word_;
  std::vector<model::Text> words_;
};

}  // namespace

std::optional<std::vector<model::Text>> words_of_line(const ObjectLift& lift, const Container& container,
                                                      std::string_view text) {
  return LineReader(lift, container, text).read();
}

}  // namespace muster::targets::kubernetes::lifting
