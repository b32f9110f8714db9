#include "tests/docs/rule_index.h"

#include "lint/rule.h"

namespace muster::docs {
namespace {

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

}  // namespace

std::string rule_index() {
  std::string out =
      "# The lint rules\n\nFor readers of a finding of `muster lint`, and for teams that choose rules. At the end you "
      "know which "
      "rules there are, and where the page of each is. A page says "
      "what a rule checks, why it matters, and shows an example that is wrong and the same example corrected; `muster "
      "explain RULE` prints the page. How rules are selected, suppressed and fixed: [muster lint](lint.md).\n\n"
      "*Preview* rules run only with `--preview`, or where `--select` names them: their precision is not yet known to "
      "be good enough.\n";
  for (const lint::Family& family : lint::all_families()) {
    out += "\n## " + std::string(family.id) + ": " + std::string(family.title) +
           "\n\n| rule | severity | profile | fix | reports |\n|---|---|---|---|---|\n";
    for (const lint::Rule& rule : lint::all_rules()) {
      if (!rule.id.starts_with(family.id)) continue;
      const std::string id(rule.id);
      out += "| [`" + id + "`](../../" + std::string(rule.page) + ") " + rule.name + " | " +
             std::string(severity_name(rule.severity)) + (rule.stage == lint::Stage::preview ? ", preview" : "") +
             " | " + std::string(lint::name(rule.profile)) + " | " + std::string(lint::name(rule.fix)) + " | " +
             cell(rule.summary) + " |\n";
    }
  }
  return out;
}

}  // namespace muster::docs
