// Job scripts and manifests as workloads for a site: what `muster compile` takes them for.
#pragma once

#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"
#include "compiler/model/site.h"
#include "compiler/sema/expand/expand.h"
#include "compiler/syntax/ast.h"
#include "driver/existing_files.h"

namespace muster::driver {

struct Ported {
  std::vector<ast::File> files;  // a workload each, under the name of the file that it was
  ast::Block draft;              // a site with the defaults that the originals had, to lay under those of the site
};

// The name of the text that an import made of a file, in sources and places.
std::string imported_name(const std::string& path);

// What a file does not say as it was, and what the site has no word for, is a warning; what cannot be imported, an
// error. `target`: the one that is asked for; "" where muster chooses it. `set`: for the parameters that the files'
// own arguments become. `asks`: nothing is written, so those without a value need none.
Ported port(const std::vector<ExistingFile>& existing, const model::Site& site, std::string_view target,
            const std::vector<sema::Given>& set, bool asks, Sources& sources, Diagnostics& diagnostics);

// Takes the values out of `set` that no parameter of `files` has.
std::vector<sema::Given> split_off(std::vector<sema::Given>& set, const std::vector<ast::File>& files);

}  // namespace muster::driver
