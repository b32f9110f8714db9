#include "targets/contract/checks.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/shell/bash_names.h"
#include "targets/shell.h"

namespace muster::targets::contract {

bool refuse_nul(Account& account, std::string_view bytes, const FieldRef& field, std::string_view what) {
  if (!has_nul(bytes)) return false;
  account.refuse_as(Code::name_not_valid, account.span_of(field), field,
                    std::string(what) + " contains a NUL byte, which a shell cannot pass");
  return true;
}

bool check_argument(Account& account, std::string_view argument, const FieldRef& field) {
  if (!has_nul(argument) && argument.size() <= longest_argument) return true;
  account.refuse_as(Code::name_not_valid, account.span_of(field), field,
                    "an argument cannot contain a NUL byte or exceed 128 KiB");
  return false;
}

std::string fault_of_variable(const std::string& name, const std::string& value, Shell shell) {
  if (!is_env_name(name)) return "is not a valid name of a shell variable";
  if (shell == Shell::bash && shell::bash_owns(name)) return "is a variable of bash itself and cannot be exported";
  if (has_nul(value)) return "contains a NUL byte, which an environment variable cannot contain";
  if (value.size() + name.size() + 1 > longest_argument) return "is larger than 128 KiB, the kernel's limit";
  return {};
}

bool check_git(Account& account, const model::Git& git) {
  const std::string& url = git.url.value;
  const std::string& rev = git.rev.value;
  const bool known = url.starts_with("https://") || url.starts_with("ssh://") || url.starts_with("git@");
  const auto blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  if (!known || std::any_of(url.begin(), url.end(), blank)) {
    account.refuse_at(git.url.span, Field::code,
                      "a repository's url must begin with `https://`, `ssh://` or `git@` and cannot contain spaces");
    return false;
  }
  const auto allowed = [](char c) { return is_env_name(std::string("a") + c) || c == '.' || c == '/' || c == '-'; };
  if (!rev.empty() && rev[0] != '-' && std::all_of(rev.begin(), rev.end(), allowed)) return true;
  account.refuse_at(git.rev.span, Field::code,
                    "a revision can contain letters, digits and `. _ / -` and cannot begin with `-`");
  return false;
}

}  // namespace muster::targets::contract
