#include "tests/docs/rule_pages.h"

#include "lint/examples.h"

namespace muster::docs {
namespace {

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

std::string block(const lint::ExampleFile& file) {
  const std::string_view form = file.name.substr(file.name.rfind('.') + 1);
  return "\n```" + std::string(form == "sbatch" ? "bash" : form) + "\n" + std::string(file.text) + "```\n";
}

std::string named_block(const lint::ExampleFile& file) { return "\n`" + std::string(file.name) + "`:\n" + block(file); }

// The file that is linted, then those beside it.
std::string blocks(const std::vector<lint::ExampleFile>& files) {
  std::string out;
  for (std::size_t i = 0; i < files.size(); ++i) out += i == 0 ? block(files[i]) : named_block(files[i]);
  return out;
}

std::string link(const lint::Source& source) {
  std::string address(source.address);
  if (address.starts_with("docs/")) address = "../../" + address.substr(5);
  return "[" + std::string(source.title) + "](" + address + ")";
}

std::string_view fix_text(lint::FixKind fix) {
  switch (fix) {
    case lint::FixKind::safe: return "safe (`--fix`)";
    case lint::FixKind::unsafe: return "unsafe (`--unsafe-fixes`)";
    default: return "none";
  }
}

std::string properties(const lint::Rule& rule) {
  std::string out = "| | |\n|---|---|\n";
  const auto row = [&](std::string_view what, std::string_view value) {
    out += "| " + std::string(what) + " | " + cell(value) + " |\n";
  };
  row("severity", severity_name(rule.severity));
  row("occurs in", lint::listed(rule.places));
  row("profile", lint::name(rule.profile));
  if (rule.stage == lint::Stage::preview) row("stage", "preview: runs with `--preview`, or where `--select` names it");
  row("fix", fix_text(rule.fix));
  if (!rule.parameters.empty()) row("thresholds", rule.parameters);
  return out;
}

}  // namespace

std::string rule_page(const lint::Rule& rule) {
  const lint::Example example = lint::example_of(rule);
  std::string out = "# " + std::string(rule.id) + " " + rule.name +
                    "\n\nThis rule reports: " + std::string(rule.summary) + ".\n\n" + properties(rule);
  out += "\n## What it checks\n\n" + std::string(rule.checks) + "\n";
  out += "\n## Why it matters\n\n" + std::string(rule.why) + "\n\n";
  for (std::size_t i = 0; i < rule.sources.size(); ++i)
    out += (i > 0 ? " · " : rule.sources.size() > 1 ? "Sources: " : "Source: ") + link(rule.sources[i]);
  out += "\n\n## Wrong\n";
  for (const lint::ExampleFile& file : example.others) out += named_block(file);
  out += "\n`" + lint::example_command(rule, example) + "` reports " + std::string(rule.id) + ":\n";
  out += blocks(example.wrong);
  return out + "\n## Corrected\n\n" + std::string(rule.instead) + "\n" + blocks(example.corrected);
}

std::string rule_index() {
  std::string out =
      "# The lint rules\n\nFor readers of a finding of `muster lint`, and for teams that choose rules. Each page says "
      "what a rule checks, why it matters, and shows an example that is wrong and the same example corrected; `muster "
      "explain RULE` prints the page. How rules are selected, suppressed and fixed: [muster lint](../lint.md).\n\n"
      "*Preview* rules run only with `--preview`, or where `--select` names them: their precision is not yet known to "
      "be good enough.\n";
  for (const lint::Family& family : lint::all_families()) {
    out += "\n## " + std::string(family.id) + ": " + std::string(family.title) +
           "\n\n| rule | severity | profile | fix | reports |\n|---|---|---|---|---|\n";
    for (const lint::Rule& rule : lint::all_rules()) {
      if (!rule.id.starts_with(family.id)) continue;
      const std::string id(rule.id);
      out += "| [`" + id + "`](" + id + ".md) " + rule.name + " | " + std::string(severity_name(rule.severity)) +
             (rule.stage == lint::Stage::preview ? ", preview" : "") + " | " + std::string(lint::name(rule.profile)) +
             " | " + std::string(lint::name(rule.fix)) + " | " + cell(rule.summary) + " |\n";
    }
  }
  return out;
}

}  // namespace muster::docs
