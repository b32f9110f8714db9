// The options that verbs on files share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"

namespace muster::cli {

// Options that every verb on files has.
struct CommonOptions {
  std::vector<std::string> files;    // "-" is standard input
  std::optional<std::string> input;  // what the first file holds, where it was read before
  std::string site_file;
  std::string rules_file;  // of --profile FILE; "" for none
  std::string as_of;       // the day on which expiry is judged; "": on none
  std::string root;
  std::vector<std::string> set;  // NAME=VALUE
  std::string blueprint;         // the template of --template
  std::string matrix;
  std::string diagnostics = "human";
  bool quiet = false;
};

// Adds --diagnostics and -q to a verb.
void add_report_options(Arguments& app, CommonOptions& options);

// Adds FILE…, --site, --root, --set, --template, --matrix, --diagnostics and -q to a verb.
void add_common(Arguments& app, CommonOptions& options, bool files_required);

}  // namespace muster::cli
