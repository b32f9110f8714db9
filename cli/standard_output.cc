#include "cli/standard_output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace muster::cli {

bool write_stdout(std::string_view text, Diagnostics& diagnostics) {
  return write_stdout([&](const driver::Write& write) { write(text); }, diagnostics);
}

bool write_stdout(const driver::Content& content, Diagnostics& diagnostics) {
  int error = 0;
  content([&](std::string_view piece) {
    if (error == 0 && std::fwrite(piece.data(), 1, piece.size(), stdout) != piece.size()) error = errno;
  });
  if (error == 0 && std::fflush(stdout) != 0) error = errno;
  if (error == 0) return true;
  diagnostics.add(Code::cannot_write, {}, std::string("cannot write to standard output: ") + std::strerror(error));
  return false;
}

}  // namespace muster::cli
