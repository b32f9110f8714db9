#include "targets/imported.h"

#include <algorithm>
#include <array>

#include "compiler/base/text.h"

namespace muster::targets {

std::string_view name(Fate fate) {
  constexpr std::array<std::string_view, fates> names = {"mapped", "approximated", "raw",     "lost",   "lifted",
                                                         "moved",  "kept",         "dropped", "mended", "question"};
  return names[static_cast<std::size_t>(fate)];
}

std::string_view name(Grade grade) {
  switch (grade) {
    case Grade::lifted: return "lifted";
    case Grade::with_script: return "lifted with script";
    case Grade::with_compat: return "lifted with compat";
    case Grade::wrapped: return "wrapped";
  }
  return "";
}

std::string name_from(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 63)) {
    const bool good = is_alnum(c) || c == '.' || c == '_' || c == '-';
    if (good) out += c;
    else if (!out.empty() && out.back() != '-') out += '-';
  }
  out.erase(out.begin(), std::find_if(out.begin(), out.end(), is_alnum));
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "job" : out;
}

}  // namespace muster::targets
