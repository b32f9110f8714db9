// muster site: what is assumed where no --site is given, and a site made from a real cluster.
#include <cstdio>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/site_import.h"
#include "driver/session.h"

namespace muster::cli {

int run_site(const CommandLine& line) {
  std::string name;
  SiteImportOptions import;
  Arguments app("Imports a site from a real cluster, or shows the built-in site.", "muster site");
  Arguments show = app.add_verb("show", "print a built-in site as a muster file");
  show.add_option("NAME", name, "generic").required().one_of({"generic"});
  const Arguments from_cluster = add_site_import(app, import);
  if (const auto exit = app.parse(line)) return *exit;
  if (from_cluster.parsed()) return run_site_import(import);
  const std::string text(driver::generic_site_text());
  return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 2 : 0;
}

}  // namespace muster::cli
