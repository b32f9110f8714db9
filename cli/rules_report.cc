#include "cli/rules_report.h"

#include "cli/emit.h"
#include "compiler/base/text.h"
#include "rules/cases.h"
#include "rules/chart.h"
#include "rules/diff.h"
#include "rules/digest.h"
#include "rules/verify.h"

namespace muster::cli {
namespace {

std::string title(const model::Policy& policy) {
  return "policy " + policy.name + " " + policy.version + "   sha256 " + rules::digest(policy) + "\n";
}

std::string count(std::uint64_t n, std::string_view noun) { return counted(static_cast<long long>(n), noun); }

Json finding_json(const rules::Finding& f, const Sources& sources) {
  Json out = {{"kind", rules::name(f.kind)}, {"subject", f.subject}, {"rows", f.rows}, {"text", f.text}};
  if (f.witness) out.update(Json{{"cells", f.cells}, {"witness", to_json(*f.witness)}});
  if (f.span.known()) out["at"] = sources.place(f.span);
  return out;
}

std::string finding_text(const rules::Finding& f, const model::Policy& policy, const Sources& sources) {
  std::string out = "  " + std::string(rules::name(f.kind)) + ": " + f.text;
  if (f.witness) out += "; " + count(f.cells, "cell") + ", first " + rules::describe(policy, *f.witness);
  const std::string place = sources.place(f.span);
  return out + (place.empty() ? "" : " (" + place + ")") + "\n";
}

std::string depends_text(const rules::Verification& result) {
  std::string out = "  depends on\n";
  for (const auto& [output, facts] : result.depends) {
    out += "    " + output + ":";
    for (const std::string& fact : facts) out += " " + fact;
    out += "\n";
  }
  return out;
}

std::string case_name(const model::Case& test) { return printable(test.name); }

}  // namespace

RulesReport verify_report(const driver::RulesInput& input, const Sources& sources, const std::string& format) {
  const model::Policy& policy = input.policy;
  const rules::Verification result = driver::verification_of(input);
  const int code = result.findings.empty() ? 0 : 1;
  if (format == "json") {
    Json out = policy_json(policy);
    out.update(Json{{"sound", code == 0},
                    {"cells", result.cells},
                    {"method", result.enumerated ? "cells" : "boxes"},
                    {"tables", result.tables},
                    {"rows", result.rows},
                    {"invariants", result.invariants},
                    {"cases", input.cases.size()},
                    {"findings", Json::array()},
                    {"depends", Json::object()}});
    for (const rules::Finding& f : result.findings) out["findings"].push_back(finding_json(f, sources));
    for (const auto& [output, facts] : result.depends) out["depends"][output] = facts;
    return {print(out), code};
  }
  std::string out = title(policy) + "  " + count(result.cells, "cell") +
                    (result.enumerated ? " checked one by one, " : " checked as boxes, ") + count(result.rows, "row") +
                    " in " + count(result.tables, "table") + ", " + count(result.invariants, "invariant") + ", " +
                    count(input.cases.size(), "case") + "\n";
  out += depends_text(result);
  for (const rules::Finding& f : result.findings) out += finding_text(f, policy, sources);
  return {out + "  " + count(result.findings.size(), "finding") + "\n", code};
}

RulesReport test_report(const driver::RulesInput& input, const Sources& sources, const std::string& format,
                        bool coverage) {
  const rules::Space space(input.policy);
  const auto results = driver::run_cases(input, space);
  const rules::Coverage covered = rules::coverage(input.policy, space, results, input.layer);
  std::size_t failed = 0;
  std::string text = title(input.policy);
  Json cases = Json::array();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const model::Case& test = input.cases[i];
    const bool good = results[i].failures.empty();
    failed += good ? 0 : 1;
    text += (good ? "ok    " : "FAIL  ") + case_name(test) + "\n";
    for (const std::string& failure : results[i].failures)
      text += "        " + sources.place(test.span) + ": " + failure + "\n";
    cases.push_back(
        {{"case", case_name(test)}, {"passed", good}, {"rows", results[i].fired}, {"failures", results[i].failures}});
  }
  // A file without cases tests nothing: that is not "all passed".
  const int code = failed > 0 || results.empty() ? 1 : 0;
  if (format == "json") {
    Json out = policy_json(input.policy);
    out.update(Json{{"cases", std::move(cases)}, {"failed", failed}});
    out["coverage"] = {{"rows", covered.rows - covered.missing.size()},
                       {"all_rows", covered.rows},
                       {"missing", covered.missing},
                       {"cells", covered.cells},
                       {"all_cells", covered.all_cells}};
    return {print(out), code};
  }
  text += count(results.size(), "case") + ", " + std::to_string(failed) + " failed\n";
  if (!coverage) return {text, code};
  text += std::to_string(covered.rows - covered.missing.size()) + " of " + count(covered.rows, "row") + ", " +
          std::to_string(covered.cells) + " of " + count(covered.all_cells, "cell") + "\n";
  for (const std::string& row : covered.missing) text += "  no case covers " + row + "\n";
  return {text, code};
}

RulesReport table_report(const model::Policy& policy, const std::string& format) {
  if (format == "csv") return {rules::csv_table(policy), 0};
  if (format == "mermaid") return {rules::flow_chart(policy), 0};
  if (format == "markdown")
    return {"### " + policy.name + " " + policy.version + "\n" + rules::markdown_tables(policy), 0};
  Json out = policy_json(policy);
  out["tables"] = Json::array();
  for (const model::Table& table : policy.tables) {
    Json rows = Json::array();
    for (const model::Row& row : table.rows) {
      rows.push_back({{"id", row.id},
                      {"when", rules::when_text(row, policy)},
                      {"sets", Json::object()},
                      {"reason", row.reason},
                      {"cite", row.cite},
                      {"layer", row.layer}});
      for (const model::Assignment& set : row.sets) rows.back()["sets"][set.output] = to_json(set.value);
    }
    const char* hit = table.hit == model::Hit::unique ? "unique" : table.hit == model::Hit::first ? "first" : "collect";
    out["tables"].push_back({{"table", table.name}, {"hit", hit}, {"rows", std::move(rows)}});
  }
  return {print(out), 0};
}

RulesReport diff_report(const model::Policy& before, const model::Policy& after, const std::string& format,
                        Diagnostics& diagnostics) {
  const auto result = rules::diff(before, after);
  if (!result) {
    diagnostics.add(Code::rules_too_large, {}, "the comparison exceeds the limit of boxes");
    return {};
  }
  // Policies of different names are not versions of one another.
  const bool versions = before.name == after.name;
  const bool wrong = versions && (!result->taken || *result->taken < result->needed);
  if (wrong)
    diagnostics.add(Code::bad_version, after.span,
                    "`" + after.name + "` changes from version " + before.version + " to " + after.version +
                        ", but the change requires a " + std::string(rules::name(result->needed)) + " step");
  if (format == "json") {
    Json out = {{"before", policy_json(before)}, {"after", policy_json(after)},
                {"cells", result->cells},        {"facts", result->facts},
                {"changes", Json::array()},      {"needed", rules::name(result->needed)}};
    if (versions) out["taken"] = result->taken ? Json(rules::name(*result->taken)) : Json(nullptr);
    for (const rules::DiffItem& i : result->items)
      out["changes"].push_back(
          {{"output", i.output}, {"from", i.from}, {"to", i.to}, {"cells", i.cells}, {"boxes", i.boxes}});
    return {print(out), wrong ? 1 : 0};
  }
  std::string out = before.name + " " + before.version + " -> " + after.name + " " + after.version + ", " +
                    count(result->cells, "cell") + "\n";
  for (const std::string& fact : result->facts) out += "  " + fact + "\n";
  for (const rules::DiffItem& i : result->items) {
    const std::string change = i.from.empty() ? "+ " + i.to : i.to.empty() ? "- " + i.from : i.from + " -> " + i.to;
    out += "  " + i.output + ": " + change + "   " + count(i.cells, "cell") + "\n";
    for (const std::string& box : i.boxes) out += "    " + box + "\n";
  }
  out += "  step: " + std::string(rules::name(result->needed)) + "\n";
  return {out, wrong ? 1 : 0};
}

}  // namespace muster::cli
