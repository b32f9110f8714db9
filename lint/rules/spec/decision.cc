// DEC001 to DEC008: what a workload declares, the site has and the policy decided, beside each other.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/shell/launchers.h"
#include "lint/rules/site/site.h"
#include "lint/rules/spec/scene.h"
#include "targets/target.h"

namespace muster::lint {
namespace {

using model::Plane;

bool states(const plan::Fact& fact) {
  return fact.source == plan::FactSource::workload || fact.source == plan::FactSource::site ||
         fact.source == plan::FactSource::command_line;
}

bool holds(const plan::Facts& facts, std::string_view name) {
  const plan::Fact* fact = facts.find(name);
  return fact != nullptr && fact->value == model::FactValue(true);
}

std::optional<std::int64_t> count_of(const plan::Facts& facts, std::string_view name) {
  const plan::Fact* fact = facts.find(name);
  const auto* n = fact == nullptr ? nullptr : std::get_if<std::int64_t>(&fact->value);
  return n == nullptr ? std::nullopt : std::optional(*n);
}

bool is_of(const Plane& plane, std::string_view control_plane) {
  return plane.traits().control_plane == model::control_plane_of(control_plane);
}

// Whether it is what a policy decides for, to which batch systems are alike.
bool is_decided(const Plane& plane, std::string_view decided) {
  return plane.traits().in_rules == model::in_rules(decided);
}

// DEC001. A queue that only another plane has pulls the workload there, whatever the policy says.
bool check_queue(const SpecScene& scene, const plan::Plan& plan, std::string_view wanted) {
  if (plan.queue == nullptr || is_decided(*plan.plane, wanted) || plan.queue->plane.empty() ||
      scene.workload.queues.empty())
    return false;
  const auto& planes = scene.context.site->planes;
  if (std::none_of(planes.begin(), planes.end(), [&](const Plane& p) { return is_decided(p, wanted); })) return false;
  Finding& f = scene.wrong(RuleId::decision_mismatch, model::Field::queue,
                           "queue `" + plan.queue->name + "` belongs to plane `" + plan.plane->name + "`, but policy " +
                               scene.policy.name + " decides " + std::string(wanted),
                           "declared here");
  f.labels.push_back({plan.queue->span, "the queue"});
  return true;
}

// The plane that the words of a target are for; "" of a target that is not known.
std::string_view plane_of(const model::TargetOptions& block) {
  const targets::Target* target = targets::find_target(block.target);
  return target == nullptr ? "" : target->capabilities.plane_name();
}

// DEC001. Words for one target beside those of another are for wherever the workload goes. Where all are for a plane
// that the site has and that does not get it, none is ever read.
void check_arguments(const SpecScene& scene, const plan::Plan& plan) {
  const auto& blocks = scene.workload.targets;
  const auto& planes = scene.context.site->planes;
  const auto elsewhere = [&](const model::TargetOptions& block) {
    const std::string_view plane = plane_of(block);
    return !plane.empty() && !is_of(*plan.plane, plane) &&
           std::any_of(planes.begin(), planes.end(), [&](const Plane& p) { return is_of(p, plane); });
  };
  if (blocks.empty() || !std::all_of(blocks.begin(), blocks.end(), elsewhere)) return;
  const model::TargetOptions& first = blocks.front();
  Finding& f = scene.wrong_at(RuleId::decision_mismatch, first.span, {model::Field::target, first.target},
                              "all `target` blocks of the workload are for " + std::string(plane_of(first)) +
                                  ", but it runs on plane `" + plan.plane->name + "`, which ignores them",
                              "declared here");
  f.severity = Severity::warning;  // it runs, without them
  f.labels.push_back({plan.plane->span, "the plane that it runs on"});
  f.notes.push_back("set `kind`, `queue` or `facts` so that it runs there, or remove the blocks");
}

void check_declared(const SpecScene& scene, const plan::Plan& plan) {
  const std::string_view wanted = plan.decision.preferred;
  if (scene.context.site == nullptr || plan.plane == nullptr || wanted.empty()) return;
  if (!check_queue(scene, plan, wanted)) check_arguments(scene, plan);
}

// DEC002. Ray hands out machines too: beside another plane both promise the same ones.
void check_ray(const SpecScene& scene, const plan::Plan& plan) {
  if (plan.decision.runtime != "ray" || scene.context.site == nullptr || plan.plane == nullptr) return;
  const Plane& plane = *plan.plane;
  if (plane.service() != nullptr && plane.traits().target.empty()) {
    const auto& planes = scene.context.site->planes;
    const auto shares = [&](const Plane& p) {
      return &p != &plane && std::any_of(plan.roles.begin(), plan.roles.end(), [&](const plan::RolePlan& role) {
        return role.pool != nullptr && p.owns(role.pool->name);
      });
    };
    const auto other = std::find_if(planes.begin(), planes.end(), shares);
    if (other == planes.end()) return;
    Finding& f = scene.wrong(RuleId::ray_ungoverned, model::Field::launch_runner,
                             "the Ray cluster `" + plane.name + "` and plane `" + other->name +
                                 "` allocate the same nodes independently of each other");
    f.labels.push_back({plane.span, "the Ray cluster"});
  } else if (plane.pods() != nullptr && !plane.pods()->operators.empty()) {
    if (plane.pods()->has_operator("kuberay")) return;
    Finding& f =
        scene.wrong(RuleId::ray_ungoverned, model::Field::launch_runner,
                    "plane `" + plane.name + "` does not declare the operator `kuberay`, which starts Ray clusters");
    f.labels.push_back({plane.span, "its operators"});
  }
}

// DEC003. The threshold is the policy's: a site may change it within its bounds.
void check_k3s(const SpecScene& scene, const plan::Plan& plan) {
  const auto nodes = count_of(plan.facts, "fleet-nodes");
  if (plan.plane != nullptr && scene.context.site != nullptr && nodes)
    scene.of_site(k3s_beyond(*plan.plane, *nodes, scene.policy), model::Field::kind);
}

// DEC004. What a batch system of the site could do as it is, is asked of another plane.
void check_fashion(const SpecScene& scene, const plan::Plan& plan) {
  const model::Site* site = scene.context.site;
  if (site == nullptr || plan.plane == nullptr || plan.plane->batch() != nullptr) return;
  if (scene.workload.kind.value == model::Kind::serve || decided(plan, "coupled") != "multi-node" ||
      !holds(plan.facts, "bare-metal") || !scene.workload.queues.empty())
    return;
  for (const Plane& plane : site->planes) {
    const bool full = std::any_of(scene.result.skipped.begin(), scene.result.skipped.end(),
                                  [&](const plan::Skipped& s) { return s.plane == plane.name; });
    if (plane.batch() == nullptr || full) continue;
    Finding& f = scene.wrong(RuleId::slurm_migration_for_fashion, model::Field::kind,
                             "a coupled batch job runs on `" + plan.plane->name + "`, but `" + plane.name +
                                 "` could start it as a gang and place it by topology");
    f.labels.push_back({plane.span, "the " + std::string(plane.traits().title) + " plane"});
    return;
  }
}

// DEC005. Two control planes on one fleet need a line between them.
void check_boundary(const SpecScene& scene, const plan::Plan& plan) {
  if (scene.context.site != nullptr && plan.decision.layout == "partitioned")
    scene.of_site(shared_nodes(*scene.context.site), model::Field::kind);
}

// The default that a fact has, and why; nullopt: it was stated, or it follows from the files.
struct Unstated {
  std::string value, reason;
};
std::optional<Unstated> unstated(const plan::Facts& facts, const model::FactDeclaration& declared) {
  const plan::Fact* fact = facts.find(declared.name);
  if (fact != nullptr && fact->source == plan::FactSource::fallback)
    return Unstated{model::to_string(fact->value), fact->reason};
  if (fact != nullptr || !declared.fallback) return std::nullopt;
  return Unstated{model::to_string(*declared.fallback), "the default in the rules"};
}

// Whether a row's condition reads the fact: "coupled=multi-node, bare-metal=true".
bool reads(const plan::Choice& choice, const std::string& fact) {
  const std::string term = fact + "=";  // which may also be the end of another one: "fleet-nodes=" of "nodes="
  std::size_t at = choice.because.find(term);
  while (at != std::string::npos && at > 0 && choice.because[at - 1] != ' ') at = choice.because.find(term, at + 1);
  return at != std::string::npos;
}

// DEC006. A value that was not stated, and on which the answer rests.
void check_facts(const SpecScene& scene, const plan::Plan& plan) {
  if (scene.context.site == nullptr) return;
  for (const plan::Choice& choice : plan.decision.choices) {
    if (choice.output != "control-plane" && choice.output != "runtime" && choice.output != "layout") continue;
    for (const model::FactDeclaration& declared : scene.policy.facts) {
      const auto value = reads(choice, declared.name) ? unstated(plan.facts, declared) : std::nullopt;
      if (!value) continue;
      Finding& f = scene.wrong(RuleId::facts_incomplete, model::Field::kind,
                               "the " + choice.output + " " + choice.value + " depends on `" + declared.name + " = " +
                                   value->value + "`, which was not stated");
      f.notes.push_back(value->reason + "; state it: `facts { " + declared.name + " = … }`");
      return;
    }
  }
}

// DEC007. Facts that follow from the files agree; what people state may not.
void check_contradictions(const SpecScene& scene, const plan::Plan& plan) {
  const auto stated = [&](std::string_view a, std::string_view b) {
    const plan::Fact *one = plan.facts.find(a), *other = plan.facts.find(b);
    return one != nullptr && other != nullptr && (states(*one) || states(*other));
  };
  const auto say = [&](std::string_view a, std::string_view b, std::string message) {
    Finding& f = scene.wrong(RuleId::contradictory_facts, model::Field::kind, std::move(message));
    for (const std::string_view name : {a, b})
      if (const plan::Fact* fact = plan.facts.find(name); fact->span.known())
        f.labels.push_back({fact->span, fact->reason});
  };
  if (holds(plan.facts, "edge-or-dev") && holds(plan.facts, "multi-tenant") && stated("edge-or-dev", "multi-tenant"))
    say("edge-or-dev", "multi-tenant", "contradictory facts: an edge or development fleet, but several tenants");
  const auto nodes = count_of(plan.facts, "nodes"), fleet = count_of(plan.facts, "fleet-nodes");
  if (nodes && fleet && *nodes > *fleet && stated("nodes", "fleet-nodes"))
    say("nodes", "fleet-nodes",
        "contradictory facts: the job has " + counted(*nodes, "node") + ", but the fleet has " +
            std::to_string(*fleet));
}

// DEC008. Only where the text itself starts another launcher: what a Python program does with Ray is not visible here.
void check_plain_batch(const SpecScene& scene, const plan::Plan& plan) {
  if (plan.decision.runtime != "ray" || scene.workload.roles.size() != 1) return;
  const model::Role& role = scene.workload.main();
  const auto* script = role.program ? std::get_if<model::Script>(&role.program->value) : nullptr;
  const auto* words = role.program ? std::get_if<model::Argv>(&role.program->value) : nullptr;
  std::vector<std::string_view> launchers;
  for (const auto kind : {shell::Launcher::torchrun, shell::Launcher::mpirun, shell::Launcher::deepspeed})
    for (const std::string_view program : names_in(row_of(kind).programs)) launchers.push_back(program);
  for (const std::string_view launcher : launchers) {
    const bool called = script != nullptr ? script->bytes.find(std::string(launcher) + " ") != std::string::npos
                                          : words != nullptr && !words->empty() && words->front().bytes == launcher;
    if (!called) continue;
    scene.wrong(RuleId::ray_for_plain_batch, model::Field::launch_runner,
                "the decision starts a Ray cluster for a program that `" + std::string(launcher) + "` starts");
    return;
  }
}

}  // namespace

std::string_view decided(const plan::Plan& plan, std::string_view output) {
  for (const plan::Choice& choice : plan.decision.choices)
    if (choice.output == output) return choice.value;
  return "";
}

void check_decision(const SpecScene& scene) {
  if (!scene.result.plan) return;
  const plan::Plan& plan = *scene.result.plan;
  check_declared(scene, plan);
  check_ray(scene, plan);
  check_k3s(scene, plan);
  check_fashion(scene, plan);
  check_boundary(scene, plan);
  check_facts(scene, plan);
  check_contradictions(scene, plan);
  check_plain_batch(scene, plan);
}

}  // namespace muster::lint
