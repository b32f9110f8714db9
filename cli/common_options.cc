#include "cli/common_options.h"

#include <CLI/CLI.hpp>
#include <cstdio>

namespace muster::cli {

void add_common(CLI::App& app, CommonOptions& options, bool files_required) {
  auto* files =
      app.add_option("FILE", options.files, "muster files, also as .muster.json and .muster.yaml; - is standard input");
  if (files_required) files->required();
  app.add_option("--site", options.site_file, "the site to plan for, and its fleet")->type_name("FILE");
  app.add_option("--as-of", options.as_of, "the day on which expiry of a site's rules is judged")->type_name("DATE");
  app.add_option("--root", options.root, "folder that ids and imports start from")->type_name("DIR");
  app.add_option("--set", options.set, "a value for a parameter")->type_name("NAME=VALUE");
  auto* blueprint = app.add_option("--template", options.blueprint, "make a workload of this template of the file");
  blueprint->type_name("NAME");
  app.add_option("--matrix", options.matrix, "one workload of the template a row; the first row names parameters")
      ->needs(blueprint)
      ->type_name("FILE.csv");
  add_report_options(app, options);
}

void add_report_options(CLI::App& app, CommonOptions& options) {
  app.add_option("--diagnostics", options.diagnostics, "human, json or short")
      ->check(CLI::IsMember({"human", "json", "short"}))
      ->type_name("FORMAT");
  app.add_flag("-q,--quiet", options.quiet, "only errors");
}

std::optional<int> parse_arguments(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    return std::fputs(app.help().c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 2 : 0;
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "%s: %s\n`%s --help` lists the options.\n", app.get_name().c_str(), error.what(),
                 app.get_name().c_str());
    return 2;
  }
}

}  // namespace muster::cli
