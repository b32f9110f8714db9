#include "driver/tree.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <vector>

#include "compiler/base/text.h"
#include "driver/git.h"
#include "lint/check.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

// A file of a revision.
struct Blob {
  std::string id;
  std::size_t size = 0;
  fs::path path;
};

// A repository may have been made by hand: no name leads out of the folder.
bool stays_inside(const fs::path& path) {
  const auto bad = [](const fs::path& part) { return part.empty() || part == "." || part == ".."; };
  return !path.empty() && path.is_relative() && std::none_of(path.begin(), path.end(), bad);
}

// One entry of `git ls-tree -r -l -z`: "100644 blob ID    SIZE\tPATH". nullopt: it is none of ours.
std::optional<Blob> read_entry(std::string_view entry) {
  const std::size_t tab = entry.find('\t');
  if (tab == entry.npos || !entry.starts_with("100")) return std::nullopt;  // links are 120000, submodules 160000
  const std::string_view head = entry.substr(0, tab);
  const std::size_t id = head.find(' ', 7), space = head.find(' ', id + 1), size = head.find_last_of(' ');
  if (id == head.npos || space == head.npos) return std::nullopt;
  Blob out{std::string(head.substr(id + 1, space - id - 1)), 0, fs::path(entry.substr(tab + 1))};
  const auto read = std::from_chars(head.data() + size + 1, head.data() + head.size(), out.size);
  if (read.ec != std::errc() || !stays_inside(out.path)) return std::nullopt;
  // One that may be read is taken out up to where it is seen to be too large, so that whoever reads the tree says so.
  if (out.size > largest_file && !may_be_read(out.path)) return std::nullopt;
  return out;
}

constexpr const char* to_fetch =
    "fetch the objects that the partial clone left out with `git fetch --refetch --no-filter`";

// A file whose contents are not in the repository: git says "BAD" for its size. To read on as if the file were not
// there would be a tree that never existed.
bool lacks_contents(std::string_view entry) {
  const std::string_view head = entry.substr(0, entry.find('\t'));
  return head.starts_with("100") && head.ends_with(" BAD");
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

// The answer of `git cat-file --batch` to one id: "ID blob SIZE\n", the bytes and a line end.
bool read_blob(std::FILE* in, const Blob& blob, std::string& bytes) {
  char head[200];
  if (std::fgets(head, sizeof head, in) == nullptr) return false;
  if (head != blob.id + " blob " + std::to_string(blob.size) + "\n") return false;
  bytes.resize(blob.size);
  return std::fread(bytes.data(), 1, bytes.size(), in) == bytes.size() && std::fgetc(in) == '\n';
}

bool write_blob(const fs::path& path, const std::string& bytes) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  return static_cast<bool>(out.flush());
}

// Any file can be imported or taken in by a spec. Where a tree has none, only what is read by itself is written: of
// a repository of code that is little.
bool has_specs(const std::vector<Blob>& blobs) {
  return std::any_of(blobs.begin(), blobs.end(), [](const Blob& blob) {
    return blob.path.filename().string().find(".muster") != std::string::npos;
  });
}
bool is_read_by_itself(std::string_view bytes) {
  const bool utf16 = bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF");  // whoever reads the tree says so
  return bytes.starts_with("#!") || utf16 || lint::kind_of(bytes);
}

bool write_blobs(const std::vector<Blob>& blobs, const fs::path& folder, std::string& why) {
  std::string ids;
  const bool all = has_specs(blobs);
  for (const Blob& blob : blobs) ids += blob.id + "\n";
  const auto read = [&](std::FILE* in) {
    std::string bytes;
    for (const Blob& blob : blobs) {
      if (!read_blob(in, blob, bytes))
        return why = "git does not return `" + printable(blob.path.string()) + "`", false;
      bytes.resize(std::min(bytes.size(), largest_file + 1));
      if (!all && !is_read_by_itself(bytes)) continue;
      if (!write_blob(folder / blob.path, bytes)) return why = "cannot write a temporary file", false;
    }
    return true;
  };
  return run_git({"cat-file", "--batch"}, ids, read, why);
}

// The commit of a revision; "": `why`.
std::string commit_of(const std::string& revision, std::string& why) {
  if (revision.starts_with('-')) return why = "a revision cannot begin with `-`", "";
  auto out = ask_git({"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"}, why);
  if (!out && why.empty()) why = "git does not know this revision";
  while (out && out->ends_with('\n')) out->pop_back();
  return out.value_or("");
}

}  // namespace

bool may_be_read(const fs::path& path) {
  const std::string name = path.filename().string();
  const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
  static constexpr std::string_view endings[] = {".muster", ".yaml", ".yml", ".json", ".sbatch", ".slurm", ".sh"};
  return std::any_of(std::begin(endings), std::end(endings), ends);
}

// False: `why`.
bool read_revision(const std::string& revision, Tree& out, std::string& why) {
  out.commit_ = commit_of(revision, why);
  const auto blobs = out.commit_.empty() ? std::nullopt : list(out.commit_, why);
  if (!blobs || !out.temporary_.make(why)) return false;
  out.folder_ = out.temporary_.path();
  return write_blobs(*blobs, out.folder_, why);
}

std::optional<Tree> open_revision(const std::string& revision, Diagnostics& diagnostics) {
  Tree out;
  std::string why;
  if (read_revision(revision, out, why)) return out;
  diagnostics.add(Code::cannot_read, {},
                  "cannot read the revision `" + printable(revision) + "`: " + printable(why, 400));
  return std::nullopt;
}

std::optional<Tree> open_tree(const std::string& where, Diagnostics& diagnostics) {
  std::error_code error;
  Tree out;
  if (fs::is_directory(where, error)) {
    out.folder_ = fs::canonical(where, error);
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
