// What every check of a workload takes: the workload, what was decided and placed for it, and where findings go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/model/policy.h"
#include "compiler/model/workload.h"
#include "lint/context.h"
#include "lint/reporter.h"
#include "plan/steps/make_plan.h"

namespace muster::lint {

struct SpecScene {
  const Context& context;            // `site` is nullptr where the workload was planned for the built-in one
  const model::Workload& workload;   // of `any-of` one option: each is checked
  const plan::PlanRequest& request;  // of that workload
  const plan::PlanResult& result;    // what came of it
  const model::Policy& policy;
  Reporter report;

  // At a key that the workload writes, else at its name; the subject is the workload's id, the path that of the key.
  // Both return the finding so that labels, notes and a fix can be added to it; the reference is valid until the next
  // one.
  Finding& wrong(RuleId rule, const model::FieldRef& field, std::string message, std::string label = {}) const;
  Finding& cannot_tell(RuleId rule, const model::FieldRef& field, std::string message, std::string label = {}) const;
  // The same at a place of its own, such as one word of a list.
  Finding& wrong_at(RuleId rule, Span where, const model::FieldRef& field, std::string message,
                    std::string label = {}) const;

  // A finding about the site, which the site alone has in the same words: it is there once. `field` is the key
  // that shows it.
  void of_site(std::optional<Finding> found, const model::FieldRef& field) const;

  // Where the workload writes a key; nowhere if it does not.
  Span key(const model::FieldRef& field) const;
  // A key of a role: as it stands for an implicit role, in the role's block where that is what was written.
  model::FieldRef field_in(const model::Role& role, const model::FieldRef& field) const;
  // The plane that takes it; nullptr: none does, or there is no plan.
  const model::Plane* plane() const { return result.plan ? result.plan->plane : nullptr; }
};

// What the policy gave an output ("coupled", "control-plane"); "" if no row did.
std::string_view decided(const plan::Plan& plan, std::string_view output);
// The program's words: of a command and its arguments, with their places; none of a script.
std::vector<model::Located<std::string>> arguments_of(const model::Role& role);
// The bytes of the role's script; "" of a command.
std::string_view script_of(const model::Role& role);

void check_decision(const SpecScene& scene);          // DEC001 to DEC008
void check_spec_gang(const SpecScene& scene);         // SCH001, SCH004, SCH005, SCH007, SCH009, SCH011, NET001, NET004
void check_slurm_limits(const SpecScene& scene);      // SLM005 to SLM008, SLM013
void check_parallel(const SpecScene& scene);          // PAR001 to PAR004
void check_checkpoints(const SpecScene& scene);       // CKP001 to CKP005
void check_transport(const SpecScene& scene);         // NET002, NET003
void check_pods(const SpecScene& scene);              // K8S001, K8S006, K8S007, IMG001
void check_service(const SpecScene& scene);           // SRV001, SRV003, SRV004, SRV006
void check_policy(const SpecScene& scene);            // SEC001, QTA001, QTA002, PRT001
void check_cpu_work_on_gpus(const SpecScene& scene);  // SCH018

void check_limit_not_kept(const SpecScene& scene);  // SKY001

}  // namespace muster::lint
