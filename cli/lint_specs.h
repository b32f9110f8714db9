// The muster files among the files of `muster lint`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/session.h"

namespace muster::cli {

// By its name (*.muster and the data twin's); standard input, `-`, is one if it begins with `{`.
bool is_spec(std::string_view path, std::string_view text);

// Checks each file as compile does, with `options` but for its files: what is wrong in it, whether its workloads
// have a plane and whether their gangs fit. What is found goes to stderr; returns the worst exit code. Each file
// stands for itself, with what it imports. `input` is what standard input held.
int lint_specs(const std::vector<std::string>& files, const CommonOptions& options, const std::string& input);

}  // namespace muster::cli
