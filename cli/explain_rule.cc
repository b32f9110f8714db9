#include "cli/explain_rule.h"

#include "compiler/base/text.h"
#include "lint/examples.h"

namespace muster::cli {
namespace {

// The lines of a file, four blanks in.
std::string indented(std::string_view text) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) out += "    " + std::string(text.substr(begin, end - begin));
    out += "\n";
    begin = end + 1;
  }
  return out;
}

std::string titled(std::string_view title, std::string_view text) {
  return "\n" + std::string(title) + "\n" + (text.empty() ? "" : std::string(text) + "\n");
}

std::string properties(const lint::Rule& rule) {
  std::string out = "\n";
  const auto add = [&](const char* what, std::string_view value) {
    if (!value.empty()) out += padded(what, 10) + std::string(value) + "\n";
  };
  add("occurs in", lint::listed(rule.places));
  add("profile", lint::name(rule.profile));
  if (rule.stage == lint::Stage::preview) add("stage", "preview");
  add("fix", lint::name(rule.fix));
  add("thresholds", rule.parameters);
  return out;
}

// The file that is linted under the title, those beside it under their names.
std::string files_text(const std::vector<lint::ExampleFile>& files) {
  std::string out;
  for (std::size_t i = 0; i < files.size(); ++i)
    out += (i > 0 ? "  " + std::string(files[i].name) + ":\n" : "") + indented(files[i].text);
  return out;
}

Json files_json(const std::vector<lint::ExampleFile>& files) {
  Json out = Json::array();
  for (const lint::ExampleFile& file : files) out.push_back({{"name", file.name}, {"text", file.text}});
  return out;
}

}  // namespace

std::string rule_text(const lint::Rule& rule) {
  const lint::Example example = lint::example_of(rule);
  std::string out = std::string(rule.id) + " " + rule.name + " (" + std::string(severity_name(rule.severity)) +
                    "): " + std::string(rule.summary) + "\n";
  out += titled("What it checks", rule.checks) + titled("Why it matters", rule.why);
  for (const lint::Source& source : rule.sources)
    out += "  " + std::string(source.title) + ": " + std::string(source.address) + "\n";
  for (const lint::ExampleFile& file : example.others)
    out += titled("With " + std::string(file.name) + ":", "") + indented(file.text);
  out += titled("Wrong: " + lint::example_command(rule, example), "") + files_text(example.wrong);
  out += titled("Corrected", rule.instead) + files_text(example.corrected);
  return out + properties(rule);
}

Json rule_json(const lint::Rule& rule) {
  const lint::Example example = lint::example_of(rule);
  Json sources = Json::array();
  for (const lint::Source& source : rule.sources) sources.push_back({{"title", source.title}, {"url", source.address}});
  return {{"code", rule.id},
          {"name", rule.name},
          {"severity", severity_name(rule.severity)},
          {"summary", rule.summary},
          {"explanation", rule.explanation},
          {"checks", rule.checks},
          {"why", rule.why},
          {"instead", rule.instead},
          {"sources", sources},
          {"example",
           {{"command", lint::example_command(rule, example)},
            {"wrong", files_json(example.wrong)},
            {"corrected", files_json(example.corrected)},
            {"others", files_json(example.others)}}},
          {"places", lint::names(rule.places)},
          {"profile", lint::name(rule.profile)},
          {"stage", rule.stage == lint::Stage::preview ? "preview" : "stable"},
          {"fix", lint::name(rule.fix)},
          {"parameters", rule.parameters}};
}

}  // namespace muster::cli
