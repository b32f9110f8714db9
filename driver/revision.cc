#include "driver/revision.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "compiler/base/text.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_target = 4'096;
constexpr int most_links = 40;  // one after the other, as Linux follows them

bool by_path(const Blob& a, const Blob& b) { return a.path < b.path; }

}  // namespace

// A repository that was made by hand may have a name twice: the last one counts.
Revision::Revision(std::string commit, std::vector<Blob> blobs)
    : commit_(std::move(commit)), folder_(fs::path("/dev/null") / commit_), blobs_(std::move(blobs)) {
  const auto not_before = [](const Blob& a, const Blob& b) { return !by_path(a, b); };
  if (std::adjacent_find(blobs_.begin(), blobs_.end(), not_before) != blobs_.end()) {
    std::reverse(blobs_.begin(), blobs_.end());
    std::stable_sort(blobs_.begin(), blobs_.end(), by_path);
    const auto same = [](const Blob& a, const Blob& b) { return a.path == b.path; };
    blobs_.erase(std::unique(blobs_.begin(), blobs_.end(), same), blobs_.end());
  }
  has_links_ = std::any_of(blobs_.begin(), blobs_.end(), [](const Blob& blob) { return blob.kind == BlobKind::link; });
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

const Blob* Revision::entry(const std::string& name) const {
  const auto found = first_from(name);
  return found != blobs_.end() && found->path == name ? &*found : nullptr;
}

const Blob* Revision::find(const std::string& name) const {
  const Blob* found = entry(name);
  return found != nullptr && found->kind == BlobKind::file ? found : nullptr;
}

std::optional<std::string> Revision::target_of(const Blob& link) {
  const auto [known, fresh] = targets_.try_emplace(link.path);
  std::string text;
  if (fresh && failure_.empty() && (git_.is_running() || git_.start({"cat-file", "--batch"}, failure_)) &&
      ask_for(link, longest_target, text) && text.size() <= longest_target)
    known->second = std::move(text);
  return known->second;
}

// The name with its first link replaced by where that leads; nullopt: out of the revision. Without a link it stays.
std::optional<std::string> Revision::one_link_less(const std::string& name) {
  for (std::size_t end = name.find('/');; end = name.find('/', end + 1)) {
    const Blob* part = entry(name.substr(0, end));
    if (part != nullptr && part->kind == BlobKind::link) {
      const auto target = target_of(*part);
      if (!target || target->empty() || target->front() == '/') return std::nullopt;
      const std::string rest = end == std::string::npos ? std::string() : name.substr(end + 1);
      fs::path out = (fs::path(part->path).parent_path() / *target / rest).lexically_normal();
      if (!out.has_filename()) out = out.parent_path();
      if (!out.empty() && *out.begin() == "..") return std::nullopt;
      return out == "." ? std::string() : out.string();
    }
    if (end == std::string::npos) return name;
  }
}

std::string Revision::resolved(const std::string& name) {
  if (!has_links_) return name;
  std::string now = name;
  for (int links = 0; links < most_links; ++links) {
    auto next = one_link_less(now);
    if (!next) return name;
    if (*next == now) return now;
    now = std::move(*next);
  }
  return name;
}

bool Revision::is_folder(const std::string& name) const {
  const auto found = first_from(name + "/");
  return name.empty() || (found != blobs_.end() && found->path.starts_with(name + "/"));
}

fs::file_type Revision::type(const std::string& name) const {
  if (const Blob* found = entry(name); found != nullptr && found->kind != BlobKind::submodule)
    return found->kind == BlobKind::link ? fs::file_type::symlink : fs::file_type::regular;
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
    const Blob& found = *blob;
    const bool leaf = end == std::string::npos;
    blob = leaf ? std::next(blob) : first_from(before + name + char('/' + 1));  // all below it
    const fs::file_type type = !leaf                          ? fs::file_type::directory
                               : found.kind == BlobKind::file ? fs::file_type::regular
                               : found.kind == BlobKind::link ? fs::file_type::symlink
                                                              : fs::file_type::unknown;
    out.push_back({std::move(name), type, leaf && found.kind == BlobKind::submodule});
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
