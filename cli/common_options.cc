#include "cli/common_options.h"

namespace muster::cli {

void add_common(Arguments& app, CommonOptions& options, bool files_required) {
  Option files =
      app.add_option("FILE", options.files, "muster files, also as .muster.json and .muster.yaml; - is standard input");
  if (files_required) files.required();
  app.add_option("--site", options.site_file, "the site to plan for, and its fleet").type_name("FILE");
  app.add_option("--as-of", options.as_of, "the day on which expiry of a site's rules is judged").type_name("DATE");
  app.add_option("--root", options.root, "folder that ids and imports start from").type_name("DIR");
  app.add_option("--set", options.set, "a value for a parameter").type_name("NAME=VALUE");
  Option blueprint = app.add_option("--template", options.blueprint, "make a workload of this template of the file");
  blueprint.type_name("NAME");
  app.add_option("--matrix", options.matrix, "one workload of the template a row; the first row names parameters")
      .needs(blueprint)
      .type_name("FILE.csv");
  add_report_options(app, options);
}

void add_report_options(Arguments& app, ReportOptions& options) {
  app.add_option("--diagnostics", options.diagnostics, "human, json or short")
      .one_of({"human", "json", "short"})
      .type_name("FORMAT");
  app.add_flag("-q,--quiet", options.quiet, "only errors");
}

int finish(const driver::Session& session, const ReportOptions& options, int code) {
  return report(session.diagnostics().sorted(), session.sources(), options, code);
}

}  // namespace muster::cli
