// Reports of other services: GitLab, and the JUnit and Checkstyle files that most of them read.
#include <map>

#include "lint/report/common.h"

namespace muster::lint {
namespace {

// The open findings by file, in the order of the files.
std::map<std::uint32_t, std::vector<const Result*>> by_file(const Outcome& outcome) {
  std::map<std::uint32_t, std::vector<const Result*>> out;
  for (const Result& r : outcome.results)
    if (counts_at(r, Severity::info) && r.finding.primary.known()) out[r.finding.primary.file].push_back(&r);
  return out;
}

std::string attribute(std::string_view text) { return "\"" + xml_text(text) + "\""; }

// Both JUnit schemas in use want times; ours says none, since output depends on no clock.
std::string suite_head(std::size_t id, std::string_view name, std::size_t cases, std::size_t failures) {
  return " <testsuite package=\"muster\" id=\"" + std::to_string(id) + "\" name=" + attribute(name) + " tests=\"" +
         std::to_string(cases) + "\" failures=\"" + std::to_string(failures) +
         "\" errors=\"0\" time=\"0\" timestamp=\"1970-01-01T00:00:00\" hostname=\"localhost\">\n  <properties/>\n";
}

std::string test_case(const Result& result, const Sources& sources) {
  const Finding& f = result.finding;
  std::string out = "  <testcase name=" + attribute(title(about(f)) + " " + sources.place(f.primary)) +
                    " classname=" + attribute(sources.name(f.primary.file)) + " time=\"0\"";
  if (f.severity != Severity::error) return out + "/>\n";
  return out + "><failure type=" + attribute(about(f).id) + " message=" + attribute(f.message) + ">" +
         xml_text(sources.place(f.primary) + "\n" + full_text(f)) + "</failure></testcase>\n";
}

std::string suite(std::size_t id, const std::string& name, const std::vector<const Result*>& results,
                  const Sources& sources) {
  std::size_t failures = 0;
  std::string cases;
  for (const Result* r : results) {
    failures += r->finding.severity == Severity::error;
    cases += test_case(*r, sources);
  }
  if (results.empty()) cases = "  <testcase name=\"lint\" classname=" + attribute(name) + " time=\"0\"/>\n";
  return suite_head(id, name, std::max<std::size_t>(1, results.size()), failures) + cases +
         "  <system-out/>\n  <system-err/>\n </testsuite>\n";
}

}  // namespace

std::string write_gitlab(const View& view) {
  static constexpr std::string_view severities[] = {"major", "minor", "info"};
  Json out = Json::array();
  for (const Result* r : worst_first(view.outcome)) {
    const Finding& f = r->finding;
    if (!f.primary.known()) continue;
    const Position at = view.sources.position(f.primary.file, f.primary.begin);
    out.push_back({{"description", full_text(f)},
                   {"check_name", title(about(f))},
                   {"fingerprint", fingerprint(r->key)},
                   {"severity", severities[static_cast<int>(f.severity)]},
                   {"location", {{"path", view.sources.name(f.primary.file)}, {"lines", {{"begin", at.line}}}}}});
  }
  return dump(out);
}

std::string write_junit(const View& view) {
  // A file that others import, or that a fix has changed, is in the sources more than once; what is found in files that
  // were not asked for (a site, a library) has a suite behind theirs.
  std::map<std::string, std::vector<const Result*>> files;
  for (const auto& [file, results] : by_file(view.outcome)) {
    auto& all = files[view.sources.name(file)];
    all.insert(all.end(), results.begin(), results.end());
  }
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  std::size_t id = 0;
  for (const std::string& file : view.outcome.files) {
    out += suite(id++, file, files[file], view.sources);
    files.erase(file);
  }
  for (const auto& [file, results] : files) out += suite(id++, file, results, view.sources);
  return out + "</testsuites>\n";
}

std::string write_checkstyle(const View& view) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n";
  for (const auto& [file, results] : by_file(view.outcome)) {
    out += " <file name=" + attribute(view.sources.name(file)) + ">\n";
    for (const Result* r : results) {
      const Position at = view.sources.position(file, r->finding.primary.begin);
      out += "  <error line=\"" + std::to_string(at.line) + "\" column=\"" + std::to_string(at.column) +
             "\" severity=" + attribute(severity_name(r->finding.severity)) +
             " message=" + attribute(full_text(r->finding)) +
             " source=" + attribute("muster." + std::string(about(r->finding).id)) + "/>\n";
    }
    out += " </file>\n";
  }
  return out + "</checkstyle>\n";
}

namespace {

template <std::string (*text)(const View&)>
void at_once(const View& view, const Write& write) {
  write(text(view));
}

}  // namespace

std::span<const Format> all_formats() {
  static constexpr Format formats[] = {{"text", at_once<write_text>},
                                       {"short", at_once<write_short>},
                                       {"json", write_json},
                                       {"sarif", write_sarif},
                                       {"github", at_once<write_github>},
                                       {"markdown", at_once<write_markdown>},
                                       {"gitlab", at_once<write_gitlab>},
                                       {"junit", at_once<write_junit>},
                                       {"checkstyle", at_once<write_checkstyle>},
                                       {"stats", at_once<write_stats>}};
  return formats;
}

std::string whole(void (*write)(const View&, const Write&), const View& view) {
  std::string out;
  write(view, [&](std::string_view piece) { out += piece; });
  return out;
}

}  // namespace muster::lint
