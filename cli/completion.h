// Completion scripts, as text, made from the options of the verbs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/arguments.h"

namespace muster::cli {

std::string bash_completion(std::span<const VerbEntry> verbs);
std::string zsh_completion(std::span<const VerbEntry> verbs);
std::string fish_completion(std::span<const VerbEntry> verbs);

// What to complete a value with, besides the choices of its option.
enum class Completed { nothing, files, folders };

Completed completed_with(const OptionEntry& option);

// "a b c"
std::string spaced(std::span<const std::string> words);

// `text` with every `from` replaced.
std::string replaced(std::string text, std::string_view from, std::string_view to);

}  // namespace muster::cli
