// muster site: what is assumed where no --site is given, and a site made from a real cluster.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/command.h"
#include "cli/session.h"
#include "cli/site_import.h"

namespace muster::cli {

int run_site(int argc, char** argv) {
  std::string name;
  SiteImportOptions import;
  CLI::App app("Sites: what is assumed without one, and one made from a real cluster.", "muster site");
  CLI::App* show = app.add_subcommand("show", "print a built-in site as muster text");
  show->add_option("NAME", name, "generic")->required()->check(CLI::IsMember({"generic"}));
  CLI::App* from_cluster = add_site_import(app, import);
  app.require_subcommand(1);
  if (const auto exit = parse_arguments(app, argc, argv)) return *exit;
  if (from_cluster->parsed()) return run_site_import(import);
  const std::string text(generic_site_text());
  return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 2 : 0;
}

}  // namespace muster::cli
