// Questions to git. It is started by name, without a shell, in the current folder; it fetches nothing, locks
// nothing and takes no notice of replaced objects.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "driver/descriptor.h"

namespace muster::driver {

// A git that is running: it is asked on its standard input and answers on its standard output. When this goes, both
// are closed, so that it ends.
class Git {
 public:
  Git() = default;
  ~Git();
  Git(const Git&) = delete;
  Git& operator=(const Git&) = delete;

  bool is_running() const { return child_ > 0; }
  // False: `why`.
  bool start(const std::vector<std::string>& words, std::string& why);
  // False: it has ended. The question must be small, and the answer to the one before read.
  bool ask(std::string_view question);
  bool nothing_more_to_ask();
  std::FILE* answers() const { return stream_.get(); }
  // Closes both and waits. False: it failed; `why` has the first line of its standard error, if there is one.
  bool end(std::string& why);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> stream_;  // both directions
  Descriptor errors_;
  pid_t child_ = -1;
};

// What git prints for these words, at most 64 MiB. nullopt: git could not be started, failed or printed more; `why` has
// the reason, if there is one.
std::optional<std::string> ask_git(const std::vector<std::string>& words, std::string& why);

}  // namespace muster::driver
