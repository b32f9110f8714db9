// The import of a PBS script under way. Inside targets/pbs/read only.
#pragma once

#include "targets/batch/read/draft.h"
#include "targets/pbs/read/script.h"

namespace muster::targets::pbs {

// layout.cc: chunks, nodes, CPUs, GPUs, memory.
void import_layout(batch::Draft& draft, const Script& script);
// options.cc: all others; each part that decides its option.
void import_options(batch::Draft& draft, const Script& script);
// Whether an option is one that import_options knows.
bool has_reader(std::string_view option);
// A path of -o or -e in the language's words, of a file or a folder; nullopt where it cannot express a part.
std::optional<std::string> log_path(std::string_view path, bool error);

}  // namespace muster::targets::pbs
