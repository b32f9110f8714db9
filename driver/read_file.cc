#include "driver/read_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <sys/stat.h>

#include "driver/utf16.h"

namespace muster::driver {

std::optional<std::string> read_file(const std::string& file, std::size_t limit, std::string& why) {
  std::FILE* in = file == "-" ? stdin : std::fopen(file.c_str(), "rb");
  if (in == nullptr) {
    why = std::strerror(errno);
    return std::nullopt;
  }
  struct stat status {};
  std::string out;
  if (fstat(fileno(in), &status) == 0 && S_ISDIR(status.st_mode)) {
    why = "it is a folder";
  } else {
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
