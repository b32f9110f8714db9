#include "driver/read_file.h"

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/descriptor.h"
#include "driver/utf16.h"

namespace muster::driver {
namespace {

// Why a file of this kind is not read: it may never end, and to open it may do something.
const char* why_not(mode_t mode) {
  if (S_ISDIR(mode)) return "it is a folder";
  if (S_ISFIFO(mode)) return "it is a named pipe (FIFO)";
  if (S_ISSOCK(mode)) return "it is a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "it is a device";
  return nullptr;
}

// What the process was started with: `<(command)` of a shell is such a name.
bool is_handed_over(std::string_view file) {
  return file.starts_with("/dev/fd/") || file.starts_with("/proc/self/fd/") || file == "/dev/stdin";
}

// -1: `why`. A name may lead to something else between the two questions, so the second one counts.
int opened(const std::string& file, std::string& why) {
  struct stat status {};
  const bool any = is_handed_over(file) || file == "/dev/null";
  if (!any && ::stat(file.c_str(), &status) == 0 && why_not(status.st_mode) != nullptr) {
    why = why_not(status.st_mode);
    return -1;
  }
  const int in = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | (any ? 0 : O_NONBLOCK));
  if (in < 0) why = std::strerror(errno);
  else if (fstat(in, &status) == 0 && why_not(status.st_mode) != nullptr && (!any || S_ISDIR(status.st_mode)))
    why = why_not(status.st_mode);
  return in;
}

}  // namespace

std::string not_a_file(std::filesystem::file_type type) {
  using std::filesystem::file_type;
  return why_not(type == file_type::fifo ? S_IFIFO : type == file_type::socket ? S_IFSOCK : S_IFCHR);
}

std::optional<std::string> read_file(const std::string& file, std::size_t limit, std::string& why) {
  const Descriptor own(file == "-" ? -1 : opened(file, why));
  const int in = file == "-" ? STDIN_FILENO : own.number();
  if (!why.empty()) return std::nullopt;
  std::string out;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(in, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) why = errno == EISDIR ? "it is a folder" : std::strerror(errno);
    if (n <= 0 || out.size() > limit) break;
    out.append(buffer, static_cast<std::size_t>(n));
  }
  if (!why.empty()) return std::nullopt;
  if (out.size() > limit + 1) out.resize(limit + 1);
  return out.size() > limit ? std::move(out) : in_utf8(file, std::move(out));
}

}  // namespace muster::driver
