// Every stage as JSON, for `--emit` and for reports. Key order is fixed; values are the language's words.
#pragma once

#include <nlohmann/json.hpp>

#include "compiler/base/source.h"
#include "compiler/model/workload.h"
#include "compiler/syntax/ast.h"
#include "plan/steps/make_plan.h"
#include "rules/engine.h"
#include "targets/target.h"

namespace muster::cli {

using Json = nlohmann::ordered_json;

Json to_json(const ast::File& file, const Sources& sources);
Json to_json(const model::Workload& workload, const Sources& sources);
Json to_json(const model::FactValue& value);
Json to_json(const plan::Facts& facts, const Sources& sources);
// With the policy that made it: what satisfies a requirement is in its add-ons.
Json to_json(const plan::Decision& decision, const model::Policy& policy);
// {"profile", "profile_version", "policy_sha256"} of the policy in force: a part of every JSON that rests on one.
Json policy_json(const model::Policy& policy);
// The add-ons that satisfy a requirement, in the policy's order.
std::vector<const model::Addon*> addons_for(const model::Policy& policy, const std::string& requirement);
Json to_json(const std::vector<rules::NamedValue>& facts);
Json to_json(const plan::Fit& fit, const model::Workload& workload);
Json to_json(const targets::Lowered& lowered);

// Bytes that are not UTF-8 are replaced; two spaces of indentation and a line end.
std::string print(const Json& json);

}  // namespace muster::cli
