// Tables that workloads and sites share. Inside compiler/sema only.
#pragma once

#include "compiler/sema/schema/schema.h"

namespace muster::sema::tables {

inline constexpr std::string_view modes[] = {"rw", "ro"};

inline constexpr KeySchema software_keys[] = {
    {"modules", Type::texts, "environment modules, loaded in this order"},
    {"module-use", Type::texts, "folders added to the module path"},
    {"purge", Type::boolean, "unload all modules first", "false"},
    {"conda", Type::text, "conda environment, by name or folder"},
    {"venv", Type::text, "Python virtual environment, its folder"},
    {"prelude", Type::script, "shell text run before the program"},
    {"image", Type::text, "container image that holds the software"},  // of a site only: workloads have a key for it
};

inline constexpr Extras open_scalars{.any_key = true, .any_type = Type::scalar};
inline constexpr Extras open_options{.any_key = true, .any_type = Type::option};
inline constexpr Extras open_facts{.any_key = true, .any_type = Type::fact};

inline constexpr KeySchema allow_keys[] = {
    {"reason", Type::text, "why it is meant", "", {}, true},
    {"until", Type::text, "the last day on which it holds: \"2026-12-31\""},
};
inline constexpr BlockSchema allow_block{"allow", "a lint finding that is meant, by its code", LabelRule::required,
                                         true, allow_keys};

}  // namespace muster::sema::tables
