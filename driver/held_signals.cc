#include "driver/held_signals.h"

namespace muster::driver {
namespace {

constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

}  // namespace

HeldSignals::HeldSignals() {
  sigemptyset(&held_);
  for (const int signal : ending_signals) {
    struct sigaction action {};
    // The kernel keeps an ignored signal waiting too, as long as it is blocked.
    const bool ignored = sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
    if (!ignored) sigaddset(&held_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &held_, &before_);
}

HeldSignals::~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool HeldSignals::arrived() const {
  sigset_t waiting;
  if (sigpending(&waiting) != 0) return false;
  for (const int signal : ending_signals)
    if (sigismember(&held_, signal) == 1 && sigismember(&waiting, signal) == 1) return true;
  return false;
}

}  // namespace muster::driver
