#include "compiler/shell/arithmetic.h"

#include <algorithm>
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

std::vector<std::string_view> names_assigned(std::string_view text) {
  std::vector<std::string_view> out;
  const auto is_at = [&](std::size_t at, std::string_view sign) { return text.substr(at).starts_with(sign); };
  const auto past_blanks = [&](std::size_t at) { return std::min(text.find_first_not_of(" \t\n", at), text.size()); };
  bool counts = false;  // `++` or `--` is in front
  for (std::size_t at = 0; at < text.size();) {
    if (!is_name_start(text[at])) {
      counts = is_at(at, "++") || is_at(at, "--") || (counts && is_space(text[at]));
      at += counts && !is_space(text[at]) ? 2 : 1;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && is_name_char(text[at])) ++at;
    const std::string_view name = text.substr(begin, at - begin);
    at = past_blanks(at);
    if (is_at(at, "[")) at = past_blanks(std::min(text.find(']', at), text.size() - 1) + 1);
    bool gives = counts || is_at(at, "++") || is_at(at, "--") || (is_at(at, "=") && !is_at(at, "=="));
    for (const std::string_view sign : {"*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|="})
      gives |= is_at(at, sign);
    if (gives) out.push_back(name);
    counts = false;
  }
  return out;
}

}  // namespace muster::shell
