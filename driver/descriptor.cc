#include "driver/descriptor.h"

#include <cerrno>

namespace muster::driver {

int Descriptor::close() {
  const int number = std::exchange(number_, -1);
  return number >= 0 && ::close(number) != 0 ? errno : 0;
}

}  // namespace muster::driver
