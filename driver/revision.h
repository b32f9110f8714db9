// The files of a commit, which are in no folder: their names are known, their contents are asked of git when they are
// read, one at a time, and not kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "driver/git.h"

namespace muster::driver {

// What a folder holds.
struct Entry {
  std::string name;
  std::filesystem::file_type type{};  // of the entry itself, not of what a link leads to
  bool submodule = false;             // of a revision: another repository, whose files are not here
};

enum class BlobKind : std::uint8_t { file, link, submodule };

struct Blob {
  std::string path;  // below the revision's folder
  std::string id;
  std::size_t size = 0;
  BlobKind kind = BlobKind::file;
};

class Revision {
 public:
  // `commit`: in hexadecimal digits.
  Revision(std::string commit, std::vector<Blob> blobs);

  const std::string& commit() const { return commit_; }
  // Where its files seem to be. No disk can have this folder, so no file of a disk is mistaken for one of them.
  const std::filesystem::path& folder() const { return folder_; }
  // What a path from the root (see Files::whole) is called below the folder; "": it is the folder. nullopt: elsewhere.
  std::optional<std::string> name_of(const std::filesystem::path& path) const;

  // The same name without links, as far as it exists; the name itself where a link leads out of the revision, to
  // nothing or in a circle.
  std::string resolved(const std::string& name);

  // A regular file, a folder or a link, else not_found.
  std::filesystem::file_type type(const std::string& name) const;
  // Why it is not there.
  std::error_code absence(const std::string& name) const;
  // nullptr: it is not a file.
  const Blob* find(const std::string& name) const;
  // Sorted.
  std::vector<Entry> list(const std::string& folder) const;
  // At most `limit` + 1 bytes. nullopt: `why`.
  std::optional<std::string> read(const std::string& name, std::size_t limit, std::string& why);

  // Why git did not return the contents of a file, the first time; "": it always has.
  const std::string& failure() const { return failure_; }

 private:
  std::vector<Blob>::const_iterator first_from(const std::string& name) const;
  const Blob* entry(const std::string& name) const;
  std::optional<std::string> target_of(const Blob& link);
  std::optional<std::string> one_link_less(const std::string& name);
  bool is_folder(const std::string& name) const;
  bool ask_for(const Blob& blob, std::size_t limit, std::string& out);

  std::string commit_;
  std::filesystem::path folder_;
  std::vector<Blob> blobs_;  // by path
  bool has_links_ = false;
  std::map<std::string, std::optional<std::string>> targets_;  // of links, as they are written
  Git git_;                                                    // starts with the first question
  std::string failure_;
};

}  // namespace muster::driver
