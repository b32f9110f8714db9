// The files that a muster file takes in by `file("path")`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/syntax/ast.h"

namespace muster::sema {

// Of a file of the language: the bytes behind each path of its `file("…")`.
using FileTexts = std::map<std::uint32_t, std::map<std::string, std::string>>;

// The interpreter of a script that a file holds: by its first line `#!…`, else by its name; "bash" where neither says.
std::string interpreter_of(std::string_view path, std::string_view text);

// The paths of all calls of `file` with one literal text, in the order written. Each borrows the tree.
std::vector<const ast::Expr*> file_paths(const ast::File& file);

}  // namespace muster::sema
