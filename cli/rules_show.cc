// muster rules show: a policy in force, each value with the layer that gave it.
#include "cli/emit.h"
#include "cli/rules_report.h"
#include "rules/chart.h"
#include "rules/digest.h"

namespace muster::cli {
namespace {

std::string layers_text(const model::Policy& policy) {
  std::string out;
  for (const std::string& layer : policy.layers) out += (out.empty() ? "" : " -> ") + layer;
  return out;
}

// Without --effective the rows of the lowest whole policy are left out: they are what `rules table` prints.
bool shown(const std::string& layer, const model::Policy& policy, bool effective) {
  return effective || policy.layers.size() < 2 || layer != policy.layers.front();
}

std::string bounds_text(const model::Threshold& t) {
  std::string out;
  if (t.min || t.max) out = (t.min ? std::to_string(*t.min) : "") + ".." + (t.max ? std::to_string(*t.max) : "");
  for (const std::string& value : t.values) out += (out.empty() ? "" : ", ") + value;
  return out.empty() ? "" : " (" + out + ")";
}

std::string text(const model::Policy& policy, bool effective) {
  std::string out = "policy " + policy.name + " " + policy.version + "   sha256 " + rules::digest(policy) + "\n";
  out += "  layers: " + layers_text(policy) + "\n";
  for (const model::Threshold& t : policy.thresholds)
    out += "  threshold " + t.name + " = " + model::to_string(t.value) + bounds_text(t) + "   " + t.layer + ": " +
           t.source + "\n";
  for (const model::Table& table : policy.tables)
    for (const model::Row& row : table.rows)
      if (shown(row.layer, policy, effective))
        out += "  row " + row.id + " of " + table.name + "   " + row.layer + ": " + rules::when_text(row, policy) +
               " => " + rules::sets_text(row) + "\n";
  for (const model::Invariant& i : policy.invariants)
    if (shown(i.layer, policy, effective))
      out += "  invariant " + i.id + (i.locked ? " (locked)" : "") + "   " + i.layer + ": " + i.text + "\n";
  for (const model::Disabled& d : policy.disabled)
    out += "  disabled " + d.id + "   " + d.layer + ": " + d.reason + " (" + d.owner + ", until " + d.expires + ")\n";
  for (const model::Waiver& w : policy.waivers)
    out += "  waived " + w.code + (w.subject.empty() ? "" : " for " + w.subject) + "   " + w.layer + ": " + w.reason +
           " (" + w.owner + ", until " + w.expires + ")\n";
  return out;
}

Json json(const model::Policy& policy, bool effective) {
  Json out = policy_json(policy);
  out["layers"] = policy.layers;
  for (const char* key : {"thresholds", "rows", "invariants", "disabled", "waived"}) out[key] = Json::array();
  for (const model::Threshold& t : policy.thresholds)
    out["thresholds"].push_back(
        {{"name", t.name}, {"value", to_json(t.value)}, {"layer", t.layer}, {"source", t.source}});
  for (const model::Table& table : policy.tables)
    for (const model::Row& row : table.rows)
      if (shown(row.layer, policy, effective))
        out["rows"].push_back({{"id", row.id},
                               {"table", table.name},
                               {"layer", row.layer},
                               {"when", rules::when_text(row, policy)},
                               {"sets", rules::sets_text(row)}});
  for (const model::Invariant& i : policy.invariants)
    if (shown(i.layer, policy, effective))
      out["invariants"].push_back({{"id", i.id}, {"layer", i.layer}, {"locked", i.locked}, {"text", i.text}});
  for (const model::Disabled& d : policy.disabled)
    out["disabled"].push_back(
        {{"id", d.id}, {"layer", d.layer}, {"reason", d.reason}, {"owner", d.owner}, {"expires", d.expires}});
  for (const model::Waiver& w : policy.waivers)
    out["waived"].push_back({{"code", w.code},
                             {"subject", w.subject},
                             {"layer", w.layer},
                             {"reason", w.reason},
                             {"owner", w.owner},
                             {"expires", w.expires}});
  return out;
}

}  // namespace

RulesReport show_report(const model::Policy& policy, const std::string& format, bool effective) {
  return {format == "json" ? print(json(policy, effective)) : text(policy, effective), 0};
}

}  // namespace muster::cli
