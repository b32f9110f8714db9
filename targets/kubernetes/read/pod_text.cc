#include "targets/kubernetes/read/pod_text.h"

namespace muster::targets::kubernetes {

std::vector<Field> elements_of(const Container& container) {
  std::vector<Field> out;
  for (const char* key : {"command", "args"})
    for (const Field& element : container.field.get(key).items()) out.push_back(element);
  return out;
}

shell::Body body_of(const Container& container) {
  std::vector<shell::Word> words;
  for (const Field& element : elements_of(container))
    words.push_back({std::string(element.text()), true, element.span()});
  if (words.empty()) return {};
  shell::ShellText text;
  text.file = words.front().span.file;
  for (const Field& variable : container.field.get("env").items())
    if (const Field value = variable.get("value"))
      text.given.push_back({std::string(variable.get("name").text()), std::string(value.text())});
  return shell::read_command(std::move(words), text);
}

}  // namespace muster::targets::kubernetes
