#include "cli/decide_why.h"

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/base/text.h"
#include "compiler/model/plane_traits.h"
#include "plan/decide/decide.h"
#include "plan/decide/facts.h"
#include "rules/explain.h"

namespace muster::cli {
namespace {

// What both questions found; printed in three forms.
struct Answers {
  std::vector<rules::Candidate> rows;
  std::optional<rules::Flips> flips;
};

void report_unknown(const model::Policy& policy, const std::string& wanted, Diagnostics& diagnostics) {
  std::vector<std::string> values;
  for (const model::Table& table : policy.tables)
    for (const model::Row& row : table.rows)
      for (const model::Assignment& set : row.sets) {
        std::string value = model::to_string(set.value);
        if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
      }
  const std::vector<std::string_view> known(values.begin(), values.end());
  Diagnostic& d = diagnostics.add(Code::unknown_symbol, {},
                                  "no row of policy `" + policy.name + "` gives `" + printable(wanted) + "`");
  const std::string near = closest(wanted, known);
  d.notes.push_back(near.empty() ? "values are " + quoted_list(known) : "did you mean `" + near + "`?");
}

Answers find_answers(const model::Policy& policy, const plan::Facts& facts, const WhyOptions& options,
                     Diagnostics& diagnostics) {
  Answers out;
  const auto outcome = plan::evaluate(policy, facts, diagnostics);
  if (!outcome) return out;
  if (!options.wanted.empty()) {
    out.rows = rules::why_not(policy, *outcome, options.wanted);
    if (out.rows.empty()) report_unknown(policy, options.wanted, diagnostics);
  }
  const auto outputs = rules::answer_outputs(policy);
  const std::string of = dashed(options.flip_of);
  if (!of.empty() && std::find(outputs.begin(), outputs.end(), of) == outputs.end()) {
    const std::vector<std::string_view> names(outputs.begin(), outputs.end());
    diagnostics.add(Code::unknown_symbol, {}, "policy `" + policy.name + "` has no output `" + printable(of) + "`")
        .notes.push_back("its outputs are " + quoted_list(names));
  } else if (options.flip || !of.empty()) {
    // The author of a workload can change its size; advice of the rules is about clusters.
    std::vector<std::string_view> fixed;
    if (!options.flip_all) fixed = plan::facts_not_of_author();
    out.flips = rules::flips(policy, plan::declared_facts(policy, facts), of, fixed, options.flip_all ? "" : "advice");
  }
  return out;
}

// "derived: kind is train (a.muster:3:5)", "by CO-020", "the default".
std::string origin(const rules::TermReading& term, const plan::Facts& facts, const Sources& sources) {
  if (!term.by.empty()) return "by " + term.by;
  const plan::Fact* fact = facts.find(term.reading.substr(0, term.reading.find('=')));
  if (fact == nullptr) return "the default";
  const std::string place = sources.place(fact->span);
  return std::string(plan::name(fact->source)) + ": " + fact->reason + (place.empty() ? "" : " (" + place + ")");
}

std::string verdict(const rules::Candidate& row, const model::Policy& policy) {
  const auto outputs = rules::answer_outputs(policy);
  if (row.holds && std::find(outputs.begin(), outputs.end(), row.output) != outputs.end())
    return "it applies: this is the answer";
  if (row.holds) return "it applies, and other rows read what it gives";
  if (row.failing == 0) return "its conditions hold, but an earlier row takes precedence";
  return std::to_string(row.failing) + " of " + counted(static_cast<long long>(row.terms.size()), "condition") +
         (row.failing == 1 ? " fails" : " fail");
}

std::string changes_text(const rules::Flip& flip) {
  std::string out;
  for (const rules::Change& c : flip.changes)
    out += (out.empty() ? "" : ", ") + c.fact + ": " + model::to_string(c.from) + " -> " + model::to_string(c.to);
  return out;
}

bool is_list(const std::string& output) { return output == "requires" || output == "advice"; }

std::string outputs_text(const rules::Flip& flip) {
  std::string out;
  for (const rules::OutputChange& c : flip.outputs) {
    out += (out.empty() ? "" : "; ") + c.output;
    if (!is_list(c.output)) out += " " + c.from + " -> " + c.to;
    else out += (c.from.empty() ? "" : " - " + c.from) + (c.to.empty() ? "" : " + " + c.to);
  }
  return out;
}

// Whether the question is about what was passed over.
bool is_of(const FirstChoice& first, const Answers& answers) {
  return !first.control_plane.empty() && std::any_of(answers.rows.begin(), answers.rows.end(), [&](const auto& row) {
    return model::in_rules(row.value) == model::in_rules(first.control_plane);
  });
}

constexpr const char* cut_off = "there are too many combinations to search";

}  // namespace

bool agree(const std::vector<std::pair<std::string, std::string>>& facts, Diagnostics& diagnostics) {
  bool good = true;
  std::map<std::string, std::string> seen;
  for (const auto& [name, value] : facts) {
    const auto& first = seen.try_emplace(dashed(name), value).first->second;
    if (first == value) continue;
    good = false;
    diagnostics.add(Code::contradictory_facts, {},
                    "fact `" + printable(dashed(name)) + "` is stated as `" + printable(first) + "` and as `" +
                        printable(value) + "`");
  }
  return good;
}

std::string why_text(const model::Policy& policy, const plan::Facts& facts, const FirstChoice& first,
                     const WhyOptions& options, const Sources& sources, Diagnostics& diagnostics) {
  const Answers answers = find_answers(policy, facts, options, diagnostics);
  std::string out;
  if (!answers.rows.empty()) out += "  why not " + options.wanted + "\n";
  if (is_of(first, answers))
    out += "    the rules prefer " + first.control_plane + ", which was passed over: " + first.why_not + "\n";
  for (const rules::Candidate& row : answers.rows) {
    out += "    " + row.row->id + " gives " + row.output + " " + row.value + ": " + verdict(row, policy) + "\n";
    for (const rules::TermReading& term : row.terms)
      out += std::string("      ") + (term.holds ? "holds  " : "fails  ") + term.text + "   " + term.reading + ", " +
             origin(term, facts, sources) + "\n";
  }
  if (!answers.flips) return out;
  out += "  what would change it\n";
  for (const rules::Flip& flip : answers.flips->items)
    out += "    " + changes_text(flip) + "   " + outputs_text(flip) + "\n";
  if (answers.flips->items.empty())
    out +=
        std::string("    no change of ") + (options.flip_all ? "up to three facts" : "the size of the workload") + "\n";
  if (!answers.flips->complete) out += std::string("    ") + cut_off + "\n";
  return out;
}

std::string why_markdown(const model::Policy& policy, const plan::Facts& facts, const FirstChoice& first,
                         const WhyOptions& options, const Sources& sources, Diagnostics& diagnostics) {
  const Answers answers = find_answers(policy, facts, options, diagnostics);
  std::string out;
  if (!answers.rows.empty())
    out += "#### Why not " + options.wanted + "\n\n" +
           (is_of(first, answers)
                ? "The rules prefer " + first.control_plane + ", which was passed over: " + first.why_not + "\n\n"
                : std::string()) +
           "| row | gives | condition | holds | read |\n|---|---|---|---|---|\n";
  for (const rules::Candidate& row : answers.rows)
    for (const rules::TermReading& term : row.terms)
      out += "| " + row.row->id + " | " + row.output + " " + row.value + " | `" + term.text + "` | " +
             (term.holds ? "yes" : "no") + " | " + term.reading + ", " + origin(term, facts, sources) + " |\n";
  if (!answers.rows.empty()) out += "\n";
  if (!answers.flips) return out;
  out += "#### What would change it\n\n| facts | answer |\n|---|---|\n";
  for (const rules::Flip& flip : answers.flips->items)
    out += "| " + changes_text(flip) + " | " + outputs_text(flip) + " |\n";
  if (!answers.flips->complete) out += std::string("\n") + cut_off + "\n";
  return out + "\n";
}

Json why_json(const model::Policy& policy, const plan::Facts& facts, const WhyOptions& options, const Sources& sources,
              Diagnostics& diagnostics) {
  const Answers answers = find_answers(policy, facts, options, diagnostics);
  Json out = Json::object();
  for (const rules::Candidate& row : answers.rows) {
    Json terms = Json::array();
    for (const rules::TermReading& term : row.terms)
      terms.push_back({{"condition", term.text},
                       {"read", term.reading},
                       {"from", origin(term, facts, sources)},
                       {"holds", term.holds}});
    out["why_not"].push_back({{"rule", row.row->id},
                              {"output", row.output},
                              {"value", row.value},
                              {"holds", row.holds},
                              {"failing", row.failing},
                              {"conditions", std::move(terms)}});
  }
  if (!answers.flips) return out;
  out["flips"] = Json::array();
  for (const rules::Flip& flip : answers.flips->items) {
    Json changes = Json::array(), outputs = Json::array();
    for (const rules::Change& c : flip.changes)
      changes.push_back({{"fact", c.fact}, {"from", to_json(c.from)}, {"to", to_json(c.to)}});
    for (const rules::OutputChange& c : flip.outputs)
      outputs.push_back({{"output", c.output}, {"from", c.from}, {"to", c.to}});
    out["flips"].push_back({{"changes", std::move(changes)}, {"outputs", std::move(outputs)}});
  }
  out["flips_complete"] = answers.flips->complete;
  return out;
}

std::string facts_markdown(const plan::Facts& facts, const Sources& sources) {
  std::string out = "| fact | value | source | why |\n|---|---|---|---|\n";
  for (const plan::Fact& f : facts.items) {
    const std::string place = sources.place(f.span);
    out += "| " + f.name + " | " + model::to_string(f.value) + " | " + std::string(plan::name(f.source)) + " | " +
           f.reason + (place.empty() ? "" : " (" + place + ")") + " |\n";
  }
  return out + "\n";
}

}  // namespace muster::cli
