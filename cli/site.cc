// muster site show generic: what is assumed where no --site is given.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/command.h"
#include "cli/session.h"

namespace muster::cli {

int run_site(int argc, char** argv) {
  std::string name;
  CLI::App app("Shows a site that is built in.", "muster site");
  CLI::App* show = app.add_subcommand("show", "print a built-in site as muster text");
  show->add_option("NAME", name, "generic")->required()->check(CLI::IsMember({"generic"}));
  app.require_subcommand(1);
  if (const auto exit = parse_arguments(app, argc, argv)) return *exit;
  const std::string text(generic_site_text());
  return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 2 : 0;
}

}  // namespace muster::cli
