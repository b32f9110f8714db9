#include "driver/revision.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "compiler/base/text.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

bool by_path(const Blob& a, const Blob& b) { return a.path < b.path; }

}  // namespace

// A repository that was made by hand may have a name twice: the last one counts.
Revision::Revision(std::string commit, std::vector<Blob> blobs)
    : commit_(std::move(commit)), folder_(fs::path("/dev/null") / commit_), blobs_(std::move(blobs)) {
  std::reverse(blobs_.begin(), blobs_.end());
  std::stable_sort(blobs_.begin(), blobs_.end(), by_path);
  const auto same = [](const Blob& a, const Blob& b) { return a.path == b.path; };
  blobs_.erase(std::unique(blobs_.begin(), blobs_.end(), same), blobs_.end());
}

std::optional<std::string> Revision::name_of(const fs::path& path) const {
  const std::string &whole = path.native(), &folder = folder_.native();
  if (!whole.starts_with(folder)) return std::nullopt;
  if (whole.size() == folder.size()) return std::string();
  if (whole[folder.size()] != '/') return std::nullopt;
  return whole.substr(folder.size() + 1);
}

std::vector<Blob>::const_iterator Revision::first_from(const std::string& name) const {
  return std::lower_bound(blobs_.begin(), blobs_.end(), name,
                          [](const Blob& blob, const std::string& wanted) { return blob.path < wanted; });
}

const Blob* Revision::find(const std::string& name) const {
  const auto found = first_from(name);
  return found != blobs_.end() && found->path == name ? &*found : nullptr;
}

bool Revision::is_folder(const std::string& name) const {
  const auto found = first_from(name + "/");
  return name.empty() || (found != blobs_.end() && found->path.starts_with(name + "/"));
}

fs::file_type Revision::type(const std::string& name) const {
  if (find(name) != nullptr) return fs::file_type::regular;
  return is_folder(name) ? fs::file_type::directory : fs::file_type::not_found;
}

std::error_code Revision::absence(const std::string& name) const {
  for (std::size_t at = name.find('/'); at != name.npos; at = name.find('/', at + 1))
    if (find(name.substr(0, at)) != nullptr) return std::make_error_code(std::errc::not_a_directory);
  return std::make_error_code(std::errc::no_such_file_or_directory);
}

std::vector<Entry> Revision::list(const std::string& folder) const {
  const std::string before = folder.empty() ? folder : folder + "/";
  std::vector<Entry> out;
  for (auto blob = first_from(before); blob != blobs_.end() && blob->path.starts_with(before);) {
    const std::size_t end = blob->path.find('/', before.size());
    std::string name = blob->path.substr(before.size(), end - before.size());
    blob = end == std::string::npos ? std::next(blob) : first_from(before + name + char('/' + 1));  // all below it
    out.push_back({std::move(name), end == std::string::npos ? fs::file_type::regular : fs::file_type::directory});
  }
  std::sort(out.begin(), out.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return out;
}

// The answer of `git cat-file --batch` to one id: "ID blob SIZE\n", the bytes and a line end. What is over the limit is
// passed over.
bool Revision::ask_for(const Blob& blob, std::size_t limit, std::string& out) {
  char head[200], rest[1 << 16];
  if (!git_.ask(blob.id + "\n") || std::fgets(head, sizeof head, git_.answers()) == nullptr) return false;
  if (head != blob.id + " blob " + std::to_string(blob.size) + "\n") return false;
  out.resize(std::min(blob.size, limit + 1));
  if (std::fread(out.data(), 1, out.size(), git_.answers()) != out.size()) return false;
  for (std::size_t left = blob.size - out.size(), n = 0; left > 0; left -= n)
    if ((n = std::fread(rest, 1, std::min(left, sizeof rest), git_.answers())) == 0) return false;
  return std::fgetc(git_.answers()) == '\n';
}

std::optional<std::string> Revision::read(const std::string& name, std::size_t limit, std::string& why) {
  const Blob* blob = find(name);
  if (blob == nullptr) {
    why = is_folder(name) ? "it is a folder" : absence(name).message();
    return std::nullopt;
  }
  std::string out;
  if (failure_.empty() && (git_.is_running() || git_.start({"cat-file", "--batch"}, failure_)) &&
      ask_for(*blob, limit, out))
    return out;
  if (failure_.empty()) git_.end(failure_);
  if (failure_.empty()) failure_ = "git does not return `" + printable(blob->path) + "`";
  why = failure_;
  return std::nullopt;
}

}  // namespace muster::driver
