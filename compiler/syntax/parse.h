// Bytes to a syntax tree.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/base/diagnostic.h"
#include "compiler/base/limits.h"
#include "compiler/base/source.h"
#include "compiler/syntax/ast.h"

namespace muster::syntax {

constexpr std::size_t max_file_bytes = value_of(Limit::file_bytes);
constexpr std::size_t max_tokens = value_of(Limit::file_tokens);
constexpr std::size_t max_depth = value_of(Limit::nesting);
constexpr std::size_t max_operators = value_of(Limit::operators);  // of one expression

// Parses one file of `sources`. nullopt if anything was reported.
std::optional<ast::File> parse(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics);

}  // namespace muster::syntax
