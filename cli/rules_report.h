// What the verbs of `muster rules` print.
#pragma once

#include <string>

#include "compiler/base/diagnostic.h"
#include "driver/rules_input.h"
#include "rules/verify.h"

namespace muster::cli {

struct RulesReport {
  std::string text;
  int code = 0;
};

RulesReport verify_report(const driver::RulesInput& input, const Sources& sources, const std::string& format);
RulesReport test_report(const driver::RulesInput& input, const Sources& sources, const std::string& format,
                        bool coverage);
RulesReport show_report(const model::Policy& policy, const std::string& format, bool effective);
RulesReport table_report(const model::Policy& policy, const std::string& format);
RulesReport diff_report(const model::Policy& before, const model::Policy& after, const std::string& format,
                        Diagnostics& diagnostics);

}  // namespace muster::cli
