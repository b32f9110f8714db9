#include "plan/steps/reliability.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "compiler/base/in_one_unit.h"
#include "compiler/base/text.h"
#include "scheduler/reliability.h"

namespace muster::plan {
namespace {

constexpr double day = 86'400;

double seconds(Duration d) { return static_cast<double>(d.ms) / 1000; }

// Published rates are of nodes of eight GPUs; one that counts GPUs goes with those of the pool.
std::vector<RateReport> rates_of(const model::Pool& pool) {
  std::vector<RateReport> out;
  if (pool.node_mtbf.ms > 0)
    out.push_back({day / seconds(pool.node_mtbf), "node-mtbf of pool " + pool.name + " in the fleet", {}});
  out.push_back({2.34e-3, "Meta RSC-2, A100, 11 months (arXiv 2410.21680)", {}});
  out.push_back(
      {419.0 / (54 * 2'048), "Llama 3 405B, 419 unexpected stops of 2,048 nodes in 54 days (arXiv 2407.21783)", {}});
  const double gpus = pool.gpu ? static_cast<double>(pool.gpu->count) : 0;
  if (gpus > 0) out.push_back({gpus * 24 / 50'000, "one failure in 50,000 h of an H100 (Epoch AI)", {}});
  out.push_back({6.5e-3, "Meta RSC-1, A100, 11 months (arXiv 2410.21680)", {}});
  std::stable_sort(out.begin() + (pool.node_mtbf.ms > 0 ? 1 : 0), out.end(),
                   [](const RateReport& a, const RateReport& b) { return a.per_node_day < b.per_node_day; });
  return out;
}

void add_failures(const Plan& plan, double mtbf, std::vector<Figure>& out) {
  out.push_back({"mean time to a failure", mtbf, "s", "M = 1/(N r)", {}});
  if (!plan.workload->time_limit) return;
  const double limit = seconds(plan.workload->time_limit->value);
  out.push_back({"failures in the time limit", limit / mtbf, "1", "T/M", {}});
  out.push_back({"probability of none", std::exp(-limit / mtbf), "1", "exp(-T/M)", {}});
}

void add_checkpoints(const model::Checkpoint& checkpoint, const ReliabilityAsk& ask, double mtbf,
                     std::vector<Figure>& out) {
  using namespace scheduler;
  const double write = seconds(checkpoint.write_time->value), best = best_interval(write, mtbf);
  out.push_back({"checkpoint interval, Young", young_interval(write, mtbf), "s", "sqrt(2 C M)",
                 write > mtbf / 2 ? "holds for C far below M only" : ""});
  out.push_back({"checkpoint interval, Daly",
                 daly_interval(write, mtbf),
                 "s",
                 "sqrt(2 C M) (1 + sqrt(C/2M)/3 + (C/2M)/9) - C",
                 {}});
  out.push_back({"checkpoint interval, best", best, "s", "M (1 + W0(-exp(-1 - C/M)))", {}});
  out.push_back({"most available period",
                 availability_period(write, ask.restart, mtbf),
                 "s",
                 "C + sqrt(2 (M + R) C + C^2), the save included",
                 {}});
  const auto ratio = [&](const std::string& name, double interval) {
    out.push_back(
        {name, useful_ratio(interval, write, ask.restart, mtbf), "1", "t / (M exp(R/M) (exp((t + C)/M) - 1))", {}});
  };
  ratio("useful time at the best interval", best);
  if (checkpoint.every)
    ratio("useful time at every " + to_string(checkpoint.every->value), seconds(checkpoint.every->value));
  const double meta = small_loss_interval(write, mtbf), lost = lost_share(meta, ask.restart, mtbf);
  out.push_back({"useful time, small losses", small_loss_ratio(meta, write, ask.restart, mtbf), "1",
                 "(1 - (R + t/2)/M) / (1 + C/t), t = sqrt(2 C M)",
                 lost > 0.3 ? "does not hold: the share lost is above 0.3" : ""});
}

// Spares stand in for nodes of the pool; where NVLink goes over nodes, only inside the same domain.
void add_spares(const model::Pool& pool, double rate, const ReliabilityAsk& ask, std::vector<Figure>& out) {
  const auto add = [&](const std::string& name, double nodes) {
    out.push_back({name,
                   static_cast<double>(scheduler::spares(nodes * rate * *ask.repair, ask.probability)),
                   "1",
                   "smallest k with P(X <= k) >= p, X Poisson with mean N r D",
                   {}});
  };
  add("spares of pool " + pool.name + " (" + counted(pool.node_count, "node") + ")",
      static_cast<double>(pool.node_count));
  std::size_t largest = 0;
  for (const model::Leaf& domain : pool.nvlink_domains) largest = std::max(largest, domain.nodes.size());
  if (largest > 0)
    add("spares in each NVLink domain of " + counted(static_cast<long long>(largest), "node"),
        static_cast<double>(largest));
}

std::string assumed(const ReliabilityAsk& ask) {
  const auto span = [](double s) { return to_string(Duration{static_cast<std::int64_t>(s * 1000)}); };
  std::string out = "R = " + span(ask.restart);
  if (!ask.repair) return out;
  std::string p = std::to_string(ask.probability);
  while (p.ends_with('0')) p.pop_back();
  return out + ", D = " + span(*ask.repair) + ", p = " + p;
}

std::vector<std::string> notes_of(const Plan& plan, const model::Pool& pool, const Reliability& out,
                                  const ReliabilityAsk& ask) {
  std::vector<std::string> notes{
      "N nodes, r failures per node and second, M = 1/(N r), T the time limit, C the time to write a checkpoint, R of "
      "a "
      "restart, t the interval of work, D of a repair, p the probability that spares are enough",
      "assumed: " + assumed(ask)};
  if (out.gpus < 4'096)
    notes.push_back(
        "1/(N r) is known to hold only for large jobs: at 1,024 GPUs Meta saw a failure every 7.9 h where "
        "it gives 28.8 h");
  if (pool.node_mtbf.ms == 0)
    notes.push_back("pool " + pool.name + " does not declare node-mtbf, so the figures span published rates");
  if (pool.gpu && pool.gpu->count != 8)
    notes.push_back("published rates are for nodes with 8 GPUs; those of pool " + pool.name + " have " +
                    std::to_string(pool.gpu->count));
  if (!plan.workload->checkpoint || !plan.workload->checkpoint->write_time)
    notes.push_back(
        "no checkpoint interval: the workload does not declare how long a checkpoint takes to write, "
        "`checkpoint { write-time = 60s }`");
  if (!ask.repair) notes.push_back("no spares: pass the time to repair a node with `--repair 24h`");
  return notes;
}

// ---- what to write instead ---------------------------------------------------------------------------

// "2.3", "85", "0.4".
std::string percent_text(double share) {
  const auto tenths = static_cast<std::int64_t>(std::llround(share * 1000));
  if (tenths >= 100) return std::to_string(std::llround(share * 100));
  return std::to_string(tenths / 10) + (tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10));
}

// An interval that people write: whole seconds, minutes or half hours. Near the best one the loss is flat.
Duration written(double seconds) {
  const std::int64_t unit = seconds < 120 ? 1 : seconds < 7200 ? 60 : 1800;
  return {std::max<std::int64_t>(1, std::llround(seconds / static_cast<double>(unit))) * unit * 1000};
}

// "save every 13m, not 30m: +2.3 % of useful time".
std::string other_interval(const Plan& plan, const ReliabilityAsk& ask, double mtbf) {
  constexpr double least_gain = 0.005;
  const auto& checkpoint = plan.workload->checkpoint;
  if (!checkpoint || !checkpoint->every || !checkpoint->write_time || checkpoint->write_time->value.ms <= 0) return {};
  const double write = seconds(checkpoint->write_time->value);
  const Duration is = checkpoint->every->value, best = written(scheduler::best_interval(write, mtbf));
  const auto useful = [&](Duration every) { return scheduler::useful_ratio(seconds(every), write, ask.restart, mtbf); };
  const double gain = useful(best) - useful(is);
  if (!(gain >= least_gain)) return {};
  const auto [better, now] = in_one_unit(best, is);
  return "save every " + better + ", not " + now + ": +" + percent_text(gain) + " % of useful time";
}

// Retries after the loss of a node; nullopt: without end, none of that kind, or the site decides.
std::optional<std::int64_t> retries_of(const model::Workload& workload) {
  if (workload.retry_default) return std::nullopt;
  if (!workload.retry) return 0;
  const auto& on = workload.retry->on;
  const auto is_loss = [](const auto& reason) { return reason.value == model::RetryOn::node_failure; };
  if (!on.empty() && std::none_of(on.begin(), on.end(), is_loss)) return std::nullopt;
  const std::int64_t limit = workload.retry->limit.value;
  return limit == model::Retry::unlimited ? std::nullopt : std::optional(limit);
}

// "retry.limit = 8, not 1: with 3.4 expected failures the run ends early with 0.7 %, not 85 %".
std::string other_limit(const Plan& plan, double mtbf) {
  constexpr double much = 0.05, little = 0.01;
  constexpr std::int64_t most = 1000;
  const model::Workload& workload = *plan.workload;
  const auto retries = retries_of(workload);
  const bool never_ends = workload.kind.value == model::Kind::serve || workload.kind.value == model::Kind::dev;
  if (!retries || !workload.time_limit || never_ends) return {};
  const double expected = seconds(workload.time_limit->value) / mtbf;
  const auto ends = [&](std::int64_t limit) { return 1 - scheduler::poisson_at_most(limit, expected); };
  if (ends(*retries) < much) return {};
  std::int64_t enough = *retries;
  while (enough <= most && ends(enough) > little) ++enough;
  const std::string better = enough > most ? "unlimited" : std::to_string(enough);
  const double left = enough > most ? 0 : ends(enough);
  char failures[32];
  std::snprintf(failures, sizeof failures, "%.1f", expected);
  return "retry.limit = " + better + ", not " + std::to_string(*retries) + ": with " + failures +
         " expected failures the run ends early with " + percent_text(left) + " %, not " +
         percent_text(ends(*retries)) + " %";
}

std::string change_at(const Plan& plan, const ReliabilityAsk& ask, double nodes, double per_node_day, bool with_limit) {
  const double mtbf = scheduler::job_mtbf(nodes, per_node_day / day);
  const std::string interval = other_interval(plan, ask, mtbf), limit = with_limit ? other_limit(plan, mtbf) : "";
  return interval + (interval.empty() || limit.empty() ? "" : "; ") + limit;
}

}  // namespace

std::string change_for_failures(const Plan& plan) {
  const model::Pool* pool = plan.roles.empty() ? nullptr : plan.roles.front().pool;
  if (pool == nullptr || pool->node_mtbf.ms <= 0) return {};
  // Not every target can retry, so what does not say so is left alone.
  return change_at(plan, {}, static_cast<double>(plan.demand.nodes_together()), day / seconds(pool->node_mtbf),
                   plan.workload->retry.has_value());
}

Reliability reliability_of(const Plan& plan, const ReliabilityAsk& ask) {
  Reliability out;
  out.nodes = plan.demand.nodes_together();
  out.gpus = plan.demand.gpus_together();
  const model::Pool& pool = *plan.roles.front().pool;
  out.rates = rates_of(pool);
  for (RateReport& report : out.rates) {
    const double rate = report.per_node_day / day;
    const double mtbf = scheduler::job_mtbf(static_cast<double>(out.nodes), rate);
    add_failures(plan, mtbf, report.figures);
    const auto& checkpoint = plan.workload->checkpoint;
    if (checkpoint && checkpoint->write_time && checkpoint->write_time->value.ms > 0)
      add_checkpoints(*checkpoint, ask, mtbf, report.figures);
    if (ask.repair) add_spares(pool, rate, ask, report.figures);
  }
  out.notes = notes_of(plan, pool, out, ask);
  // Of published rates the one in the middle.
  const RateReport& rate = out.rates[pool.node_mtbf.ms > 0 ? 0 : out.rates.size() / 2];
  out.change = change_at(plan, ask, static_cast<double>(out.nodes), rate.per_node_day, true);
  if (!out.change.empty() && pool.node_mtbf.ms <= 0) out.change += ", at the rate of " + rate.source;
  return out;
}

}  // namespace muster::plan
