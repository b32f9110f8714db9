// A file descriptor that is closed at the end of its scope.
#pragma once

#include <utility>

#include <unistd.h>

namespace muster::driver {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  // Leaves it open, to another owner.
  int release() { return std::exchange(number_, -1); }
  // Closes it now; 0 or the error, which for a file that was written can be that the disk is full.
  int close();

 private:
  int number_ = -1;
};

}  // namespace muster::driver
