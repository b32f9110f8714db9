// What one rule finds in a batch script that a test writes, in short.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "lint/check.h"
#include "tests/places.h"
#include "tests/unit/site_file.h"

namespace muster::tests {

// What one rule finds in a script below its `#!` line: "error 3, warning 5"; "" for nothing. Lines count from 1.
inline std::string found_in_script(std::string_view rule, const std::string& below, const std::string& site = "") {
  using namespace lint;
  Sources sources;
  Diagnostics diagnostics;
  SiteFile at;
  if (!site.empty())
    at = read_site_file(std::filesystem::path(source_folder()) / "tests/lint/sites" / (site + ".muster"), sources,
                        diagnostics);
  std::string unknown, out;
  const Selection all = select_rules({}, {}, true, unknown, Profile::strict);
  const std::uint32_t file = sources.add("job.sbatch", "#!/bin/bash\n" + below);
  for (const Result& r : check_file(file, Input::script, {{sources, at.site(), at.fleet()}, all, "", 0}, diagnostics)) {
    if (info(r.finding.rule).id != rule) continue;
    const bool unclear = r.finding.verdict == Verdict::unclear;
    out += (out.empty() ? "" : ", ") + (unclear ? "unclear" : std::string(severity_name(r.finding.severity))) + " " +
           std::to_string(sources.position(file, r.finding.primary.begin).line);
  }
  return out;
}

}  // namespace muster::tests
