// How blocks and keys are named in a document. Inside compiler/twin only.
#pragma once

#include <string>
#include <string_view>

#include "compiler/sema/schema/schema.h"

namespace muster::twin {

// The block of this kind at the top of a file, or in a block; nullptr: it or its parent is unknown.
struct Scope {
  const sema::BlockSchema* schema = nullptr;
  bool top = false;

  const sema::BlockSchema* block(std::string_view name) const;
  const sema::KeySchema* key(std::string_view name) const;
  // `time_limit` where the schema knows `time-limit`; every other name as it is.
  std::string canonical(std::string_view name) const;
};

// What is allowed in a `when` of this block: what may be in the block; in a row of rules any name, with a
// value of a fact.
Scope inside_when(const Scope& scope);

// Members with a meaning of their own: {"require": …}; a key of that name is written `$$require`.
bool is_reserved(std::string_view member);

// A name as a member: `time_limit` for what the schema knows. `args+=` for what is added to a template's;
// a name that ends in `+=` or `==` itself gets one `=` more.
std::string member_of(std::string_view name, const Scope& scope, bool append = false);
std::string escaped(std::string_view name);

}  // namespace muster::twin
