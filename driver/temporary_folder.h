// A folder below the system's one for temporary files, gone with the process however that ends.
#pragma once

#include <filesystem>
#include <string>

#include <sys/types.h>

#include "driver/descriptor.h"

namespace muster::driver {

// The folder is removed by a process of its own, which waits for the end of a pipe that only this object holds. So it
// is removed too where this process ends by a signal, SIGKILL included, and no handler has to know its name.
class TemporaryFolder {
 public:
  TemporaryFolder() = default;
  // Removes the folder and waits until it is gone.
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;

  // Makes it. False: `why`.
  bool make(std::string& why);
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Descriptor held_;  // the pipe's end
  pid_t remover_ = -1;
};

}  // namespace muster::driver
