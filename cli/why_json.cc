#include "cli/why_json.h"

#include "compiler/base/text.h"
#include "why/report/text.h"

namespace muster::cli {
namespace {

Json value_of_fact(const std::string& value) {
  const auto number = whole_number(value);
  return number ? Json(*number) : Json(value);
}

Json json_of(const why::UsedFact& fact, const Sources& sources) {
  Json out = {{"key", fact.key}, {"value", value_of_fact(fact.value)}};
  if (!fact.unit.empty()) out["unit"] = fact.unit;
  out["source"] = {{"file", sources.name(fact.place.file)}, {"line", fact.place.line}};
  return out;
}

Json json_of(const why::FoundRepair& repair, why::Who who) {
  Json out = {
      {"kind", name(repair.kind)}, {"text", why::repair_text(repair)}, {"who", name(who)}, {"checked", repair.checked}};
  if (repair.kind == why::RepairKind::command) out["run"] = repair.text;
  if (repair.kind == why::RepairKind::edit) {
    out["change"] = Json::array();
    for (const auto& [option, value] : repair.changes)
      out["change"].push_back({{"option", why::option_name(option)}, {"value", value_of_fact(value)}});
    if (!repair.lines.empty()) out["lines"] = Json::array();
    for (const why::LineChange& line : repair.lines)
      out["lines"].push_back({{"line", line.line}, {"from", line.from}, {"to", line.to}});
    if (!repair.fit.empty()) out["fit"] = repair.fit;
  }
  return out;
}

Json json_of(const why::Finding& finding, const Sources& sources) {
  Json out;
  out["id"] = finding.subject.id;
  out["system"] = finding.subject.system;
  out["state"] = finding.subject.state;
  out["verdict"] = name(finding.verdict);
  out["code"] = finding.code.empty() ? Json(nullptr) : Json(finding.code);
  out["sentence"] = finding.sentence;
  if (!finding.code.empty()) out["confidence"] = name(finding.confidence);
  out["who"] = name(finding.who);
  out["facts"] = Json::array();
  for (const why::UsedFact& fact : finding.used) out["facts"].push_back(json_of(fact, sources));
  out["repair"] = Json::array();
  for (const why::FoundRepair& repair : finding.repairs) out["repair"].push_back(json_of(repair, finding.who));
  out["then"] = finding.then;
  out["candidates"] = finding.candidates;
  out["ask"] = Json::array();
  for (const why::Ask& ask : finding.asks)
    out["ask"].push_back({{"command", ask.command}, {"separates", ask.separates}});
  return out;
}

}  // namespace

Json why_json(const std::vector<why::Finding>& findings, const Sources& sources, const why::Facts& facts) {
  Json subjects = Json::array();
  for (const why::Finding& finding : findings) subjects.push_back(json_of(finding, sources));
  return {{"subjects", std::move(subjects)}, {"lines", facts.lines}};
}

}  // namespace muster::cli
