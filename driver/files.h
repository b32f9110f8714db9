// Where a run reads files from: the disk and, below folders that no disk has, the files of git revisions. Names mean
// the same in both, so whoever handles a name does not ask which of them has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "driver/revision.h"

namespace muster::driver {

class Files {
 public:
  // The disk; a relative path starts at the current folder of the process.
  Files() = default;
  // And a revision, at whose folder a relative path starts.
  explicit Files(std::shared_ptr<Revision> revision);
  // The same files, where a relative path starts at an absolute folder.
  Files at(std::filesystem::path folder) const;
  // Those of `other` besides; a relative path starts where it does here.
  Files with(const Files& other) const;

  // Where a relative path starts: absolute.
  std::filesystem::path here() const;
  // The path from the root, without `.`, `..` and a slash at its end.
  std::filesystem::path whole(const std::filesystem::path& path) const;
  // The same without links, as far as it exists. A link of a revision that leads out of it stays.
  std::filesystem::path real(const std::filesystem::path& path) const;
  // The same of what has to exist.
  std::filesystem::path canonical(const std::filesystem::path& path, std::error_code& error) const;

  // The types of what is not there, or cannot be asked for, are not_found and none.
  std::filesystem::file_type type(const std::filesystem::path& path) const;
  // Of a link itself, not of what it leads to.
  std::filesystem::file_type own_type(const std::filesystem::path& path) const;
  bool exists(const std::filesystem::path& path) const;
  bool is_file(const std::filesystem::path& path) const { return type(path) == std::filesystem::file_type::regular; }
  bool is_folder(const std::filesystem::path& path) const {
    return type(path) == std::filesystem::file_type::directory;
  }
  // nullopt: not known.
  std::optional<std::uintmax_t> size(const std::filesystem::path& path) const;
  // What two files with equal contents have in common, where it is known without reading them; "": it is not.
  std::string id(const std::filesystem::path& path) const;
  // Sorted by name.
  std::vector<Entry> list(const std::filesystem::path& folder, std::error_code& error) const;
  // At most `limit` + 1 bytes; "-" is standard input. nullopt: `why`.
  std::optional<std::string> read(const std::string& path, std::size_t limit, std::string& why) const;

 private:
  // A file of a revision; nullptr: it is the disk's.
  struct Place {
    Revision* revision = nullptr;
    std::string name;

    std::filesystem::path whole() const;
  };
  // `follow`: without links.
  Place place_of(const std::filesystem::path& path, bool follow = true) const;
  std::filesystem::path on_disk(const std::filesystem::path& path) const;

  std::vector<std::shared_ptr<Revision>> revisions_;
  std::filesystem::path here_;  // "": the current folder of the process
};

}  // namespace muster::driver
