// Which commands start programs, and how many.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/shell/body.h"

namespace muster::shell {

// The lines of a here-document: [begin, end) of the text that holds it.
struct Document {
  std::uint32_t begin = 0, end = 0;
  bool expanded = false;  // by the shell that reads the command
};

// A text that a launcher or a command gives to a shell: `bash -c TEXT`, `eval TEXT`, `bash <<END`.
struct NestedText {
  std::string text;
  Span span;
  std::int32_t command = -1;  // that holds it
  std::int32_t parent = -1;   // launch that starts the bash
  std::size_t depth = 0;
  std::vector<Word> arguments;         // $0, $1 …
  std::optional<Document> document{};  // it is this one of the text that is read, and `text` is empty
};

// The command whose launches are looked for, and `parent`, the launch that starts it where it is in a text for `bash
// -c`.
struct LaunchPlace {
  std::span<const OwnOptions> options{};
  std::uint32_t command = 0;
  std::int32_t parent = -1;
  std::size_t depth = 0;
  std::optional<Document> input{};  // what the command reads
};

// Appends the launches of one command, outermost first, and texts for `bash -c` that are still to be read.
void find_launches(Body& body, const LaunchPlace& place, std::vector<NestedText>& nested);

// Appends what the command does to the environment: modules, conda, exports, cd.
void find_setups(Body& body, std::uint32_t command);

}  // namespace muster::shell
