#include "cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::cli {
namespace {

bool report(const std::string& what, int error, Diagnostics& diagnostics) {
  diagnostics.add(Code::cannot_write, {}, "cannot write " + what + ": " + std::strerror(error));
  return false;
}

// Writes and flushes one file; 0 or the system's error.
int write_one(const std::string& path, const OutputFile& output) {
  std::string_view content = output.content;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, output.mode);
  if (file < 0) return errno;
  int error = output.masked || fchmod(file, output.mode) == 0 ? 0 : errno;
  while (!content.empty() && error == 0) {
    const ssize_t n = ::write(file, content.data(), content.size());
    if (n < 0 && errno != EINTR) error = errno;
    if (n > 0) content.remove_prefix(static_cast<std::size_t>(n));
  }
  if (error == 0 && fsync(file) != 0 && errno != EINVAL) error = errno;
  if (close(file) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

bool write_files(const std::string& folder, const std::vector<OutputFile>& files, Diagnostics& diagnostics) {
  std::error_code made;
  std::filesystem::create_directories(folder, made);
  if (made) return report("the folder `" + folder + "`", made.value(), diagnostics);
  const std::string suffix = ".muster-" + std::to_string(getpid()) + ".tmp";
  std::vector<std::string> temporary;
  int error = 0;
  std::string failed;
  for (const OutputFile& file : files) {
    temporary.push_back(folder + "/." + file.name + suffix);
    error = write_one(temporary.back(), file);
    if (error == 0 && std::filesystem::is_directory(folder + "/" + file.name)) error = EISDIR;
    failed = folder + "/" + file.name;
    if (error != 0) break;
  }
  for (std::size_t i = 0; i < files.size() && error == 0; ++i) {
    failed = folder + "/" + files[i].name;
    if (std::rename(temporary[i].c_str(), failed.c_str()) != 0) error = errno;
  }
  if (error == 0) return true;
  for (const std::string& path : temporary) unlink(path.c_str());
  return report("`" + failed + "`", error, diagnostics);
}

bool write_stdout(std::string_view text, Diagnostics& diagnostics) {
  const bool wrote = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  const int error = wrote && std::fflush(stdout) == 0 ? 0 : errno;
  return error == 0 || report("to standard output", error, diagnostics);
}

}  // namespace muster::cli
