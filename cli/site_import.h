// muster site import: a fleet and a site from what a cluster says of itself.
#pragma once

#include <string>

#include "cli/common_options.h"
#include "driver/session.h"

namespace muster::cli {

struct SiteImportOptions {
  CommonOptions common;  // files: outputs and configuration files, "-" is standard input
  std::string folder;
  std::string name;
  std::string taken;
  bool force = false;
};

Arguments add_site_import(Arguments& app, SiteImportOptions& options);
int run_site_import(const SiteImportOptions& options);

}  // namespace muster::cli
