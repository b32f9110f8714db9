// Where the bytes of a text are in a file that spells it otherwise: a scalar of YAML, indented or with escapes.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/base/source.h"

namespace muster {

struct Spelling {
  // From byte `at` of the text on, its bytes follow one another from byte `place` of the file on.
  struct Piece {
    std::uint32_t at = 0, place = 0;
  };
  Span whole;                 // all of it, as the file has it
  std::vector<Piece> pieces;  // in the order of the text; none where no more than `whole` is known

  // Bytes [begin, end) of the text.
  Span of(std::uint32_t begin, std::uint32_t end) const;
};

}  // namespace muster
