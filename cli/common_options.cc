#include "cli/common_options.h"

#include <utility>

#include "cli/standard_output.h"

namespace muster::cli {

void add_common(Arguments& app, CommonOptions& options, bool files_required) {
  const char* doc = options.existing != driver::Existing::none
                        ? "muster files (.muster, .muster.json, .muster.yaml), job scripts and manifests; - reads "
                          "standard input"
                        : "muster files, also .muster.json and .muster.yaml; - reads standard input";
  Option files = app.add_option("FILE", options.files, doc);
  if (files_required) files.required();
  app.add_option("--site", options.site_file, "file with the site to plan for, and its fleet").type_name("FILE");
  app.add_option("--as-of", options.as_of, "date at which entries of the site's rules expire").type_name("DATE");
  app.add_option("--root", options.root, "root folder of imports and of paths in ids").type_name("DIR");
  app.add_option("--set", options.set, "set a parameter of the file").type_name("NAME=VALUE");
  Option blueprint = app.add_option("--template", options.blueprint, "make a workload from this template of the file");
  blueprint.type_name("NAME");
  app.add_option("--matrix", options.matrix,
                 "make one workload from the template per row; the first row names parameters")
      .needs(blueprint)
      .type_name("FILE.csv");
  add_report_options(app, options);
}

void add_sites(Arguments& app, std::vector<std::string>& sites, const std::string& doc) {
  app.remove_option("--site");
  app.add_option("--site", sites, doc).type_name("FILE").one_at_a_time();
}

void add_report_options(Arguments& app, ReportOptions& options) {
  app.add_option("--diagnostics", options.diagnostics, "format of diagnostics: human, json or short")
      .one_of({"human", "json", "short"})
      .type_name("FORMAT");
  app.add_flag("-q,--quiet", options.quiet, "print only errors");
}

int finish(driver::Session& session, const ReportOptions& options, int code, std::optional<std::string> answer) {
  if (answer) print_text(std::move(*answer), session.diagnostics());
  std::vector<std::string> lines;
  code = report(session.diagnostics().sorted(), session.sources(), options, code, &lines);
  if (!answer) print_no_answer(lines, options);
  return code;
}

}  // namespace muster::cli
