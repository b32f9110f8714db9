#include "cli/render.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include "cli/standard_output.h"
#include "compiler/base/ci_commands.h"
#include "compiler/base/limits.h"
#include "compiler/base/render.h"
#include "compiler/base/text.h"
#include "lint/report/common.h"

namespace muster::cli {
namespace {

// The reason, and the replacement where the reason does not spell it.
std::string help(const FixIt& fix) {
  if (fix.why.empty()) return fix.text.empty() ? "delete it" : "write `" + fix.text + "`";
  const bool shown =
      fix.text.find_first_not_of(" \t") == std::string::npos || fix.why.find(fix.text) != std::string::npos;
  return shown ? fix.why : fix.why + ": `" + fix.text + "`";
}

Notice notice(const Diagnostic& d) {
  Notice out{d.severity(), std::string(info(d.code).id), d.message, d.primary, d.primary_label, d.labels, d.notes, {}};
  for (const FixIt& fix : d.fixes) out.helps.push_back(help(fix));
  return out;
}

}  // namespace

std::string render_human(const Diagnostic& d, const Sources& sources, bool colour) {
  return muster::render_human(notice(d), sources, colour);
}

std::string render_short(const Diagnostic& d, const Sources& sources) {
  return muster::render_short(notice(d), sources);
}

std::string render_json(const Diagnostic& d, const Sources& sources) {
  using Json = nlohmann::ordered_json;
  const auto place = [&](Span span) { return lint::place_json(span, sources); };
  Json out = {{"code", info(d.code).id}, {"name", info(d.code).name}, {"severity", severity_name(d.severity())},
              {"message", d.message},    {"at", place(d.primary)},    {"label", d.primary_label}};
  out["labels"] = Json::array();
  for (const Label& label : d.labels) out["labels"].push_back({{"at", place(label.span)}, {"text", label.text}});
  out["notes"] = d.notes;
  out["fixes"] = Json::array();
  for (const FixIt& fix : d.fixes)
    out["fixes"].push_back({{"at", place(fix.where)}, {"text", fix.text}, {"why", help(fix)}, {"sure", fix.sure}});
  // User bytes that are not UTF-8 cannot be in JSON: they are replaced, not fatal.
  return safe_to_print(out.dump(-1, ' ', false, Json::error_handler_t::replace), TextForm::json) + "\n";
}

bool colour_wanted(std::FILE* stream) {
  const char* no_colour = std::getenv("NO_COLOR");
  return (no_colour == nullptr || *no_colour == '\0') && isatty(fileno(stream)) != 0;
}

int exit_code(Code code) {
  switch (error_kind(code)) {
    case ErrorKind::answer: return 1;
    case ErrorKind::input: return 2;
    case ErrorKind::fault: return 3;
  }
  return 3;
}

std::string rendered(const Diagnostic& d, const Sources& sources, const std::string& how) {
  return how == "short"  ? render_short(d, sources)
         : how == "json" ? render_json(d, sources)
                         : render_human(d, sources, colour_wanted(stderr));
}

namespace {

// What was left out, as a warning that --quiet shows too.
Diagnostic not_shown(std::size_t errors, std::size_t warnings) {
  std::vector<std::string> parts;
  if (errors > 0)
    parts.push_back(with_thousands(static_cast<std::int64_t>(errors)) + " more " +
                    plural("error", static_cast<long long>(errors)));
  if (warnings > 0)
    parts.push_back(with_thousands(static_cast<std::int64_t>(warnings)) + " more " +
                    plural("warning", static_cast<long long>(warnings)));
  Diagnostics out;
  const LimitInfo& limit = info(Limit::diagnostics);
  Diagnostic& d = out.add(Code::not_shown, {}, joined(parts, " and ") + " are not shown");
  d.notes.push_back("limit `" + std::string(limit.name) + "`, " + value_text(limit) + ": " + std::string(limit.help));
  return d;
}

}  // namespace

int report(std::span<const Diagnostic> found, const Sources& sources, const ReportOptions& options, int code,
           std::vector<std::string>* lines) {
  std::string text;
  std::size_t errors = 0, warnings = 0;
  const auto over = [](std::size_t count) { return count - std::min(count, value_of(Limit::diagnostics)); };
  for (const Diagnostic& d : found) {
    const bool error = d.severity() == Severity::error;
    if (error) code = std::max(code, exit_code(d.code));
    else if (options.quiet) continue;
    if (over(++(error ? errors : warnings)) > 0) continue;
    text += rendered(d, sources, options.diagnostics);
    if (lines != nullptr && options.format == "json") lines->push_back(render_json(d, sources));
  }
  if (over(errors) + over(warnings) > 0)
    text += rendered(not_shown(over(errors), over(warnings)), sources, options.diagnostics);
  print_error(std::move(text), colour_wanted(stderr));
  return code;
}

void print_no_answer(const std::vector<std::string>& lines, const ReportOptions& options) {
  if (options.format != "json") return;
  Diagnostics unused;
  write_stdout("{\"schema\": \"muster.diagnostics/v1\", \"diagnostics\": [\n" + joined(lines, ",") + "]}\n", unused);
}

}  // namespace muster::cli
