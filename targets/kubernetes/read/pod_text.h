// What a container starts, as a shell reads it.
#pragma once

#include <optional>
#include <vector>

#include "compiler/base/spelling.h"
#include "compiler/shell/body.h"
#include "targets/kubernetes/read/pod.h"

namespace muster::targets::kubernetes {

// The elements of `command` and `args`, in this order.
std::vector<Field> elements_of(const Container& container);

// Its command is the first of the body; those of a text behind `sh -c` follow and have the place of its element. Plain
// values of `env` are known. No commands: the image decides.
shell::Body body_of(const Container& container);

// The words of its commands, assignments and targets of redirections among them.
std::vector<Word> words_of(const Container& container);

// The text that a container gives to a shell: `sh -c TEXT`.
struct ContainerText {
  Field field;  // that holds it
  shell::Body body;
  std::optional<std::string> indent;  // of its lines, where it is written as it is (`|`)
};
std::optional<ContainerText> text_of(const Sources& sources, const Container& container);

}  // namespace muster::targets::kubernetes
