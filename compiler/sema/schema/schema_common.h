// Tables that workloads and sites share. Inside compiler/sema only.
#pragma once

#include "compiler/sema/schema/schema_fields.h"

namespace muster::sema::tables {

inline constexpr Extras open_scalars{.any_key = true, .any_type = Type::scalar};
inline constexpr Extras open_environment{.any_key = true, .any_type = Type::run_scalar};
inline constexpr Extras open_options{.any_key = true, .any_type = Type::option};
inline constexpr Extras open_facts{.any_key = true, .any_type = Type::fact};

inline constexpr BlockSchema allow_block{"allow", "accepts a lint finding, by its code", LabelRule::required, true,
                                         keys_of("allow")};

}  // namespace muster::sema::tables
