// What every check of a workload takes: the workload, what was decided and placed for it, and where findings go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/model/policy.h"
#include "compiler/model/workload.h"
#include "lint/context.h"
#include "lint/finding.h"
#include "plan/make_plan.h"

namespace muster::lint {

struct SpecScene {
  const Context& context;           // `site` is nullptr where the workload was planned for the built-in one
  const model::Workload& workload;  // of `any-of` one option: each is checked
  const plan::PlanResult& result;   // of that workload
  const model::Policy& policy;
  std::vector<Finding>& findings;

  // At a key that the workload writes ("time-limit", "role.actor.resources.gpus"), else at its name; the subject is the
  // workload's id, the path that key. Both return the finding so that labels, notes and a fix can be hung on it; the
  // reference is valid until the next one.
  Finding& wrong(RuleId rule, std::string_view path, std::string message, std::string label = {}) const;
  Finding& cannot_tell(RuleId rule, std::string_view path, std::string message, std::string label = {}) const;
  // The same at a place of its own, such as one word of a list.
  Finding& wrong_at(RuleId rule, Span where, std::string_view path, std::string message, std::string label = {}) const;

  // Where the workload writes a key, by its full path in Workload::written; nowhere if it does not.
  Span key(std::string_view path) const;
  // The path of a key of a role: "gpus" of an implicit role is "resources.gpus" as it stands, of a role that was
  // written "role.NAME.resources.gpus" where that is what was written.
  std::string path_in(const model::Role& role, std::string_view key) const;
  // The plane that takes it; nullptr: none does, or there is no plan.
  const model::Plane* plane() const { return result.plan ? result.plan->plane : nullptr; }
};

void check_slurm_limits(const SpecScene& scene);

}  // namespace muster::lint
