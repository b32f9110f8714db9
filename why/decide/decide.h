// From cases to answers: which cause is proven, what repairs it, or which command tells the rest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "why/causes/causes.h"
#include "why/decide/scene.h"

namespace muster::why {

// How well a cause is known: by arithmetic, or because the system said so in words.
enum class Confidence : std::uint8_t { proved, stated };
std::string_view name(Confidence confidence);

struct UsedFact {
  std::string key, value, unit;
  Place place;
};

// A whole line of a job script that a repair changes.
struct LineChange {
  std::string from, to;    // "": there is none
  std::uint32_t line = 0;  // of `from`; of a new line the one that it follows
};

struct FoundRepair {
  RepairKind kind{};
  Changes changes{};  // of an edit
  std::string text{};
  bool checked = false;             // with it, the cause is not proven any more
  std::vector<LineChange> lines{};  // where the script is known
  std::string fit{};                // whether the changed script fits the site: fits, unknown; "": it was not asked
};

struct Ask {
  std::string command;
  std::vector<std::string> separates;  // codes
};

struct Finding {
  Subject subject;
  Verdict verdict = Verdict::unknown;
  std::string code{};  // "": unknown
  std::string sentence{};
  Who who = Who::none;
  Confidence confidence = Confidence::stated;
  std::vector<UsedFact> used{};
  std::vector<FoundRepair> repairs{};
  std::vector<std::string> then{};        // causes that are proven too, and are hidden by this one
  std::vector<std::string> candidates{};  // of an answer that is not known
  std::vector<Ask> asks{};
};

// `id`: the one subject that is wanted; "": all that the facts are about.
std::vector<Finding> decide(const Facts& facts, const std::string& id = {});

}  // namespace muster::why
