// A site and its fleet from a muster file, for tests of what reads other files beside it.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/sema/check/check.h"
#include "compiler/syntax/parse.h"
#include "tests/catch.h"

namespace muster {

inline std::string file_text(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

struct SiteFile {
  model::Module module;
  const model::Site* site() const { return module.sites.empty() ? nullptr : &module.sites.front(); }
  const model::Fleet* fleet() const { return module.fleets.empty() ? nullptr : &module.fleets.front(); }
};

inline SiteFile read_site_file(const std::filesystem::path& path, Sources& sources, Diagnostics& diagnostics) {
  const auto tree = syntax::parse(sources, sources.add(path.filename().string(), file_text(path)), diagnostics);
  REQUIRE(tree);
  SiteFile out{sema::check({*tree}, sources, {}, diagnostics)};
  REQUIRE_FALSE(diagnostics.has_errors());
  return out;
}

}  // namespace muster
