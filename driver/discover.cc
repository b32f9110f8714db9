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

// Finds what lies below folders. Symbolic links are not followed, so nothing is met twice below one.
struct Walk {
  const Files& files;
  fs::path here;
  std::vector<FoundFile>& out;
  std::vector<std::string>* links;
  Diagnostics& diagnostics;
  std::size_t given = 0;

  void run(const fs::path& folder, std::size_t depth) {
    std::string shown = shown_path(folder, here);
    if (shown == ".") shown.clear();
    else if (!shown.ends_with('/')) shown += '/';
    if (depth == 0) given = shown.size();
    std::error_code error;
    const std::vector<Entry> entries = files.list(folder, error);
    if (error) diagnostics.add(Code::cannot_read, {}, "cannot read `" + folder.string() + "`: " + error.message());
    for (const Entry& entry : entries) {
      if (links != nullptr && entry.type == fs::file_type::symlink)
        links->push_back((folder / entry.name).lexically_normal().string());
      if (entry.name.starts_with('.')) continue;
      const bool dash = shown.empty() && entry.name == "-";  // which is not standard input
      if (entry.type == fs::file_type::regular) out.push_back({(dash ? "./" : shown) + entry.name, false, given});
      else if (entry.type == fs::file_type::directory && depth < deepest) run(folder / entry.name, depth + 1);
    }
  }
};

bool ends_in(const std::string& path, std::initializer_list<std::string_view> endings) {
  const std::string ending = lower(fs::path(path).extension().string());
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

// `#SBATCH` where sbatch looks for it: above the first line that is neither blank nor a comment.
bool directs_above_commands(std::string_view text, std::string_view mark = "#SBATCH") {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with(mark)) return true;
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

std::vector<FoundFile> discover(const std::vector<std::string>& arguments, const Files& files, Diagnostics& diagnostics,
                                std::vector<std::string>* links) {
  std::vector<FoundFile> out;
  Walk walk{files, files.here(), out, links, diagnostics};
  for (const std::string& argument : arguments) {
    if (argument != "-" && files.is_folder(argument)) walk.run(argument, 0);
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

std::optional<targets::batch::System> other_system(const FoundFile& file, std::string_view text) {
  using targets::batch::System;
  const auto system = targets::batch::system_of(text);
  if (!system || *system == System::slurm || file.named) return system == System::slurm ? std::nullopt : system;
  if (!targets::batch::is_read(*system)) return std::nullopt;
  const bool looks = directs_above_commands(text, *system == System::pbs ? "#PBS" : "#BSUB") ||
                     is_of_a_shell(file.path, text) || ends_in(file.path, {".pbs", ".lsf", ".qsub", ".bsub"});
  return looks ? system : std::nullopt;
}

}  // namespace muster::driver
