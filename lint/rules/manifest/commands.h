// What a container starts, as simple commands of a shell. Inside lint/rules/manifest only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "targets/kubernetes/read/pod.h"

namespace muster::lint {

struct SimpleCommand {
  std::vector<std::string> words;  // without quotes; at least one
  bool behind = false;             // it runs in the background
};

// The commands of a script in their order: what is between newlines, `;`, `&`, `|` and their doubles, outside of
// quotes. Words such as `do` stay in front of the command that follows them. Comments are none.
std::vector<SimpleCommand> commands_of(std::string_view script);

// The elements of `command` and `args`, in this order.
std::vector<targets::kubernetes::Field> elements_of(const targets::kubernetes::Container& container);

// The place of the script among these elements: behind `sh -c`, `bash -ec --`. nullopt: no shell reads one.
std::optional<std::size_t> script_in(const std::vector<targets::kubernetes::Field>& elements);

}  // namespace muster::lint
