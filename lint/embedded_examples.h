// The files of lint/examples, as lint/embed_examples.cmake writes them into a table at build time.
#pragma once

#include <span>
#include <string_view>

namespace muster::lint {

struct EmbeddedExample {
  std::string_view rule, name, text;  // "SLM001", "wrong.sbatch"
};

// In the order of rules and names.
std::span<const EmbeddedExample> embedded_examples();

}  // namespace muster::lint
