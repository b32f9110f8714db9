// The test cases of the lint rules, from their pages (lint/rules/*/RULE.md).
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "lint/outcome.h"
#include "lint/tool/page.h"
#include "tests/places.h"
#include "tests/temp_folder.h"
#include "tests/unit/site_file.h"

namespace muster::tests {

using RulePage = lint::tool::Page;
using RuleCase = lint::tool::Case;

// In the order of their ids.
inline const std::vector<RulePage>& rule_pages() {
  static const std::vector<RulePage> pages = [] {
    std::vector<RulePage> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_folder() + "/lint/rules")) {
      if (entry.path().extension() != ".md") continue;
      auto page = lint::tool::read_page(entry.path().string(), file_text(entry.path()));
      if (auto* read = std::get_if<RulePage>(&page)) out.push_back(std::move(*read));
      else FAIL(entry.path() << ": " << std::get<lint::tool::Fault>(page).message);
    }
    std::sort(out.begin(), out.end(), [](const RulePage& a, const RulePage& b) { return a.id < b.id; });
    return out;
  }();
  return pages;
}

inline const RulePage& rule_page(std::string_view id) {
  const auto at = std::find_if(rule_pages().begin(), rule_pages().end(), [&](const RulePage& p) { return p.id == id; });
  INFO(id);
  REQUIRE(at != rule_pages().end());
  return *at;
}

// nullptr if the page has none of that name.
inline const RuleCase* find_case(const RulePage& page, std::string_view name) {
  for (const RuleCase& test : page.cases)
    if (test.name == name) return &test;
  return nullptr;
}

inline std::filesystem::path case_site(std::string_view name) {
  return std::filesystem::path(source_folder()) / "tests/lint/sites" / (std::string(name) + ".muster");
}

// The text of the site before the lines of a muster file that names one; "" where it names none, and for scripts, which
// are read beside their site.
inline std::string site_above(const RuleCase& test) {
  return test.form == "muster" && !test.site.empty() ? file_text(case_site(test.site)) + "\n" : "";
}

// The whole file of a case.
inline std::string case_text(const RuleCase& test) { return site_above(test) + test.text; }
inline std::string case_text(std::string_view id, std::string_view name) {
  const RuleCase* test = find_case(rule_page(id), name);
  INFO(id << " " << name);
  REQUIRE(test != nullptr);
  return case_text(*test);
}

// A muster file of a page in a folder, with the files that its cases find beside them.
inline std::filesystem::path written_beside(const RulePage& page, const TempFolder& folder, const std::string& text) {
  for (const lint::tool::File& file : page.beside)
    std::ofstream(folder.path() / file.name, std::ios::binary) << file.text;
  std::ofstream(folder.path() / "case.muster", std::ios::binary) << text;
  return folder.path() / "case.muster";
}

// The case in which the rule fires, with the finding allowed: its case `KIND-allowed`, where the page has one, else
// `KIND-fires` with an `allow` in its workload or site.
inline std::string allowed_text(const RulePage& page, const std::string& kind) {
  if (const RuleCase* test = find_case(page, kind + "-allowed")) return case_text(*test);
  std::string text = case_text(page.id, kind + "-fires");
  const std::string block = kind == "site" ? "site lab {\n" : "workload job {\n";
  REQUIRE(text.find(block) != std::string::npos);
  return text.insert(text.find(block) + block.size(), "  allow " + page.id + " { reason = \"shown\" }\n");
}

// What lines of a case must have: "5 SLM001 error", sorted. Lines count from `above` lines before the case.
inline std::vector<std::string> expected(const RuleCase& test, std::size_t above = 0) {
  std::vector<std::string> out;
  for (const lint::tool::Mark& mark : test.marks)
    out.push_back(std::to_string(mark.line + above) + " " + mark.rule + " " + mark.severity);
  std::sort(out.begin(), out.end());
  return out;
}

// The same of what lint found: findings of the page's own rule, and every error and warning of the others.
inline std::vector<std::string> found(const std::vector<lint::Result>& results, const Sources& sources,
                                      std::string_view own) {
  std::vector<std::string> out;
  for (const lint::Result& r : results) {
    const lint::Finding& f = r.finding;
    const std::string_view id = lint::about(f).id;
    if (r.state != lint::State::open || (id != own && f.severity == Severity::info)) continue;
    out.push_back(std::to_string(sources.position(f.primary.file, f.primary.begin).line) + " " + std::string(id) + " " +
                  std::string(f.verdict == lint::Verdict::unclear ? "unclear" : severity_name(f.severity)));
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace muster::tests
