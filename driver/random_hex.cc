#include "driver/random_hex.h"

#include <cerrno>
#include <system_error>

#include <sys/random.h>

namespace muster::driver {

std::string random_hex(std::size_t bytes) {
  std::string out;
  while (out.size() < 2 * bytes) {
    unsigned char byte = 0;
    if (getrandom(&byte, 1, 0) == 1) out += {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
    else if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  return out;
}

}  // namespace muster::driver
