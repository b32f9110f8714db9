#include "targets/kubernetes/read/pod_text.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/data/spelling.h"

namespace muster::targets::kubernetes {
namespace {

std::vector<shell::Word> start_of(const Container& container) {
  std::vector<shell::Word> out;
  for (const Field& element : elements_of(container))
    out.push_back({std::string(element.text()), true, element.span()});
  return out;
}

// Plain values of its `env`.
std::vector<shell::Given> given_to(const Container& container) {
  std::vector<shell::Given> out;
  for (const Field& variable : container.field.get("env").items())
    if (const Field value = variable.get("value"))
      out.push_back({std::string(variable.get("name").text()), std::string(value.text())});
  return out;
}

// Of the text in a field, which a shell reads. Without its spelling the spans are not those of the file.
shell::Body body_of_text(const Container& container, const Field& field, const Spelling* spelling) {
  shell::ShellText text{field.node->text, field.span().file, 0, static_cast<std::uint32_t>(field.node->text.size())};
  text.given = given_to(container);
  text.spelling = spelling;
  return shell::read_body(text);
}

bool holds_text(const shell::Body& body, const shell::Command& command) {
  const auto index = static_cast<std::int32_t>(&command - body.commands.data());
  return std::any_of(body.commands.begin(), body.commands.end(),
                     [&](const shell::Command& c) { return c.inside == index; });
}

std::optional<std::string> indent_of(const Sources& sources, const Field& field, const Spelling& spelling) {
  const std::string_view text = field.node->text;
  if (field.aliased || spelling.pieces.empty() || !sources.text(field.span()).starts_with('|') ||
      is_blank(text.front()))
    return std::nullopt;
  const std::uint32_t first = spelling.pieces.front().place;
  const std::string_view before = sources.text({field.span().file, field.span().begin, first});
  return std::string(before.substr(before.rfind('\n') + 1));
}

}  // namespace

std::vector<Field> elements_of(const Container& container) {
  std::vector<Field> out;
  for (const char* key : {"command", "args"})
    for (const Field& element : container.field.get(key).items()) out.push_back(element);
  return out;
}

shell::Body body_of(const Container& container) {
  std::vector<shell::Word> words = start_of(container);
  if (words.empty()) return {};
  shell::ShellText text;
  text.file = words.front().span.file;
  text.given = given_to(container);
  return shell::read_command(std::move(words), text);
}

std::vector<Word> words_of(const Container& container) {
  const std::vector<Field> elements = elements_of(container);
  const std::vector<shell::Word> start = start_of(container);
  const std::size_t text = shell::text_for_shell(start);
  std::vector<Word> out;
  // What an image starts may be a shell, which splits them.
  const auto add = [&](std::string_view words, const Field& field) {
    constexpr std::string_view blanks = " \t\r\n";
    for (std::size_t at = 0; (at = words.find_first_not_of(blanks, at)) < words.size();) {
      const std::size_t end = std::min(words.find_first_of(blanks, at), words.size());
      const std::string_view word = words.substr(at, end - at);
      out.push_back({std::string(word), field, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)});
      at = end;
    }
  };
  for (std::size_t i = 0; i < start.size(); ++i)
    if (i != text || text == 0) add(start[i].text, elements[i]);
  if (text == 0) return out;
  const auto add_word = [&](std::string_view word, Span at) {
    out.push_back({std::string(trimmed(word, "\"")), elements[text], at.begin, at.end});
  };
  const shell::Body body = body_of_text(container, elements[text], nullptr);
  for (const shell::Command& command : body.commands) {
    if (command.program() == "eval" && holds_text(body, command)) continue;  // its words are those of the text
    for (const shell::Assignment& a : command.assignments) add_word(a.name + "=" + a.value.text, a.value.span);
    for (const shell::Word& word : command.words) add_word(word.text, word.span);
    for (const shell::Redirect& r : command.redirects) add_word(r.target.text, r.target.span);
  }
  return out;
}

Span Word::place(const Sources& sources) const {
  return end > begin ? data::spelling_of(sources, *field.node).of(begin, end) : field.span();
}

std::optional<ContainerText> text_of(const Sources& sources, const Container& container) {
  const std::size_t at = shell::text_for_shell(start_of(container));
  if (at == 0) return std::nullopt;
  const Field field = elements_of(container)[at];
  const Spelling spelling = data::spelling_of(sources, *field.node);
  return ContainerText{field, body_of_text(container, field, &spelling), indent_of(sources, field, spelling)};
}

}  // namespace muster::targets::kubernetes
