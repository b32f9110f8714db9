// A text with a fix's edits made, for tests of what is left to find then.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "lint/finding.h"

namespace muster::lint {

inline std::string applied(std::string text, const Fix& fix) {
  std::vector<Edit> edits = fix.edits;
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit& a, const Edit& b) { return a.where.begin > b.where.begin; });
  for (const Edit& edit : edits) text.replace(edit.where.begin, edit.where.end - edit.where.begin, edit.text);
  return text;
}

}  // namespace muster::lint
