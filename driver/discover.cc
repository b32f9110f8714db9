#include "driver/discover.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <set>

#include "compiler/base/text.h"
#include "lint/check.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t deepest = 100;  // folders below a given one

// As reports and baselines spell it: below the present folder wherever it is.
std::string shown_path(const fs::path& path, const fs::path& here) {
  const fs::path normal = path.lexically_normal();
  const fs::path below = normal.is_absolute() ? normal.lexically_relative(here) : normal;
  return below.empty() || *below.begin() == ".." ? normal.string() : below.string();
}

struct Entry {
  std::string name;
  fs::file_type type;
};

// Of the entry itself, not of what a link leads to. The iterator knows it, and no file is asked for it.
fs::file_type type_of(const fs::directory_entry& entry) {
  std::error_code unknown;
  if (entry.is_symlink(unknown)) return fs::file_type::symlink;
  if (entry.is_regular_file(unknown)) return fs::file_type::regular;
  return entry.is_directory(unknown) ? fs::file_type::directory : fs::file_type::unknown;
}

// What a folder holds, by name. Paths are not put together here: the name is all that differs between its files.
std::vector<Entry> entries_of(const fs::path& folder, Diagnostics& diagnostics) {
  std::vector<Entry> out;
  std::error_code error;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
    const std::string& path = i->path().native();
    out.push_back({path.substr(path.rfind('/') + 1), type_of(*i)});
  }
  if (error) diagnostics.add(Code::cannot_read, {}, "cannot read `" + folder.string() + "`: " + error.message());
  std::sort(out.begin(), out.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return out;
}

// Finds what lies below folders. Symbolic links are not followed, so nothing is met twice below one.
struct Walk {
  fs::path here;
  std::vector<FoundFile>& out;
  std::vector<std::string>* links;
  Diagnostics& diagnostics;

  void run(const fs::path& folder, std::size_t depth) {
    std::string shown = shown_path(folder, here);
    if (shown == ".") shown.clear();
    else if (!shown.ends_with('/')) shown += '/';
    for (const Entry& entry : entries_of(folder, diagnostics)) {
      if (links != nullptr && entry.type == fs::file_type::symlink)
        links->push_back((folder / entry.name).lexically_normal().string());
      if (entry.name.starts_with('.')) continue;
      if (entry.type == fs::file_type::regular) out.push_back({shown + entry.name, false});
      else if (entry.type == fs::file_type::directory && depth < deepest) run(folder / entry.name, depth + 1);
    }
  }
};

bool ends_in(const std::string& path, std::initializer_list<std::string_view> endings) {
  const std::string ending = lower(fs::path(path).extension().string());
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

// `#SBATCH` where sbatch looks for it: above the first line that is neither blank nor a comment.
bool directs_above_commands(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with("#SBATCH")) return true;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#') return false;
  }
  return false;
}

bool is_of_a_shell(const std::string& path, std::string_view text) {
  const std::string_view first = text.substr(0, text.find('\n'));
  if (first.starts_with("#!"))
    return first.find("sh ") != first.npos || first.ends_with("sh") || first.ends_with("sh\r");
  return ends_in(path, {".sh", ".bash", ".slurm", ".sbatch", ".sub", ".batch", ".job"});
}

}  // namespace

std::vector<FoundFile> discover(const std::vector<std::string>& arguments, Diagnostics& diagnostics,
                                std::vector<std::string>* links) {
  std::vector<FoundFile> out;
  std::error_code error;
  Walk walk{fs::current_path(error), out, links, diagnostics};
  for (const std::string& argument : arguments) {
    if (argument != "-" && fs::is_directory(argument, error)) walk.run(argument, 0);
    else out.push_back({argument == "-" ? argument : shown_path(argument, walk.here), true});
  }
  if (arguments.size() < 2) return out;  // it is sorted
  std::sort(out.begin(), out.end(), [](const FoundFile& a, const FoundFile& b) {
    const int order = fs::path(a.path).compare(b.path);
    return order < 0 || (order == 0 && a.named && !b.named);
  });
  std::set<std::string> seen;  // a file given twice is read once, as a named one if it is named
  std::erase_if(out, [&](const FoundFile& file) { return !seen.insert(file.path).second; });
  return out;
}

std::optional<lint::Input> kind_of(const FoundFile& file, std::string_view text) {
  const auto kind = lint::kind_of(text);
  if (!kind || file.named) return kind;
  const bool looks = kind == lint::Input::manifest ? ends_in(file.path, {".yaml", ".yml", ".json"})
                                                   : directs_above_commands(text) || is_of_a_shell(file.path, text);
  return looks ? kind : std::nullopt;
}

}  // namespace muster::driver
