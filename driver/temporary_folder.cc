#include "driver/temporary_folder.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/held_signals.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

// Keeps nothing of its parent open, so that neither the reader of the parent's output nor the remover of another folder
// waits for this process.
void close_others(int kept) {
  constexpr int most_descriptors = 1024;  // what a process has by default; the parent opens a few
  for (int number = 0; number < most_descriptors; ++number)
    if (number != kept) close(number);
}

// In a process of its own, out of reach of the terminal's signals: waits until `held` has no other end, then removes.
[[noreturn]] void remove_at_end(int held, const fs::path& folder) {
  setsid();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
  close_others(held);
  char byte = 0;
  while (read(held, &byte, 1) < 0 && errno == EINTR) {
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  _exit(0);
}

}  // namespace

bool TemporaryFolder::make(std::string& why) {
  const HeldSignals signals;  // until the remover runs
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "muster-tree-XXXXXX").string();
  int ends[2];
  if (error || pipe2(ends, O_CLOEXEC) != 0) return why = "cannot create a temporary folder", false;
  Descriptor read_end(ends[0]);
  held_ = Descriptor(ends[1]);
  if (mkdtemp(name.data()) == nullptr) return why = "cannot create a temporary folder", false;
  path_ = name;
  std::fflush(nullptr);  // the child has a copy of what is not written yet
  remover_ = fork();
  if (remover_ == 0) remove_at_end(read_end.number(), path_);
  if (remover_ > 0) return true;
  why = std::string("cannot start a process: ") + std::strerror(errno);
  fs::remove(path_, error);
  return false;
}

TemporaryFolder::~TemporaryFolder() {
  held_ = Descriptor();
  if (remover_ <= 0) return;
  while (waitpid(remover_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept { *this = std::move(other); }

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(held_, other.held_);
  std::swap(remover_, other.remover_);
  return *this;
}

}  // namespace muster::driver
