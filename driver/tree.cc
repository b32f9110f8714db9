#include "driver/tree.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/base/text.h"
#include "driver/endings.h"
#include "driver/git.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

// A repository may have been made by hand: no name leads out of the folder, and each is spelt in one way.
bool stays_inside(const std::string& name) {
  const std::vector<std::string_view> parts = split(name, '/');
  const auto bad = [](std::string_view part) { return part.empty() || part == "." || part == ".."; };
  return std::none_of(parts.begin(), parts.end(), bad);
}

std::optional<BlobKind> kind_of_mode(std::string_view entry) {
  if (entry.starts_with("100")) return BlobKind::file;
  if (entry.starts_with("120000")) return BlobKind::link;
  return entry.starts_with("160000") ? std::optional(BlobKind::submodule) : std::nullopt;
}

// One entry of `git ls-tree -r -l -z`: "100644 blob ID    SIZE\tPATH". nullopt: it is none of ours.
std::optional<Blob> read_entry(std::string_view entry) {
  const std::size_t tab = entry.find('\t');
  const auto kind = kind_of_mode(entry);
  if (tab == entry.npos || !kind) return std::nullopt;
  const std::string_view head = entry.substr(0, tab);
  const std::size_t id = head.find(' ', 7), space = head.find(' ', id + 1), size = head.find_last_of(' ');
  if (id == head.npos || space == head.npos) return std::nullopt;
  Blob out{std::string(entry.substr(tab + 1)), std::string(head.substr(id + 1, space - id - 1)), 0, *kind};
  if (*kind == BlobKind::submodule) return stays_inside(out.path) ? std::optional(std::move(out)) : std::nullopt;
  const auto read = std::from_chars(head.data() + size + 1, head.data() + head.size(), out.size);
  if (read.ec != std::errc() || !stays_inside(out.path)) return std::nullopt;
  // One that may be read is there, so that whoever reads the tree says that it is too large.
  if (out.size > largest_file && !may_be_read(out.path)) return std::nullopt;
  return out;
}

constexpr const char* to_fetch =
    "fetch the objects that the partial clone left out with `git fetch --refetch --no-filter`";

// A file that may be read and whose contents are not in the repository: git says "BAD" for its size. To read on as if
// the file were not there would be a tree that never existed.
bool lacks_contents(std::string_view entry) {
  const std::size_t tab = entry.find('\t');
  const std::string_view head = entry.substr(0, tab);
  return head.starts_with("100") && head.ends_with(" BAD") && tab != entry.npos && may_be_read(entry.substr(tab + 1));
}

// The files of a commit below the current folder. nullopt: `why`.
std::optional<std::vector<Blob>> list(const std::string& commit, std::string& why) {
  const auto text = ask_git({"ls-tree", "-r", "-l", "-z", commit}, why);
  if (!text) {
    if (why.find("lazy fetching") != why.npos)
      why = "the repository lacks the contents of its files: " + std::string(to_fetch);
    return std::nullopt;
  }
  std::vector<Blob> out;
  std::size_t bytes = 0;
  for (std::size_t at = 0, end = 0; (end = text->find('\0', at)) != text->npos; at = end + 1) {
    const std::string_view entry = std::string_view(*text).substr(at, end - at);
    if (lacks_contents(entry)) {
      why = "the repository lacks the contents of `" + printable(entry.substr(entry.find('\t') + 1), 100) +
            "`: " + to_fetch;
      return std::nullopt;
    }
    if (auto blob = read_entry(entry)) {
      bytes += blob->size;
      out.push_back(std::move(*blob));
    }
  }
  if (out.size() <= most_files && bytes <= most_bytes) return out;
  why = "it has more than 200,000 files or 1 GiB";
  return std::nullopt;
}

// The commit of a revision; "": `why`.
std::string commit_of(const std::string& revision, std::string& why) {
  if (revision.starts_with('-')) return why = "a revision cannot begin with `-`", "";
  auto out = ask_git({"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"}, why);
  if (!out && why.empty()) why = "git does not know this revision";
  while (out && out->ends_with('\n')) out->pop_back();
  return out.value_or("");
}

void cannot_read_revision(const std::string& name, const std::string& why, Diagnostics& diagnostics) {
  diagnostics.add(Code::cannot_read, {}, "cannot read the revision `" + printable(name) + "`: " + printable(why, 400));
}

}  // namespace

bool may_be_read(const fs::path& path) {
  return path.extension() == ".muster" || starts_by_ending(path.native()) != Starts::nothing;
}

// False: `why`.
bool read_revision(const std::string& name, Tree& out, std::string& why) {
  const std::string commit = commit_of(name, why);
  auto blobs = commit.empty() ? std::nullopt : list(commit, why);
  if (!blobs) return false;
  out.name_ = name;
  out.revision_ = std::make_shared<Revision>(commit, std::move(*blobs));
  out.files_ = Files(out.revision_);
  return true;
}

bool Tree::is_whole(Diagnostics& diagnostics) const {
  if (!revision_ || revision_->failure().empty()) return true;
  cannot_read_revision(name_, revision_->failure(), diagnostics);
  return false;
}

std::optional<Tree> open_revision(const std::string& revision, Diagnostics& diagnostics) {
  Tree out;
  std::string why;
  if (read_revision(revision, out, why)) return out;
  cannot_read_revision(revision, why, diagnostics);
  return std::nullopt;
}

std::optional<Tree> open_tree(const std::string& where, Diagnostics& diagnostics) {
  std::error_code error;
  Tree out;
  if (fs::is_directory(where, error)) {
    out.files_ = Files().at(Files().real(where));
    return out;
  }
  std::string why;
  if (read_revision(where, out, why)) return out;
  diagnostics.add(Code::cannot_read, {},
                  "cannot read `" + printable(where) +
                      "`: it is not a folder, and reading it as a git revision failed: " + printable(why, 400));
  return std::nullopt;
}

}  // namespace muster::driver
