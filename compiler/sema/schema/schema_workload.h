// How the tables of `workload`, `role` and `defaults` are put together of each other. Inside compiler/sema only.
#pragma once

#include <algorithm>
#include <array>

#include "compiler/sema/schema/schema_common.h"

namespace muster::sema::tables {

template <std::size_t N>
constexpr std::array<KeySchema, N> to_array(std::span<const KeySchema> keys) {
  std::array<KeySchema, N> out{};
  std::copy(keys.begin(), keys.end(), out.begin());
  return out;
}

// Two tables as one: what roles have, workloads have too.
template <class Row, std::size_t A, std::size_t B>
constexpr std::array<Row, A + B> join(const std::array<Row, A>& a, const std::array<Row, B>& b) {
  std::array<Row, A + B> out{};
  for (std::size_t i = 0; i < A; ++i) out[i] = a[i];
  for (std::size_t i = 0; i < B; ++i) out[A + i] = b[i];
  return out;
}
template <class Row, std::size_t A, std::size_t B>
constexpr std::array<Row, A + B> join(const Row (&a)[A], const Row (&b)[B]) {
  return join(std::to_array(a), std::to_array(b));
}
template <class Row, std::size_t A, std::size_t B>
constexpr std::array<Row, A + B> join(const std::array<Row, A>& a, const Row (&b)[B]) {
  return join(a, std::to_array(b));
}

// The rows but those of these names, each of which is there.
template <class Row, std::size_t A, std::size_t B>
constexpr std::array<Row, A - B> without(const std::array<Row, A>& rows, const std::string_view (&names)[B]) {
  std::array<Row, A - B> out{};
  std::size_t n = 0;
  for (const Row& row : rows)
    if (std::find(std::begin(names), std::end(names), row.name) == std::end(names)) out.at(n++) = row;
  return out;
}

}  // namespace muster::sema::tables
