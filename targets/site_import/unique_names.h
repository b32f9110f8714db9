// Names that are unique although they are made of several parts: "a-b" of one and "a", "b" of another.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace muster::targets {

class UniqueNames {
 public:
  // The name, or with the first number behind it that makes it new.
  std::string take(const std::string& wanted) {
    std::size_t& number = next_[wanted];
    if (++number == 1) return wanted;
    std::string name = wanted + "-" + std::to_string(number);
    while (next_.contains(name)) name = wanted + "-" + std::to_string(++next_[wanted]);
    next_[name] = 1;
    return name;
  }

 private:
  std::map<std::string, std::size_t> next_;
};

}  // namespace muster::targets
