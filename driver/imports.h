// Follows `import "path" as name` from file to file, and reads what they take in by `file("path")`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/limits.h"
#include "compiler/base/source.h"
#include "compiler/sema/expand/expand.h"
#include "compiler/syntax/ast.h"
#include "driver/files.h"

namespace muster::driver {

constexpr std::size_t max_imports = value_of(Limit::imports);   // files, those of `file(…)` among them
constexpr std::size_t max_taken = value_of(Limit::text_bytes);  // bytes of one file of `file(…)`

// Reads and parses the file at `real`, a path without links, under the name that messages give it. nullopt: reported,
// at `where` if it could not be read at all.
using ReadImport =
    std::function<std::optional<ast::File>(const std::string& name, const std::string& real, Span where)>;

// The folder that no import of a file may leave: `--root` if it holds the file, else the current folder if that
// does, else the file's own. Neither the root of the disk nor a home folder is it unless `--root` says so; "": there is
// no other.
std::filesystem::path import_root(const std::filesystem::path& file, const std::string& root, const Files& files);

// Adds the files that `files` import, directly or not, each once, and says in `out` who imports whom and what each
// takes in. A path is relative to its file; it does not leave the root, by `..` or by a link; nothing imports itself.
// False: reported.
bool follow_imports(std::vector<ast::File>& files, const Sources& sources, const std::string& root, const Files& from,
                    const ReadImport& read, sema::ExpandOptions& out, Diagnostics& diagnostics);

}  // namespace muster::driver
