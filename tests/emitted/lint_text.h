// Lint of one text at a site, with all rules, preview ones too.
#pragma once

#include <string>
#include <vector>

#include "lint/check.h"
#include "tests/loss/compile.h"

namespace muster::emitted {

struct Linted {
  std::vector<lint::Result> results;
  std::string fault;  // why it was not read; "" where it was
};
// The site of `checked`; the findings' places are of no source that outlives the call.
Linted lint_text(const loss::Checked& checked, const std::string& name, const std::string& text);

}  // namespace muster::emitted
