// Every system that people may ask for, and how muster meets it: docs/reference/systems.md is printed from this table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace muster::targets {

enum class State : std::uint8_t {
  target,   // a target writes its files
  setting,  // a site names it, and targets write what it needs
  same,     // it runs another system, whose target serves it
  read,     // its files are read, and written for other systems
  program,  // part of a program that a target starts
  none,     // nothing is written for it
};

struct System {
  std::string_view name;
  State state;
  std::string_view target;  // "" where none is concerned
  std::string_view judge;
  std::string_view text;
};

// In the order of the page.
std::span<const System> all_systems();
// "a target", "not written".
std::string_view state_text(State state);

}  // namespace muster::targets
