// Why not another answer, and what would change this one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/box.h"
#include "rules/compiled.h"
#include "rules/engine.h"

namespace muster::rules {

struct TermReading {
  std::string text;     // as the file has it
  std::string reading;  // "bare-metal=true"
  bool holds = false;
  std::string by;  // the row that gave it, where an output was read
};

// A row that would give what is asked for.
struct Candidate {
  const model::Row* row = nullptr;
  std::string output, value;
  std::vector<TermReading> terms;
  std::size_t failing = 0;
  bool holds = false;  // it does, so the answer is what was asked for
};

// The rows that give `wanted`: an output's value (`slurm`), both (`runtime=ray`), or the id of a row. Those with the
// fewest terms that fail come first. Empty: no row gives it.
std::vector<Candidate> why_not(const model::Policy& policy, const Outcome& outcome, std::string_view wanted);

struct Change {
  std::string fact;
  model::FactValue from, to;
};

struct OutputChange {
  std::string output, from, to;  // of a collected one: what is lost and what is won
};

struct Flip {
  std::vector<Change> changes;
  std::vector<OutputChange> outputs;
};

struct Flips {
  std::vector<Flip> items;
  bool complete = true;  // false: there were more combinations than are tried
};

// The outputs that are an answer to a user: control-plane, runtime, layout, requires and advice where the policy has
// a control-plane, else all.
std::vector<std::string> answer_outputs(const model::Policy& policy);

// Every set of at most three facts whose change alters the answer while the change of no part of it does: a value for
// each class of values, the nearest to the fact's own. `given` are the facts that were stated or derived; others follow
// their default, and move with it. By number of facts, then by their order in the policy. `output`: only changes of
// this one count; "" for any. Facts of `fixed` keep their value. What is `ignored` is no change of the answer.
Flips flips(const model::Policy& policy, const std::vector<NamedValue>& given, std::string_view output = {},
            std::span<const std::string_view> fixed = {}, std::string_view ignored = {});

}  // namespace muster::rules
