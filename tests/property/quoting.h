// A place at which a user's bytes enter the sbatch file, and how they are seen to come back.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/slurm_scene.h"

namespace muster::test {

using Words = std::vector<std::string>;

// The user's bytes in one place: how they get there, when a refusal is right, what must come back.
struct Place {
  std::string name;
  std::function<void(Scene&, const std::string&)> put;
  std::function<bool(const std::string&)> may_refuse;
  std::string option;                                             // read from the directives
  std::function<bool(const Words&, const std::string&)> carried;  // or from what bash ran
  std::function<std::string(const std::string&)> wanted{};  // the option's value; empty: the bytes behind a letter
};

inline bool has_control(std::string_view s) {
  for (unsigned char c : s)
    if (c < 0x20 || c == 0x7F) return true;
  return false;
}
inline bool has_any(std::string_view s, std::string_view of) { return s.find_first_of(of) != std::string_view::npos; }
inline bool has_zero(std::string_view s) { return s.find('\0') != std::string_view::npos; }

inline bool contains(const Words& words, const Words& run) {
  for (std::size_t i = 0; i + run.size() <= words.size(); ++i)
    if (std::equal(run.begin(), run.end(), words.begin() + static_cast<std::ptrdiff_t>(i))) return true;
  return false;
}

// Files, secrets, the network's environment, images by name, programs of a job of several parts.
std::vector<Place> needs_places();
// What the site says: on #SBATCH lines, and in the body.
std::vector<Place> site_directives();
std::vector<Place> site_places();

}  // namespace muster::test
