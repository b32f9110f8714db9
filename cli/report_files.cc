#include "cli/report_files.h"
#include "cli/standard_output.h"

#include <algorithm>
#include <filesystem>

#include "compiler/base/text.h"

namespace muster::cli {

std::optional<std::string> read_reports(std::span<const std::string> outputs, std::span<const std::string_view> formats,
                                        std::vector<Report>& reports, std::string& on_stdout) {
  for (const std::string& output : outputs) {
    const std::size_t equals = output.find('=');
    Report report{output.substr(0, equals), equals == std::string::npos ? "" : output.substr(equals + 1)};
    if (std::find(formats.begin(), formats.end(), report.format) == formats.end())
      return "unknown format `" + report.format + "`; formats are " + quoted_list(formats);
    if (equals != std::string::npos && report.file.empty()) return "`" + output + "` does not name a file";
    if (report.file.empty()) on_stdout = report.format;
    reports.push_back(std::move(report));
  }
  return std::nullopt;
}

bool write_report(const Report& report, const std::string& text, Diagnostics& diagnostics) {
  return write_report(
      report, [&](const driver::Write& write) { write(text); }, diagnostics);
}

bool write_report(const Report& report, const driver::Content& content, Diagnostics& diagnostics) {
  if (report.file.empty()) return write_stdout(content, diagnostics);
  const std::filesystem::path file(report.file);
  const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
  return driver::write_file(folder, file.filename().string(), content, diagnostics);
}

}  // namespace muster::cli
