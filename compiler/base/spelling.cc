#include "compiler/base/spelling.h"

#include <algorithm>

namespace muster {
namespace {

std::uint32_t place_of(const std::vector<Spelling::Piece>& pieces, std::uint32_t at) {
  const auto next = std::upper_bound(pieces.begin(), pieces.end(), at,
                                     [](std::uint32_t byte, const Spelling::Piece& piece) { return byte < piece.at; });
  const Spelling::Piece& piece = next == pieces.begin() ? pieces.front() : *std::prev(next);
  return piece.place + (at - std::min(at, piece.at));
}

}  // namespace

Span Spelling::of(std::uint32_t begin, std::uint32_t end) const {
  if (pieces.empty()) return whole;
  const std::uint32_t first = place_of(pieces, begin);
  // Behind its last byte: what follows may begin elsewhere.
  const std::uint32_t last = end > begin ? place_of(pieces, end - 1) + 1 : first;
  return {whole.file, std::min(first, whole.end), std::min(std::max(first, last), whole.end)};
}

}  // namespace muster
