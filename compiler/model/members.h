// The members of a block of the model that are the value of one key each.
#pragma once

#include <type_traits>

#include "compiler/model/workload.h"

namespace muster::model {

// Calls `visit(Field, pointer to member)` for each of them, in the order of the language's reference.
template <class Block, class Visit>
void each_member(const Visit& visit) {
#define MEMBER(id, block, key, of, member, ...) \
  if constexpr (std::is_same_v<Block, of>) visit(Field::id, &Block::member);
#include "compiler/model/fields.def"
}

}  // namespace muster::model
