// Bytes to a syntax tree.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"
#include "compiler/syntax/ast.h"

namespace muster::syntax {

constexpr std::size_t max_file_bytes = 1 << 20;
constexpr std::size_t max_tokens = 200'000;
constexpr std::size_t max_depth = 200;
constexpr std::size_t max_operators = 1000;  // of one expression

// Parses one file of `sources`. nullopt if anything was reported.
std::optional<ast::File> parse(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics);

}  // namespace muster::syntax
