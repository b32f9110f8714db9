// A message with its line, an underline, labels, notes and fixes: what a terminal shows of a
// diagnostic and of a lint finding alike.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"

namespace muster {

// Views of what is shown; valid while the diagnostic or the finding lives.
struct Notice {
  Severity severity = Severity::error;
  std::string id;  // "E0201", "SLM001 double-launch"
  std::string_view message;
  Span primary;
  std::string_view primary_label;
  std::span<const Label> labels;
  std::span<const std::string> notes;
  std::vector<std::string> helps;  // what to do, a line each
  bool secret = false;             // the bytes at `primary` are not to be shown
};

std::string render_human(const Notice& notice, const Sources& sources, bool colour);
// `file:line:column: error: text [E0201]`; `muster` in place of a file where there is none.
std::string render_short(const Notice& notice, const Sources& sources);

}  // namespace muster
