#include "driver/files.h"

#include <algorithm>
#include <utility>

#include "driver/read_file.h"
#include "driver/utf16.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

// The iterator knows it, and no file is asked for it.
fs::file_type type_of(const fs::directory_entry& entry) {
  std::error_code unknown;
  if (entry.is_symlink(unknown)) return fs::file_type::symlink;
  if (entry.is_regular_file(unknown)) return fs::file_type::regular;
  return entry.is_directory(unknown) ? fs::file_type::directory : fs::file_type::unknown;
}

// Paths are not put together here: the name is all that differs between the files of a folder.
std::vector<Entry> list_disk(const fs::path& folder, std::error_code& error) {
  std::vector<Entry> out;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
    const std::string& path = i->path().native();
    out.push_back({path.substr(path.rfind('/') + 1), type_of(*i)});
  }
  std::sort(out.begin(), out.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return out;
}

// Whether a path is relative and whole already: no empty part, and none that begins with a dot.
bool is_below_here(std::string_view path) {
  for (std::size_t at = 0; at <= path.size(); ++at) {
    if (at == path.size() || path[at] == '/' || path[at] == '.') return false;
    at = std::min(path.find('/', at), path.size());
    if (at == path.size()) return true;
  }
  return false;
}

}  // namespace

Files::Files(std::shared_ptr<Revision> revision) : revisions_{revision}, here_(revision->folder()) {}

Files Files::at(fs::path folder) const {
  Files out = *this;
  out.here_ = std::move(folder);
  return out;
}

Files Files::with(const Files& other) const {
  Files out = *this;
  out.revisions_.insert(out.revisions_.end(), other.revisions_.begin(), other.revisions_.end());
  return out;
}

fs::path Files::here() const {
  std::error_code error;
  return here_.empty() ? fs::current_path(error) : here_;
}

fs::path Files::whole(const fs::path& path) const {
  const fs::path out = (path.is_absolute() ? path : here() / path).lexically_normal();
  return out.has_filename() || !out.has_relative_path() ? out : out.parent_path();
}

Files::Place Files::place_of(const fs::path& path, bool follow) const {
  if (revisions_.empty()) return {};
  if (is_below_here(path.native()))
    for (const auto& revision : revisions_)
      if (revision->folder().native() == here_.native())
        return {revision.get(), follow ? revision->resolved(path.native()) : path.native()};
  const fs::path whole = this->whole(path);
  for (const auto& revision : revisions_)
    if (auto name = revision->name_of(whole))
      return {revision.get(), follow ? revision->resolved(*name) : std::move(*name)};
  return {};
}

fs::path Files::Place::whole() const { return name.empty() ? revision->folder() : revision->folder() / name; }

fs::path Files::on_disk(const fs::path& path) const {
  return here_.empty() || path.is_absolute() ? path : here_ / path;
}

fs::path Files::real(const fs::path& path) const {
  std::error_code error;
  if (const Place place = place_of(path); place.revision != nullptr) return place.whole();
  const fs::path from_root = fs::absolute(on_disk(path), error);
  const fs::path out = fs::weakly_canonical(from_root, error);
  return error ? from_root.lexically_normal() : out;
}

fs::path Files::canonical(const fs::path& path, std::error_code& error) const {
  const Place place = place_of(path);
  if (place.revision == nullptr) return fs::canonical(on_disk(path), error);
  error.clear();
  if (place.revision->type(place.name) == fs::file_type::not_found) error = place.revision->absence(place.name);
  return place.whole();
}

// A link that is left leads to nothing here.
fs::file_type Files::type(const fs::path& path) const {
  std::error_code error;
  const Place place = place_of(path);
  if (place.revision == nullptr) return fs::status(on_disk(path), error).type();
  const fs::file_type is = place.revision->type(place.name);
  return is == fs::file_type::symlink ? fs::file_type::not_found : is;
}

fs::file_type Files::own_type(const fs::path& path) const {
  std::error_code error;
  const Place place = place_of(path, false);
  return place.revision != nullptr ? place.revision->type(place.name) : fs::symlink_status(on_disk(path), error).type();
}

bool Files::exists(const fs::path& path) const {
  const fs::file_type is = type(path);
  return is != fs::file_type::not_found && is != fs::file_type::none;
}

std::optional<std::uintmax_t> Files::size(const fs::path& path) const {
  std::error_code error;
  const Place place = place_of(path);
  if (place.revision == nullptr) {
    const std::uintmax_t out = fs::file_size(on_disk(path), error);
    return error ? std::nullopt : std::optional(out);
  }
  const Blob* blob = place.revision->find(place.name);
  return blob == nullptr ? std::nullopt : std::optional<std::uintmax_t>(blob->size);
}

std::string Files::id(const fs::path& path) const {
  const Place place = place_of(path);
  const Blob* blob = place.revision == nullptr ? nullptr : place.revision->find(place.name);
  return blob == nullptr ? std::string() : blob->id;
}

std::vector<Entry> Files::list(const fs::path& folder, std::error_code& error) const {
  const Place place = place_of(folder);
  if (place.revision == nullptr) return list_disk(on_disk(folder), error);
  const fs::file_type is = place.revision->type(place.name);
  error.clear();
  if (is == fs::file_type::not_found) error = place.revision->absence(place.name);
  if (is == fs::file_type::regular) error = std::make_error_code(std::errc::not_a_directory);
  return place.revision->list(place.name);
}

std::optional<std::string> Files::read(const std::string& path, std::size_t limit, std::string& why) const {
  if (path == "-") return read_file(path, limit, why);
  const Place place = place_of(path);
  if (place.revision == nullptr) return read_file(on_disk(path).string(), limit, why);
  auto text = place.revision->read(place.name, limit, why);
  if (text && text->size() <= limit) *text = in_utf8(path, std::move(*text));
  return text;
}

}  // namespace muster::driver
