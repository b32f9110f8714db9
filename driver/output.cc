#include "driver/output.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::driver {
namespace {

bool report(const std::string& what, int error, Diagnostics& diagnostics) {
  diagnostics.add(Code::cannot_write, {}, "cannot write " + what + ": " + std::strerror(error));
  return false;
}

// A file to be written under a temporary name and then renamed.
struct Replacement {
  std::string path;
  Content content;
  std::optional<mode_t> mode;  // of the file that is there; else as the user's mask has it

  // A terminal, a pipe, /dev/null: written into, never replaced.
  bool special() const {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
  }
  std::string temporary() const {
    const std::filesystem::path p(path);
    return (p.parent_path() / ("." + p.filename().string() + ".muster-" + std::to_string(getpid()) + ".tmp")).string();
  }
};

// Writes and flushes one file, under its temporary name; 0 or the system's error.
int write_one(const Replacement& replacement) {
  const int file = replacement.special()
                       ? open(replacement.path.c_str(), O_WRONLY | O_CLOEXEC)
                       : open(replacement.temporary().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  int error = replacement.mode && fchmod(file, *replacement.mode) != 0 ? errno : 0;
  replacement.content([&](std::string_view piece) {
    while (!piece.empty() && error == 0) {
      const ssize_t n = ::write(file, piece.data(), piece.size());
      if (n < 0 && errno != EINTR) error = errno;
      if (n > 0) piece.remove_prefix(static_cast<std::size_t>(n));
    }
  });
  if (error == 0 && fsync(file) != 0 && errno != EINVAL) error = errno;
  if (close(file) != 0 && error == 0) error = errno;
  return error;
}

bool make_folder(const std::string& folder, Diagnostics& diagnostics) {
  std::error_code made;
  std::filesystem::create_directories(folder, made);
  return !made || report("the folder `" + folder + "`", made.value(), diagnostics);
}

Content content_of(const std::string& text) {
  return [&text](const Write& write) { write(text); };
}

bool write_all(const std::vector<Replacement>& files, Diagnostics& diagnostics) {
  int error = 0;
  std::string failed;
  std::size_t written = 0;
  for (; written < files.size() && error == 0; ++written) {
    failed = files[written].path;
    error = write_one(files[written]);
    if (error == 0 && std::filesystem::is_directory(failed)) error = EISDIR;
  }
  for (std::size_t i = 0; i < files.size() && error == 0; ++i) {
    failed = files[i].path;
    if (files[i].special()) continue;
    if (std::rename(files[i].temporary().c_str(), failed.c_str()) != 0) error = errno;
  }
  if (error == 0) return true;
  for (std::size_t i = 0; i < written; ++i) unlink(files[i].temporary().c_str());
  return report("`" + failed + "`", error, diagnostics);
}

}  // namespace

bool write_files(const std::string& folder, const std::vector<OutputFile>& files, Diagnostics& diagnostics) {
  if (!make_folder(folder, diagnostics)) return false;
  std::vector<Replacement> all;
  for (const OutputFile& file : files)
    all.push_back({folder + "/" + file.name, content_of(file.content), std::nullopt});
  return write_all(all, diagnostics);
}

bool write_file(const std::string& folder, const std::string& name, const Content& content, Diagnostics& diagnostics) {
  return make_folder(folder, diagnostics) && write_all({{folder + "/" + name, content, std::nullopt}}, diagnostics);
}

bool replace_files(const std::vector<OutputFile>& files, Diagnostics& diagnostics) {
  std::vector<Replacement> all;
  for (const OutputFile& file : files) {
    std::error_code failed;
    const std::string path = std::filesystem::canonical(file.name, failed).string();
    if (failed) return report("`" + file.name + "`", failed.value(), diagnostics);
    struct stat status {};
    if (stat(path.c_str(), &status) != 0 || access(path.c_str(), W_OK) != 0)
      return report("`" + file.name + "`", errno, diagnostics);
    if (!S_ISREG(status.st_mode)) return report("`" + file.name + "`", EINVAL, diagnostics);
    const auto same = [&](const Replacement& other) { return other.path == path; };
    if (std::none_of(all.begin(), all.end(), same))
      all.push_back({path, content_of(file.content), status.st_mode & 07777});
  }
  return write_all(all, diagnostics);
}

}  // namespace muster::driver
