#include "driver/walk.h"

#include <algorithm>
#include <utility>

#include "compiler/base/text.h"
#include "driver/endings.h"
#include "driver/read_file.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t deepest = 100;  // folders below a given one
constexpr std::size_t largest_list = std::size_t{1} << 20;

bool is_spec_by_name(std::string_view name) { return name.find(".muster") != std::string_view::npos; }

}  // namespace

bool is_below(const std::string& path, const std::string& folder) {
  return path.starts_with(folder) &&
         (path.size() == folder.size() || folder.ends_with('/') || path[folder.size()] == '/');
}

Walk::Walk(const std::vector<std::string>& arguments, const Files& files, std::vector<FoundFile>& out,
           Diagnostics& diagnostics, Beside* beside)
    : files_(files), here_(files.here()), out_(out), diagnostics_(diagnostics), beside_(beside) {
  if (beside == nullptr) return;
  roots_ = roots_of(arguments, files);
  for (const std::string& argument : arguments)
    if (argument != "-" && files.is_folder(argument)) given_.push_back(files.real(argument).string());
}

std::string Walk::shown(const fs::path& path) const {
  const fs::path normal = path.lexically_normal();
  const fs::path below = normal.is_absolute() ? normal.lexically_relative(here_) : normal;
  return below.empty() || *below.begin() == ".." ? normal.string() : below.string();
}

void Walk::run(const fs::path& folder) {
  std::string name = shown(folder);
  if (name == ".") name.clear();
  else if (!name.ends_with('/')) name += '/';
  given_size_ = name.size();
  enter({folder, std::move(name)});
}

void Walk::enter(const Folder& folder) {
  std::error_code error;
  const std::vector<Entry> entries = files_.list(folder.path, error);
  if (error) {
    diagnostics_.add(Code::cannot_read, {}, "cannot read `" + folder.path.string() + "`: " + error.message());
    leave_out(folder.shown, error.message());
  }
  if (beside_ != nullptr)
    for (const Entry& entry : entries)
      if (entry.name == ".gitmodules") submodules_.merge(missing_submodules(folder.path));
  for (const Entry& entry : entries) take(folder, entry);
}

void Walk::take(const Folder& folder, const Entry& entry) {
  const bool hidden = entry.name.starts_with('.');
  if (beside_ != nullptr && entry.type == fs::file_type::symlink)
    beside_->links.push_back((folder.path / entry.name).lexically_normal().string());
  if (entry.name == ".git" || (hidden && beside_ == nullptr)) return;
  const bool dash = folder.shown.empty() && entry.name == "-";  // which is not standard input
  std::string name = (dash ? "./" : folder.shown) + entry.name;
  if (entry.type == fs::file_type::regular) {
    if ((hidden || folder.hidden) && is_spec_by_name(entry.name)) return;
    out_.push_back({std::move(name), false, given_size_});
  } else if (entry.type == fs::file_type::directory) {
    enter_or_say({folder.path / entry.name, name + "/", folder.depth + 1, hidden || folder.hidden});
  } else if (beside_ != nullptr && entry.type == fs::file_type::symlink) {
    follow(folder, entry, std::move(name));
  } else if (entry.submodule) {
    leave_out(std::move(name), "it is a git submodule");
  } else if (is_for_a_cluster(entry.name)) {
    leave_out(std::move(name), not_a_file(files_.own_type(folder.path / entry.name)));
  }
}

void Walk::enter_or_say(Folder folder) {
  if (folder.depth > deepest) return leave_out(folder.shown, "it is more than 100 folders deep");
  if (const std::string name = folder.shown.substr(0, folder.shown.size() - 1); submodules_.contains(name))
    return leave_out(name, "it is a git submodule that is not checked out");
  enter(folder);
}

// A folder is entered through a link only where the run does not come to it anyway, and once.
void Walk::follow(const Folder& folder, const Entry& entry, std::string name) {
  const fs::path path = folder.path / entry.name;
  const std::string target = files_.real(path).string();
  const auto holds = [&](const std::string& root) { return is_below(target, root); };
  const bool is_folder = files_.is_folder(path);
  const bool matters = is_folder || is_for_a_cluster(entry.name) || is_for_a_cluster(target);
  if (std::none_of(roots_.begin(), roots_.end(), holds))
    return matters ? leave_out(std::move(name), "it links to a place outside of the folders that are read") : void();
  if (files_.is_file(path)) {
    const bool hidden = entry.name.starts_with('.') || folder.hidden;
    if (!hidden || !is_spec_by_name(entry.name)) out_.push_back({std::move(name), false, given_size_, shown(target)});
  } else if (!is_folder) {
    const fs::file_type type = files_.type(path);
    const bool nothing = type == fs::file_type::not_found || type == fs::file_type::none;
    if (matters) leave_out(std::move(name), nothing ? "it links to nothing" : not_a_file(type));
  } else if (std::none_of(given_.begin(), given_.end(), holds) && followed_.insert(target).second &&
             !is_below(files_.real(folder.path).string(), target)) {
    enter_or_say({path, name + "/", folder.depth + 1, entry.name.starts_with('.') || folder.hidden});
  }
}

void Walk::leave_out(std::string path, std::string why) {
  if (beside_ != nullptr) beside_->not_read.push_back({std::move(path), lint::Fate::not_read, std::move(why)});
}

// The submodules of a folder's `.gitmodules` whose folders are empty, as shown. Those that are checked out are folders
// like others.
std::set<std::string> Walk::missing_submodules(const fs::path& folder) const {
  std::set<std::string> out;
  std::string why;
  const auto text = files_.read((folder / ".gitmodules").string(), largest_list, why);
  for (std::string_view line : split(text ? std::string_view(*text) : std::string_view(), '\n')) {
    line = trimmed(line);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || trimmed(line.substr(0, equals)) != "path") continue;
    const fs::path path = folder / fs::path(trimmed(line.substr(equals + 1)));
    std::error_code error;
    if (files_.is_folder(path) && files_.list(path, error).empty()) out.insert(shown(path));
  }
  return out;
}

}  // namespace muster::driver
