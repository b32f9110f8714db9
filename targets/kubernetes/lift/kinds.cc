// Kinds that run to completion, a function each: what the object says around its pods.
#include <algorithm>

#include "compiler/base/text.h"
#include "targets/kubernetes/lift/object_lift.h"
#include "targets/kubernetes/names.h"

namespace muster::targets::kubernetes::lifting {
namespace {

using model::RetryOn;

// ---- Job

// What is several pods of a Job.
enum class Several : std::uint8_t { one, ranks, points, copies };

void set_retry_of_job(ObjectLift& lift, bool gang) {
  const Field limit = lift.spec("backoffLimit");
  const auto whole = limit ? limit.whole() : std::optional<std::int64_t>(6);
  if (gang) {
    lift.ledger.line(limit, Fate::approximated, "", "a Job that starts as a gang does not start single pods again");
    if (!limit && lift.object.root)
      lift.ledger.say(lift.object.root.span(), "spec.backoffLimit", Fate::approximated, "",
                      "Kubernetes starts failed pods of this Job again 6 times; a gang has no such restart");
    return;
  }
  if (!whole || *whole < 0 || *whole > 1000) return;
  lift.workload().retry = retry_of(*whole, any_failure());
  lift.ledger.line(limit, Fate::mapped, "retry.limit");
  if (!limit)
    lift.ledger.say(lift.object.root.span(), "spec.backoffLimit", Fate::mapped, "retry.limit = 6",
                    "which is the default of a Job");
}

void make_points(ObjectLift& lift, std::int64_t points, std::int64_t at_a_time) {
  model::Sweep sweep;
  model::Axis axis{"task", {}, lift.object.root.span()};
  for (std::int64_t i = 0; i < points; ++i) axis.values.push_back(std::to_string(i));
  sweep.axes.push_back(std::move(axis));
  sweep.span = lift.object.root.span();
  if (at_a_time < points) sweep.max_parallel = model::unplaced(at_a_time);
  lift.workload().sweep = std::move(sweep);
  lift.workload().kind = {model::Kind::sweep, {}};
}

// How the pods of a Job are counted; nullopt: refused.
std::optional<Several> count_job(ObjectLift& lift, model::Role& role) {
  const Field completions = lift.spec("completions"), parallelism = lift.spec("parallelism");
  const bool indexed = lift.spec("completionMode").text() == "Indexed";
  const auto at_a_time = count_at(parallelism, 1), all = count_at(completions, indexed ? 1 : at_a_time.value_or(1));
  if (!at_a_time) return refuse_count(lift, parallelism), std::nullopt;
  if (!all) return refuse_count(lift, completions), std::nullopt;
  const auto account = [&](const std::string& as, const std::string& note = {}) {
    lift.ledger.line(completions, Fate::mapped, as);
    lift.ledger.line(parallelism, Fate::mapped, as);
    if (*all > 1) lift.ledger.line(lift.spec("completionMode"), Fate::mapped, as);
    if (!note.empty()) lift.ledger.say(lift.object.root.span(), "spec.completionMode", Fate::approximated, as, note);
  };
  if (*all == 1 && indexed) {  // its pod has a number, 0, which stays in the target's block
    lift.ledger.line(parallelism, Fate::mapped, "one pod");
    return Several::one;
  }
  if (*all == 1) return account("one pod"), Several::one;
  if (indexed && *at_a_time >= *all) {
    role.resources.nodes = model::unplaced(model::Count{*all, *all});
    account("resources.nodes");
    return Several::ranks;
  }
  if (*all > static_cast<std::int64_t>(model::Sweep::most_points)) return refuse_count(lift, completions), std::nullopt;
  if (indexed || completions) {
    make_points(lift, *all, *at_a_time);
    account("sweep", indexed ? "" : "muster writes an Indexed Job: each run has a number");
    return Several::points;
  }
  role.replicas = model::unplaced(model::Count{*all, *all});
  account("replicas", "muster writes an Indexed Job with as many completions");
  return Several::copies;
}

// Pods under the names of a headless Service of the file: muster writes one of the Job's own name.
void drop_subdomain(ObjectLift& lift, const PodTemplate& pods, bool ranks) {
  const Field subdomain = pods.spec.get("subdomain");
  if (ranks) lift.ledger.line(subdomain, Fate::dropped, "", "muster writes a headless Service of the Job's own name");
}

}  // namespace

model::Retry retry_of(std::int64_t limit, std::initializer_list<RetryOn> reasons) {
  model::Retry out;
  out.limit = model::unplaced(limit);
  // Without retries the reasons are the language's default, which is not written.
  const std::vector<RetryOn> all =
      limit == 0 ? std::vector{RetryOn::node_failure, RetryOn::preemption} : std::vector<RetryOn>(reasons);
  for (const RetryOn reason : all) out.on.push_back(model::unplaced(reason));
  return out;
}

// A count of pods that the language can have.
std::optional<std::int64_t> count_at(const Field& field, std::int64_t otherwise) {
  if (!field) return otherwise;
  const auto count = field.whole();
  return count && *count >= 1 && *count <= most_pods ? count : std::nullopt;
}

bool refuse_count(ObjectLift& lift, const Field& field) {
  return lift.refuse(field, "`" + printable(field.text(), 40) + "` is not a number of pods from 1 to 1,000,000");
}

void restart_line(ObjectLift& lift, const Field& policy, std::string_view written) {
  if (policy.text() == written) lift.ledger.line(policy, Fate::mapped, "retry");
  else
    lift.ledger.line(policy, Fate::approximated, "retry",
                     "muster writes `" + std::string(written) + "`: a program that fails starts again in a new pod");
}

const Container& container_of(const PodTemplate& pods) {
  static const Container none;
  const Container* found = program_container(pods);
  return found == nullptr ? none : *found;
}

std::initializer_list<RetryOn> any_failure() {
  static constexpr std::initializer_list<RetryOn> reasons = {RetryOn::node_failure, RetryOn::preemption,
                                                             RetryOn::failure};
  return reasons;
}

bool set_coupled(ObjectLift& lift, bool several_pods, model::Kind kind) {
  const bool scheduled = lift.provider != model::GangProvider::none;
  const bool coupled = scheduled || !several_pods || is_coupled(lift.object);
  lift.workload().kind = {coupled ? kind : model::Kind::batch, {}};
  if (!coupled) {
    lift.workload().gang = model::unplaced(model::Gang::none);
    lift.question(lift.object.root.span(), "gang",
                  "do its pods wait for each other? Nothing in the object says so, so they start one by one: `gang = "
                  "none`. If they do, write `kind = train` without `gang = none`");
  } else if (!scheduled && several_pods) {
    say_gang_of_site(lift);
  }
  return coupled;
}

void say_gang_of_site(ObjectLift& lift) {
  lift.ledger.say(lift.object.root.span(), "gang", Fate::moved, "plane.gang of the site",
                  "the object names no gang scheduler; the pods start together with that of the site");
}

void take_deadline(ObjectLift& lift, const Field& field) {
  const auto seconds = field.whole();
  if (!seconds || *seconds < 60 || *seconds > 1'000'000'000) return;
  auto& limit = lift.workload().time_limit;
  if (limit && limit->value.ms != *seconds * 1000) return;
  limit = model::unplaced(Duration{*seconds * 1000});
  lift.ledger.line(field, Fate::mapped, "time-limit");
}

bool lift_job(ObjectLift& lift) {
  if (lift.object.pods.empty()) return lift.refuse(lift.object.root, "the Job has no pod template");
  const PodTemplate& pods = lift.object.pods.front();
  model::Role& role = lift.role("");
  const auto several = count_job(lift, role);
  if (!several) return false;
  const bool ranks = *several == Several::ranks;
  const std::int64_t nodes = ranks ? role.nodes() : 1;
  const bool coupled = ranks && set_coupled(lift, true, model::Kind::train);
  if (!ranks && *several != Several::points) lift.workload().kind = {model::Kind::batch, {}};
  if (*several == Several::copies) lift.workload().gang = model::unplaced(model::Gang::replica);
  lift_resources(lift, pods, container_of(pods), role);  // the launcher's counts are checked against the GPUs
  lift_program(lift, container_of(pods), role, {.nodes = nodes});
  lift_pod(lift, pods, role);
  restart_line(lift, pods.spec.get("restartPolicy"), "Never");
  set_retry_of_job(lift, coupled);
  if (lift.workload().retry && lift.workload().retry->limit.value == 0)
    take_deadline(lift, lift.spec("activeDeadlineSeconds"));
  drop_subdomain(lift, pods, ranks);
  if (!lift.object.root.at("metadata.labels") && pods.metadata.get("labels"))
    lift.ledger.say(lift.object.root.span(), "metadata.labels", Fate::approximated, "",
                    "Kubernetes gives a Job without labels those of its pods; muster writes some");
  return true;
}

// ---- JobSet

namespace {

bool lift_replicated_job(ObjectLift& lift, const PodTemplate& pods) {
  const Field job = pods.holder, spec = job.at("template.spec");
  const Field completions = spec.get("completions"), parallelism = spec.get("parallelism"),
              replicas = job.get("replicas");
  const auto nodes = count_at(parallelism, 1), all = count_at(completions, nodes.value_or(1)),
             copies = count_at(replicas, 1);
  if (!nodes) return refuse_count(lift, parallelism);
  if (!copies) return refuse_count(lift, replicas);
  if (!all || *all != *nodes)
    return lift.refuse(completions,
                       "a Job of this JobSet has more completions than pods at a time, which no key expresses",
                       "import it as a Job of its own");
  model::Role& role = lift.role(job.get("name").text());
  if (*nodes > 1) role.resources.nodes = model::unplaced(model::Count{*nodes, *nodes});
  if (*copies > 1) role.replicas = model::unplaced(model::Count{*copies, *copies});
  lift.ledger.line(job.get("name"), Fate::mapped, "role");
  lift.ledger.line(replicas, Fate::mapped, "replicas");
  lift.ledger.line(parallelism, Fate::mapped, "resources.nodes");
  lift.ledger.line(completions, Fate::mapped, "resources.nodes");
  lift.ledger.line(spec.get("completionMode"), Fate::mapped, "resources.nodes");
  if (const Field limit = spec.get("backoffLimit"))
    lift.ledger.line(limit, limit.text() == "0" ? Fate::mapped : Fate::approximated, "retry",
                     limit.text() == "0" ? "" : "muster lets the JobSet start again as a whole, not single pods");
  else
    lift.ledger.say(job.span(), spec.path + ".backoffLimit", Fate::approximated, "retry",
                    "Kubernetes starts failed pods again 6 times; muster lets the JobSet start again as a whole");
  take_deadline(lift, spec.get("activeDeadlineSeconds"));
  lift_resources(lift, pods, container_of(pods), role);
  lift_program(lift, container_of(pods), role, {.nodes = *nodes});
  lift_pod(lift, pods, role);
  restart_line(lift, pods.spec.get("restartPolicy"), "Never");
  return true;
}

// Which job starts when another one has come so far.
void lift_order(ObjectLift& lift) {
  const auto jobs = lift.spec("replicatedJobs").items();
  for (std::size_t i = 0; i < jobs.size() && i < lift.workload().roles.size(); ++i)
    for (const Field& on : jobs[i].get("dependsOn").items()) {
      const std::string name(on.get("name").text());
      const auto& roles = lift.workload().roles;
      if (std::none_of(roles.begin(), roles.end(), [&](const auto& r) { return r.name == name; })) continue;
      const bool complete = on.get("status").text() == "Complete";
      lift.workload().roles[i].depends_on.push_back(
          {name, complete ? model::StartOn::complete : model::StartOn::started, {}});
      lift.ledger.line(on, Fate::mapped, "role.depends-on");
    }
}

void lift_success(ObjectLift& lift) {
  const Field policy = lift.spec("successPolicy"), targets = policy.get("targetReplicatedJobs");
  if (policy.get("operator").text() != "All" || targets.items().size() != 1 || lift.workload().roles.size() < 2) return;
  for (model::Role& role : lift.workload().roles)
    if (role.name == targets.items().front().text()) {
      role.primary = model::unplaced(true);
      lift.ledger.line(policy, Fate::mapped, "role.primary");
    }
}

}  // namespace

bool lift_jobset(ObjectLift& lift) {
  if (lift.object.pods.empty()) return lift.refuse(lift.object.root, "the JobSet has no jobs with a pod template");
  std::int64_t pods = 0;
  for (const PodTemplate& each : lift.object.pods) pods += each.count.value_or(2);
  set_coupled(lift, pods > 1, model::Kind::train);
  const Field restarts = lift.spec("failurePolicy.maxRestarts");
  if (const auto limit = restarts.whole(); limit && *limit >= 0 && *limit <= 1000) {
    lift.workload().retry =
        retry_of(*limit, {RetryOn::node_failure, RetryOn::preemption, RetryOn::failure, RetryOn::timeout});
    lift.ledger.line(restarts, Fate::mapped, "retry.limit");
  }
  for (const PodTemplate& each : lift.object.pods)
    if (!lift_replicated_job(lift, each)) return false;
  lift_order(lift);
  lift_success(lift);
  return true;
}

// ---- Volcano

bool lift_volcano_job(ObjectLift& lift) {
  if (lift.object.pods.empty()) return lift.refuse(lift.object.root, "the Job has no tasks with a pod template");
  lift.provider = model::GangProvider::volcano;
  lift.pods().gang = lift.provider;
  std::int64_t all = 0;
  for (const PodTemplate& pods : lift.object.pods) {
    const Field replicas = pods.holder.get("replicas");
    const auto nodes = count_at(replicas, 1);
    if (!nodes) return refuse_count(lift, replicas);
    all += *nodes;
    model::Role& role = lift.role(pods.role);
    if (*nodes > 1) role.resources.nodes = model::unplaced(model::Count{*nodes, *nodes});
    lift.ledger.line(pods.holder.get("name"), Fate::mapped, "role");
    lift.ledger.line(replicas, Fate::mapped, "resources.nodes");
    lift_resources(lift, pods, container_of(pods), role);
    lift_program(lift, container_of(pods), role, {.nodes = *nodes});
    lift_pod(lift, pods, role);
    restart_line(lift, pods.spec.get("restartPolicy"), "Never");
    take_deadline(lift, pods.spec.get("activeDeadlineSeconds"));
  }
  lift.workload().kind = {model::Kind::train, {}};
  const Field least = lift.spec("minAvailable");
  lift.ledger.line(least, least.whole() == all ? Fate::mapped : Fate::approximated, "gang",
                   least.whole() == all ? "" : "all pods start together; the Job starts with fewer");
  if (const Field queue = lift.spec("queue")) {
    lift.queue_name = queue.text();
    lift.ledger.line(queue, Fate::moved, "queue of the site");
  }
  if (lift.spec("schedulerName").text() == "volcano")
    lift.ledger.line(lift.spec("schedulerName"), Fate::moved, "plane.gang of the site");
  const Field retries = lift.spec("maxRetry");
  if (const auto limit = retries.whole(); limit && *limit >= 1 && *limit <= 1000) {
    lift.workload().retry = retry_of(*limit - 1, any_failure());
    lift.ledger.line(retries, Fate::mapped, "retry.limit", "its count has the last attempt in it");
  }
  return true;
}

}  // namespace muster::targets::kubernetes::lifting
