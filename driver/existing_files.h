// Job scripts and manifests among the files that a verb was given: what each asks of the machines of the site.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"
#include "lint/overlays.h"
#include "lint/rule.h"
#include "targets/as_read.h"

namespace muster::driver {

struct ExistingFile {
  std::uint32_t file = 0;  // of the sources
  lint::Input kind{};
  bool by_import = false;  // a script of another system than Slurm: it asks for what its import asks for
};

// What a text that is a job script or a manifest is, by what it holds; nullopt: it is a muster file. `name` is that of
// the file; a `.muster` file, and a twin of one, is never something else.
std::optional<ExistingFile> existing_file(const std::string& name, std::string_view text);

// Its jobs, or its objects whose pods run; `folder` is where their ids begin. What cannot be read is reported: damaged
// YAML, templates that have to be rendered first, a file of which nothing runs. Of a patch nothing is known.
std::vector<targets::AsRead> read_existing(const ExistingFile& file, const Sources& sources, const std::string& folder,
                                           const model::Site& site, const model::Fleet* fleet,
                                           const lint::Overlays& overlays, Diagnostics& diagnostics);

}  // namespace muster::driver
