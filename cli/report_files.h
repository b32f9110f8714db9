// `-o FORMAT[=FILE]`, any number: the reports that a verb writes, to files or to standard output.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "driver/output.h"

namespace muster::cli {

struct Report {
  std::string format;
  std::string file;  // "": standard output
};

// Reads what was given to -o; `formats` are those that the verb has, `on_stdout` gets that of standard output. A
// sentence: why it cannot be used.
std::optional<std::string> read_reports(std::span<const std::string> outputs, std::span<const std::string_view> formats,
                                        std::vector<Report>& reports, std::string& on_stdout);

// False: reported.
bool write_report(const Report& report, const driver::Content& content, Diagnostics& diagnostics);
bool write_report(const Report& report, const std::string& text, Diagnostics& diagnostics);

}  // namespace muster::cli
