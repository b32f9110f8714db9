#include "lint/secrets.h"

#include <algorithm>
#include <cctype>

#include "compiler/base/text.h"

namespace muster::lint {
namespace {

bool all_of(std::string_view text, int (*kind)(int)) {
  return std::all_of(text.begin(), text.end(), [&](unsigned char c) { return kind(c) != 0; });
}

int is_token_byte(int c) { return std::isalnum(c) != 0 || c == '_' || c == '-' ? 1 : 0; }

struct Form {
  std::string_view prefix;
  std::size_t least;  // characters after it
};

// Published prefixes; the lengths are the shortest in use.
constexpr Form forms[] = {{"ghp_", 36}, {"gho_", 36}, {"ghs_", 36},  {"github_pat_", 60}, {"glpat-", 20},
                          {"hf_", 30},  {"sk-", 32},  {"xoxb-", 24}, {"xoxp-", 24}};

bool name_says_secret(std::string_view name) {
  const std::string low = lower(name);
  static constexpr std::string_view ends[] = {"token",   "secret", "password",   "passwd",
                                              "api_key", "apikey", "access_key", "secret_key"};
  return std::any_of(std::begin(ends), std::end(ends), [&](std::string_view end) { return low.ends_with(end); });
}

// What people write where a secret is to come, and values that are names, paths or switches.
bool is_placeholder(std::string_view value) {
  const std::string low = lower(value);
  static constexpr std::string_view parts[] = {
      "your", "xxx",    "<",      "...",   "changeme", "change_me", "placeholder", "example", "dummy", "none",   "null",
      "todo", "insert", "secret", "token", "password", "***",       "/",           "fixme",   "enter", "replace"};
  return value.size() < 8 || std::any_of(std::begin(parts), std::end(parts),
                                         [&](std::string_view p) { return low.find(p) != std::string::npos; });
}

bool looks_random(std::string_view value) {
  const auto count = [&](int (*kind)(int)) {
    return std::count_if(value.begin(), value.end(), [&](unsigned char c) { return kind(c) != 0; });
  };
  return value.size() >= 20 && all_of(value, is_token_byte) && count(std::isdigit) >= 3 && count(std::isalpha) >= 3;
}

bool varied(std::string_view text) {
  return text.find_first_not_of(text.front()) != std::string_view::npos &&
         lower(text).find("xxxx") == std::string::npos;
}

}  // namespace

bool is_hex(std::string_view text, std::size_t length) { return text.size() == length && all_of(text, std::isxdigit); }

bool is_token(std::string_view text) {
  if (text.size() == 20 && text.starts_with("AKIA"))
    return all_of(text.substr(4), std::isalnum) && varied(text.substr(4)) &&
           text.find("EXAMPLE") == std::string_view::npos;
  return std::any_of(std::begin(forms), std::end(forms), [&](const Form& form) {
    const std::string_view rest = text.substr(std::min(form.prefix.size(), text.size()));
    return text.starts_with(form.prefix) && rest.size() >= form.least && all_of(rest, is_token_byte) && varied(rest);
  });
}

Secrecy secrecy_of(std::string_view name, std::string_view value) {
  if (is_token(value)) return Secrecy::sure;
  if (!name_says_secret(name) || is_placeholder(value)) return Secrecy::none;
  return looks_random(value) ? Secrecy::sure : Secrecy::likely;
}

}  // namespace muster::lint
