// A tree of files as it is in a folder or at a git revision.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "compiler/base/diagnostic.h"
#include "compiler/base/limits.h"
#include "driver/temporary_folder.h"

namespace muster::driver {

class Tree {
 public:
  // Where its files lie, absolute. Of a revision it is a temporary folder that goes with the tree, or with the process
  // if a signal ends it: it stands for the current folder, so that a name below this one is the same below that one.
  const std::filesystem::path& folder() const { return folder_; }
  // Of a revision its commit, in hexadecimal digits; "" of a folder.
  const std::string& commit() const { return commit_; }

 private:
  friend std::optional<Tree> open_tree(const std::string& where, Diagnostics& diagnostics);
  friend bool read_revision(const std::string& revision, Tree& out, std::string& why);
  std::filesystem::path folder_;
  std::string commit_;
  TemporaryFolder temporary_;  // of a revision
};

// `where` is a folder, or a revision ("main", "HEAD~1", "v1.2") of the git repository that the current folder is in. Of
// a revision regular files of at most 4 MiB are there, no symbolic links and no submodules. nullopt: reported (it is
// neither; git cannot be run; more than 200,000 files or 1 GiB).
std::optional<Tree> open_tree(const std::string& where, Diagnostics& diagnostics);
// What a tree may have at most, whichever of the two it is.
constexpr std::size_t most_files = 200'000;
constexpr std::size_t most_bytes = std::size_t{1} << 30;
constexpr std::size_t largest_file = value_of(Limit::checked_bytes);
// Whether a file of this name can be a spec, so that a larger one would be missed.
bool may_be_read(const std::filesystem::path& path);

// The same of what can only be a revision, though a folder may have its name.
std::optional<Tree> open_revision(const std::string& revision, Diagnostics& diagnostics);

}  // namespace muster::driver
