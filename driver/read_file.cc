#include "driver/read_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/utf16.h"

namespace muster::driver {
namespace {

// What the shell gives for `<(command)`, and standard input: to wait for these is what is asked for.
bool is_given_by_shell(const std::string& file) {
  std::error_code unknown;
  const std::string whole = std::filesystem::absolute(file, unknown).string();
  return whole.starts_with("/dev/fd/") || whole.starts_with("/proc/") || whole == "/dev/stdin";
}

// Opens without waiting for a writer. nullptr: `why`.
std::FILE* open_at_once(const std::string& file, std::string& why) {
  const int open_file = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status {};
  if (open_file < 0 || fstat(open_file, &status) != 0) {
    why = errno == ENXIO ? not_a_file(std::filesystem::file_type::socket) : std::strerror(errno);
  } else if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || is_given_by_shell(file) || file == "/dev/null") {
    fcntl(open_file, F_SETFL, O_RDONLY);  // of a pipe of the shell the text is waited for
    return fdopen(open_file, "rb");
  } else {
    std::error_code unknown;
    why = not_a_file(std::filesystem::status(file, unknown).type());
  }
  if (open_file >= 0) close(open_file);
  return nullptr;
}

bool is_whole_kind(std::FILE* in, std::string& why) {
  struct stat status {};
  if (fstat(fileno(in), &status) != 0 || !S_ISDIR(status.st_mode)) return true;
  why = "it is a folder";
  return false;
}

}  // namespace

std::string not_a_file(std::filesystem::file_type type) {
  using std::filesystem::file_type;
  return type == file_type::fifo     ? "it is a FIFO"
         : type == file_type::socket ? "it is a socket"
                                     : "it is a device";
}

std::optional<std::string> read_file(const std::string& file, std::size_t limit, std::string& why) {
  std::FILE* in = file == "-" ? stdin : open_at_once(file, why);
  if (in == nullptr) return std::nullopt;
  std::string out;
  if (is_whole_kind(in, why)) {
    char buffer[1 << 16];
    std::size_t n = 0;
    while (out.size() <= limit && (n = std::fread(buffer, 1, sizeof buffer, in)) > 0) out.append(buffer, n);
    if (std::ferror(in) != 0) why = std::strerror(errno);
  }
  if (in != stdin) std::fclose(in);
  if (!why.empty()) return std::nullopt;
  return out.size() > limit ? std::move(out) : in_utf8(file, std::move(out));
}

}  // namespace muster::driver
