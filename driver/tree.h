// A tree of files as it is in a folder or at a git revision.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "compiler/base/diagnostic.h"
#include "compiler/base/limits.h"
#include "driver/files.h"

namespace muster::driver {

class Tree {
 public:
  // A relative path starts at its folder, which of a revision stands for the current one: a name below this one is the
  // same below that one.
  const Files& files() const { return files_; }
  std::filesystem::path folder() const { return files_.here(); }
  // Of a revision its commit, in hexadecimal digits; "" of a folder.
  std::string commit() const { return revision_ ? revision_->commit() : std::string(); }
  // Whether all that was read of it was there. False: reported; a tree without these files has never been.
  bool is_whole(Diagnostics& diagnostics) const;

 private:
  friend std::optional<Tree> open_tree(const std::string& where, Diagnostics& diagnostics);
  friend bool read_revision(const std::string& name, Tree& out, std::string& why);
  Files files_;
  std::string name_;  // as the user wrote it
  std::shared_ptr<Revision> revision_;
};

// `where` is a folder, or a revision ("main", "HEAD~1", "v1.2") of the git repository that the current folder is in. Of
// a revision the files are read when they are asked for, links are followed inside it, and submodules are
// names only. nullopt: reported (it is neither; git cannot be run; more than 200,000 files or 1 GiB).
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
