// What became of a workload, as the assertions of a test ask for it.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "compiler/syntax/ast.h"
#include "driver/choose.h"
#include "driver/planning.h"

namespace muster::driver {

// target plane control-plane nodes gpus runner requires verdict loss.
std::span<const std::string_view> attributes();
// Those that each role has of its own: nodes gpus runner.
bool is_of_role(std::string_view attribute);

// The plan of one workload on one site, asked attribute by attribute.
class Answers {
 public:
  Answers(const model::Workload& workload, const Session& session, const Setting& setting, bool site_named);

  // Of the workload, or of one of its roles. nullopt: there is no such attribute.
  std::optional<ast::Expr> get(std::string_view attribute, const model::Role& role);
  // What stood against a plan, or against the files of its target.
  const Diagnostics& reports() const { return reports_; }

 private:
  ast::Expr losses();

  const model::Workload& workload_;
  Chosen chosen_;
  Diagnostics reports_;
};

}  // namespace muster::driver
