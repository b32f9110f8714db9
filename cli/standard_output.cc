#include "cli/standard_output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "compiler/base/ci_commands.h"

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

bool print_text(std::string text, Diagnostics& diagnostics, bool coloured) {
  return write_stdout(safe_to_print(std::move(text), TextForm::plain, coloured), diagnostics);
}

void print_error(std::string text, bool coloured) {
  std::fputs(safe_to_print(std::move(text), TextForm::plain, coloured).c_str(), stderr);
}

}  // namespace muster::cli
