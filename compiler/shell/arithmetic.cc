#include "compiler/shell/arithmetic.h"

#include <vector>

#include "compiler/base/text.h"

namespace muster::shell {
namespace {

int rank(char op) { return op == '(' ? 0 : op == '+' || op == '-' ? 1 : 2; }

// Two stacks: numbers, and the operators that wait for their right side.
class Machine {
 public:
  bool number(std::int64_t n) {
    if (expects_operator_) return false;
    numbers_.push_back(n);
    return expects_operator_ = true;
  }
  bool op(char c) {
    if (c == '(') {
      if (expects_operator_) return false;
      operators_.push_back(c);
      return true;
    }
    if (!expects_operator_) return false;
    while (!operators_.empty() && operators_.back() != '(' && rank(operators_.back()) >= rank(c == ')' ? '+' : c))
      if (!apply()) return false;
    if (c != ')') return operators_.push_back(c), expects_operator_ = false, true;
    if (operators_.empty()) return false;
    operators_.pop_back();
    return true;
  }
  std::optional<std::int64_t> result() {
    if (!expects_operator_) return std::nullopt;
    while (!operators_.empty())
      if (operators_.back() == '(' || !apply()) return std::nullopt;
    return numbers_.back();
  }

 private:
  bool apply() {
    const std::int64_t b = numbers_.back();
    numbers_.pop_back();
    std::int64_t& a = numbers_.back();
    const char c = operators_.back();
    operators_.pop_back();
    if (c == '+') return !__builtin_add_overflow(a, b, &a);
    if (c == '-') return !__builtin_sub_overflow(a, b, &a);
    if (c == '*') return !__builtin_mul_overflow(a, b, &a);
    if (b <= 0 || a < 0) return false;
    a = c == '/' ? a / b : a % b;
    return true;
  }

  std::vector<std::int64_t> numbers_;
  std::vector<char> operators_;
  bool expects_operator_ = false;
};

}  // namespace

std::optional<std::int64_t> evaluate_arithmetic(
    std::string_view text, const std::function<std::optional<std::int64_t>(std::string_view)>& lookup) {
  Machine machine;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == ' ' || c == '\t' || c == '\n') {
      ++at;
      continue;
    }
    const bool braces = c == '$' && at + 1 < text.size() && text[at + 1] == '{';
    const std::size_t begin = at + (braces ? 2 : c == '$' ? 1 : 0);
    std::size_t end = begin;
    while (end < text.size() && is_name_char(text[end])) ++end;
    const std::string_view word = text.substr(begin, end - begin);
    if (word.empty() && std::string_view("+-*/%()").find(c) == std::string_view::npos) return std::nullopt;
    if (word.empty()) {
      if (!machine.op(c)) return std::nullopt;
      ++at;
      continue;
    }
    if (c == '$' && !word.empty() && is_digit(word[0])) return std::nullopt;  // an argument, not a number
    if (braces && (end == text.size() || text[end] != '}')) return std::nullopt;
    at = end + (braces ? 1 : 0);
    std::optional<std::int64_t> value = 0;
    if (!is_digit(word[0])) value = lookup(word);
    else if (word.size() > 18 || (word.size() > 1 && word[0] == '0')) return std::nullopt;  // octal and huge ones
    else
      for (const char digit : word) {
        if (!is_digit(digit)) return std::nullopt;
        value = *value * 10 + (digit - '0');
      }
    if (!value || !machine.number(*value)) return std::nullopt;
  }
  return machine.result();
}

}  // namespace muster::shell
