// The files of the two sides of a review, and which of them can make a difference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "driver/files.h"
#include "lint/account.h"

namespace muster::driver {

// What a file is to a review; `other` ones can be imported or taken in.
enum class FileKind : std::uint8_t {
  spec,
  script,    // of Slurm
  imported,  // of PBS or LSF: what its import asks for
  manifest,
  other
};

// What is known of a file without its text, which is read when it is needed and not kept.
struct SideFile {
  std::string id;  // equal texts have equal ones
  FileKind kind = FileKind::other;
  std::string why;                         // it cannot be used
  bool mentions_site = false;              // a spec in which a site may be declared
  std::optional<lint::Account> account{};  // of what is not evaluated, if it could start something
  std::optional<std::size_t> workloads{};  // and objects that it has; nullopt: that takes parsing it

  friend bool operator==(const SideFile&, const SideFile&) = default;
};

// One side: a folder with all below it, or one file.
struct Side {
  std::string name;                       // as the user wrote it
  Files from;                             // relative paths start at its root
  std::filesystem::path root{};           // absolute
  std::string only{};                     // the one file below the root; "": all
  std::map<std::string, SideFile> files;  // by path below the root
  std::set<std::string> links;            // symbolic ones
  std::vector<lint::Account> not_read{};  // what could start something and is not among the files

  // What a file holds. nullopt: it cannot be read (any more).
  std::optional<std::string> text(const std::string& path) const;
};

// A side that is a file or a folder of the disk. nullopt: there is no such file or folder, or it has more than a tree
// may have; reported.
std::optional<Side> read_side(const std::string& name, const std::filesystem::path& path, Diagnostics& diagnostics);
// A side that is all below the folder where relative paths of `from` start. What `known` has read of files with the
// same contents is not read again.
std::optional<Side> read_side(const std::string& name, const Files& from, const Side* known, Diagnostics& diagnostics);

// Paths whose files differ between the sides, and those that name such a file, directly or not (by an import, a taken
// file, a site's rules): all others mean the same on both. What is named behind a link or a hidden name is in no list,
// so whoever names it may mean something else.
std::set<std::string> affected_files(const Side& base, const Side& head);

// The files that declare a site.
std::vector<std::string> site_files(const Side& side);
bool declares_site(const std::string& path, std::string text);
// How many workloads and objects a file has, without evaluating it.
std::size_t count_workloads(const Side& side, const std::string& path);

}  // namespace muster::driver
