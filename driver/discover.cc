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

bool hidden(const fs::path& path) { return path.filename().native().starts_with('.'); }

// As reports and baselines spell it: below the present folder wherever it is.
std::string shown_path(const fs::path& path, const fs::path& here) {
  const fs::path normal = path.lexically_normal();
  const fs::path below = normal.is_absolute() ? normal.lexically_relative(here) : normal;
  return below.empty() || *below.begin() == ".." ? normal.string() : below.string();
}

// Adds what lies below a folder. Symbolic links are not followed, so nothing is met twice.
void walk(const fs::path& folder, std::size_t depth, std::vector<FoundFile>& out, std::vector<std::string>* links,
          Diagnostics& diagnostics) {
  std::error_code error;
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) entries.push_back(*i);
  if (error) diagnostics.add(Code::cannot_read, {}, "cannot read `" + folder.string() + "`: " + error.message());
  std::sort(entries.begin(), entries.end());
  for (const fs::directory_entry& entry : entries) {
    if (links != nullptr && entry.is_symlink(error)) links->push_back(entry.path().lexically_normal().string());
    if (hidden(entry.path()) || entry.is_symlink(error)) continue;
    if (entry.is_regular_file(error)) out.push_back({entry.path().string(), false});
    else if (entry.is_directory(error) && depth < deepest) walk(entry.path(), depth + 1, out, links, diagnostics);
  }
}

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
  for (const std::string& argument : arguments) {
    std::error_code error;
    if (argument != "-" && fs::is_directory(argument, error)) walk(argument, 0, out, links, diagnostics);
    else out.push_back({argument, true});
  }
  std::error_code error;
  const fs::path here = fs::current_path(error);
  for (FoundFile& file : out)
    if (file.path != "-") file.path = shown_path(file.path, here);
  std::set<std::string> seen;  // a file given twice is read once
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
