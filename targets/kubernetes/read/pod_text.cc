#include "targets/kubernetes/read/pod_text.h"

#include "compiler/base/text.h"
#include "compiler/data/spelling.h"

namespace muster::targets::kubernetes {
namespace {

std::vector<shell::Word> words_of(const Container& container) {
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

std::optional<std::string> indent_of(const Sources& sources, const Field& field, const Spelling& spelling) {
  const std::string_view text = field.node->text;
  if (spelling.pieces.empty() || !sources.text(field.span()).starts_with('|') || is_blank(text.front()))
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
  std::vector<shell::Word> words = words_of(container);
  if (words.empty()) return {};
  shell::ShellText text;
  text.file = words.front().span.file;
  text.given = given_to(container);
  return shell::read_command(std::move(words), text);
}

std::optional<ContainerText> text_of(const Sources& sources, const Container& container) {
  const std::size_t at = shell::text_for_shell(words_of(container));
  if (at == 0) return std::nullopt;
  const Field field = elements_of(container)[at];
  const Spelling spelling = data::spelling_of(sources, *field.node);
  shell::ShellText text{field.node->text, field.span().file, 0, static_cast<std::uint32_t>(field.node->text.size())};
  text.given = given_to(container);
  text.spelling = &spelling;
  return ContainerText{field, shell::read_body(text), indent_of(sources, field, spelling)};
}

}  // namespace muster::targets::kubernetes
