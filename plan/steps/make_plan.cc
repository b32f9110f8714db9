#include "plan/steps/make_plan.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "compiler/base/text.h"
#include "plan/decide/decide.h"
#include "plan/decide/facts.h"
#include "plan/decide/queue_choice.h"
#include "plan/demand.h"
#include "plan/fit/near.h"
#include "plan/pools/pool_check.h"
#include "plan/steps/parallel.h"
#include "plan/steps/tpu.h"
#include "plan/verdict.h"

namespace muster::plan {
namespace {

// The workload's account, else that of a site with one tenant and one account.
std::string choose_account(const model::Workload& workload, const model::Site& site) {
  if (workload.account) return workload.account->value;
  if (site.tenants.size() == 1 && site.tenants[0].accounts.size() == 1) return site.tenants[0].accounts[0].value;
  return {};
}

Facts facts_of(const PlanRequest& request, const model::Queue* queue, Diagnostics& diagnostics) {
  FactRequest facts;
  facts.workload = request.workload;
  facts.workloads = request.workloads;
  facts.site = request.site;
  facts.site_given = request.site_given;
  facts.fleet = request.fleet;
  facts.queue = queue;
  facts.declared = request.policy->facts;
  facts.overrides = request.overrides;
  return derive_facts(facts, diagnostics);
}

// The decided plane first, then the others as written; of the named kind, if one was named.
std::vector<const model::Plane*> candidates(const PlanRequest& request, const std::string& decided) {
  std::vector<const model::Plane*> out;
  if (request.plane != nullptr) return {request.plane};
  const auto is_named = [&](const model::PlaneTraits& kind) {
    return kind.control_plane == model::traits_of(*request.plane_kind).control_plane;
  };
  for (const model::Plane& plane : request.site->planes)
    if (!request.plane_kind || is_named(plane.traits())) out.push_back(&plane);
  std::stable_partition(out.begin(), out.end(), [&](const model::Plane* p) { return p->name == decided; });
  return out;
}

// The workload on the plane and the queue of `out`. False: reported.
bool fit_on(const PlanRequest& request, const Facts& facts, OnPlane& out, Diagnostics& diagnostics) {
  const Fact* coupled = facts.find("tightly-coupled");
  return fit_on_plane(request, coupled != nullptr && coupled->value == model::FactValue(true), out, diagnostics);
}

void take_place(OnPlane place, Plan& plan) {
  plan.plane = place.plane, plan.queue = place.queue, plan.tenant = place.tenant;
  if (place.plane != nullptr) plan.demand = demand_of(*plan.workload, place.plane);
  plan.roles = std::move(place.roles), plan.placed = std::move(place.placed), plan.fit = std::move(place.fit);
}

const Certificate* refusal(const Fit& fit) {
  for (const Level* level : {&fit.policy, &fit.capacity})
    if (level->verdict == Verdict::does_not_fit && level->certificate) return &*level->certificate;
  return nullptr;
}

// What meets the need of a gang scheduler on a plane of pods.
std::string provider_text(const model::Plane& plane) {
  if (!plane.starts_gangs()) return "; plane " + plane.name + " does not declare a gang scheduler with `gang`";
  return "; plane " + plane.name + " has " + std::string(name(plane.pods()->gang));
}

// Where the job falls back to a plane of another kind, the decision is what the policy says at a site that has no
// other; its advice is not: that compares the site with a new one. A policy without the fact `existing` cannot be
// asked so.
void decide_again(const model::Plane& plane, const PlanRequest& request, Plan& plan) {
  const std::string kind(plane.traits().in_rules);
  if (model::in_rules(plan.decision.control_plane) == kind) return;
  Facts facts = plan.facts;
  for (Fact& fact : facts.items)
    if (fact.name == "existing")
      fact.value = kind, fact.reason += "; the others of them cannot take `" + request.workload->name + "`";
  Diagnostics unasked;
  auto there = decide(*request.policy, facts, request.site, unasked);
  if (!there || model::in_rules(there->control_plane) != kind) return;
  std::erase_if(there->choices, [](const Choice& choice) { return choice.output == "advice"; });
  for (Choice& choice : there->choices)
    if (choice.output == "control-plane")
      choice.reason = "the plane that the rules prefer cannot take `" + request.workload->name + "`",
      choice.because = "plane " + plane.name;
  there->advice.clear();
  there->preferred = plan.decision.preferred;
  plan.decision = std::move(*there);
  plan.facts = std::move(facts);
}

// The rules decide between clusters. A broker finds machines by itself, so it takes what they leave without a plane.
bool has_broker(const model::Site& site) {
  return std::any_of(site.planes.begin(), site.planes.end(), [](const model::Plane& plane) {
    return plane.service() != nullptr && !plane.traits().target.empty();
  });
}

// What a workload without GPUs does not need.
void drop_gpu_stack(const model::Workload& workload, Decision& decision) {
  const auto has_gpus = [](const model::Role& r) { return r.gpus() > 0 || r.resources.part_of_gpu(); };
  if (std::any_of(workload.roles.begin(), workload.roles.end(), has_gpus)) return;
  const auto is_stack = [](const Choice& c) { return c.output == "requires" && c.value == "gpu-stack"; };
  std::erase_if(decision.requires_, is_stack);
  std::erase_if(decision.choices, is_stack);
}

// A workload that serves is its own serving layer, and what a service beside it needs is not its own. A fact that the
// user states is the user's own.
void drop_serving_layer(const Facts& facts, Decision& decision) {
  const Fact* services = facts.find("long-lived-services");
  if (services == nullptr || services->source != FactSource::derived) return;
  const auto is_layer = [](const Choice& c) { return c.output == "advice" && c.value == "serving-layer"; };
  std::erase_if(decision.advice, is_layer);
  std::erase_if(decision.choices, is_layer);
}

// What the rules say of clusters is not said of a broker.
void name_broker(const model::Plane& plane, Decision& decision) {
  const auto is_of_cluster = [](const Choice& c) { return c.output == "advice" && c.value == "plane-missing"; };
  std::erase_if(decision.advice, is_of_cluster);
  std::erase_if(decision.choices, is_of_cluster);
  for (Choice& choice : decision.choices)
    if (choice.output == "control-plane") {
      choice.value = decision.control_plane;
      choice.reason = std::string(plane.traits().title) + " finds machines by itself";
      choice.because = "plane " + plane.name;
    }
}

// The decision's words for the plane that was taken. Where a target was named, the decision is kept
// as advice and only the plane follows the name.
void take(const model::Plane& plane, const PlanRequest& request, Plan& plan) {
  if (!request.plane_kind && request.policy != nullptr) decide_again(plane, request, plan);
  plan.decision.plane = plane.name;
  if (plane.pods() != nullptr) {
    for (std::vector<Choice>* choices : {&plan.decision.requires_, &plan.decision.choices})
      for (Choice& choice : *choices) {
        if (choice.output != "requires") continue;
        if (choice.value == "gang-scheduler") choice.reason += provider_text(plane);
        if (choice.value == "topology-aware-placement" && !names_domain(*request.workload))
          choice.reason += "; " + nearness(plane);
      }
  }
  if (request.plane_kind) return;
  plan.decision.control_plane = plane.traits().name;
  if (plane.service() != nullptr) name_broker(plane, plan.decision);
}

// That no pool meets the needs, in the words it was reported in; nullopt if something else is wrong.
std::optional<Certificate> no_pool(const Diagnostics& reasons, const model::Workload& workload) {
  const auto sorted = reasons.sorted();
  if (sorted.size() != 1 || sorted[0].code != Code::no_pool) return std::nullopt;
  Certificate out{"class", workload.main().nodes(), 0, workload.main().nodes(), sorted[0].message};
  for (const std::string& note : sorted[0].notes) out.text += "; " + note;
  return out;
}

// A plane, and one of its queues where the workload names several.
struct CandidatePlane {
  const model::Plane* plane;
  const model::Queue* queue;
  bool searched = false;  // the site's order decides between its queues

  Skipped skipped(bool several, std::string why) const {
    return {plane->name, several && queue != nullptr ? queue->name : std::string(), "", std::move(why)};
  }
};

// Notes what refused the workload on the plane. False: nothing did.
bool was_refused(const PlanRequest& request, const model::Plane& plane, std::vector<Skipped>& skipped) {
  const std::size_t before = skipped.size();
  for (const Refusal& refusal : request.refusals)
    if (refusal.workload == request.workload && refusal.plane == &plane)
      skipped.push_back({plane.name, "", refusal.target, refusal.why});
  return skipped.size() > before;
}

QueueChoice queues_for(const PlanRequest& request, const model::Plane* plane, Diagnostics& diagnostics) {
  if (request.no_queue) return {{nullptr}};
  const bool as_read = request.plane != nullptr && !request.nodes.empty();
  return queues_to_try(*request.workload, *request.site, plane, as_read, diagnostics);
}

// Plane by plane, queue by queue. What is reported of the first plane that has none of the named queues goes to
// `reasons`, the planes that cannot take the workload to `skipped`.
std::vector<CandidatePlane> places(const PlanRequest& request, const Plan& plan, std::optional<Diagnostics>& reasons,
                                   std::vector<Skipped>& skipped) {
  std::vector<CandidatePlane> out;
  for (const model::Plane* plane : candidates(request, plan.decision.plane)) {
    if (was_refused(request, *plane, skipped)) continue;
    Diagnostics reports;
    const QueueChoice choice = queues_for(request, plane, reports);
    for (const model::Queue* queue : choice.queues) out.push_back({plane, queue, choice.searched});
    if (!reports.empty() && !reasons) reasons = std::move(reports);
  }
  return out;
}

// "queue long is the first that can take it: queue short: requests 3d; queue short allows 1d"
std::string why_queue(const CandidatePlane& place, const std::vector<Skipped>& skipped) {
  if (!place.searched || place.queue == nullptr) return {};
  std::string out = "queue " + place.queue->name + " is the first of the site that can take it";
  std::vector<std::string> others;
  for (const Skipped& one : skipped)
    if (one.plane == place.plane->name && !one.queue.empty()) others.push_back(one.why);
  return others.empty() ? out : out + ": " + joined(others, "; ");
}

// The queue of the site that would take what the tried ones refuse: "`queue = long` can take it"; "": none of them.
std::string other_queue(const PlanRequest& request, const Facts& facts, const std::vector<CandidatePlane>& tried) {
  if (request.no_queue || !request.nodes.empty() || tried.empty() || tried.front().queue == nullptr) return {};
  const model::Plane& plane = *tried.front().plane;
  std::vector<const model::Queue*> queues;
  for (const CandidatePlane& place : tried)
    if (place.plane == &plane) queues.push_back(place.queue);
  constexpr std::size_t most = 16;
  const auto others = other_queues(*request.workload, *request.site, plane, queues);
  for (std::size_t i = 0; i < std::min(most, others.size()); ++i) {
    OnPlane attempt{&plane, others[i]};
    Diagnostics ignored;
    if (fit_on(request, facts, attempt, ignored) && startable(attempt.fit) == Verdict::fits)
      return "`queue = " + others[i]->name + "` can take it";
  }
  return {};
}

// Adds it to the certificate that refuses.
void name_queue(const std::string& other, Fit& fit) {
  for (Level* level : {&fit.policy, &fit.capacity})
    if (!other.empty() && level->certificate) return void(level->certificate->text += "; " + other);
}

void take_first(OnPlane place, std::string why, const PlanRequest& request, Plan& plan) {
  const model::Plane& plane = *place.plane;
  take_place(std::move(place), plan);
  take(plane, request, plan);
  plan.fit.queue_reason = std::move(why);
}

// A queue of several of which it is not known whether it can take the workload: taken where none of its plane surely
// can.
struct Unsure {
  OnPlane place;
  std::string why_queue;
  std::size_t skipped;  // before it
};

// What is not known of it.
std::string doubt(const Fit& fit) {
  const Level& level = fit.capacity.verdict == Verdict::unknown ? fit.capacity : fit.policy;
  return "it is not known whether it can: " + level.note;
}

// Tries the candidates; leaves the chosen one in `plan`. If none fits: the first that could be asked,
// with its certificate; if none could, what was said of the first is reported. False: reported.
bool choose_plane(const PlanRequest& request, Plan& plan, PlanResult& result, Diagnostics& diagnostics) {
  std::optional<OnPlane> first;
  std::optional<Unsure> unsure;
  std::optional<Diagnostics> reasons;
  const std::vector<CandidatePlane> all = places(request, plan, reasons, result.skipped);
  for (const CandidatePlane& place : all) {
    if (unsure && unsure->place.plane != place.plane) break;
    const bool several = request.workload->queues.size() > 1 || place.searched;
    OnPlane attempt{place.plane, place.queue};
    Diagnostics reports;
    if (!fit_on(request, plan.facts, attempt, reports)) {
      if (!reports.empty()) result.skipped.push_back(place.skipped(several, reports.sorted().front().message));
      if (!reasons) reasons = std::move(reports);
      continue;
    }
    const Verdict starts = startable(attempt.fit);
    if (starts == Verdict::fits || (starts == Verdict::unknown && !place.searched)) {
      take_first(std::move(attempt), why_queue(place, result.skipped), request, plan);
      return true;
    }
    const Certificate* const refused = refusal(attempt.fit);
    const std::size_t before = result.skipped.size();
    if (starts == Verdict::unknown) result.skipped.push_back(place.skipped(several, doubt(attempt.fit)));
    else if (refused != nullptr) result.skipped.push_back(place.skipped(several, refused->text));
    // One that may fit now goes before one that does not.
    const auto may_fit_now = [](const OnPlane& one) { return one.fit.verdict == Verdict::unknown; };
    if (starts == Verdict::unknown && (!unsure || (may_fit_now(attempt) && !may_fit_now(unsure->place))))
      unsure = {std::move(attempt), why_queue(place, result.skipped), before};
    else if (!first) first = std::move(attempt);
  }
  if (unsure) {
    result.skipped.resize(unsure->skipped);
    take_first(std::move(unsure->place), std::move(unsure->why_queue), request, plan);
    return true;
  }
  const std::string other = other_queue(request, plan.facts, all);
  if (first) name_queue(other, first->fit), take_place(std::move(*first), plan);
  if (first || !reasons) return true;
  result.no_pool = no_pool(*reasons, *request.workload);
  if (result.no_pool && !other.empty()) result.no_pool->text += "; " + other;
  for (Diagnostic& d : reasons->sorted()) {
    if (!other.empty()) d.notes.push_back(other);
    diagnostics.add(std::move(d));
  }
  return false;
}

}  // namespace

bool is_placed(const Plan& plan) {
  const auto has_pool = [&](const RolePlan& role) { return plan.fleet == nullptr || role.pool != nullptr; };
  return plan.plane != nullptr && std::all_of(plan.roles.begin(), plan.roles.end(), has_pool);
}

Verdict startable(const Fit& fit) { return worse(fit.capacity.verdict, fit.policy.verdict); }

namespace {

PlanResult plan_one(const PlanRequest& request, Diagnostics& diagnostics) {
  PlanResult out;
  Plan plan;
  plan.workload = request.workload;
  plan.demand = demand_of(*request.workload);
  plan.site = request.site;
  plan.fleet = request.fleet;
  plan.account = choose_account(*request.workload, *request.site);
  if (!asks_no_tpu(*request.workload, diagnostics)) return out;
  const std::size_t before = diagnostics.size();
  const QueueChoice queues = queues_for(request, nullptr, diagnostics);
  if (diagnostics.size() != before) return out;
  plan.queue = queues.searched ? nullptr : queues.queues.front();
  if (request.policy == nullptr) {  // it is only asked whether it fits
    if (choose_plane(request, plan, out, diagnostics)) out.plan = std::move(plan);
    return out;
  }
  plan.facts = facts_of(request, plan.queue, diagnostics);
  if (diagnostics.size() != before) return out;
  auto decision = decide(*request.policy, plan.facts, request.site, diagnostics);
  if (!decision) return out;
  plan.decision = std::move(*decision);
  const bool asks =
      !plan.decision.plane.empty() || request.plane_kind || request.plane != nullptr || has_broker(*request.site);
  if (asks && !choose_plane(request, plan, out, diagnostics)) return out;
  if (!gets_no_tpu(plan, diagnostics)) return out;
  drop_gpu_stack(*request.workload, plan.decision);
  drop_serving_layer(plan.facts, plan.decision);
  plan.decision.targets = targets_of(plan.decision, *request.workload, plan.plane);
  if (!plan.decision.targets.empty()) plan.decision.target = plan.decision.targets.front();
  check_parallelism(plan, diagnostics);
  set_nearness(plan);
  note_spread(plan, plan.fit);
  out.plan = std::move(plan);
  return out;
}

bool can_start(const PlanResult& result) {
  return result.plan && result.plan->plane != nullptr && startable(result.plan->fit) != Verdict::does_not_fit;
}

std::string why_not(const PlanResult& result, const Diagnostics& reports) {
  if (result.plan)
    if (const Certificate* certificate = refusal(result.plan->fit)) return certificate->text;
  if (result.no_pool) return result.no_pool->text;
  if (!result.skipped.empty()) return result.skipped.front().why;
  const auto sorted = reports.sorted();
  return sorted.empty() ? "no plane can run it" : sorted.front().message;
}

// How much the option's own preferences like where it would land.
std::int64_t liking(const PlanResult& result) {
  std::int64_t sum = 0;
  for (const RolePlan& role : result.plan->roles)
    if (role.pool != nullptr) sum += prefer_weight(*role.role, *role.pool);
  return sum;
}

struct Attempt {
  PlanResult result;
  Diagnostics reports;
};

// The first option that can start, or that among them which `prefer` likes best; none: the first.
std::size_t best_of(const std::vector<Attempt>& attempts) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    if (!can_start(attempts[i].result)) continue;
    if (!best || liking(attempts[i].result) > liking(attempts[*best].result)) best = i;
  }
  return best.value_or(0);
}

}  // namespace

PlanResult make_plan(const PlanRequest& request, Diagnostics& diagnostics) {
  const std::vector<model::Workload>& options = request.workload->options;
  if (options.empty()) return plan_one(request, diagnostics);
  std::vector<Attempt> attempts(options.size());
  for (std::size_t i = 0; i < options.size(); ++i) {
    PlanRequest one = request;
    one.workload = &options[i];
    attempts[i].result = plan_one(one, attempts[i].reports);
  }
  Attempt& taken = attempts[best_of(attempts)];
  const bool starts = can_start(taken.result);
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (&attempts[i] == &taken || !taken.result.plan) continue;
    const bool could = can_start(attempts[i].result);
    taken.result.plan->lost.push_back(
        {options[i].option, could && starts ? "it also fits, but another option is preferred or comes first"
                                            : why_not(attempts[i].result, attempts[i].reports)});
    if (could && starts) taken.result.plan->others.push_back(std::move(*attempts[i].result.plan));
  }
  for (Diagnostic& d : taken.reports.sorted()) {
    for (std::size_t i = 0; i < options.size() && !starts; ++i)
      d.notes.push_back("option " + options[i].option + ": " + why_not(attempts[i].result, attempts[i].reports));
    diagnostics.add(std::move(d));
  }
  return std::move(taken.result);
}

}  // namespace muster::plan
