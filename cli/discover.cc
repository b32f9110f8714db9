#include "cli/discover.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t deepest = 100;  // folders below a given one

bool hidden(const fs::path& path) { return path.filename().native().starts_with('.'); }

// Adds what lies below a folder. Symbolic links are not followed, so nothing is met twice.
void walk(const fs::path& folder, std::size_t depth, std::vector<FoundFile>& out, Diagnostics& diagnostics) {
  std::error_code error;
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) entries.push_back(*i);
  if (error) diagnostics.add(Code::cannot_read, {}, "cannot read `" + folder.string() + "`: " + error.message());
  std::sort(entries.begin(), entries.end());
  for (const fs::directory_entry& entry : entries) {
    if (hidden(entry.path()) || entry.is_symlink(error)) continue;
    if (entry.is_regular_file(error)) out.push_back({entry.path().lexically_normal().string(), false});
    else if (entry.is_directory(error) && depth < deepest) walk(entry.path(), depth + 1, out, diagnostics);
  }
}

}  // namespace

std::vector<FoundFile> discover(const std::vector<std::string>& arguments, Diagnostics& diagnostics) {
  std::vector<FoundFile> out;
  for (const std::string& argument : arguments) {
    std::error_code error;
    if (argument != "-" && fs::is_directory(argument, error)) walk(argument, 0, out, diagnostics);
    else out.push_back({argument == "-" ? argument : fs::path(argument).lexically_normal().string(), true});
  }
  std::set<std::string> seen;  // a file given twice is read once
  std::erase_if(out, [&](const FoundFile& file) { return !seen.insert(file.path).second; });
  return out;
}

}  // namespace muster::cli
