#include "compiler/shell/assigned.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/shell/arithmetic.h"
#include "compiler/shell/expand.h"
#include "compiler/shell/programs.h"

namespace muster::shell {
namespace {

std::string_view of(std::string_view text, const raw::RawWord& w) { return text.substr(w.begin, w.end - w.begin); }

}  // namespace

std::size_t assigned_name(std::string_view word) {
  std::size_t n = 0;
  while (n < word.size() && (n == 0 ? is_name_start(word[n]) : is_name_char(word[n]))) ++n;
  if (n == 0 || n == word.size()) return 0;
  std::size_t at = n;
  if (word[at] == '[') {
    at = word.find(']', at);
    if (at == std::string_view::npos || ++at == word.size()) return 0;
  }
  if (word[at] == '+') ++at;
  return at < word.size() && word[at] == '=' ? n : 0;
}

std::uint32_t program_word(std::string_view text, const raw::Text& raw, const raw::RawCommand& c) {
  std::uint32_t i = 0;
  while (i < c.words && assigned_name(of(text, raw.words[c.first_word + i])) > 0) ++i;
  return i;
}

const raw::RawRedirect* document_for_name(std::string_view text, const raw::Text& raw, const raw::RawCommand& c) {
  const std::uint32_t program = c.redirects == 1 ? program_word(text, raw, c) : c.words;
  if (program + 2 > c.words || of(text, raw.words[c.first_word + program]) != "read") return nullptr;
  const raw::RawRedirect& from = raw.redirects[c.first_redirect];
  bool whole = false;  // -d ''
  for (std::uint32_t i = program + 1; i + 1 < c.words; ++i) {
    const std::string_view word = of(text, raw.words[c.first_word + i]);
    if (word != "-r" && word != "-d" && word != "''" && word != "\"\"" && word != "-rd") return nullptr;
    whole |= word == "''" || word == "\"\"";
  }
  const std::string_view name = of(text, raw.words[c.first_word + c.words - 1]);
  const bool named = !name.empty() && std::all_of(name.begin(), name.end(), is_name_char);
  return whole && named && from.op == "<<" && from.quoted && from.text.end > 0 ? &from : nullptr;
}

bool declares_with(std::string_view text, const raw::Text& raw, const raw::RawCommand& c, std::string_view letters) {
  for (std::uint32_t i = 0; i < c.words; ++i)
    if (const std::string_view word = of(text, raw.words[c.first_word + i]);
        word.starts_with('-') && word.find_first_of(letters) != std::string_view::npos)
      return true;
  return false;
}

bool may_set_by_words(std::string_view text) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  return has("((") || has("let") || has("eval") || has("]=") || has("]+=") || (has("-v") && has("printf")) ||
         (has("-p") && has("wait")) || (has("-n") && (has("declare") || has("local") || has("typeset"))) ||
         !names_assigned_in(text).empty();
}

std::vector<std::string_view> assigned_by_words(std::string_view text, const raw::Text& raw, const raw::RawCommand& c) {
  std::vector<std::string_view> out;
  const auto add = [&](const std::vector<std::string_view>& names) {
    out.insert(out.end(), names.begin(), names.end());
  };
  const std::uint32_t program = program_word(text, raw, c);
  const std::string_view name = program < c.words ? of(text, raw.words[c.first_word + program]) : std::string_view();
  // `-v NAME` of the one and `-p NAME` of the other, joined or not.
  const std::string_view option = name == "printf" ? "-v" : name == "wait" ? "-p" : "";
  const bool sums = name == "let" || name == "eval";
  for (std::uint32_t i = 0; i < c.words; ++i) {
    const std::string_view word = of(text, raw.words[c.first_word + i]);
    const bool argument = i > program;
    if (word.starts_with("((") || (argument && sums)) add(names_assigned(word));
    if (argument && !option.empty() && word.starts_with(option))
      out.push_back(word.size() > 2 || i + 1 == c.words ? word.substr(2) : of(text, raw.words[c.first_word + i + 1]));
    if (argument && word.starts_with('-') && word.find('n') != std::string_view::npos && has_trait(name, declares))
      out.emplace_back();  // `declare -n R=N`: what R gets N has
    if (const std::size_t subscript = word.find('[');
        subscript != std::string_view::npos && assigned_name(word) == subscript)
      add(names_assigned(word.substr(subscript, word.find(']') - subscript)));
    if (word.find('$') != std::string_view::npos) add(names_assigned_in(word));
  }
  for (std::uint32_t i = 0; i < c.redirects; ++i) {
    const raw::RawRedirect& redirect = raw.redirects[c.first_redirect + i];
    if (!redirect.quoted) add(names_assigned_in(of(text, redirect.text.end > 0 ? redirect.text : redirect.target)));
  }
  return out;
}

}  // namespace muster::shell
