#include "cli/discover.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t deepest = 100;  // folders below a given one

bool hidden(const fs::path& path) { return path.filename().native().starts_with('.'); }

// As reports and baselines spell it: below the present folder wherever it is.
std::string spelt(const fs::path& path, const fs::path& here) {
  const fs::path normal = path.lexically_normal();
  const fs::path below = normal.is_absolute() ? normal.lexically_relative(here) : normal;
  return below.empty() || *below.begin() == ".." ? normal.string() : below.string();
}

// Adds what lies below a folder. Symbolic links are not followed, so nothing is met twice.
void walk(const fs::path& folder, std::size_t depth, std::vector<FoundFile>& out, Diagnostics& diagnostics) {
  std::error_code error;
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) entries.push_back(*i);
  if (error) diagnostics.add(Code::cannot_read, {}, "cannot read `" + folder.string() + "`: " + error.message());
  std::sort(entries.begin(), entries.end());
  for (const fs::directory_entry& entry : entries) {
    if (hidden(entry.path()) || entry.is_symlink(error)) continue;
    if (entry.is_regular_file(error)) out.push_back({entry.path().string(), false});
    else if (entry.is_directory(error) && depth < deepest) walk(entry.path(), depth + 1, out, diagnostics);
  }
}

}  // namespace

std::vector<FoundFile> discover(const std::vector<std::string>& arguments, Diagnostics& diagnostics) {
  std::vector<FoundFile> out;
  for (const std::string& argument : arguments) {
    std::error_code error;
    if (argument != "-" && fs::is_directory(argument, error)) walk(argument, 0, out, diagnostics);
    else out.push_back({argument, true});
  }
  std::error_code error;
  const fs::path here = fs::current_path(error);
  for (FoundFile& file : out)
    if (file.path != "-") file.path = spelt(file.path, here);
  std::set<std::string> seen;  // a file given twice is read once
  std::erase_if(out, [&](const FoundFile& file) { return !seen.insert(file.path).second; });
  return out;
}

}  // namespace muster::cli
