#include "driver/output.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "compiler/base/text.h"
#include "driver/descriptor.h"
#include "driver/held_signals.h"
#include "driver/output_folder.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

bool cannot_write(const std::string& path, const std::string& why, Diagnostics& diagnostics) {
  diagnostics.add(Code::cannot_write, {}, "cannot write `" + printable(path, 400) + "`: " + why);
  return false;
}

bool cannot_write(const std::string& path, int error, Diagnostics& diagnostics) {
  return cannot_write(path, std::strerror(error), diagnostics);
}

// A file to be written, and what into it.
struct Replacement {
  std::string name;  // in its folder
  Content content;
  std::optional<mode_t> mode;  // of the file that is there; else as the user's mask has it
};

// 0 or the error. Stops where a signal has arrived that will end the process; nullptr: it may end it at once.
int write_content(int file, const Content& content, const HeldSignals* signals) {
  int error = 0;
  content([&](std::string_view piece) {
    if (signals != nullptr && signals->arrived()) error = EINTR;
    while (!piece.empty() && error == 0) {
      const ssize_t n = ::write(file, piece.data(), piece.size());
      if (n < 0 && errno != EINTR) error = errno;
      if (n > 0) piece.remove_prefix(static_cast<std::size_t>(n));
    }
  });
  return error;
}

// Writes one file under its temporary name. False: reported.
bool stage(const Replacement& replacement, OutputFolder& folder, const std::string& path, const HeldSignals& signals,
           Diagnostics& diagnostics) {
  Descriptor file = folder.create(replacement.name);
  if (!file.is_open()) return false;
  int error = replacement.mode && fchmod(file.number(), *replacement.mode) != 0 ? errno : 0;
  if (error == 0) error = write_content(file.number(), replacement.content, &signals);
  const int at_end = file.close();
  if (error == 0) error = at_end;
  if (error == 0 && signals.arrived()) error = EINTR;
  return error == 0 || cannot_write(path + "/" + replacement.name, error, diagnostics);
}

// Files by their folder.
using Folders = std::map<std::string, std::vector<Replacement>>;

// Each folder is a set of its own. What is named first is locked first, in every process.
bool write_folders(const Folders& all, Diagnostics& diagnostics) {
  const HeldSignals signals;
  std::map<std::string, OutputFolder> folders;
  for (const auto& [path, files] : all) {
    OutputFolder& folder = folders.try_emplace(path, path, signals, diagnostics).first->second;
    if (!folder.open(files.size())) return false;
    for (const Replacement& file : files)
      if (!stage(file, folder, path, signals, diagnostics)) return false;
  }
  const auto prepare = [](auto& folder) { return folder.second.prepare(); };
  const auto commit = [](auto& folder) { return folder.second.commit(); };
  return std::all_of(folders.begin(), folders.end(), prepare) && std::all_of(folders.begin(), folders.end(), commit);
}

bool make_folder(const std::string& folder, Diagnostics& diagnostics) {
  std::error_code made;
  fs::create_directories(folder, made);
  if (!made) return true;
  diagnostics.add(Code::cannot_write, {},
                  "cannot write the folder `" + printable(folder, 400) + "`: " + made.message());
  return false;
}

Content content_of(const std::string& text) {
  return [&text](const Write& write) { write(text); };
}

// A terminal, /dev/null, /dev/stdout, `>(command)` of a shell: written into, never replaced. Elsewhere a link or a
// device may be anybody's, and is not followed.
bool is_stream(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  const std::string text = normal.string(), folder = normal.parent_path().string();
  struct stat status {};
  if (lstat(text.c_str(), &status) != 0) return false;
  if (S_ISLNK(status.st_mode)) return folder == "/dev" || folder == "/dev/fd" || text.starts_with("/proc/");
  return S_ISCHR(status.st_mode) && text.starts_with("/dev/");
}

// Never waits for a reader: a pipe with a name may have none.
bool write_stream(const std::string& path, const Content& content, Diagnostics& diagnostics) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  struct statfs system {};
  if (!file.is_open() || fstat(file.number(), &status) != 0 || fstatfs(file.number(), &system) != 0)
    return cannot_write(path, errno, diagnostics);
  if (S_ISFIFO(status.st_mode) && system.f_type != PIPEFS_MAGIC)
    return cannot_write(path, "it is a named pipe", diagnostics);
  if (fcntl(file.number(), F_SETFL, O_APPEND) != 0) return cannot_write(path, errno, diagnostics);
  const int error = write_content(file.number(), content, nullptr);
  return error == 0 || cannot_write(path, error, diagnostics);
}

}  // namespace

bool write_files(const std::string& folder, const std::vector<OutputFile>& files, Diagnostics& diagnostics) {
  if (!make_folder(folder, diagnostics)) return false;
  Folders all;
  for (const OutputFile& file : files) all[folder].push_back({file.name, content_of(file.content), std::nullopt});
  return write_folders(all, diagnostics);
}

bool write_file(const std::string& folder, const std::string& name, const Content& content, Diagnostics& diagnostics) {
  if (const fs::path path = fs::path(folder) / name; is_stream(path))
    return write_stream(path.string(), content, diagnostics);
  return make_folder(folder, diagnostics) && write_folders({{folder, {{name, content, std::nullopt}}}}, diagnostics);
}

bool replace_files(const std::vector<OutputFile>& files, Diagnostics& diagnostics) {
  Folders all;
  for (const OutputFile& file : files) {
    std::error_code failed;
    const fs::path path = fs::canonical(file.name, failed);
    if (failed) return cannot_write(file.name, failed.value(), diagnostics);
    struct stat status {};
    if (stat(path.c_str(), &status) != 0 || access(path.c_str(), W_OK) != 0)
      return cannot_write(file.name, errno, diagnostics);
    if (!S_ISREG(status.st_mode)) return cannot_write(file.name, "it is not a regular file", diagnostics);
    std::vector<Replacement>& set = all[path.parent_path().string()];
    const auto same = [&](const Replacement& other) { return other.name == path.filename(); };
    if (std::none_of(set.begin(), set.end(), same))
      set.push_back({path.filename().string(), content_of(file.content), status.st_mode & 07777});
  }
  return write_folders(all, diagnostics);
}

}  // namespace muster::driver
