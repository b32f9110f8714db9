#include "review/describe.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/model/pods_target.h"
#include "plan/quota/ceilings.h"
#include "review/cost.h"
#include "review/documents.h"
#include "review/number.h"
#include "review/program.h"

namespace muster::review {
namespace {

std::vector<std::string> values_of(const std::vector<plan::Choice>& choices) {
  std::vector<std::string> out;
  for (const plan::Choice& c : choices) out.push_back(c.value);
  std::sort(out.begin(), out.end());
  return out;
}

Decision describe(const plan::Decision& d) {
  Decision out{d.control_plane,        d.runtime,           d.layout, d.plane, d.target,
               values_of(d.requires_), values_of(d.advice), {}};
  for (const plan::Choice& c : d.choices)
    if (c.output != "advice") out.rules.push_back(c.rule);
  std::sort(out.rules.begin(), out.rules.end());
  out.rules.erase(std::unique(out.rules.begin(), out.rules.end()), out.rules.end());
  return out;
}

Placement describe(const plan::Plan& plan) {
  Placement out;
  if (plan.fleet == nullptr || plan.plane == nullptr) return out;
  out.verdict = plan::name(plan::startable(plan.fit));
  std::set<std::string> pools;
  for (const plan::RolePlan& role : plan.roles)
    if (role.pool != nullptr) pools.insert(role.pool->name);
  out.pools.assign(pools.begin(), pools.end());
  out.leaf_switches = plan.fit.leaf_switches;
  for (const plan::Level* level : {&plan.fit.policy, &plan.fit.capacity})
    if (level->verdict == plan::Verdict::does_not_fit && level->certificate) out.certificate = level->certificate->text;
  return out;
}

// What one role asks of a node; what is not given is the cluster's default and not known.
Number cpus_of(const plan::RolePlan& role) {
  if (role.cpus) return role.cpus;
  return role.all_cpus && role.pool != nullptr ? Number(role.pool->usable_cpus(role.family)) : std::nullopt;
}

Number memory_of(const plan::RolePlan& role) {
  if (role.memory) return role.memory->bytes;
  return role.all_memory && role.pool != nullptr ? Number(role.pool->usable_memory(role.family).bytes) : std::nullopt;
}

// Whether no other job can use its nodes beside it.
bool takes_whole_nodes(const plan::RolePlan& role) {
  if (role.exclusive || role.all_cpus || role.all_memory) return true;
  const model::Pool* pool = role.pool;
  return pool != nullptr && ((pool->gpu && role.gpus == pool->gpu->count) ||
                             (pool->cpus > 0 && role.cpus.value_or(0) >= pool->usable_cpus(role.family)));
}

// Nodes of the role in one task: what starts together, of a service all that its replicas may have, and of several
// roles all that they have.
std::int64_t nodes_of(const plan::Plan& plan, const plan::RolePlan& role) {
  const plan::RoleDemand demand = plan::demand_of(*plan.workload, *role.role, plan.plane);
  const bool several = plan.roles.size() > 1 && !plan.workload->sweep;
  plan::RolePlan task = role;
  task.copies = plan.workload->scale ? demand.replicas.high : several ? demand.written : demand.at_once;
  if (!several) task.nodes = demand.nodes_at_once;
  return task.total();
}

// Tasks that fleet, quota, limits and `max-parallel` let run at once.
Number at_once_of(const plan::Plan& plan) {
  const plan::Demand& demand = plan.demand;
  std::int64_t out = std::min(demand.tasks, demand.max_parallel.value_or(demand.tasks));
  for (const Number& count : {plan.fit.at_once.room, plan.fit.at_once.allowed})
    out = std::min(out, count.value_or(out));
  return out;
}

Resources resources_of(const plan::Plan& plan) {
  Resources out;
  if (plan.roles.empty()) return out;  // no plane takes it: it is not known what it would have
  out.nodes = out.gpus = out.cpus = out.memory = 0;
  for (const plan::RolePlan& role : plan.roles) {
    const std::int64_t nodes = nodes_of(plan, role);
    out.nodes = sum(out.nodes, nodes);
    out.gpus = sum(out.gpus, product(nodes, role.gpus));
    out.cpus = sum(out.cpus, product(nodes, cpus_of(role)));
    out.memory = sum(out.memory, product(nodes, memory_of(role)));
  }
  if (plan.demand.tasks > 1 || plan.workload->sweep) out.tasks = plan.demand.tasks, out.at_once = at_once_of(plan);
  return out;
}

bool is_on_pods(const plan::Plan& plan) { return plan.plane != nullptr && plan.plane->pods() != nullptr; }

// Services and Ray clusters run on pods until they are deleted.
bool is_endless(const plan::Plan& plan) {
  const model::Kind kind = plan.workload->kind.value;
  return is_on_pods(plan) &&
         (kind == model::Kind::serve || (kind == model::Kind::dev && model::pods_shape(*plan.workload).ray));
}

// What ends it: its own limit, or the queue's usual one; nullopt: nothing does.
Number time_of(const plan::Plan& plan) {
  if (is_endless(plan)) return std::nullopt;
  const auto limit = model::limit_of(*plan.workload, plan.queue);
  return limit ? Number(limit->value.ms) : std::nullopt;
}

// The longest that the queue allows: of batch systems, for nothing on a plane of pods ends a job by its queue.
Number longest_time(const plan::Plan& plan) {
  if (is_on_pods(plan) || plan.queue == nullptr || !plan.queue->max_time) return std::nullopt;
  return plan.queue->max_time->value.ms;
}

// Of so many GPUs, CPUs or nodes.
Number seconds_of(const Number& count, const Number& time_ms, const Resources& resources) {
  if (!time_ms) return std::nullopt;
  return product(product(count, Duration{*time_ms}.seconds_up()), resources.tasks.value_or(1));
}

// The GPUs that the tenant may use of the pools.
Number quota_of(const plan::Plan& plan) {
  Number out, together;
  if (plan.plane == nullptr) return out;
  const model::Tenant held = plan::with_ceilings(*plan.tenant, *plan.site, *plan.plane);
  for (const model::Quota& quota : held.quotas) {
    if (quota.gpus && plan::counts_pool(quota, model::all_pools)) together = quota.gpus->value;
    const bool used = std::any_of(plan.roles.begin(), plan.roles.end(), [&](const plan::RolePlan& role) {
      return role.pool != nullptr && plan::counts_pool(quota, role.pool->name);
    });
    if (used && quota.gpus) out = sum(out.value_or(0), quota.gpus->value);
  }
  return out && together ? std::min(out, together) : out ? out : together;
}

bool is_of_policy(std::string_view subject) {
  constexpr std::string_view kinds[] = {"site/", "fleet/", "pool/", "rules/"};
  return std::any_of(std::begin(kinds), std::end(kinds), [&](std::string_view k) { return subject.starts_with(k); });
}

bool is_accepted(const lint::Result& result) {
  return result.state == lint::State::suppressed && result.finding.verdict == lint::Verdict::wrong;
}

// What the decision and the placement say by themselves is in them.
bool is_answer(const lint::Finding& f) {
  return f.code == Code::no_plane || f.code == Code::does_not_fit || f.code == Code::fit_unknown;
}

}  // namespace

Place place_of(Span span, const Sources& sources) {
  if (!span.known()) return {};
  return {sources.name(span.file), sources.position(span.file, span.begin).line};
}

Cost cost_of(const plan::Plan& plan, const Resources& resources) {
  const Number time = resources.time_limit_ms ? resources.time_limit_ms : longest_time(plan);
  const auto seconds = [&](const Number& count) { return seconds_of(count, time, resources); };
  Cost out{seconds(resources.gpus), 0};
  out.cpu_seconds = seconds(resources.cpus), out.node_seconds = seconds(resources.nodes);
  out.at_most = time && !resources.time_limit_ms;
  for (const plan::RolePlan& role : plan.roles) {
    const Number nodes = nodes_of(plan, role);
    const Used used{seconds(product(nodes, role.gpus)), seconds(product(nodes, cpus_of(role))),
                    takes_whole_nodes(role) ? seconds(nodes) : std::nullopt};
    out.micros = sum(out.micros, role.pool == nullptr ? std::nullopt : money_of(used, prices_of(*role.pool)));
  }
  if (plan.roles.empty()) out.micros.reset();
  return out;
}

Workload describe(const model::Workload& workload, const plan::PlanResult& result, const Sources& sources) {
  Workload out;
  out.id = workload.id;
  out.name = workload.name;
  out.file = sources.name(workload.span.file);
  if (workload.time_limit) out.resources.time_limit_ms = workload.time_limit->value.ms;
  out.program = program_of(workload);
  if (!result.plan) {
    if (result.no_pool) out.placement = {"does-not-fit", {}, 0, result.no_pool->text};
    return out;
  }
  const plan::Plan& plan = *result.plan;
  for (const plan::Fact& fact : plan.facts.items)
    out.facts.push_back({fact.name, model::to_string(fact.value), place_of(fact.span, sources)});
  out.decision = describe(plan.decision);
  out.placement = describe(plan);
  out.resources = resources_of(plan);
  out.resources.time_limit_ms = time_of(plan);
  out.cost = cost_of(plan, out.resources);
  if (plan.plane != nullptr) out.plane = plan.plane->name;
  if (plan.queue != nullptr) out.queue = plan.queue->name;
  if (plan.tenant != nullptr) out.tenant = plan.tenant->name, out.tenant_gpus = quota_of(plan);
  return out;
}

void add_documents(const targets::Lowered& lowered, Workload& out) {
  for (const targets::Document& document : lowered.documents)
    for (Object& object : objects_of(document.name, document.content)) out.objects.push_back(std::move(object));
}

Finding finding_of(const Diagnostic& diagnostic, const std::string& workload, const Sources& sources) {
  const CodeInfo& code = info(diagnostic.code);
  return {std::string(code.id),
          code.name,
          code.severity,
          diagnostic.message,
          std::string(code.id) + "|" + workload,
          place_of(diagnostic.primary, sources),
          {}};
}

void add_findings(std::span<const lint::Result> results, const Sources& sources, std::vector<Workload>& workloads) {
  if (workloads.empty()) return;
  std::map<std::string, Workload*, std::less<>> by_subject;  // "Deployment/vllm", "train/llama": as findings spell it
  std::map<const Workload*, std::size_t> from_targets;       // by the targets: these findings come first
  for (Workload& w : workloads) {
    by_subject.emplace(w.id, &w);
    from_targets.emplace(&w, w.findings.size());
    for (const Object& o : w.objects) by_subject.emplace(o.kind + "/" + o.name, &w);
  }
  // A digest behind an object's name changes with every edit: the object and its finding stay the same.
  DigestEndings endings;
  if (workloads.front().form == Form::manifest)
    for (const lint::Result& r : results)
      endings.add(std::string_view(r.finding.subject).substr(r.finding.subject.find('/') + 1));
  for (const lint::Result& result : results) {
    const lint::Finding& f = result.finding;
    // A script that something has yet to fill in is not judged by any other rule.
    if (workloads.front().form == Form::script && lint::is_of(f, lint::RuleId::unfilled_template) &&
        f.path == "template")
      workloads.front().unjudged = {""};
    if ((!lint::counts_at(result, Severity::info) && !is_accepted(result)) || is_answer(f)) continue;
    const auto found = by_subject.find(endings.without(f.subject));
    Workload& w = found == by_subject.end() ? workloads.front() : *found->second;
    // Of a script or an object the placement says it too, unless the finding is accepted.
    if (w.form != Form::spec && lint::is_of(f, lint::RuleId::does_not_fit) && w.placement.verdict == "does-not-fit") {
      if (!is_accepted(result)) continue;
      w.placement = {};
    }
    const lint::Named about = lint::about(f);
    const Place place = place_of(f.primary, sources);
    const auto begin = w.findings.begin(), end = begin + static_cast<std::ptrdiff_t>(from_targets[&w]);
    const auto same = std::find_if(begin, end, [&](const Finding& other) {
      return other.code == about.id && other.message == f.message && other.place == place;
    });
    if (same != end) w.findings.erase(same), --from_targets[&w];
    w.findings.push_back({std::string(about.id), std::string(about.name), f.severity, f.message,
                          endings.without(result.key), place, f.path, is_of_policy(f.subject),
                          is_accepted(result) ? result.reason : "", result.proposed});
  }
}

}  // namespace muster::review
