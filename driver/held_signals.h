// The signals that end a process, held back while there are files to clean up.
#pragma once

#include <csignal>

namespace muster::driver {

// Blocks SIGINT, SIGTERM and SIGHUP in its scope, except those that the process ignores (as under nohup). Long work
// asks `arrived` between its steps, cleans up and leaves the scope: then the signal has its usual effect, and the shell
// sees the exit status that it expects. There is no handler, so no state that a handler would share with the program.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  // Whether one of them is waiting for the end of the scope.
  bool arrived() const;

 private:
  sigset_t held_;
  sigset_t before_;
};

}  // namespace muster::driver
