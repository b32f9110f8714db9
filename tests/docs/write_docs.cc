// Writes the generated parts of docs/ from the tables they describe, or checks that they are fresh.
// usage: muster_docs [--check]
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/limits.h"
#include "compiler/base/text.h"
#include "compiler/sema/check/conditions.h"
#include "compiler/sema/schema/schema.h"
#include "compiler/twin/twin.h"
#include "lint/rule.h"
#include "rules/chart.h"
#include "rules/profiles.h"
#include "targets/carriage.h"
#include "targets/failures.h"
#include "targets/kubernetes/gang_outcomes.h"
#include "targets/kubernetes/gates.h"
#include "targets/kubernetes/kinds.h"
#include "targets/systems.h"
#include "targets/target.h"
#include "targets/variables.h"
#include "tests/docs/rule_index.h"

using namespace muster;
namespace k8s = targets::kubernetes;

namespace {

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

std::string type_text(const sema::KeySchema& key) {
  if (key.symbols.empty()) return std::string(sema::noun(key.type));
  std::string out;
  for (std::string_view word : key.symbols) out += (out.empty() ? "" : ", ") + std::string(word);
  if (key.type == sema::Type::symbols) return "list of: " + out;
  return key.type == sema::Type::symbol ? "one of: " + out : std::string(sema::noun(key.type)) + " or `" + out + "`";
}

// A table of the schema stands in many blocks; the first one shows it. Rows are told by what they point to.
using Row = std::tuple<std::string_view, const char*, const sema::KeySchema*, const sema::BlockSchema*>;
using Shown = std::map<Row, std::string>;  // under which title

Row row_of(const sema::BlockSchema& block) {
  return {block.name, block.doc.data(), block.keys.data(), block.blocks.data()};
}

// "The blocks `env` and `mount` are those of `workload NAME`."
std::string those_of(const std::map<std::string, std::vector<std::string_view>>& others) {
  std::string out;
  for (const auto& [title, names] : others)
    out += "\n" + std::string(names.size() == 1 ? "The block " : "The blocks ") + quoted_list(names) +
           (names.size() == 1 ? " is that of `" : " are those of `") + title + "`.\n";
  return out;
}

void block_text(const sema::BlockSchema& block, const std::string& path, Shown& shown, std::string& out) {
  const std::string title = path + std::string(block.name) + (block.label == sema::LabelRule::required ? " NAME" : "");
  out += "\n### `" + title + "`\n\n" + std::string(block.doc) + (block.repeats && !path.empty() ? "; any number" : "") +
         ".\n";
  if (block.extras.any_key) out += "Any key; each takes " + std::string(sema::noun(block.extras.any_type)) + ".\n";
  if (!block.keys.empty()) out += "\n| key | takes | default | meaning |\n|---|---|---|---|\n";
  for (const sema::KeySchema& key : block.keys)
    out += "| `" + std::string(key.name) + "`" + (key.required ? " (required)" : "") + " | " + cell(type_text(key)) +
           " | " + cell(key.fallback) + " | " + cell(key.doc) + " |\n";
  std::vector<const sema::BlockSchema*> own;
  std::map<std::string, std::vector<std::string_view>> others;
  for (const sema::BlockSchema& inner : block.blocks) {
    const auto [first, fresh] = shown.try_emplace(row_of(inner), title);
    if (fresh) own.push_back(&inner);
    else others[first->second].push_back(inner.name);
  }
  out += those_of(others);
  for (const sema::BlockSchema* inner : own) block_text(*inner, title + " · ", shown, out);
}

std::string limits() {
  std::string out = "| limit | value | above it |\n|---|---|---|\n";
  for (const LimitInfo& limit : all_limits())
    out += "| " + cell(limit.name) + " | " + value_text(limit) + " | " + cell(limit.help) + " |\n";
  return out;
}

std::string keys() {
  std::string out;
  Shown shown;
  for (const sema::BlockSchema& top : sema::top_level()) {
    out += "\n## " + std::string(top.name) + "\n";
    block_text(top, "", shown, out);
  }
  return out;
}

std::string facts() {
  std::string out = "\n| fact | compared with | meaning |\n|---|---|---|\n";
  for (const sema::KeySchema& fact : sema::pool_facts())
    out += "| `" + std::string(fact.name) + "` | " + cell(type_text(fact)) + " | " + cell(fact.doc) + " |\n";
  return out;
}

std::string codes() {
  std::string out;
  for (const CodeInfo& code : all_codes())
    out += "\n### " + std::string(code.id) + " " + code.name + "\n\n" + std::string(severity_name(code.severity)) +
           ": " + std::string(code.summary) + ".\n\n" + std::string(code.explanation) + "\n";
  return out;
}

std::string target_rows() {
  std::string out =
      "\n| target | tier | plane | writes | gang | sweep | roles | service | scale | retry | ray | mpi |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const targets::Target& t : targets::all_targets()) {
    const targets::Capabilities& c = t.capabilities;
    out += "| `" + std::string(t.name) + "` | " + std::to_string(t.tier) + " | " + std::string(c.plane_name()) + " | " +
           std::string(t.summary) + " | " +
           (c.gang       ? "yes"
            : c.provider ? "by provider"
                         : "no");
    for (const bool can : {c.arrays, c.roles, c.services, c.scale, c.requeue, c.ray, c.mpi})
      out += can ? " | yes" : " | no";
    out += " |\n";
  }
  return out;
}

// What a program finds in its environment on each target; those of every pod once.
std::string variable_rows() {
  std::string out = "\n| target | variable | meaning | when |\n|---|---|---|---|\n";
  std::set<std::string_view> seen;
  for (const targets::Target& target : targets::all_targets())
    for (const targets::TargetVariable& v : targets::variables_of(target)) {
      const bool of_all = v.when == "in every pod", of_ray = target.name == "ray-on-slurm";  // Slurm's again
      if (of_ray || (of_all && !seen.insert(v.name).second)) continue;
      out += "| " + (of_all ? "every pod" : "`" + std::string(target.name) + "`") + " | `" + std::string(v.name) +
             "` | " + std::string(v.meaning.empty() ? "–" : v.meaning) + " | " + (of_all ? "" : cell(v.when)) + " |\n";
    }
  return out;
}

// What becomes of each key at each target, in the words of targets/carriage.h; "–" where a target never meets the key.
std::string carriage_rows() {
  std::string out = "\n| key |", line = "|---|";
  for (const targets::Target& t : targets::all_targets()) {
    out += " `" + std::string(t.name) + "` |";
    line += "---|";
  }
  out += "\n" + line + "\n";
  for (const targets::Carriage& row : targets::carriage()) {
    out += "| `" + std::string(row.key) + "` |";
    for (const std::string_view cell : row.outcomes) {
      std::string words;
      for (const char letter : cell) words += (words.empty() ? "" : ", ") + std::string(targets::outcome_word(letter));
      out += " " + (words.empty() ? "–" : words) + " |";
    }
    out += "\n";
  }
  return out;
}

std::string version_cell(model::Version version) {
  if (version == model::Version{}) return "";
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

std::string release_row(std::string_view component, const std::string& what, const k8s::Releases& in) {
  return "| " + std::string(component) + " | " + what + " | " + version_cell(in.since) + " | " +
         version_cell(in.until) + " |\n";
}

std::string what_of(const k8s::Gate& gate) {
  if (!gate.mark.empty()) return "`" + std::string(gate.mark) + "`";
  if (gate.path.empty()) return std::string(gate.kind) + (gate.kind.empty() ? "" : " of ") + std::string(gate.group);
  return std::string(gate.kind) + ": `" + std::string(gate.path) + (gate.value.empty() ? "" : ": ") +
         std::string(gate.value) + "`";
}

std::string releases() {
  std::string out = "\n| component | what | since | removed in |\n|---|---|---|---|\n";
  for (const k8s::Gate& gate : k8s::object_gates()) out += release_row(gate.component, what_of(gate), gate.in);
  for (const k8s::PodGate& gate : k8s::pod_gates())
    out += release_row("kubernetes", "pods: `" + std::string(gate.path) + "`", gate.in);
  for (const k8s::Feature& f : k8s::features()) out += release_row(f.component, "`" + std::string(f.name) + "`", f.in);
  out += "\nThe pods that an operator's schema has:\n\n| component | since | pods of Kubernetes |\n|---|---|---|\n";
  for (const k8s::PodSchema& row : k8s::pod_schemas())
    out += "| " + std::string(row.component) + " | " + version_cell(row.release) + " | " +
           version_cell(row.kubernetes) + " |\n";
  return out;
}

// What gangs do on each provider, and below it what each column is.
std::string gang_rows() {
  const std::vector<k8s::GangScenario> scenarios = k8s::gang_scenarios();
  std::string out = "\n| kind | provider |", line = "|---|---|", meanings;
  for (const k8s::GangScenario& scenario : scenarios) {
    out += " " + std::string(scenario.name) + " |";
    line += "---|";
    meanings += "| " + std::string(scenario.name) + " | " + cell(scenario.happens) + " |\n";
  }
  out += "\n" + line + "\n";
  for (const k8s::GangRow& row : k8s::gang_outcomes()) {
    out += "| " + std::string(row.kind) + " | " + std::string(row.provider) + " |";
    for (const std::string_view seen : row.outcomes) out += " " + std::string(seen.empty() ? "–" : seen) + " |";
    out += "\n";
  }
  return out + "\n| column | what happens to the gang |\n|---|---|\n" + meanings;
}

// "the job; 3 runs; FAILED, 3".
std::string failure_cell(const targets::FailureCell& seen) {
  if (seen.restarts.empty()) return std::string(seen.end.empty() ? "refused" : seen.end);
  return cell(std::string(seen.restarts) + "; " + std::string(seen.runs) +
              (seen.runs == "always" ? "; "
               : seen.runs == "1"    ? " run; "
                                     : " runs; ") +
              std::string(seen.end));
}

// A table for each kind: its failures, by the setting of `retry`.
std::string failure_rows() {
  std::string out = "\n| failure | what happens |\n|---|---|\n", line = "|---|";
  const std::vector<targets::Failure> failures = targets::failures();
  for (const targets::Failure& failure : failures)
    out += "| " + std::string(failure.name) + " | " + cell(failure.happens) + " |\n";
  std::string head = "| failure |";
  for (const targets::RetrySetting& setting : targets::retry_settings()) {
    head += " " + cell(setting.keys) + " |";
    line += "---|";
  }
  for (const targets::FailureKind& kind : targets::failure_kinds()) {
    out += "\n### " + std::string(kind.name) + "\n\nTarget `" + std::string(kind.target) +
           "`: " + std::string(kind.what) + ".\n\n" + head + "\n" + line + "\n";
    for (std::size_t i = 0; i < failures.size(); ++i) {
      out += "| " + std::string(failures[i].name) + " |";
      for (const targets::FailureCell& seen : kind.cells[i]) out += " " + failure_cell(seen) + " |";
      out += "\n";
    }
  }
  return out;
}

std::string played_rows() {
  std::string out = "\n| played | exit code | what a kubelet does |\n|---|---|---|\n";
  for (const targets::PlayedEnd& end : targets::played_ends())
    out += "| " + std::string(end.what) + " | " + std::string(end.code) + " | [" + cell(end.how) + "](" +
           std::string(end.source) + ") |\n";
  return out;
}

// What operators add to the pods of an object, and what muster writes for it.
std::string added_rows() {
  std::string out = "\n| kind | added | what muster writes |\n|---|---|---|\n";
  for (const k8s::Kind& kind : k8s::all_kinds())
    for (const model::AddedPod& row : kind.added())
      out += "| " + std::string(kind.name) + " | " + cell(k8s::added_sentence(row)) + " | " +
             (row.written.empty() ? "nothing: its pods request more" : cell(row.written)) + " |\n";
  return out;
}

std::string chart() { return "\n```mermaid\n" + rules::flow_chart(rules::profile("default")) + "```\n"; }

std::string read(const std::string& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Replaces what stands between `<!-- generated: NAME -->` and `<!-- end -->`. False: stale (with
// check) or no such place.
bool update(const std::string& document, const std::string& name, const std::string& content, bool check) {
  const std::string file = std::string(MUSTER_SOURCE_DIR) + "/docs/" + document;
  std::string text = read(file);
  const std::string opening = "<!-- generated: " + name + " -->\n";
  const std::size_t begin = text.find(opening), end = text.find("\n<!-- end -->", begin);
  if (begin == std::string::npos || end == std::string::npos) {
    std::fprintf(stderr, "docs/%s has no place for %s\n", document.c_str(), name.c_str());
    return false;
  }
  const std::string before = text;
  text.replace(begin + opening.size(), end - begin - opening.size(), content);
  if (text == before) return true;
  if (check) {
    std::fprintf(stderr, "docs/%s: %s is stale; run build/release/tests/muster_docs\n", document.c_str(), name.c_str());
    return false;
  }
  std::ofstream(file) << text;
  return true;
}

// A file that is generated as a whole.
bool whole(const std::string& document, const std::string& content, bool check) {
  const std::string file = std::string(MUSTER_SOURCE_DIR) + "/docs/" + document;
  if (read(file) == content) return true;
  if (check) std::fprintf(stderr, "docs/%s is stale; run build/release/tests/muster_docs\n", document.c_str());
  else std::ofstream(file) << content;
  return !check;
}

}  // namespace

std::string systems() {
  std::string out =
      "# Systems\n\nFor people who look for a system that muster may not write for. At the end you know how muster "
      "meets it, which judge holds what is written against the real thing, or what to use instead. What each target "
      "writes: [targets](targets.md).\n\n"
      "| system | state | target | judge | how, or what to use |\n|---|---|---|---|---|\n";
  for (const targets::System& row : targets::all_systems()) {
    const std::string target = row.target.empty() ? "" : "`" + std::string(row.target) + "`";
    out += "| " + std::string(row.name) + " | " + std::string(targets::state_text(row.state)) + " | " + target + " | " +
           std::string(row.judge) + " | " + std::string(row.text) + " |\n";
  }
  return out;
}

int main(int argc, char** argv) {
  const bool check = argc > 1 && std::strcmp(argv[1], "--check") == 0;
  bool good = update("reference/keys.md", "keys", keys(), check);
  good = update("reference/language.md", "facts", facts(), check) && good;
  good = update("reference/decision-rules.md", "default", rules::markdown_tables(rules::profile("default")), check) &&
         good;
  good = update("reference/decision-rules.md", "chart", chart(), check) && good;
  good = update("reference/diagnostics.md", "limits", limits(), check) && good;
  good = update("reference/diagnostics.md", "codes", codes(), check) && good;
  good = whole("reference/rules.md", docs::rule_index(), check) && good;
  good = update("reference/targets.md", "targets", target_rows(), check) && good;
  good = update("reference/targets.md", "added", added_rows(), check) && good;
  good = update("reference/targets.md", "gangs", gang_rows(), check) && good;
  good = update("reference/failures.md", "failures", failure_rows(), check) && good;
  good = update("reference/failures.md", "played", played_rows(), check) && good;
  good = update("reference/targets.md", "variables", variable_rows(), check) && good;
  good = update("reference/targets.md", "carriage", carriage_rows(), check) && good;
  good = update("reference/targets.md", "releases", releases(), check) && good;
  good = whole("reference/systems.md", systems(), check) && good;
  good = whole("schemas/muster.json", twin::json_schema(), check) && good;
  if (good && check) std::puts("the generated parts of docs/ are fresh");
  return good ? 0 : 1;
}
