#include "lint/rules/manifest/commands.h"

#include <utility>

#include "compiler/base/text.h"

namespace muster::lint {
namespace {

using targets::kubernetes::Container;
using targets::kubernetes::Field;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\r') {
      if (c != '"' && c != '\'') word += c;
    } else if (!word.empty()) {
      out.push_back(std::exchange(word, {}));
    }
  }
  if (!word.empty()) out.push_back(std::move(word));
  return out;
}

bool is_shell(std::string_view word) { return is_one_of(base_name(word), {"sh", "bash", "ash", "dash", "zsh"}); }

// `-c`, `-ec`, `-xeuc`
bool takes_script(std::string_view option) {
  return option.size() > 1 && option.size() < 6 && option.front() == '-' && option.back() == 'c';
}

}  // namespace

std::vector<SimpleCommand> commands_of(std::string_view script) {
  std::vector<SimpleCommand> out;
  std::string text;
  char quote = 0;
  const auto end = [&](bool behind) {
    std::vector<std::string> words = words_of(text);
    if (!words.empty() && !words[0].starts_with('#')) out.push_back({std::move(words), behind});
    text.clear();
  };
  for (std::size_t i = 0; i < script.size(); ++i) {
    const char c = script[i];
    const char next = i + 1 < script.size() ? script[i + 1] : '\0', before = i > 0 ? script[i - 1] : '\0';
    if (quote != 0) {
      if (c == quote) quote = 0;
      text += c;
    } else if (c == '"' || c == '\'') {
      quote = c, text += c;
    } else if (c == '\\' && next == '\n') {
      ++i;
    } else if (c == '\n' || c == ';' || (c == '|' && before != '>')) {
      end(false);
    } else if (c == '&' && next == '&') {
      end(false), ++i;
    } else if (c == '&' && before != '>' && next != '>') {
      end(true);
    } else {
      text += c;
    }
  }
  end(false);
  return out;
}

std::vector<Field> elements_of(const Container& container) {
  std::vector<Field> out;
  for (const char* key : {"command", "args"})
    for (const Field& element : container.field.get(key).items()) out.push_back(element);
  return out;
}

std::optional<std::size_t> script_in(const std::vector<Field>& elements) {
  if (elements.empty() || !is_shell(elements[0].text())) return std::nullopt;
  std::size_t at = 1;
  while (at < elements.size() && !takes_script(elements[at].text())) {
    if (!elements[at].text().starts_with('-')) return std::nullopt;  // a file
    ++at;
  }
  ++at;
  if (at < elements.size() && elements[at].text() == "--") ++at;
  return at < elements.size() ? std::optional(at) : std::nullopt;
}

}  // namespace muster::lint
