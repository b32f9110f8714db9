// The catalogue: what each lint rule is called, how bad its finding is, and where it can occur.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "compiler/base/diagnostic.h"

namespace muster::lint {

// One enumerator a line of catalogue.def, e.g. RuleId::double_launch (printed SLM001).
enum class RuleId : std::uint16_t {
#define MUSTER_RULE(id, slug, severity, input, stage, summary, explanation) slug,
#include "lint/catalogue.def"
#undef MUSTER_RULE
};

// What kind of file a rule reads.
enum class Input : std::uint8_t { script, manifest, any };

// A preview rule reports only where it is asked for by name or with --preview: its precision is not
// yet known to be good enough.
enum class Stage : std::uint8_t { stable, preview };

struct Rule {
  std::string_view id;  // "SLM001"
  std::string name;     // "double-launch"
  Severity severity;    // of a finding that is surely wrong
  Input input;
  Stage stage;
  std::string_view summary;      // one line
  std::string_view explanation;  // what `muster explain SLM001` prints: why, and how to mend it
};

const Rule& info(RuleId rule);
std::span<const Rule> all_rules();
// Finds a rule by its id or its name, in any case; nullptr if there is none.
const Rule* find_rule(std::string_view id_or_name);

}  // namespace muster::lint
