// muster targets: what this version writes.
#include <algorithm>
#include <cstdio>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "driver/session.h"
#include "targets/carriage.h"
#include "targets/kubernetes/gang_outcomes.h"
#include "targets/kubernetes/kinds.h"
#include "targets/variables.h"

namespace muster::cli {
namespace {

namespace k8s = targets::kubernetes;

std::string padded(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(text.size() < width ? width - text.size() : 1, ' ');
}

// What becomes of each key at each target, a letter for each outcome.
std::string keys_text() {
  std::string out = "= carried  ~ approximated  - reported as not carried  m read by muster  x refused\n";
  const auto pad = [&](std::string_view text, std::size_t width) { out += padded(text, width); };
  pad("", 24);
  for (const targets::Target& t : targets::all_targets()) pad(t.name, t.name.size() + 2);
  out += "\n";
  for (const targets::Carriage& row : targets::carriage()) {
    pad(row.key, 24);
    for (std::size_t t = 0; t < row.outcomes.size(); ++t)
      pad(row.outcomes[t].empty() ? "." : row.outcomes[t], targets::all_targets()[t].name.size() + 2);
    out += "\n";
  }
  return out;
}

// {"resources.nodes": ["carried", "approximated"], …} of one target.
Json keys_json(std::size_t target) {
  Json out = Json::object();
  for (const targets::Carriage& row : targets::carriage()) {
    Json words = Json::array();
    for (const char letter : row.outcomes[target]) words.push_back(targets::outcome_word(letter));
    out[std::string(row.key)] = std::move(words);
  }
  return out;
}

// A block for each kind of object: what its gangs do in each case, a column for each provider.
std::string gangs_text() {
  constexpr std::size_t name_width = 24, width = 18;
  const std::vector<k8s::GangRow> rows = k8s::gang_outcomes();
  const std::vector<k8s::GangScenario> scenarios = k8s::gang_scenarios();
  std::string out;
  for (auto first = rows.begin(); first != rows.end(); ++first) {
    const auto same = [&](const k8s::GangRow& row) { return row.kind == first->kind; };
    if (std::find_if(rows.begin(), first, same) != first) continue;
    std::string head = padded(first->kind, name_width);
    std::vector<std::string> lines;
    for (const k8s::GangScenario& scenario : scenarios)
      lines.push_back(padded("  " + std::string(scenario.name), name_width));
    for (auto row = first; row != rows.end(); ++row) {
      if (!same(*row)) continue;
      head += padded(row->provider, width);
      for (std::size_t i = 0; i < lines.size(); ++i)
        lines[i] += padded(row->outcomes[i].empty() ? "." : row->outcomes[i], width);
    }
    out += head.substr(0, head.find_last_not_of(' ') + 1) + "\n";
    for (const std::string& line : lines) out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    out += "\n";
  }
  for (const k8s::GangScenario& scenario : scenarios)
    out += padded(scenario.name, name_width) + std::string(scenario.happens) + "\n";
  return out;
}

// What operators add to the pods of objects, a line each.
std::string added_text() {
  std::string out;
  for (const k8s::Kind& kind : k8s::all_kinds())
    for (const model::AddedPod& row : kind.added()) out += padded(kind.name, 24) + k8s::added_sentence(row) + "\n";
  return out.empty() ? out : "\nwhat operators add to the pods of an object\n" + out;
}

// The same of the kinds that one target writes.
Json added_json(std::string_view target) {
  Json out = Json::array();
  for (const k8s::Kind& kind : k8s::all_kinds())
    for (const model::AddedPod& row : kind.target == target ? kind.added() : std::span<const model::AddedPod>())
      out.push_back({{"kind", kind.name},
                     {"name", row.name},
                     {"as", model::name(row.as)},
                     {"beside", row.beside},
                     {"when", model::name(row.when)},
                     {"millicpus", row.millicpus},
                     {"memory", row.memory.bytes},
                     {"muster_writes", row.written}});
  return out;
}

// A line for each variable that a program finds on a target: its name, its meaning, when it is set.
std::string variables_text(const targets::Target& target) {
  constexpr std::size_t name_width = 28, meaning_width = 40;
  std::string out;
  for (const targets::TargetVariable& v : targets::variables_of(target)) {
    const std::string_view meaning = v.meaning.empty() ? "-" : v.meaning;
    const std::string line = padded(v.name, name_width) + padded(meaning, meaning_width) + v.when;
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  for (const std::string_view file : targets::files_of(target)) out += padded(file, name_width) + "file or folder\n";
  return out;
}

Json variables_json(const targets::Target& target) {
  Json names = Json::array();
  for (const targets::TargetVariable& v : targets::variables_of(target))
    names.push_back({{"name", v.name}, {"meaning", v.meaning}, {"when", v.when}});
  return {{"target", target.name}, {"variables", std::move(names)}, {"files", targets::files_of(target)}};
}

// [{"kind", "provider", "outcomes": {"two race": ["follows"], …}}, …] of one target.
Json gangs_json(std::string_view target) {
  Json out = Json::array();
  const std::vector<k8s::GangScenario> scenarios = k8s::gang_scenarios();
  for (const k8s::GangRow& row : k8s::gang_outcomes()) {
    if (row.target != target) continue;
    Json outcomes = Json::object();
    for (std::size_t i = 0; i < scenarios.size(); ++i)
      if (!row.outcomes[i].empty()) outcomes[std::string(scenarios[i].name)] = row.outcomes[i];
    out.push_back({{"kind", row.kind}, {"provider", row.provider}, {"outcomes", std::move(outcomes)}});
  }
  return out;
}

int write_text(const std::string& text) {
  return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 2 : 0;
}

int write_variables(const targets::Target& target, const std::string& format) {
  return write_text(format == "json" ? print(variables_json(target)) : variables_text(target));
}

}  // namespace

int run_targets(const CommandLine& line) {
  std::string format = "text";
  bool keys = false, gangs = false;
  Arguments app("Lists the targets.", "muster targets");
  app.add_option("--format", format, "text or json").one_of({"text", "json"}).type_name("FORMAT");
  app.add_flag("--keys", keys, "show how each target handles each key of a workload");
  app.add_flag("--gangs", gangs, "show what gangs do on each gang provider, and what operators add to their pods");
  std::string of;
  std::vector<std::string> names;
  for (const targets::Target& t : targets::all_targets()) names.emplace_back(t.name);
  app.add_option("--variables", of, "show what a running program finds in its environment on a target")
      .one_of(names)
      .type_name("TARGET");
  if (const auto exit = app.parse(line)) return *exit;
  if (!of.empty()) return write_variables(*targets::find_target(of), format);
  std::string text;
  Json json = Json::array();
  for (const targets::Target& t : targets::all_targets()) {
    const targets::Capabilities& c = t.capabilities;
    text += std::string(t.name) + std::string(16 - t.name.size(), ' ') + "tier " + std::to_string(t.tier) + "  " +
            std::string(t.summary) + "\n";
    json.push_back({{"name", t.name},
                    {"tier", t.tier},
                    {"example", t.example},
                    {"summary", t.summary},
                    {"extension", t.extension},
                    {"capabilities",
                     {{"plane", c.plane_name()},
                      {"gang", c.gang},
                      {"provider", c.provider},
                      {"arrays", c.arrays},
                      {"roles", c.roles},
                      {"services", c.services},
                      {"scale", c.scale},
                      {"requeue", c.requeue},
                      {"ray", c.ray},
                      {"mpi", c.mpi}}}});
    if (keys) json.back()["keys"] = keys_json(json.size() - 1);
    if (gangs) json.back()["gangs"] = gangs_json(t.name), json.back()["added"] = added_json(t.name);
  }
  if (keys || gangs)
    text = (keys ? keys_text() : "") + (keys && gangs ? "\n" : "") + (gangs ? gangs_text() + added_text() : "");
  if (format == "json") text = print(json);
  return write_text(text);
}

}  // namespace muster::cli
